# SPDX-License-Identifier: Apache-2.0
"""ETag, Last-Modified, 304 and byte ranges (RFC 9110), on top of WebOb's parsers."""

import re
import time
from email.utils import formatdate
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from webob.byterange import Range
from webob.datetime_utils import parse_date
from webob.etag import ETagMatcher

from oslogserve.errors import Header, RangeUnsatisfiable
from oslogserve.http import Answer

#: Characters of a Range that can be meant; Python refuses to read a number of 4300 digits.
MAX_RANGE = 100
#: Seconds. A job that has written nothing for a day has ended.
AT_REST = 24 * 3600
#: The last 0 bytes.
_LAST_NONE = re.compile(r"\s*bytes\s*=\s*-0+\s*", re.ASCII | re.IGNORECASE)


def cache_control(modified: float, max_age: int, may_break_off: bool) -> Header:
    """For how long a cache need not ask again. max_age: of a log that has come to rest.

    may_break_off: its source is another server, and more of it is to come. If that fails midway,
    the page says so and ends, under the ETag of the whole log: a cache, and a browser, would show
    the part for good.

    Not no-cache, which says the same as max-age=0: mod_cache with a CacheLock then hands our 304
    to readers who asked for no such thing, and without the lock it does not keep what has a query.
    """
    if may_break_off:
        return "Cache-Control", "no-store"
    at_rest = time.time() - modified > AT_REST
    return "Cache-Control", f"max-age={max_age if at_rest else 0}"


def etag(made_of: str) -> str:
    """A quoted, strong tag of all that an answer depends on."""
    made = blake2b(made_of.encode("utf-8", "surrogateescape"), digest_size=12)
    return f'"{made.hexdigest()}"'


def tag_of(tag: str, encoding: str) -> str:
    """Weak where the answer is compressed: the same log, never surely the same bytes, so that
    nobody joins two parts of it."""
    return f"W/{tag}" if encoding else tag


@lru_cache(maxsize=1024)
def last_modified(seconds: float) -> str:
    return formatdate(seconds, usegmt=True)


def is_conditional(environ: dict[str, Any]) -> bool:
    return "HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MODIFIED_SINCE" in environ


def is_unchanged(environ: dict[str, Any], tag: str, modified: float) -> bool:
    """Whether the client has it already. If-None-Match, where given, decides alone."""
    known = environ.get("HTTP_IF_NONE_MATCH")
    if known is not None:
        return tag.removeprefix("W/").strip('"') in ETagMatcher.parse(known, strong=False)
    since = _date(environ.get("HTTP_IF_MODIFIED_SINCE"))
    return since is not None and int(modified) <= since


def asks_for_part(environ: dict[str, Any], tag: str, modified: float) -> bool:
    """Whether it is one range of what the client has: no stale If-Range."""
    asked = environ.get("HTTP_RANGE") if environ["REQUEST_METHOD"] == "GET" else None
    if asked is None or not _if_range(environ.get("HTTP_IF_RANGE"), tag, modified):
        return False
    if "," in asked or len(asked) > MAX_RANGE:  # WebOb would take the first of many
        return False
    return _LAST_NONE.fullmatch(asked) is not None or Range.parse(asked) is not None


def span(
    environ: dict[str, Any], size: int | None, tag: str, modified: float
) -> tuple[int, int] | None:
    """(first, last + 1) byte to send, None for all.

    Raises RangeUnsatisfiable.
    """
    if size is None or not asks_for_part(environ, tag, modified):
        return None
    asked = environ["HTTP_RANGE"]
    if _LAST_NONE.fullmatch(asked):  # WebOb would take it for the whole
        raise RangeUnsatisfiable(size)
    parsed = Range.parse(asked)
    if parsed.start < -size < 0:  # more than there is, of the end: all. WebOb refuses it
        return 0, size
    found: tuple[int, int] | None = parsed.range_for_length(size)
    if found is None:
        raise RangeUnsatisfiable(size)
    return found


def strong_tag(answer: Answer) -> str:
    """Of its bytes as they are, compressed or not."""
    return dict(answer.headers)["ETag"].removeprefix("W/")


def strengthen(answer: Answer) -> None:
    """Its bytes are the same for every client."""
    tag = "ETag", strong_tag(answer)
    answer.headers = [tag if header[0] == "ETag" else header for header in answer.headers]


def make_part(answer: Answer, found: tuple[int, int], size: int) -> None:
    strengthen(answer)
    answer.status = "206 Partial Content"
    answer.headers.append(content_range(found, size))


def content_range(found: tuple[int, int], size: int) -> Header:
    return "Content-Range", f"bytes {found[0]}-{found[1] - 1}/{size}"


def _if_range(condition: str | None, tag: str, modified: float) -> bool:
    if condition is None:
        return True
    if '"' in condition:
        return condition.strip() == tag
    date = _date(condition)
    return date is not None and int(modified) == date


def _date(text: str | None) -> int | None:
    try:
        parsed = parse_date(text)
    except (ValueError, OverflowError):
        return None
    return int(parsed.timestamp()) if parsed else None
