# SPDX-License-Identifier: Apache-2.0
"""Validators and conditional requests (RFC 9110): ETag, Last-Modified, 304 and If-Range."""

import time
from hashlib import blake2b
from typing import NamedTuple
from wsgiref.handlers import format_date_time

from webob.datetime_utils import parse_date
from webob.etag import ETagMatcher

from oslogserve.errors import Header
from oslogserve.http import NO_STORE, VARY, Response
from oslogserve.http.request import Request, RequestedRange

#: Seconds. A job that has written nothing for a day has ended.
SETTLED_AFTER = 24 * 3600


def etag_of(text: str) -> str:
    """A quoted, strong ETag of all that the bytes of a response depend on."""
    digest = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12)
    return f'"{digest.hexdigest()}"'


class Validator(NamedTuple):
    """The validator of a representation, and how long caches may keep it."""

    #: Strong, quoted.
    etag: str
    #: Seconds since 1970.
    modified: float
    #: Seconds for which caches may keep what is settled without asking.
    max_age: int = 0

    def headers(self, is_compressed: bool, may_break_off: bool) -> list[Header]:
        """The headers of a response. may_break_off: its source is another server, and more is to come.

        If that fails midway, the page says so and ends, under the ETag of the whole log: a cache,
        and a browser, would show what came for good.
        """
        last_modified = "Last-Modified", format_date_time(self.modified)
        cache_control = NO_STORE if may_break_off else self._cache_control()
        return [cache_control, VARY, self._tag(is_compressed), last_modified]

    def _tag(self, is_compressed: bool) -> Header:
        """Weak where the response is compressed: the same log, never surely the same bytes, so
        that nobody joins two ranges of it."""
        return "ETag", f"W/{self.etag}" if is_compressed else self.etag

    def _cache_control(self) -> Header:
        """Not no-cache, which says the same as max-age=0: mod_cache with a CacheLock then hands
        our 304 to readers who sent no condition, and without the lock it does not keep what has a
        query."""
        is_settled = time.time() - self.modified > SETTLED_AFTER
        return "Cache-Control", f"max-age={self.max_age if is_settled else 0}"

    def not_modified(self, request: Request, is_compressed: bool) -> Response | None:
        """The 304 for a client that has this version. is_compressed: what it would get else."""
        tags = request.environ.get("HTTP_IF_NONE_MATCH")
        if tags is not None:  # it decides alone
            is_known = self.etag.strip('"') in ETagMatcher.parse(tags, strong=False)
        else:
            since = _date(request.environ.get("HTTP_IF_MODIFIED_SINCE"))
            is_known = since is not None and int(self.modified) <= since
        if not is_known:
            return None
        headers = [self._cache_control(), VARY, self._tag(is_compressed)]
        return Response("304 Not Modified", headers)

    def byte_range(self, request: Request) -> RequestedRange | None:
        """The requested range, unless its If-Range is about another version."""
        condition = request.environ.get("HTTP_IF_RANGE")
        if condition is None:
            is_same = True
        elif '"' in condition:
            is_same = condition.strip() == self.etag
        else:
            is_same = _date(condition) == int(self.modified)
        return request.byte_range() if is_same else None


def _date(text: str | None) -> int | None:
    try:
        parsed = parse_date(text)
    except (ValueError, OverflowError):
        return None
    return int(parsed.timestamp()) if parsed else None
