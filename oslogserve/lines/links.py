# SPDX-License-Identifier: Apache-2.0
"""What becomes a link in a line: request ids, and addresses of the web."""

import re
from collections.abc import Iterator

#: Bytes behind an address's scheme; what is longer is no link.
LONGEST_URL = 2048
#: More of a line's addresses, as in a service catalogue, are text: each costs the browser memory.
MOST_URLS = 16

_ID = rb"req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
REQUEST_ID = re.compile(_ID)
#: RFC 3986 allows a quote too, but in logs it stands around addresses.
_IN_URL = rb"[0-9A-Za-z\-._~:/?#[\]@!$&()*+,;=%]"
_URL = rb"https?://(?=[0-9A-Za-z[])" + _IN_URL + rb"{1,%d}" % LONGEST_URL
_ADDRESS = re.compile(rb"(" + _URL + rb")")
_EITHER = re.compile(_ID + rb"|(" + _URL + rb")")
_GOES_ON = re.compile(_IN_URL)
_TRAILING = b".,;:!?)]"


#: Where it begins and ends in its text; whether it is an address.
Link = tuple[int, int, bool]
#: A text without this has no address in it.
URL_MARK = b"http"


def linked(link: bytes, to: bytes, is_url: bool, shown: bytes) -> bytes:
    """link: see Wanted. to: escaped."""
    if is_url:
        return b'<a href="%b" rel="noopener noreferrer">%b</a>' % (to, shown)
    return b'<a href="%bq=%b">%b</a>' % (link, to, shown)


def links_in(text: bytes, start: int, end: int, requests: bool) -> Iterator[Link]:
    """From left to right, none in another. requests: whether their ids are links."""
    urls = 0
    while requests or urls < MOST_URLS:
        pattern = REQUEST_ID if urls == MOST_URLS else _EITHER if requests else _ADDRESS
        found = pattern.search(text, start, end)
        if not found:
            return
        first, start = found.span()
        if not found.lastindex:
            yield first, start, False
            continue
        urls += 1
        if not _GOES_ON.match(text, start, end):
            yield first, first + len(found[0].rstrip(_TRAILING)), True
