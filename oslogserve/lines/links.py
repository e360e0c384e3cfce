# SPDX-License-Identifier: Apache-2.0
"""What becomes a link in a line: request ids, and addresses of the web."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from oslogserve.lines.escape import escaped

#: Bytes behind an address's scheme; what is longer is no link.
LONGEST_URL = 2048
#: More of a line's addresses, as in a service catalogue, are text: each costs the browser memory.
MOST_URLS = 16

_ID = rb"req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_REQUEST = re.compile(rb"(" + _ID + rb")")
_REQUEST_MARK = b"req-"
#: RFC 3986 allows a quote too, but in logs it stands around addresses.
_IN_URL = rb"[0-9A-Za-z\-._~:/?#[\]@!$&()*+,;=%]"
_URL = rb"https?://(?=[0-9A-Za-z[])" + _IN_URL + rb"{1,%d}" % LONGEST_URL
_ADDRESS = re.compile(rb"(" + _URL + rb")")
_EITHER = re.compile(_ID + rb"|(" + _URL + rb")")
_GOES_ON = re.compile(_IN_URL)
_TRAILING = b".,;:!?)]"

_URL_LINK = b'<a href="%b" rel="noopener noreferrer">%b</a>'
_REQUEST_LINK = b'<a href="%bq=%b">%b</a>'

#: Where it begins and ends in its text; whether it is an address.
Link = tuple[int, int, bool]
#: A text without this has no address in it.
_URL_MARK = b"http"


def linked(link: bytes, to: bytes, is_url: bool, shown: bytes) -> bytes:
    """link: see Wanted. to: escaped."""
    if is_url:
        return _URL_LINK % (to, shown)
    return _REQUEST_LINK % (link, to, shown)


def linked_in(texts: Sequence[bytes], link: bytes) -> list[bytes]:
    """Each escaped, and what becomes a link in it one: all in a few calls, as each call costs.

    link: see Wanted. texts: without ends of lines and without colours.
    """
    joined = b"\n".join(texts)
    if _URL_MARK not in joined:
        return _with_requests(joined, link)
    between = list(texts)
    urls: list[tuple[int, list[bytes]]] = []
    for index, text in enumerate(texts):
        if text.find(_URL_MARK) >= 0:  # in half the time of `in`
            parts = _ADDRESS.split(text, MOST_URLS)
            urls.append((index, _linked_urls(parts)))
            between[index] = b"\n".join(parts[::2])
    return _put_between(urls, _with_requests(b"\n".join(between), link))


def _with_requests(text: bytes, link: bytes) -> list[bytes]:
    """Its lines. No part of an id is escaped, and none has an end of a line in it."""
    text = escaped(text)
    if link and _REQUEST_MARK in text:
        parts = _REQUEST.split(text)
        parts[1::2] = [_REQUEST_LINK % (link, request, request) for request in parts[1::2]]
        text = b"".join(parts)
    return text.split(b"\n")


def _linked_urls(parts: Sequence[bytes]) -> list[bytes]:
    """parts: of a text, every second of them an address. Of their bytes only & is escaped."""
    shown = []
    for url, behind in zip(parts[1::2], parts[2::2], strict=True):
        text = url.rstrip(_TRAILING)
        to = text.replace(b"&", b"&amp;")
        if len(url) > LONGEST_URL and _GOES_ON.match(behind):
            shown.append(url.replace(b"&", b"&amp;"))
        else:
            shown.append(_URL_LINK % (to, to) + url[len(text) :])
    return shown


def _put_between(urls: Iterable[tuple[int, list[bytes]]], between: list[bytes]) -> list[bytes]:
    """Those of a text, with its index. In `between` such a text is one more than it has urls."""
    texts: list[bytes] = []
    rest = iter(between)
    for index, shown in urls:
        texts += islice(rest, index - len(texts))
        parts = [b""] * (2 * len(shown) + 1)
        parts[::2] = islice(rest, len(shown) + 1)
        parts[1::2] = shown
        texts.append(b"".join(parts))
    return [*texts, *rest]


def links_in(text: bytes, start: int, end: int, requests: bool) -> Iterator[Link]:
    """From left to right, none in another. requests: whether their ids are links."""
    urls = 0
    while requests or urls < MOST_URLS:
        pattern = _REQUEST if urls == MOST_URLS else _EITHER if requests else _ADDRESS
        found = pattern.search(text, start, end)
        if not found:
            return
        first, start = found.span()
        if pattern is _REQUEST or not found.lastindex:
            yield first, start, False
            continue
        urls += 1
        if not _GOES_ON.match(text, start, end):
            yield first, first + len(found[0].rstrip(_TRAILING)), True
