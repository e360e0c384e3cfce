# SPDX-License-Identifier: Apache-2.0
"""Finds links in a line: request ids and URLs."""

import re
from collections import Counter
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
_ALL = re.compile(_URL + rb"\Z")
_CONTINUES = re.compile(_IN_URL)
#: Where a URL ends although bytes of URLs follow: the next URL of a list, or an escaped quote or tag.
_END = re.compile(rb"[,;](?=https?://)|&(?:quot|apos|lt|gt|#3[49]);|[()[\]]")
_CLOSING = {b"(": b")", b"[": b"]"}
_TRAILING = b".,;:!?"


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
        size = _size_of_url(found[0])
        if size == len(found[0]) and _CONTINUES.match(text, at):
            continue
        at = start + size
        yield LinkSpan(start, start + len(found[0][:size].rstrip(_TRAILING)), is_url=True)


def is_url(text: bytes) -> bool:
    """True if all of the text is a URL, as it may stand in a line."""
    return _ALL.match(text) is not None


def _size_of_url(run: bytes) -> int:
    """The bytes of a URL that begins a run of bytes of URLs. A bracket that it did not open ends it."""
    opened = Counter[bytes]()
    for found in _END.finditer(run):
        mark = found[0]
        if mark in _CLOSING:
            opened[_CLOSING[mark]] += 1
        elif opened[mark]:
            opened[mark] -= 1
        else:
            return found.start()
    return len(run)
