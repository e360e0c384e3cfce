# SPDX-License-Identifier: Apache-2.0
"""Finds links in a line: request ids and URLs."""

import re
from collections.abc import Iterator
from typing import NamedTuple

#: Bytes of a URL after its scheme; a longer URL is no link.
LONGEST_URL = 2048
#: URLs of a line that become links. Some lines have many more, and each costs browser memory.
MOST_URLS = 16

_REQUEST = re.compile(rb"req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
#: Without the quote, which RFC 3986 allows: logs put quotes around URLs.
_IN_URL = rb"[0-9A-Za-z\-._~:/?#[\]@!$&()*+,;=%]"
_URL = rb"https?://(?=[0-9A-Za-z[])" + _IN_URL + rb"{1,%d}" % LONGEST_URL
_EITHER = re.compile(rb"(%b)|%b" % (_URL, _REQUEST.pattern))
_CONTINUES = re.compile(_IN_URL)
_TRAILING = b".,;:!?)]"


class LinkSpan(NamedTuple):
    """Start and end of a link's text in its line. is_url: False for a request id."""

    start: int
    end: int
    is_url: bool


def links_in(text: bytes) -> Iterator[LinkSpan]:
    """Yields the links in a text, from left to right, without overlaps."""
    urls = at = 0
    while found := (_EITHER if urls < MOST_URLS else _REQUEST).search(text, at):
        start, at = found.span()
        if not found.lastindex:
            yield LinkSpan(start, at, is_url=False)
            continue
        urls += 1
        if not _CONTINUES.match(text, at):
            yield LinkSpan(start, start + len(found[0].rstrip(_TRAILING)), is_url=True)
