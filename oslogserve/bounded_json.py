# SPDX-License-Identifier: Apache-2.0
"""Bounded parsing of JSON that others write."""

import json
import re
from itertools import islice
from typing import Any

#: A string or a sign. Possessive, since the pattern would else keep state for each byte. A string may
#: end with the document, since each quote of an open one would else scan the rest again.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[][{},:]', re.DOTALL)
_SIGNS = (b'"', b"[", b"]", b"{", b"}", b",", b":")


def parsed(document: bytes, most_tokens: int) -> Any:
    """The value of a document in UTF-8, whose size the caller bounds.

    A token is a string or a sign, and takes up to 40 bytes of memory. The text takes up to four times
    as much memory as the document. Raises ValueError where there are more tokens, or it is too deep.
    """
    # Counting bytes is ten times as fast as counting tokens, of which there are no more.
    if sum(map(document.count, _SIGNS)) > most_tokens:
        tokens = _TOKEN.finditer(document)
        if next(islice(tokens, most_tokens, None), None):
            raise ValueError(f"it has more than {most_tokens:,} tokens")
    try:
        return json.loads(document.decode())
    except RecursionError:
        raise ValueError("it is too deep") from None
