# SPDX-License-Identifier: Apache-2.0
"""What was asked, validated. The only module that looks at user input.

It must not know where logs lie or what a page looks like.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from webob.acceptparse import create_accept_header

from oslogserve.config.values import one_of
from oslogserve.errors import BadRequest
from oslogserve.lines.clock import span
from oslogserve.lines.formats import SEVERITIES
from oslogserve.lines.search import LONGEST, Search
from oslogserve.lines.selection import WHOLE, Selection

SOURCES = ("all", "disk", "swift")
SORTS = ("name", "time")
FORMATS = ("html", "text", "jsonl", "summary", "raw", "json")
#: Longer queries hold nothing that this grammar knows.
MAX_QUERY = 4096
#: Longest path of Linux; Swift's object names end at 1024.
MAX_PATH = 4096
#: No log has as many lines.
MAX_NUMBER = 10**12 - 1
#: Lines around a hit, and at a log's end, that may be asked for: they are held in memory.
MAX_CONTEXT = 1000
MAX_TAIL = 100_000
#: As often may a parameter be given: each costs a pass over the log.
MAX_REPEATS = 8


class Query(NamedTuple):
    """One request, checked.

    path: bytes as the server decoded them, no leading slash, no empty, '.' or '..' segment.
    folder: the path ended in a slash (or is the root).
    format: None where the request did not say; `prefers_html` is then the client's Accept.
    selection: which lines. given: the parameters as they came, for links to the same lines.
    wraps: whether a page breaks long lines. sort: of a folder's entries, None where the request
    did not say.
    """

    path: bytes
    folder: bool
    source: str = "all"
    format: str | None = None
    prefers_html: bool = False
    selection: Selection = WHOLE
    given: tuple[tuple[str, str], ...] = ()
    wraps: bool = True
    sort: str | None = None

    @property
    def is_unfiltered(self) -> bool:
        """Whether all of the log is asked for."""
        return self.selection == WHOLE

    @classmethod
    def from_environ(cls, environ: dict[str, Any]) -> "Query":
        """Raises BadRequest, naming the path's fault or the parameter and what it takes."""
        path = checked_path(environ.get("PATH_INFO", ""))
        query_string = environ.get("QUERY_STRING", "")
        return cls(
            path=path.rstrip(b"/"),
            folder=path == b"" or path.endswith(b"/"),
            prefers_html=accepts_html(environ.get("HTTP_ACCEPT", "")),
            **(asked(pairs(query_string)) if query_string else {}),
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


def _whole_number(value: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) < 16
    if not (is_number and least <= int(value) <= most):
        raise ValueError(f"a whole number from {least} to {most}")
    return int(value)


def _context(value: str) -> int:
    return _whole_number(value, 0, MAX_CONTEXT)


def _tail(value: str) -> int:
    return _whole_number(value, most=MAX_TAIL)


def _lines(value: str) -> tuple[int, int | None]:
    first, dash, last = value.partition("-")
    try:
        start = _whole_number(first) if first or not last else 1
        end = start if not dash else _whole_number(last) if last else None
    except ValueError:
        raise ValueError("numbers of lines: A-B, A- or -B") from None
    if end is not None and end < start:
        raise ValueError(f"numbers of lines, the lower one first: {end}-{start}")
    return start, end


def _text(value: str) -> Search:
    if len(value) > LONGEST:
        raise ValueError(f"at most {LONGEST} characters")
    return Search.of_text(value)


def _pattern(value: str) -> Search:
    if len(value) > LONGEST:
        raise ValueError(f"at most {LONGEST} characters")
    try:
        return Search.of_pattern(value)
    except ValueError as error:
        raise ValueError(f"a regular expression of RE2's syntax ({error})") from None


def _fragment(value: str) -> bytes:
    if not _FRAGMENT.fullmatch(value):
        raise ValueError("the fragment of a line's address")
    return value.encode()


_FRAGMENT = re.compile(r"L[1-9][0-9]{0,14}|_[0-9A-Za-z_+/-]{1,64}")


def _content_type(value: str) -> str:
    return {"text/plain": "text", "text/html": "html"}[
        one_of("text/plain", "text/html", fold=str.lower)(value)
    ]


def _yes_or_no(value: str) -> bool:
    return one_of("yes", "no", fold=str.lower)(value) == "yes"


class Parameter(NamedTuple):
    """field: of Query or Selection. parse: raises ValueError with what the parameter takes.
    repeats: all of several values hold. is_from_form: a form sends it empty where it is not
    filled in."""

    field: str
    parse: Callable[[str], Any]
    example: str
    help: str
    repeats: bool = False
    is_from_form: bool = True


#: What an address takes; those with a field of Selection are options of `render` too.
PARAMETERS = {
    "source": Parameter(
        "source", one_of(*SOURCES, fold=str.lower), "swift", "where to look", is_from_form=False
    ),
    "lines": Parameter("lines", _lines, "1000-2000", "numbers of lines: A-B, A- or -B"),
    "since": Parameter("since", span, "2013-09-27T18:22", "not before this time (ISO 8601)"),
    "until": Parameter("until", span, "2013-09-27T18:25", "not after this time (ISO 8601)"),
    "level": Parameter(
        "level",
        one_of(*SEVERITIES, fold=str.upper),
        "ERROR",
        "lines of this severity and above",
        is_from_form=False,
    ),
    "q": Parameter("searches", _text, "timed out", "text that a line holds", repeats=True),
    "re": Parameter("searches", _pattern, "time.*out", "regular expression (RE2)", repeats=True),
    "not": Parameter("without", _text, "heartbeat", "text that no line holds", repeats=True),
    "context": Parameter("context", _context, "5", "lines before and after each hit"),
    "after": Parameter(
        "after",
        _whole_number,
        "812",
        "no lines up to this number",
        is_from_form=False,
    ),
    "limit": Parameter(
        "limit", _whole_number, "1000", "the first lines of what is left", is_from_form=False
    ),
    "tail": Parameter("tail", _tail, "100", "the last lines of what is left"),
    "show": Parameter("show", _fragment, "L1234", "bring in a line, by its fragment", repeats=True),
    "format": Parameter(
        "format", one_of(*FORMATS, fold=str.lower), "jsonl", "the view", is_from_form=False
    ),
    "wrap": Parameter(
        "wraps", _yes_or_no, "no", "whether a page breaks long lines", is_from_form=False
    ),
    "sort": Parameter(
        "sort", one_of(*SORTS, fold=str.lower), "time", "a folder's entries", is_from_form=False
    ),
    "content-type": Parameter(
        "format",
        _content_type,
        "text/plain",
        "the view, as os-loganalyze had it",
        is_from_form=False,
    ),
}


def pairs(query_string: str) -> list[tuple[str, str]]:
    if len(query_string) > MAX_QUERY:
        raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
    return parse_qsl(query_string, keep_blank_values=True)


def asked(given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Fields of Query by name. Raises BadRequest."""
    fields: dict[str, Any] = {}
    for name, value in given:
        if name not in PARAMETERS:
            known = ", ".join(PARAMETERS)
            raise BadRequest(f"Unknown parameter {name[:40]!r}: this server takes {known}.")
        parameter = PARAMETERS[name]
        if not value and parameter.is_from_form:
            continue
        parsed = _parsed(name, parameter, value)
        if parameter.repeats:
            several = fields.setdefault(parameter.field, ())
            if len(several) == MAX_REPEATS:
                raise BadRequest(f"{name} is given too often: at most {MAX_REPEATS} times.")
            fields[parameter.field] = (*several, parsed)
        elif fields.setdefault(parameter.field, parsed) != parsed:
            raise BadRequest(f"{name} contradicts an earlier value: give it once.")
    if fields.get("level") == SEVERITIES[0]:
        del fields["level"]
    first, last = fields.pop("lines", (1, None))
    query: dict[str, Any] = {
        name: fields.pop(name) for name in ("source", "format", "wraps", "sort") if name in fields
    }
    query["selection"] = Selection(first=first, last=last, **fields)
    query["given"] = tuple(given)
    return query


def _parsed(name: str, parameter: Parameter, value: str) -> Any:
    try:
        return parameter.parse(value)
    except ValueError as takes:
        example = urlencode({name: parameter.example}, safe=":*")
        raise BadRequest(
            f"{name}={value[:40]!r} is not understood: {name} takes {takes}, such as {example}."
        ) from None


@lru_cache(maxsize=256)
def accepts_html(accept: str) -> bool:
    """Whether the client names text/html and likes it no less than text/plain.

    A bare */* is what bots and curl send: for them the log's own bytes serve better.
    """
    if "html" not in accept.lower():
        return False
    liked = dict(create_accept_header(accept).acceptable_offers(["text/html", "text/plain"]))
    return liked.get("text/html", 0.0) >= liked.get("text/plain", 0.0) and "text/html" in liked
