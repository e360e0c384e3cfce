# SPDX-License-Identifier: Apache-2.0
"""The query of a request: its path and parameters, checked. No other package reads them, so all can trust a Query.

It is a value. What leads to another page is a link that it makes of its own parameters, see link(): what a reader chose
is in the URL and nowhere else. Parameters are parsed by one table, `parameters.PARAMETERS`; which of them a log, a
folder or all logs of a folder do not take is another, see check_for().

A wrong value is a BadRequest that names it. On a log's page it is a fault instead: the page comes with the other
parameters, and its field says what is expected. For that the parameters are checked again without the wrong ones.

It must not know where logs are, or what a page looks like.
"""

from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from webob.acceptparse import create_accept_header

from oslogserve.errors import BadRequest
from oslogserve.lines.places import Goto, Moment, moment
from oslogserve.lines.selection import ALL_LINES, Selection
from oslogserve.native import state_count
from oslogserve.query.parameters import (
    BRIEF_SIZE,
    EXCERPTS,
    FIELDS,
    FORMATS,
    OF_BRIEF,
    OF_JOBS,
    OF_LOGS,
    Parameters,
    parameters_of,
    parsed,
)
from oslogserve.search import MOST_STATES
from oslogserve.urls import address, checked_path

#: Fields of a page that may be wrong; each costs another check of the query.
MAX_FAULTS = 8


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
    #: True if the client's Accept asks for HTML, or for Markdown, of which there is none with a filter.
    prefers_html: bool = False
    prefers_markdown: bool = False
    selection: Selection = ALL_LINES
    #: The unchecked parameters, for links to the same lines.
    parameters: Parameters = ()
    #: Bytes of an excerpt, at most.
    size: int = BRIEF_SIZE
    #: What links of an excerpt begin with, so that they lead from anywhere; "" for none.
    origin: str = ""
    #: True if a page breaks long lines.
    wraps: bool = True
    #: Order of a folder's entries; None if the query names none.
    sort: str | None = None
    #: Order of the lines of a folder's logs; None if the query names none.
    order: str | None = None
    #: Shell patterns of names of a folder's logs, and the first name.
    logs: tuple[str, ...] = ()
    first_log: bytes = b""
    #: True for the folder of the job that contains the path.
    in_job: bool = False
    #: True if the reader did not ask for the overview: it is left out if the logs are large.
    unasked: bool = False
    #: The path of a log or a folder of a run that passed; b"" for none.
    against: bytes = b""
    #: The name of the log's chapter whose lines are shown; "" for none.
    chapter: str = ""
    #: The line of a log to which the answer redirects.
    goto: Goto | None = None
    #: A line whose time the lines of all logs are wanted around.
    moment: Moment | None = None
    #: Fields of a log's page that are not valid, and a sentence about each. All others are in `parameters`.
    faults: tuple[tuple[tuple[str, str], str], ...] = ()

    @property
    def view(self) -> str:
        """The format of the query, else the one that the client prefers."""
        accepted = "markdown" if self.prefers_markdown else "html" if self.prefers_html else "text"
        return self.format or accepted

    @property
    def one_source(self) -> str:
        """The source that the query names; "" for all."""
        return "" if self.source == "all" else self.source

    @property
    def shown(self) -> str:
        """The path as text, whatever its bytes are."""
        return self.path.decode("utf-8", "replace")

    @property
    def address(self) -> str:
        """The path as the beginning of a URL, without parameters."""
        return quote(self.mount.encode("latin-1") + b"/" + self.path)

    @property
    def whole_address(self) -> str:
        """The address behind the query's origin."""
        return self.origin + self.address

    def link(self, without: Container[str] = (), **added: str | bytes | int) -> str:
        """The address of the same path with other parameters, see address()."""
        return address(self.parameters, without, **added)

    def link_to_source(self, **added: str | bytes | int) -> str:
        """The address of the same path with these parameters and the query's source alone."""
        return address((), (), source=self.one_source, **added)

    @property
    def row_link(self) -> bytes:
        """The beginning of links to the same log's page, escaped for HTML; see Wanted.link."""
        return f"?source={self.one_source}&amp;".encode() if self.one_source else b"?"

    @property
    def is_of_job(self) -> bool:
        """True if the query asks for the content of a folder's logs."""
        # Even if they leave out none.
        chooses_lines = not self.is_unfiltered or any(
            name == "level" and value for name, value in self.parameters
        )
        is_next = self.first_log and not self.sort  # of a listing, which has an order of its own
        chooses = chooses_lines or self.order or self.logs or self.moment or is_next
        return bool(chooses) or self.format in OF_JOBS

    @property
    def is_of_whole(self) -> bool:
        """True if the view tells of whole logs, which are read to their ends first."""
        return FORMATS[self.view].is_of_whole

    @property
    def is_overview(self) -> bool:
        """True if all logs are read, the likeliest first, for what went wrong."""
        return self.view in ("overview", "seen") or self.is_excerpt

    @property
    def is_excerpt(self) -> bool:
        return self.view in EXCERPTS

    @property
    def is_unfiltered(self) -> bool:
        """True if the query selects all lines of the log."""
        return self.selection == ALL_LINES and not self.chapter

    @classmethod
    def from_environ(cls, environ: dict[str, Any]) -> "Query":
        """The query of a request. Raises BadRequest that names the fault or the valid values.

        On a log's page, wrong fields become `faults`.
        """
        path = checked_path(environ.get("PATH_INFO", "").encode("latin-1"))
        query = cls(
            path=path.rstrip(b"/"),
            is_folder=path == b"" or path.endswith(b"/"),
            mount=environ.get("SCRIPT_NAME", ""),
            prefers_html=accepts_html(environ.get("HTTP_ACCEPT", "")),
            prefers_markdown=accepts_markdown(environ.get("HTTP_ACCEPT", "")),
        )
        query_string = environ.get("QUERY_STRING", "")
        valid = parameters_of(query_string)
        errors: list[BadRequest] = []
        while valid or errors:
            try:
                query = query.with_parameters(valid)
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
        faults = ((error.parameter, error.sentence) for error in errors if error.parameter)
        query = query._replace(faults=tuple(faults))
        if query.first_log or query.moment:  # names may have bytes that are not UTF-8
            exact = dict(parameters_of(query_string, "surrogateescape"))
            first = exact.get("from", "").encode("utf-8", "surrogateescape")
            marked = moment(exact["moment"]) if query.moment else None
            query = query._replace(first_log=first, moment=marked)
        return query

    def with_parameters(self, parameters: Sequence[tuple[str, str]]) -> "Query":
        """The same path with these parameters. Raises BadRequest."""
        values = parsed(parameters)
        first, last = values.pop("lines", (1, None))
        fields = {name: values.pop(name) for name in Selection._fields if name in values}
        selection = Selection(first=first, last=last, **fields)
        if sum(map(state_count, (*selection.searches, *selection.without))) > MOST_STATES:
            sentence = "The search is too complex: use fewer repetitions or fewer searches."
            of_search = (one for one in parameters if one[0] in ("q", "re", "not"))
            raise BadRequest(sentence, max(of_search, key=lambda one: len(one[1])))
        query = self._replace(selection=selection, parameters=tuple(parameters), **values)
        given = [pair for pair in parameters if pair[1]]
        others = [pair for pair in given if pair[0] not in OF_BRIEF]
        if others and not query.format:
            query = query._replace(prefers_markdown=False)
        if query.is_excerpt and others:
            takes = (
                f"format={query.format} chooses the lines itself, and takes {', '.join(OF_BRIEF)}"
            )
            raise BadRequest(f"{others[0][0]} is for other views: {takes}.", others[0])
        for name, value in () if query.is_excerpt else given:
            if name in ("bytes", "origin"):
                takes = " and ".join(f"format={view}" for view in EXCERPTS)
                raise BadRequest(f"{name} is for {takes}.", (name, value))
        if selection.new_only and not query.against:
            sentence = "new=only needs against=, the path of a run that passed."
            raise BadRequest(sentence, next(pair for pair in given if pair[0] == "new"))
        return query

    def check_for(self, answer: str) -> None:
        """Raises BadRequest for what an answer does not take. answer: a key of _REFUSED."""
        for is_given, sentence in _REFUSED[answer]:
            if is_given(self):
                raise BadRequest(sentence.format(self))


_FOR_FOLDERS = "is for folders, whose address ends in a slash: this is one log."
#: What a log does not take, a folder, and the logs of a folder, in the order in which they are named.
_REFUSED: dict[str, list[tuple[Callable[[Query], object], str]]] = {
    "log": [
        (
            lambda query: query.format and query.format not in OF_LOGS,
            f"format={{0.format}} is for folders: a log takes {', '.join(OF_LOGS)}.",
        ),
        (lambda query: query.sort, "sort is for folders: the lines of a log keep their order."),
        (
            lambda query: query.moment and query.moment.log,
            "moment is the number of a line: this is one log, which needs no name.",
        ),
        (lambda query: query.order, f"order {_FOR_FOLDERS}"),
        (lambda query: query.logs, f"logs {_FOR_FOLDERS}"),
        (lambda query: query.first_log, f"from {_FOR_FOLDERS}"),
        (lambda query: query.in_job, f"in {_FOR_FOLDERS}"),
    ],
    "folder": [
        (lambda query: query.goto, "goto is for logs: this is a folder."),
        (
            lambda query: query.moment and not query.moment.log,
            "moment is of a log: here it needs the log's name, such as a.txt:1234.",
        ),
    ],
    "job": [
        (
            lambda query: query.format == "json",
            (
                "format=json takes no filter for a folder: "
                "use html, text or jsonl for lines, or summary for what is in each log."
            ),
        ),
        (
            lambda query: query.selection.show,
            "show is for logs: in a folder, several logs have the same line numbers.",
        ),
        (
            lambda query: (query.selection.first, query.selection.last) != (1, None),
            "lines is for logs: in a folder, several logs have the same line numbers.",
        ),
        (lambda query: query.chapter, "chapter is for logs: this is a folder."),
        (
            lambda query: query.moment and query.is_of_whole,
            "moment is for lines: summaries have none.",
        ),
    ],
}


# Clients send few different headers, and parsing one takes some 20 us.
@lru_cache(maxsize=256)
def accepts_html(accept: str) -> bool:
    """True if the client names text/html with q at least text/plain's.

    A bare */* is what bots and curl send: a log's text serves them better.
    """
    return _names(accept, "text/html", "text/plain")


@lru_cache(maxsize=256)
def accepts_markdown(accept: str) -> bool:
    """True if the client names text/markdown with q at least those of text/html and text/plain. No browser does."""
    return _names(accept, "text/markdown", "text/html", "text/plain")


def _names(accept: str, media_type: str, *others: str) -> bool:
    if media_type.partition("/")[2] not in accept.lower():
        return False
    offers = dict(create_accept_header(accept).acceptable_offers([media_type, *others]))
    return bool(offers.get(media_type, -1.0) >= max(offers.get(one, 0.0) for one in others))
