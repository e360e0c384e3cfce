# SPDX-License-Identifier: Apache-2.0
"""The parameters of a query: what each is called, takes and sets."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from oslogserve.errors import BadRequest
from oslogserve.lines.places import moment, place
from oslogserve.lines.summary import LONGEST_NAME
from oslogserve.lines.time_range import time_range
from oslogserve.query import values
from oslogserve.query.values import MAX_CONTEXT, MAX_TAIL, choice, number, value_of, yes_or_no

#: All sources, and those that need no name in the configuration.
SOURCES, SORTS, ORDERS = ("all", "disk", "swift"), ("name", "time"), ("log", "time")
#: Bytes of an excerpt: by default, at least and at most.
BRIEF_SIZE, LEAST_BRIEF, MOST_BRIEF = 2000, 500, 1_000_000
#: The parameters that it takes.
OF_BRIEF = ("format", "bytes", "against", "source", "logs")
FORMATS = (
    *("html", "text", "jsonl", "summary", "brief", "overview", "seen", "chapters", "raw", "json"),
)
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


class Parameter(NamedTuple):
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


#: All parameters. Those with a field of Selection are options of `oslogserve render` too.
PARAMETERS = {
    "source": Parameter("source", values.source, "swift", "where to look"),
    "lines": FormField("lines", values.lines, "1000-2000", "numbers of lines: A-B, A- or -B"),
    "since": FormField(
        "since", time_range, "2013-09-27T18:22", "lines from this time on (ISO 8601)"
    ),
    "until": FormField("until", time_range, "2013-09-27T18:25", "lines up to this time (ISO 8601)"),
    "level": Parameter("level", values.level, "ERROR", "lines of this severity and above"),
    "q": FormField(
        "searches", values.text, "timed out", "lines that contain this text", MAX_REPEATS
    ),
    "re": FormField(
        "searches",
        values.pattern,
        "time.*out",
        "lines that match this regular expression (RE2)",
        MAX_REPEATS,
    ),
    "not": FormField("without", values.text, "heartbeat", "lines without this text", MAX_REPEATS),
    "context": FormField(
        "context",
        partial(number, least=0, most=MAX_CONTEXT),
        "5",
        "this many lines before and after each hit",
    ),
    "against": FormField(
        "against", values.path, "job/41/console.log", "compares with this log of a run that passed"
    ),
    "new": FormField(
        "new_only", value_of({"only": True}), "only", "lines without a like in that run"
    ),
    "after": Parameter("after", number, "812", "lines after this number"),
    "limit": Parameter("limit", number, "1000", "at most this many lines, the first ones"),
    "tail": FormField(
        "tail", partial(number, most=MAX_TAIL), "100", "at most this many lines, the last ones"
    ),
    "show": FormField(
        "show", values.fragment, "L1234", "these lines as well, by a fragment", MAX_SHOWN
    ),
    "chapter": FormField(
        "chapter",
        partial(values.name, longest=LONGEST_NAME),
        "RUN make",
        "lines of the chapter of this name",
    ),
    "goto": FormField("goto", place, "18:25:11", "redirects to a line: its number, time or anchor"),
    "moment": Parameter(
        "moment", moment, "logs/a.txt:1234", "seconds around this line, of all logs"
    ),
    "format": Parameter("format", choice(*FORMATS), "jsonl", "the view"),
    "bytes": Parameter(
        "size",
        partial(number, least=LEAST_BRIEF, most=MOST_BRIEF),
        "4000",
        "at most this many bytes of an excerpt",
    ),
    "wrap": Parameter("wraps", yes_or_no, "no", "whether a page breaks lines"),
    "sort": Parameter("sort", choice(*SORTS), "time", "a folder's entries"),
    "logs": FormField(
        "logs", values.name, "*/n-*.txt.gz", "logs of a folder, by a shell pattern", MAX_REPEATS
    ),
    "order": Parameter(
        "order", choice(*ORDERS), "time", "the order of the lines of a folder's logs"
    ),
    "from": Parameter(
        "first_log",
        lambda text: values.name(text).encode(),
        "etc/",
        "the first log of a folder, or with sort= the first entry",
    ),
    "in": Parameter("in_job", value_of({"job": True}), "job", "the job's folder, from one in it"),
    "unasked": Parameter("unasked", yes_or_no, "yes", "what went wrong in small logs only"),
    "content-type": Parameter(
        "format", value_of({"text/plain": "text", "text/html": "html"}), "text/plain", "the view"
    ),
}


def parsed(
    parameters: Sequence[tuple[str, str]], table: Mapping[str, Parameter] = PARAMETERS
) -> dict[str, Any]:
    """Values by the fields of the table's parameters. Raises BadRequest."""
    values: dict[str, Any] = {}
    for name, text in parameters:
        if name not in table:
            takes = f"it takes {', '.join(table)}"
            raise BadRequest(f"Unknown parameter {name[:40]!r}: {takes}.")
        parameter = table[name]
        if not text and parameter.in_form:
            continue
        value = _value(name, text, parameter)
        if parameter.most > 1:
            several = values.setdefault(parameter.field, ())
            if len(several) == parameter.most:
                sentence = f"{name} is given too often: at most {parameter.most} times."
                raise BadRequest(sentence, (name, text))
            values[parameter.field] = (*several, value)
        elif values.setdefault(parameter.field, value) != value:
            raise BadRequest(f"{name} contradicts an earlier value: give it once.", (name, text))
    return values


def _value(name: str, text: str, parameter: Parameter) -> Any:
    try:
        return parameter.parse(text)
    except ValueError as error:
        takes, *wrong = error.args
        expected = ". ".join([*wrong, f"{name} takes {takes}"])
        example = urlencode({name: parameter.example}, safe=":*")
        what = f"{name}={text[:40]!r} is not understood: {expected}, such as {example}."
        # A fault quotes a pattern as it came, and a terminal obeys what it is sent.
        sentence = "".join(one if one.isprintable() else "\ufffd" for one in what)
        raise BadRequest(sentence, (name, text)) from None


def parameters_in(environ: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parameters of a request, see parameters_of(). Raises BadRequest if they are too long."""
    query_string = environ.get("QUERY_STRING", "")
    if len(query_string) > MAX_QUERY:
        raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
    return parameters_of(query_string)


def parameters_of(query_string: str, errors: str = "replace") -> list[tuple[str, str]]:
    """Names and values of a query string, unchecked, without those of TRACKERS.

    errors: the handler for bytes that are not UTF-8.
    """
    # WSGI decodes unescaped bytes as Latin-1.
    utf8 = query_string.encode("latin-1").decode("utf-8", errors)
    pairs = parse_qsl(utf8, keep_blank_values=True, errors=errors)
    return [pair for pair in pairs if not pair[0].startswith(TRACKERS)]
