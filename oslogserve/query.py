# SPDX-License-Identifier: Apache-2.0
"""What was asked, validated. The only module that looks at user input.

It must not know where logs lie or what a page looks like.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from webob.acceptparse import create_accept_header

from oslogserve.config.values import one_of
from oslogserve.errors import BadRequest
from oslogserve.lines.formats import SEVERITIES

SOURCES = ("all", "disk", "swift")
FORMATS = ("html", "text", "raw", "json")
#: Longer queries hold nothing that this grammar knows.
MAX_QUERY = 4096
#: Longest path of Linux; Swift's object names end at 1024.
MAX_PATH = 4096
#: Digits beyond this are not a count of lines.
MAX_LIMIT = 10**12


class Query(NamedTuple):
    """One request, checked.

    path: bytes as the server decoded them, no leading slash, no empty, '.' or '..' segment.
    folder: the path ended in a slash (or is the root).
    format: None where the request did not say; `prefers_html` is then the client's Accept.
    level: None means no filter, else one of SEVERITIES. limit: in lines, None for all.
    """

    path: bytes
    folder: bool
    source: str = "all"
    level: str | None = None
    limit: int | None = None
    format: str | None = None
    prefers_html: bool = False

    @property
    def is_unfiltered(self) -> bool:
        """Whether all of the log is asked for."""
        return self.level is None and self.limit is None

    @classmethod
    def from_environ(cls, environ: dict[str, Any]) -> "Query":
        """Raises BadRequest, naming the path's fault or the parameter and what it takes."""
        path = checked_path(environ.get("PATH_INFO", ""))
        given = parameters(environ.get("QUERY_STRING", ""))
        return cls(
            path=path.rstrip(b"/"),
            folder=path == b"" or path.endswith(b"/"),
            prefers_html=accepts_html(environ.get("HTTP_ACCEPT", "")),
            **given,
        )


def checked_path(path_info: str) -> bytes:
    """The path below the mount point, as bytes, without its leading slash."""
    path = path_info.encode("latin-1").removeprefix(b"/")
    if len(path) > MAX_PATH:
        raise BadRequest(f"The path is longer than {MAX_PATH} bytes.")
    if b"\0" in path:
        raise BadRequest("The path holds a NUL byte.")
    segments = path.removesuffix(b"/").split(b"/") if path else []
    for segment in segments:
        if segment in (b".", b".."):
            raise BadRequest('The path has a "." or ".." segment: name the log itself.')
        if not segment:
            raise BadRequest('The path has an empty segment ("//").')
    return path


def _count(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 16 and 0 < int(value) < MAX_LIMIT):
        raise ValueError("a whole number of lines, 1 or more")
    return int(value)


def _content_type(value: str) -> str:
    return {"text/plain": "text", "text/html": "html"}[
        one_of("text/plain", "text/html", fold=str.lower)(value)
    ]


#: name -> (field of Query, parser that raises ValueError with what the parameter takes)
PARAMETERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "source": ("source", one_of(*SOURCES, fold=str.lower)),
    "level": ("level", one_of(*SEVERITIES, fold=str.upper)),
    "limit": ("limit", _count),
    "format": ("format", one_of(*FORMATS, fold=str.lower)),
    "content-type": ("format", _content_type),
}


def parameters(query_string: str) -> dict[str, Any]:
    """Fields of Query by name."""
    if len(query_string) > MAX_QUERY:
        raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
    fields: dict[str, Any] = {}
    for name, value in parse_qsl(query_string, keep_blank_values=True) if query_string else ():
        if name not in PARAMETERS:
            known = ", ".join(PARAMETERS)
            raise BadRequest(f"Unknown parameter {name[:40]!r}: this server takes {known}.")
        field, parse = PARAMETERS[name]
        try:
            parsed = parse(value)
        except ValueError as takes:
            raise BadRequest(
                f"{name}={value[:40]!r} is not understood: {name} takes {takes}."
            ) from None
        if fields.setdefault(field, parsed) != parsed:
            raise BadRequest(f"{name} contradicts an earlier value: give it once.")
    if fields.get("level") == SEVERITIES[0]:
        del fields["level"]
    return fields


@lru_cache(maxsize=256)
def accepts_html(accept: str) -> bool:
    """Whether the client names text/html and likes it no less than text/plain.

    A bare */* is what bots and curl send: for them the log's own bytes serve better.
    """
    if "html" not in accept.lower():
        return False
    liked = dict(create_accept_header(accept).acceptable_offers(["text/html", "text/plain"]))
    return liked.get("text/html", 0.0) >= liked.get("text/plain", 0.0) and "text/html" in liked
