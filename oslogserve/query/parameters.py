# SPDX-License-Identifier: Apache-2.0
"""The parameters of a query: what each is called, takes and sets; and their one parser.

A parser of a value raises ValueError that says which values are valid, and perhaps what is wrong.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from oslogserve.config.values import matching, one_of
from oslogserve.errors import BadRequest
from oslogserve.http import HTML, JSON, MARKDOWN, TEXT
from oslogserve.lines.places import goto, moment
from oslogserve.lines.summary import LONGEST_NAME
from oslogserve.lines.time_range import time_range
from oslogserve.native import SEVERITIES, state_count
from oslogserve.search import LONGEST, literal, rewritten
from oslogserve.text import quoted
from oslogserve.urls import checked_path

#: Bytes of an excerpt: by default, at least and at most.
BRIEF_SIZE, LEAST_BRIEF, MOST_BRIEF = 2000, 500, 1_000_000
#: The parameters that it takes.
OF_BRIEF = ("format", "bytes", "origin", "against", "source", "logs")
#: The views that are one.
EXCERPTS = ("brief", "markdown")


class Format(NamedTuple):
    """A view."""

    #: Its Content-Type; "" for that of the stored bytes.
    media_type: str
    #: True if a log takes it, a listing or the lines of a folder's logs, and these alone.
    of_logs: bool = False
    of_folders: bool = False
    of_jobs: bool = False
    #: True if `oslogserve render` writes it.
    in_render: bool = False
    #: True if it tells of whole logs, which are read to their ends first.
    is_of_whole: bool = False


#: All views of logs and folders.
FORMATS = {
    "html": Format(HTML, of_logs=True, of_folders=True, in_render=True),
    "text": Format(TEXT, of_logs=True, of_folders=True, in_render=True),
    "jsonl": Format("application/x-ndjson; charset=utf-8", True, True, True, True),
    "summary": Format(JSON, True, True, True, True, is_of_whole=True),
    "brief": Format(TEXT, True, True, True, True, is_of_whole=True),
    "markdown": Format(MARKDOWN, True, True, True, True, is_of_whole=True),
    "overview": Format(HTML, of_jobs=True, is_of_whole=True),
    "seen": Format(JSON, of_jobs=True, is_of_whole=True),
    "chapters": Format(HTML, of_logs=True, is_of_whole=True),
    "raw": Format("", of_logs=True),
    "json": Format(JSON, of_folders=True),
}
OF_LOGS = [name for name, of in FORMATS.items() if of.of_logs]
OF_FOLDERS = [name for name, of in FORMATS.items() if of.of_folders]
OF_JOBS = [name for name, of in FORMATS.items() if of.of_jobs]
#: The largest line number; no log has so many lines.
MAX_NUMBER = 10**12 - 1
#: Lines around a hit, and at a log's end, which are held in memory.
MAX_CONTEXT = 1000
MAX_TAIL = 100_000
#: Repetitions of a search parameter: each costs a pass over the log.
MAX_REPEATS = 8
#: Fragments in `show`, such as the gaps that a reader has opened.
MAX_SHOWN = 64
#: Characters of a query; no valid query needs more.
MAX_QUERY = 4096

#: Parameters that a log's page has a field for, in the order of the fields.
FIELDS = (
    *("q", "goto", "re", "not", "since", "until", "lines", "context", "chapter"),
    *("against", "new"),
)
#: Beginnings of parameters that mail tools and social networks add to links. They are ignored: no filter
#: has such a name, mistyped or not.
TRACKERS = ("utm_", "fbclid", "gclid")
#: Names and values of a query string, in their order, unchecked.
Parameters = tuple[tuple[str, str], ...]


def number(value: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) < 16
    if not (is_number and least <= int(value) <= most):
        raise ValueError(f"a whole number from {least} to {most}")
    return int(value)


def text(value: str, longest: int = LONGEST) -> str:
    if not 0 < len(value) <= longest:
        raise ValueError(f"1 to {longest} characters")
    return value


def value_of(choices: Mapping[str, Any]) -> Callable[[str], Any]:
    """A parser that takes one of the keys, in any case, and returns its value."""
    parse = choice(*choices)
    return lambda value: choices[parse(value)]


choice = partial(one_of, fold=str.lower)
_yes_or_no = value_of({"yes": True, "no": False})


def _lines(value: str) -> tuple[int, int | None]:
    first, dash, last = value.partition("-")
    try:
        start = number(first) if first or not last else 1
        end = start if not dash else number(last) if last else None
    except ValueError:
        raise ValueError("numbers of lines: A-B, A- or -B") from None
    if end is not None and end < start:
        raise ValueError(f"numbers of lines, the lower one first: {end}-{start}")
    return start, end


def _level(value: str) -> str | None:
    level = one_of(*SEVERITIES, fold=str.upper)(value)
    return None if level == SEVERITIES[0] else level  # NONE includes all lines


def _search(value: str, for_core: Callable[[str], str] = literal) -> str:
    if len(value) > LONGEST:
        raise ValueError(f"at most {LONGEST} characters")
    try:
        state_count(pattern := for_core(value))
    except ValueError as error:
        raise ValueError("a regular expression of RE2's syntax", str(error)) from None
    return pattern


def _fragment(value: str) -> bytes:
    value = value.replace(" ", "+")  # an unescaped plus of a URL; no fragment has a space
    if not re.fullmatch(r"L[1-9][0-9]{0,11}(-L[1-9][0-9]{0,11})?|_[0-9A-Za-z_+/-]{1,64}", value):
        raise ValueError("the fragment of a line's address")
    return value.encode()


def _path(value: str) -> bytes:
    try:
        return checked_path(value.encode()).rstrip(b"/")
    except BadRequest as error:
        takes = "the path of a log or a folder on this server"
        raise ValueError(takes, error.sentence.rstrip(".")) from None


class Parameter(NamedTuple):
    #: Parses a value.
    parse: Callable[[str], Any]
    example: str
    help: str
    #: How often it may be given. With 1, different values are an error; else all apply.
    most: int = 1
    #: The field of Query or Selection, "" for the parameter's name. "lines" sets two of Selection.
    field: str = ""
    #: True for a field of a form, which sends an empty value if it is not filled in.
    in_form: bool = False
    #: What a page says of the filter in use, with the value for {}; "" for none.
    label: str = ""
    #: True if it chooses lines of all logs of a job as it does those of one.
    of_all_logs: bool = False
    #: True for an option of `oslogserve render`.
    in_render: bool = False


FormField = partial(Parameter, in_form=True)
_Search = partial(FormField, most=MAX_REPEATS, field="searches", of_all_logs=True, in_render=True)
_QUOTED = "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}"

#: All parameters of logs and folders.
PARAMETERS = {
    "source": Parameter(
        matching("[a-z][a-z0-9_-]{0,30}", "all, disk, swift or the name of a store"),
        "swift",
        "where to look",
    ),
    "lines": FormField(
        _lines,
        "1000-2000",
        "numbers of lines: A-B, A- or -B",
        label="lines {}",
        in_render=True,
    ),
    "since": FormField(
        time_range,
        "2013-09-27T18:22",
        "lines from this time on (ISO 8601)",
        label="from {}",
        of_all_logs=True,
        in_render=True,
    ),
    "until": FormField(
        time_range,
        "2013-09-27T18:25",
        "lines up to this time (ISO 8601)",
        label="to {}",
        of_all_logs=True,
        in_render=True,
    ),
    "level": Parameter(
        _level,
        "ERROR",
        "lines of this severity and above",
        label="\N{GREATER-THAN OR EQUAL TO} {}",
        of_all_logs=True,
        in_render=True,
    ),
    "q": _Search(_search, "timed out", "lines that contain this text", label=_QUOTED),
    "re": _Search(
        partial(_search, for_core=rewritten),
        "time.*out",
        "lines that match this regular expression (RE2)",
        label="/{}/",
    ),
    "not": _Search(
        _search, "heartbeat", "lines without this text", field="without", label=f"not {_QUOTED}"
    ),
    "context": FormField(
        partial(number, least=0, most=MAX_CONTEXT),
        "5",
        "this many lines before and after each hit",
        label="{} lines around",
        of_all_logs=True,
        in_render=True,
    ),
    "against": FormField(
        _path,
        "job/41/console.log",
        "compares with this log of a run that passed",
        label="compared with {}",
    ),
    "new": FormField(
        value_of({"only": True}),
        "only",
        "lines without a like in that run",
        field="new_only",
        label="new lines",
        in_render=True,
    ),
    "after": Parameter(number, "812", "lines after this number", in_render=True),
    "limit": Parameter(
        number,
        "1000",
        "at most this many lines, the first ones",
        label="the first {}",
        in_render=True,
    ),
    "tail": FormField(
        partial(number, most=MAX_TAIL),
        "100",
        "at most this many lines, the last ones",
        label="the last {}",
        in_render=True,
    ),
    "show": FormField(
        _fragment, "L1234", "these lines as well, by a fragment", MAX_SHOWN, in_render=True
    ),
    "chapter": FormField(
        partial(text, longest=LONGEST_NAME),
        "RUN make",
        "lines of the chapter of this name",
        label=f"chapter {_QUOTED}",
    ),
    "goto": FormField(goto, "18:25:11", "redirects to a line: its number, time or anchor"),
    "moment": Parameter(
        moment,
        "logs/a.txt:1234",
        "seconds around this line, of all logs",
        label="the moment of {}",
    ),
    "format": Parameter(choice(*FORMATS), "jsonl", "the view"),
    "bytes": Parameter(
        partial(number, least=LEAST_BRIEF, most=MOST_BRIEF),
        "4000",
        "at most this many bytes of an excerpt",
        field="size",
        in_render=True,
    ),
    "origin": Parameter(
        matching(r"https?://[A-Za-z0-9._:\[\]-]{1,255}", "the beginning of this server's URLs"),
        "https://logs.example.org",
        "links of an excerpt begin with this",
    ),
    "wrap": Parameter(_yes_or_no, "no", "whether a page breaks lines", field="wraps"),
    "sort": Parameter(choice("name", "time"), "time", "a folder's entries"),
    "logs": FormField(
        text,
        "*/n-*.txt.gz",
        "logs of a folder, by a shell pattern",
        MAX_REPEATS,
        label="logs {}",
        in_render=True,
    ),
    "order": Parameter(
        choice("log", "time"), "time", "the order of the lines of a folder's logs", in_render=True
    ),
    "from": Parameter(
        lambda value: text(value).encode(),
        "etc/",
        "the first log of a folder, or with sort= the first entry",
        field="first_log",
        in_render=True,
    ),
    "in": Parameter(
        value_of({"job": True}), "job", "the job's folder, from one in it", field="in_job"
    ),
    "unasked": Parameter(_yes_or_no, "yes", "what went wrong in small logs only"),
    "content-type": Parameter(
        value_of({"text/plain": "text", "text/html": "html"}),
        "text/plain",
        "the view",
        field="format",
    ),
}

OF_ALL_LOGS = [name for name, parameter in PARAMETERS.items() if parameter.of_all_logs]
OF_RENDER = [name for name, parameter in PARAMETERS.items() if parameter.in_render]


def parsed(
    parameters: Sequence[tuple[str, str]], table: Mapping[str, Parameter] = PARAMETERS
) -> dict[str, Any]:
    """Values by the fields of the table's parameters. Raises BadRequest."""
    values: dict[str, Any] = {}
    for name, given in parameters:
        if name not in table:
            takes = f"it takes {', '.join(table)}"
            raise BadRequest(f"Unknown parameter {quoted(name[:40])}: {takes}.")
        parameter = table[name]
        if not given and parameter.in_form:
            continue
        try:
            value = parameter.parse(given)
        except ValueError as error:
            takes, *wrong = error.args
            expected = ". ".join([*wrong, f"{name} takes {takes}"])
            example = urlencode({name: parameter.example}, safe=":*")
            what = f"{name}={quoted(given[:40])} is not understood: {expected}, such as {example}."
            # A fault quotes a pattern as it came, and a terminal obeys what it is sent.
            sentence = "".join(one if one.isprintable() else "\ufffd" for one in what)
            raise BadRequest(sentence, (name, given)) from None
        field, most = parameter.field or name, parameter.most
        if most > 1:
            several = values.get(field, ())
            if len(several) == most:
                sentence = f"{name} is given too often: at most {most} times."
                raise BadRequest(sentence, (name, given))
            values[field] = (*several, value)
        elif values.setdefault(field, value) != value:
            raise BadRequest(f"{name} contradicts an earlier value: give it once.", (name, given))
    return values


def parameters_of(query_string: str, errors: str = "replace") -> list[tuple[str, str]]:
    """Names and values of a query string, unchecked, without those of TRACKERS. Raises BadRequest if it is too long.

    errors: the handler for bytes that are not UTF-8.
    """
    if len(query_string) > MAX_QUERY:
        raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
    # WSGI decodes unescaped bytes as Latin-1.
    utf8 = query_string.encode("latin-1").decode("utf-8", errors)
    pairs = parse_qsl(utf8, keep_blank_values=True, errors=errors)
    return [pair for pair in pairs if not pair[0].startswith(TRACKERS)]
