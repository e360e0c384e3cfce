# SPDX-License-Identifier: Apache-2.0
"""Checks paths and query strings: no other module reads them.

It must not know where logs are, or what a page looks like.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from webob.acceptparse import create_accept_header

from oslogserve.config.values import one_of
from oslogserve.errors import BadRequest
from oslogserve.lines.goto import Place, place
from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.moments import Moment, moment
from oslogserve.lines.search import LONGEST, MOST_STATES, Search, states_of
from oslogserve.lines.selection import ALL_LINES, Selection
from oslogserve.lines.summary import LONGEST_NAME
from oslogserve.lines.time_range import TimeRange, time_range

SOURCES, SORTS, ORDERS = ("all", "disk", "swift"), ("name", "time"), ("log", "time")
FORMATS = ("html", "text", "jsonl", "summary", "overview", "chapters", "raw", "json")
#: Characters of a query; no valid query needs more.
MAX_QUERY = 4096
#: Bytes of a path, as in Linux; Swift's object names have at most 1024.
MAX_PATH = 4096
#: The largest line number; no log has so many lines.
MAX_NUMBER = 10**12 - 1
#: Lines around a hit, and at a log's end, which are held in memory.
MAX_CONTEXT = 1000
MAX_TAIL = 100_000
#: Repetitions of a search parameter: each costs a pass over the log.
MAX_REPEATS = 8
#: Fragments in `show`, such as the gaps that a reader has opened.
MAX_SHOWN = 64

#: Parameters that a log's page has a field for, in the order of the fields.
FIELDS = (
    *("q", "goto", "re", "not", "since", "until", "lines", "context", "chapter"),
    *("against", "new"),
)
#: Fields of a page that may be wrong; each costs another check of the query.
MAX_FAULTS = 8

#: Names and values of a query string, in their order, unchecked.
Parameters = tuple[tuple[str, str], ...]


class Fault(NamedTuple):
    """The value of a field that is not valid, and a sentence about it."""

    name: str
    value: str
    sentence: str


class Query(NamedTuple):
    """A request whose parameters were checked."""

    #: Bytes as the server decoded them: no leading slash, no empty, "." or ".." segment.
    path: bytes
    #: True if the path ended in a slash, or is the root.
    is_folder: bool
    #: SCRIPT_NAME: the beginning of the path in links.
    mount: str = ""
    source: str = "all"
    #: None if the query names none; the client's Accept then decides.
    format: str | None = None
    #: True if the client's Accept asks for HTML.
    prefers_html: bool = False
    selection: Selection = ALL_LINES
    #: The unchecked parameters, for links to the same lines.
    parameters: Parameters = ()
    #: True if a page breaks long lines.
    wraps: bool = True
    #: Order of a folder's entries; None if the query names none.
    sort: str | None = None
    #: Order of the lines of a folder's logs; None if the query names none.
    order: str | None = None
    #: Shell patterns of names of a folder's logs, and the first name.
    logs: tuple[str, ...] = ()
    first_log: bytes = b""
    #: Logs that an overview leaves out, the likeliest ones: earlier answers have them.
    skip: int = 0
    #: When the job failed, as an earlier answer found.
    failed: TimeRange | None = None
    #: True for the folder of the job that contains the path.
    in_job: bool = False
    #: True if the reader did not ask for the overview: it is left out if the logs are large.
    unasked: bool = False
    #: The path of a log or a folder of a run that passed; b"" for none.
    against: bytes = b""
    #: The name of the log's chapter whose lines are shown; "" for none.
    chapter: str = ""
    #: The line of a log to which the answer redirects.
    goto: Place | None = None
    #: A line whose time the lines of all logs are wanted around.
    moment: Moment | None = None
    #: Fields of a log's page that are not valid. All others are in `parameters`.
    faults: tuple[Fault, ...] = ()

    @property
    def view(self) -> str:
        """The format of the query, else the one that the client prefers."""
        return self.format or ("html" if self.prefers_html else "text")

    @property
    def is_of_job(self) -> bool:
        """True if the query asks for the content of a folder's logs."""
        chooses = self.order or self.logs or self.chooses_lines or self.moment
        is_next = self.first_log and not self.sort  # of a listing, which has an order of its own
        return bool(chooses or is_next) or self.format in ("jsonl", "summary", "overview")

    @property
    def chooses_lines(self) -> bool:
        """True if the query has a parameter that chooses lines, even if that leaves out none."""
        names = (name for name, value in self.parameters if value)
        return not self.is_unfiltered or "level" in names

    @property
    def is_unfiltered(self) -> bool:
        """True if the query selects all lines of the log."""
        return self.selection == ALL_LINES and not self.chapter

    @classmethod
    def from_environ(cls, environ: dict[str, Any]) -> "Query":
        """The query of a request. Raises BadRequest that names the fault or the valid values."""
        path = checked_path(environ.get("PATH_INFO", ""))
        query = cls(
            path=path.rstrip(b"/"),
            is_folder=path == b"" or path.endswith(b"/"),
            mount=environ.get("SCRIPT_NAME", ""),
            prefers_html=accepts_html(environ.get("HTTP_ACCEPT", "")),
        )
        query_string = environ.get("QUERY_STRING", "")
        if len(query_string) > MAX_QUERY:
            raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
        if not query_string:
            return query
        query = query.with_valid_fields(parameters_of(query_string))
        if query.first_log or query.moment:  # names may have bytes that are not UTF-8
            exact = dict(parameters_of(query_string, "surrogateescape"))
            first = exact.get("from", "").encode("utf-8", "surrogateescape")
            marked = moment(exact["moment"]) if query.moment else None
            query = query._replace(first_log=first, moment=marked)
        return query

    def with_valid_fields(self, parameters: Sequence[tuple[str, str]]) -> "Query":
        """The same path with these parameters. On a log's page, wrong fields become `faults`.

        Raises BadRequest for any other fault, and if another answer is wanted.
        """
        valid = list(parameters)
        errors: list[BadRequest] = []
        while True:
            try:
                query = self.with_parameters(valid)
                break
            except BadRequest as error:
                errors.append(error)
                wrong = error.parameter
                if wrong is None or wrong[0] not in FIELDS or len(errors) > MAX_FAULTS:
                    raise errors[0] from None
                # The last one: of two values that contradict each other, the first holds.
                del valid[-1 - valid[::-1].index(wrong)]
        if errors and (query.is_folder or query.view != "html"):
            raise errors[0]
        faults = (Fault(*error.parameter, error.sentence) for error in errors if error.parameter)
        return query._replace(faults=tuple(faults))

    def with_parameters(self, parameters: Sequence[tuple[str, str]]) -> "Query":
        """The same path with these parameters. Raises BadRequest."""
        values = _parse(parameters)
        first, last = values.pop("lines", (1, None))
        fields = {name: values.pop(name) for name in Selection._fields if name in values}
        selection = Selection(first=first, last=last, **fields)
        if states_of((*selection.searches, *selection.without)) > MOST_STATES:
            sentence = "The search is too complex: use fewer repetitions or fewer searches."
            of_search = (one for one in parameters if one[0] in ("q", "re", "not"))
            raise BadRequest(sentence, max(of_search, key=lambda one: len(one[1])))
        query = self._replace(selection=selection, parameters=tuple(parameters), **values)
        if selection.new_only and not query.against:
            sentence = "new=only needs against=, the path of a run that passed."
            raise BadRequest(
                sentence, next(one for one in parameters if one[0] == "new" and one[1])
            )
        return query


def parameters_of(query_string: str, errors: str = "replace") -> list[tuple[str, str]]:
    """Names and values of a query string, unchecked. errors: the handler for bytes that are not UTF-8."""
    # WSGI decodes unescaped bytes as Latin-1.
    utf8 = query_string.encode("latin-1").decode("utf-8", errors)
    return parse_qsl(utf8, keep_blank_values=True, errors=errors)


def checked_path(path_info: str) -> bytes:
    """The path below the mount, as bytes, without its leading slash. Raises BadRequest."""
    return _checked(path_info.encode("latin-1").removeprefix(b"/"))


def _checked(path: bytes) -> bytes:
    if len(path) > MAX_PATH:
        raise BadRequest(f"The path is longer than {MAX_PATH} bytes.")
    if b"\0" in path:
        raise BadRequest("The path holds a NUL byte.")
    segments = path.removesuffix(b"/").split(b"/")
    if b"." in segments or b".." in segments:
        raise BadRequest('The path has a "." or ".." segment: name the log itself.')
    if path and b"" in segments:
        raise BadRequest('The path has an empty segment ("//").')
    return path


def _number(value: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) < 16
    if not (is_number and least <= int(value) <= most):
        raise ValueError(f"a whole number from {least} to {most}")
    return int(value)


def _lines(value: str) -> tuple[int, int | None]:
    first, dash, last = value.partition("-")
    try:
        start = _number(first) if first or not last else 1
        end = start if not dash else _number(last) if last else None
    except ValueError:
        raise ValueError("numbers of lines: A-B, A- or -B") from None
    if end is not None and end < start:
        raise ValueError(f"numbers of lines, the lower one first: {end}-{start}")
    return start, end


def _level(value: str) -> str | None:
    level = one_of(*SEVERITIES, fold=str.upper)(value)
    return None if level == SEVERITIES[0] else level  # NONE includes all lines


def _of_length(value: str) -> str:
    if len(value) > LONGEST:
        raise ValueError(f"at most {LONGEST} characters")
    return value


def _text(value: str) -> Search:
    return Search.of_text(_of_length(value))


def _pattern(value: str) -> Search:
    value = _of_length(value)
    try:
        return Search.of_pattern(value)
    except ValueError as error:
        raise ValueError("a regular expression of RE2's syntax", str(error)) from None


def _fragment(value: str) -> bytes:
    value = value.replace(" ", "+")  # an unescaped plus of a URL; no fragment has a space
    if not re.fullmatch(r"L[1-9][0-9]{0,11}(-L[1-9][0-9]{0,11})?|_[0-9A-Za-z_+/-]{1,64}", value):
        raise ValueError("the fragment of a line's address")
    return value.encode()


def _name(value: str, longest: int = LONGEST) -> str:
    if not 0 < len(value) <= longest:
        raise ValueError(f"1 to {longest} characters")
    return value


def _path(value: str) -> bytes:
    try:
        return _checked(value.encode().removeprefix(b"/")).rstrip(b"/")
    except BadRequest as error:
        raise ValueError(
            "the path of a log or a folder on this server", error.sentence.rstrip(".")
        ) from None


class Parameter(NamedTuple):
    """A parameter of a query string."""

    #: The field of Query or Selection. "lines" sets two of Selection.
    field: str
    #: Parses a value. Raises ValueError that says which values are valid, and perhaps what is wrong.
    parse: Callable[[str], Any]
    example: str
    help: str
    #: How often it may be given. With 1, different values are an error; else all apply.
    most: int = 1
    #: True for a field of a form, which sends an empty value if it is not filled in.
    in_form: bool = False


FormField = partial(Parameter, in_form=True)


def _value_of(choices: Mapping[str, Any]) -> Callable[[str], Any]:
    """A parser that takes one of the keys, in any case, and returns its value."""
    parse = one_of(*choices, fold=str.lower)
    return lambda text: choices[parse(text)]


_choice = partial(one_of, fold=str.lower)
_context = partial(_number, least=0, most=MAX_CONTEXT)
_tail = partial(_number, most=MAX_TAIL)
_yes_or_no = _value_of({"yes": True, "no": False})
_content_type = _value_of({"text/plain": "text", "text/html": "html"})

#: All parameters. Those with a field of Selection are options of `oslogserve render` too.
PARAMETERS = {
    "source": Parameter("source", _choice(*SOURCES), "swift", "where to look"),
    "lines": FormField("lines", _lines, "1000-2000", "numbers of lines: A-B, A- or -B"),
    "since": FormField(
        "since", time_range, "2013-09-27T18:22", "lines from this time on (ISO 8601)"
    ),
    "until": FormField("until", time_range, "2013-09-27T18:25", "lines up to this time (ISO 8601)"),
    "level": Parameter("level", _level, "ERROR", "lines of this severity and above"),
    "q": FormField("searches", _text, "timed out", "lines that contain this text", MAX_REPEATS),
    "re": FormField(
        "searches",
        _pattern,
        "time.*out",
        "lines that match this regular expression (RE2)",
        MAX_REPEATS,
    ),
    "not": FormField("without", _text, "heartbeat", "lines without this text", MAX_REPEATS),
    "context": FormField("context", _context, "5", "this many lines before and after each hit"),
    "against": FormField(
        "against", _path, "job/41/console.log", "compares with this log of a run that passed"
    ),
    "new": FormField(
        "new_only", _value_of({"only": True}), "only", "lines without a like in that run"
    ),
    "after": Parameter("after", _number, "812", "lines after this number"),
    "limit": Parameter("limit", _number, "1000", "at most this many lines, the first ones"),
    "tail": FormField("tail", _tail, "100", "at most this many lines, the last ones"),
    "show": FormField("show", _fragment, "L1234", "these lines as well, by a fragment", MAX_SHOWN),
    "chapter": FormField(
        "chapter",
        partial(_name, longest=LONGEST_NAME),
        "RUN make",
        "lines of the chapter of this name",
    ),
    "goto": FormField("goto", place, "18:25:11", "redirects to a line: its number, time or anchor"),
    "moment": Parameter(
        "moment", moment, "logs/a.txt:1234", "seconds around this line, of all logs"
    ),
    "format": Parameter("format", _choice(*FORMATS), "jsonl", "the view"),
    "wrap": Parameter("wraps", _yes_or_no, "no", "whether a page breaks lines"),
    "sort": Parameter("sort", _choice(*SORTS), "time", "a folder's entries"),
    "logs": FormField(
        "logs", _name, "*/n-*.txt.gz", "logs of a folder, by a shell pattern", MAX_REPEATS
    ),
    "order": Parameter(
        "order", _choice(*ORDERS), "time", "the order of the lines of a folder's logs"
    ),
    "from": Parameter(
        "first_log",
        lambda name: _name(name).encode(),
        "etc/",
        "the first log of a folder, or with sort= the first entry",
    ),
    "skip": Parameter("skip", _number, "1000", "an overview without so many logs, the likeliest"),
    "failed": Parameter(
        "failed", time_range, "2013-09-27T18:22Z", "when the job of an overview with skip failed"
    ),
    "in": Parameter("in_job", _value_of({"job": True}), "job", "the job's folder, from one in it"),
    "unasked": Parameter("unasked", _yes_or_no, "yes", "what went wrong in small logs only"),
    "content-type": Parameter("format", _content_type, "text/plain", "the view"),
}


def _parse(parameters: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Values by the fields of Query and Selection. Raises BadRequest."""
    values: dict[str, Any] = {}
    for name, text in parameters:
        if name not in PARAMETERS:
            known = ", ".join(PARAMETERS)
            raise BadRequest(f"Unknown parameter {name[:40]!r}: this server takes {known}.")
        parameter = PARAMETERS[name]
        if not text and parameter.in_form:
            continue
        value = _value(name, text)
        if parameter.most > 1:
            several = values.setdefault(parameter.field, ())
            if len(several) == parameter.most:
                sentence = f"{name} is given too often: at most {parameter.most} times."
                raise BadRequest(sentence, (name, text))
            values[parameter.field] = (*several, value)
        elif values.setdefault(parameter.field, value) != value:
            raise BadRequest(f"{name} contradicts an earlier value: give it once.", (name, text))
    return values


def _value(name: str, text: str) -> Any:
    try:
        return PARAMETERS[name].parse(text)
    except ValueError as error:
        takes, *wrong = error.args
        expected = ". ".join([*wrong, f"{name} takes {takes}"])
        example = urlencode({name: PARAMETERS[name].example}, safe=":*")
        what = f"{name}={text[:40]!r} is not understood: {expected}, such as {example}."
        # A fault quotes a pattern as it came, and a terminal obeys what it is sent.
        sentence = "".join(one if one.isprintable() else "\ufffd" for one in what)
        raise BadRequest(sentence, (name, text)) from None


# Clients send few different headers, and parsing one takes some 20 us.
@lru_cache(maxsize=256)
def accepts_html(accept: str) -> bool:
    """True if the client names text/html with q at least text/plain's.

    A bare */* is what bots and curl send: a log's text serves them better.
    """
    if "html" not in accept.lower():
        return False
    offers = dict(create_accept_header(accept).acceptable_offers(["text/html", "text/plain"]))
    return bool(offers.get("text/html", -1.0) >= offers.get("text/plain", 0.0))
