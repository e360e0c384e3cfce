# SPDX-License-Identifier: Apache-2.0
"""A request's headers for compression, ranges and conditions (RFC 9110), and the validator of an answer.

A Validator stands for one representation of one version of a log: its ETag is a digest of whatever the bytes depend on.
An encoded answer has a weak one, since two workers may compress the same text to other bytes: so no client joins ranges
of them. If the source may fail midway, the page says so at its end, under the ETag of the whole log. A cache would keep
showing that page, so it may not store it.

A log is settled once its job has written nothing for a day. Then caches may keep it for `max_age` seconds. Before, they
ask each time, and 304 costs no more than the metadata of the log.
"""

import re
import select
import socket
import time
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from wsgiref.handlers import format_date_time

from webob.acceptparse import create_accept_encoding_header
from webob.datetime_utils import parse_date
from webob.etag import ETagMatcher

from oslogserve.errors import Header, RangeUnsatisfiable
from oslogserve.http import NO_STORE, VARY

#: A single range of RFC 9110, without spaces: FIRST-LAST, FIRST- or -LENGTH. The digits are limited,
#: since int() refuses 4,300 of them.
_RANGE = re.compile(r"bytes=(?:([0-9]{1,20})-([0-9]{0,20})|-([0-9]{1,20}))", re.IGNORECASE)
#: What the server sends as Content-Encoding: gzip that it makes, and both as they are stored.
_CODINGS = ("gzip", "zstd")
_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE")
#: Seconds after which a log is taken as finished: its job has written nothing for a day.
SETTLED_AFTER = 24 * 3600


class Request:
    """A request, over its WSGI environ."""

    def __init__(self, environ: dict[str, Any], gzip_level: int | None = None) -> None:
        """gzip_level: the server's; None if it never compresses."""
        self.environ = environ
        self.is_head: bool = environ["REQUEST_METHOD"] == "HEAD"
        self.is_conditional = not environ.keys().isdisjoint(_CONDITIONS)
        header = environ.get("HTTP_ACCEPT_ENCODING")
        #: Content-Encodings that the client and the server want an answer with.
        self.codings = frozenset() if gzip_level is None else codings_named(header)
        #: The level to compress with; None if the client or the server does not want gzip.
        self.gzip_level = gzip_level if "gzip" in self.codings else None
        #: The client's connection; None where the server does not show it, as mod_wsgi.
        self._connection: socket.socket | None = environ.get("gunicorn.socket")

    def has_left(self) -> bool:
        """True if the client is known to have closed the connection."""
        if self._connection is None:
            return False
        if self._connection.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(self._connection, select.POLLRDHUP)
        return bool(poll.poll(0))


# Clients send few different headers.
@lru_cache(maxsize=256)
def codings_named(header: str | None) -> frozenset[str]:
    """Those of _CODINGS that an Accept-Encoding names, with a q above 0 and at least identity's.

    zstd is left out where gzip has a higher q. A malformed header names nothing.
    """
    if header is None:
        return frozenset()
    codings = create_accept_encoding_header(header).parsed or ()
    quality_of: dict[str, float] = {coding.lower(): quality for coding, quality in codings}
    least = quality_of.get("identity", quality_of.get("*", 0.0))
    accepted = {name for name in _CODINGS if 0 < quality_of.get(name, 0.0) >= least}
    if "gzip" in accepted and quality_of["gzip"] > quality_of.get("zstd", 0.0):
        accepted.discard("zstd")  # the server can make gzip, not the other
    return frozenset(accepted)


def etag_of(text: str) -> str:
    """A strong ETag, quoted. text: all values that the response's bytes depend on."""
    digest = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12)
    return f'"{digest.hexdigest()}"'


def is_settled(modified: float) -> bool:
    """True if a log is taken as finished. modified: seconds since 1970."""
    return time.time() - modified > SETTLED_AFTER


class Validator(NamedTuple):
    """The validator of a representation, and how long caches may keep it."""

    #: Strong, quoted.
    etag: str
    #: Seconds since 1970.
    modified: float
    #: Seconds for which caches may keep a settled log without asking.
    max_age: int = 0
    #: False if the representation may change while the log's time does not.
    is_by_time: bool = True

    def headers(self, is_encoded: bool, may_break_off: bool) -> list[Header]:
        """The headers of a response. may_break_off: the source may fail midway.

        Then the page says so and ends, under the ETag of the whole log. A cache would keep showing
        that page, so it may not store it.
        """
        headers = [NO_STORE if may_break_off else self._cache_control(), VARY]
        headers.append(self._tag(is_encoded))
        if self.is_by_time:
            headers.append(("Last-Modified", format_date_time(self.modified)))
        return headers

    def _tag(self, is_encoded: bool) -> Header:
        """The ETag, weak for an encoded response: its bytes may differ for the same log.

        So no client joins two ranges of it.
        """
        return "ETag", f"W/{self.etag}" if is_encoded else self.etag

    def _cache_control(self) -> Header:
        """Cache-Control with max-age. Not no-cache, although max-age=0 means the same.

        With no-cache and a CacheLock, mod_cache passes our 304 to clients that sent no condition.
        Without the lock, it does not store URLs with a query.
        """
        keeps = self.is_by_time and is_settled(self.modified)
        return "Cache-Control", f"max-age={self.max_age if keeps else 0}"

    def not_modified(self, request: Request, is_encoded: bool) -> list[Header] | None:
        """The headers of the 304 for a client that has this version, else None.

        is_encoded: as the whole response would be.
        """
        tags = request.environ.get("HTTP_IF_NONE_MATCH")
        if tags is not None:  # If-Modified-Since is ignored then
            is_known = self.etag.strip('"') in ETagMatcher.parse(tags, strong=False)
        else:
            since = _date(request.environ.get("HTTP_IF_MODIFIED_SINCE"))
            is_known = self.is_by_time and since is not None and int(self.modified) <= since
        if not is_known:
            return None
        return [self._cache_control(), VARY, self._tag(is_encoded)]

    def byte_range(
        self, request: Request, size_of: Callable[[], int | None]
    ) -> tuple[int, int, int] | None:
        """The range that a GET requests, as its first byte and its end, and the size of all; None for all.

        That is for none, several or a malformed one, or if If-Range names another version. size_of: None if no
        ranges can be sent. Raises RangeUnsatisfiable.
        """
        condition = request.environ.get("HTTP_IF_RANGE")
        if condition is None:
            is_same = True
        elif '"' in condition:
            is_same = condition.strip() == self.etag
        else:
            is_same = self.is_by_time and _date(condition) == int(self.modified)
        found = _RANGE.fullmatch(request.environ.get("HTTP_RANGE", ""))
        if not (is_same and found and request.environ["REQUEST_METHOD"] == "GET"):
            return None
        first, last, length = (int(digits) if digits else None for digits in found.groups())
        if first is not None and last is not None and last < first:
            return None
        size = size_of()
        if size is None:
            return None
        end = size if last is None else min(last + 1, size)
        first = max(0, size - (length or 0)) if first is None else first
        if first >= end:
            raise RangeUnsatisfiable(size)
        return first, end, size


def _date(text: str | None) -> int | None:
    try:
        parsed = parse_date(text)
    except (ValueError, OverflowError):
        return None
    return int(parsed.timestamp()) if parsed else None
