# SPDX-License-Identifier: Apache-2.0
"""A request: the headers that HTTP acts on."""

import re
import select
from functools import lru_cache
from typing import Any, NamedTuple

from webob.acceptparse import create_accept_encoding_header

from oslogserve.errors import RangeUnsatisfiable
from oslogserve.http import ByteRange

#: One range of RFC 9110, which allows no space within it: FIRST-LAST, FIRST- or -LENGTH. Python
#: refuses to read a number of 4300 digits.
_RANGE = re.compile(r"bytes=(?:([0-9]{1,20})-([0-9]{0,20})|-([0-9]{1,20}))", re.IGNORECASE)


class Request:
    """A request, over its WSGI environ."""

    def __init__(self, environ: dict[str, Any], gzip_level: int | None = None) -> None:
        """gzip_level: of the server; None where it never compresses."""
        self.environ = environ
        self.is_head: bool = environ["REQUEST_METHOD"] == "HEAD"
        self.accepts_gzip = gzip_level is not None and names_gzip(
            environ.get("HTTP_ACCEPT_ENCODING")
        )
        #: Level to compress with; None where the client or the server does not want that.
        self.gzip_level = gzip_level if self.accepts_gzip else None

    def has_client_left(self) -> bool:
        """True if the client has closed its connection, as far as the server shows that: gunicorn does,
        mod_wsgi does not."""
        connection = self.environ.get("gunicorn.socket")
        if connection is None:
            return False
        if connection.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        return bool(poll.poll(0))

    @property
    def is_conditional(self) -> bool:
        return "HTTP_IF_NONE_MATCH" in self.environ or "HTTP_IF_MODIFIED_SINCE" in self.environ

    def byte_range(self) -> "RequestedRange | None":
        """The range that a GET requests; None for none, several, or what is not understood."""
        found = _RANGE.fullmatch(self.environ.get("HTTP_RANGE", ""))
        if found is None or self.environ["REQUEST_METHOD"] != "GET":
            return None
        first, last, length = (int(digits) if digits else None for digits in found.groups())
        if first is None:
            return RequestedRange(None, length)
        return None if last is not None and last < first else RequestedRange(first, last)


class RequestedRange(NamedTuple):
    """Value of a Range header: bytes FIRST-LAST, FIRST-, or -LENGTH of the end."""

    first: int | None
    last: int | None

    def within(self, size: int) -> ByteRange:
        """The part of the range within `size` bytes. Raises RangeUnsatisfiable."""
        if self.first is None:
            found = ByteRange(max(0, size - (self.last or 0)), size)
        else:
            found = ByteRange(self.first, size if self.last is None else min(self.last + 1, size))
        if found.size <= 0:
            raise RangeUnsatisfiable(size)
        return found


# As accepts_html(): clients have few of them.
@lru_cache(maxsize=256)
def names_gzip(header: str | None) -> bool:
    """True if an Accept-Encoding names gzip, with a q that is not 0 and at least identity's.

    A header that cannot be parsed names nothing.
    """
    if header is None:
        return False
    codings = create_accept_encoding_header(header).parsed or ()
    quality_of: dict[str, float] = {coding.lower(): quality for coding, quality in codings}
    quality = quality_of.get("gzip", 0.0)
    return quality > 0 and quality >= quality_of.get("identity", quality_of.get("*", 0.0))
