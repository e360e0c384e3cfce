# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, text, JSON lines or a summary: the log's bytes in, the response's bytes out.

Each view says at its end if some of the log is missing.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from markupsafe import Markup

from oslogserve.encodings import plain_name
from oslogserve.errors import Header, Incomplete
from oslogserve.jobs.passed import NOT_COMPARED, Passed
from oslogserve.lines.brief.marked import MarkedLine, marked_lines, selection_of
from oslogserve.lines.brief.plan import planned
from oslogserve.lines.places import Nearest, Read, moment_of, nearest
from oslogserve.lines.renderer import Outcome, Renderer, Rendering
from oslogserve.lines.selection import (
    LINE_BYTES,
    TAIL_BYTES,
    PageLimits,
    Selection,
    Wanted,
)
from oslogserve.logs.decode import Reading
from oslogserve.pages import brief
from oslogserve.pages.assets import content
from oslogserve.pages.bar import bar
from oslogserve.pages.chapters import chapters_page
from oslogserve.pages.counts import LINES_BEFORE, Counts, continued
from oslogserve.pages.page import address, frame, link_of
from oslogserve.query import Query
from oslogserve.templates import streamed

#: Bytes of text for each element of a page, if lines are short and have links.
ELEMENT_BYTES = 16


class LogInfo(NamedTuple):
    """A log as it is known before it is read, and how it is read."""

    #: The name of its source.
    source: str = ""
    #: Stored bytes; None if unknown.
    stored_size: int | None = None
    #: When it was last written, in seconds since 1970; None for now.
    modified: float | None = None
    #: Bytes of its text, or an estimate.
    text_size: int = 0
    #: True if lines may still be added.
    may_grow: bool = False
    #: Reads its text once more, to find the line nearest to a time.
    read_again: Read = tuple
    #: Called before each block of its text is rendered; may raise Incomplete.
    charge: Callable[[], None] = lambda: None


class LogView:
    """A log in the view of a query. It is rendered once: then the results are known."""

    def __init__(
        self,
        query: Query,
        info: LogInfo,
        renderer: Renderer,
        limits: PageLimits | None = None,
        compared: Passed = NOT_COMPARED,
    ) -> None:
        """limits: of a page if the query names no end; None for no limits. compared: the log that this
        one is compared with."""
        self.query = query
        self.info = info
        self.limits = limits
        self._renderer = renderer
        self._compared = compared
        #: The lines of the view, which may begin later than the query's.
        self._selection = query.selection
        self.outcome = Outcome()
        #: Why the lines of an excerpt could not all be read.
        self._unread: Incomplete | None = None

    def render(
        self, view: str, pieces: Iterable[bytes], file_title: str | None = None
    ) -> Iterator[bytes]:
        """The response's body. pieces: the log's text.

        file_title: for a page to be saved as a file, with its style and without links to a server.
        """
        match view:
            case "html" if file_title is not None:
                return self._html_file(pieces, file_title)
            case "html":
                return self._html(pieces)
            case "jsonl":
                return self._jsonl(pieces)
            case "summary":
                return self._summary(pieces)
            case "brief":
                return self._brief(pieces, file_title)
            case "chapters":
                return self._chapters(pieces)
            case "text":
                return with_notices(self._lines("text", pieces), lambda: self.missing)
        raise ValueError(view)

    def headers(self) -> list[Header]:
        """Counts of lines, and the address of the next ones. Call it when all pieces were read."""
        headers = [(f"Log-{name.title()}", str(count)) for name, count in self._counts.items()]
        for name, value in completeness(self.query, self.missing).items():
            headers.append((f"Log-{name.title()}", json.dumps(value)))
        headers.append(("Log-Read-To-End", json.dumps(self.outcome.is_read_to_end)))
        following = self.next_address()
        return [*headers, ("Link", f'<{following}>; rel="next"')] if following else headers

    def next_address(self) -> str | None:
        """The URL of the lines after a limit; None if none was reached."""
        query, tally = self.query, self.outcome.tally
        if tally.cut_at is None:
            return None
        # Lines of `show` were sent already.
        if query.selection.tail is not None:
            following = address(query.parameters, ("after", "show"), after=tally.cut_at - 1)
        else:
            begin = continued(tally.cut_at, tally.cut_from, query.selection.last)
            replaced = ("lines", "chapter", "after", "show")
            following = address(query.parameters, replaced, **begin)
        return (query.address if query.path else "") + following

    def _lines(self, view: str, pieces: Iterable[bytes], link: bytes = b"") -> Rendering:
        rendering = self._renderer(pieces, self._wanted(view, link), charge=self.info.charge)
        self.outcome = rendering
        return rendering

    def _totals(self, pieces: Iterable[bytes]) -> dict[str, Any]:
        wanted, charge = self._wanted("summary"), self.info.charge
        summary, self.outcome = self._renderer.summary(pieces, wanted, charge=charge)
        return summary

    def _wanted(self, view: str, link: bytes = b"") -> Wanted:
        selection = self._selection
        has_end = (selection.last, selection.limit, selection.tail) != (None, None, None)
        limits = None if has_end else self.limits
        known = self._compared.known
        return Wanted(view, selection, self.info.modified, link, limits, known=known)

    @property
    def newer_lines(self) -> str | None:
        """The URL of the lines that come after the page's; None if the page cannot get any."""
        selection = self._selection
        has_end = (selection.last, selection.until, selection.limit) != (None, None, None)
        is_to_end = self.outcome.is_read_to_end and self.outcome.tally.next_page is None
        if has_end or not is_to_end or not self.info.may_grow:
            return None
        # Lines of `show` are on this page.
        replaced = ("after", "tail", "show")
        return address(self.query.parameters, replaced, after=self.outcome.complete_lines)

    def _html(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        query = self.query
        found = self._nearest()
        if found:
            shown = (*query.selection.show, b"L%d" % found.number)
            self._selection = query.selection._replace(show=shown)
        size = self.info.text_size
        is_large = self.limits is not None and size > self.limits.size
        is_filtered = query.selection._replace(show=()) != Selection()
        most = inf if self.limits is None or is_filtered else self.limits.elements
        if is_large or size > most * ELEMENT_BYTES:
            self._selection = around_shown(self._selection)
        lines = self._lines("html", pieces, link_of(query.one_source))
        # Send the page's beginning first, since a filter may find no line for long.
        yield from streamed(
            "log.html",
            lines,
            **frame(query.mount, query.path, _title(query.shown), query.one_source),
            view=self,
            plain_name=plain_name,
            **bar(query),
            nearest=found
            if found and found.micros and found.number > query.selection.after
            else None,
            counts=Counts(query, self._selection, lines, is_large),
        )

    def _nearest(self) -> Nearest | None:
        """The line nearest to the first moment in `show`."""
        written = Wanted("html", written=self.info.modified).last_written()
        for anchor in self.query.selection.show:
            if moment := moment_of(anchor, self._renderer, written):
                read, modified = self.info.read_again, self.info.modified
                return nearest(read, self._renderer, anchor, moment, modified)
        return None

    def _html_file(self, pieces: Iterable[bytes], title: str) -> Iterator[bytes]:
        # The style sheet is our own; escaped, it would not work.
        style = Markup(content("log.css"))  # noqa: S704
        lines = self._lines("html", pieces)
        yield from streamed("file.html", lines, view=self, title=title, style=style)

    @property
    def missing(self) -> list[Incomplete]:
        """Why lines are missing, or may be called new that are not."""
        found = [self._compared.fault, self.outcome.broke_off, self._unread]
        tally, tail = self.outcome.tally, self._selection.tail
        if tally.dropped:
            left_out = f"{tally.dropped:,} of the last {tail:,} lines are left out"
            reason = f"{left_out}: the last {TAIL_BYTES >> 20} MiB are all that is kept"
            found.append(Incomplete("capped", reason))
        if tally.cut_line:
            reason = f"a page shows {LINE_BYTES >> 20} MiB of a line, and line {tally.cut_line:,} has more"
            found.append(Incomplete("capped", reason))
        return [error for error in found if error]

    @property
    def notices(self) -> list[str]:
        """A sentence for each missing part."""
        return [incomplete_notice(error) for error in self.missing if not error.is_of_comparison]

    @property
    def faults_of_comparison(self) -> list[str]:
        """A sentence for each reason why lines may be called new that are not, or none is."""
        return [incomplete_notice(error) for error in self.missing if error.is_of_comparison]

    @property
    def without_lines(self) -> str:
        """The sentence for a page without hits, else ""."""
        if self.outcome.tally.matched:
            return ""
        if not self.outcome.tally.bytes and not self.missing:
            return "This log is empty."
        if self.newer_lines and 0 < self.outcome.complete_lines <= self._selection.after:
            return "This log has no newer lines yet."
        return "No line of this log fits these filters."

    def _jsonl(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        yield from self._lines("jsonl", pieces)
        end = {"end": True, **self._counts, **self._completeness, "next": self.next_address()}
        yield json_line(end)

    def _summary(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = self._totals(pieces)
        errors = summary.pop("errors") or [None]
        tally = self.outcome.tally
        counts = {"lines": tally.lines, "bytes": tally.bytes, "matched": tally.matched}
        ends = {"first_error": errors[0], "last_error": errors[-1]}
        yield json_line({**counts, **summary, **ends, **self._completeness})

    def _brief(self, pieces: Iterable[bytes], file_title: str | None) -> Iterator[bytes]:
        summary = self._totals(pieces)
        query, total = self.query, self.outcome.tally.lines
        lines: list[MarkedLine] = []
        if ranges := planned(summary, total, query.size):  # then the log is read again
            wanted = self._wanted("marked")._replace(selection=selection_of(ranges))
            read = self._renderer(self.info.read_again(), wanted, charge=self.info.charge)
            lines += marked_lines(read, ranges)
            if self.outcome.broke_off is None:
                self._unread = read.broke_off
        name, link = query.address, "?goto="
        if file_title is not None:
            name, link = file_title, f"{file_title}:"
        log = brief.Excerpted(name, link, summary, lines, total)
        yield brief.text(log, query.size, list(map(incomplete_notice, self.missing)))

    @property
    def new_lines(self) -> str | None:
        """The URL of the new lines; None if the log is not compared, or all lines are new ones."""
        if self._compared.known is None or self.query.selection.new_only:
            return None
        return address(self.query.parameters, ("tail", "show"), new="only")

    def _chapters(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = self._totals(pieces)
        yield chapters_page(self.query, summary, map(incomplete_notice, self.missing))

    @property
    def _counts(self) -> dict[str, int]:
        tally = self.outcome.tally
        counts = {"lines": tally.lines, "matched": tally.matched, "sent": tally.sent}
        return counts if self._compared.known is None else {**counts, "new": tally.new}

    @property
    def _completeness(self) -> dict[str, Any]:
        reason = "; ".join(str(error) for error in self.missing)
        return {
            **completeness(self.query, self.missing),
            "read_to_end": self.outcome.is_read_to_end,
            "reason": reason or None,
        }


def completeness(
    query: Query, missing: Sequence[Incomplete], has_run: bool = True
) -> dict[str, bool]:
    """Members of JSON: `complete`, and `compared` for a query that compares.

    has_run: false if there is no run to compare with.
    """
    members = {"complete": all(error.is_of_comparison for error in missing)}
    if query.against:
        members["compared"] = has_run and not any(error.is_of_comparison for error in missing)
    return members


def around_shown(selection: Selection) -> Selection:
    """The selection; without a window, it begins shortly before the first line of `show`.

    Else the page of a large log might end before that line.
    """
    window = (selection.first, selection.last, selection.since, selection.until)
    numbers = [first for first, _ in selection.shown_ranges]
    has_window = (*window, selection.limit, selection.tail, selection.after) != (1, *[None] * 5, 0)
    if has_window or not numbers:
        return selection
    return selection._replace(first=max(1, min(numbers) - LINES_BEFORE))


def _title(path: str) -> str:
    """A page's title: the file and the last folders above it, one of which usually names the job."""
    *folders, name = path.split("/")
    return f"{name} - {'/'.join(folders[-4:])}" if folders else name


def json_line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


class WholeText:
    """A log's text as it is, until it breaks off, and a last line for each part that is missing."""

    def __init__(self, pieces: Iterable[bytes], fault: Incomplete | None = None) -> None:
        """fault: what is missing besides."""
        self._reading = Reading(pieces)
        self._fault = fault

    @property
    def missing(self) -> list[Incomplete]:
        """Known once it was iterated."""
        return [error for error in (self._fault, self._reading.broke_off) if error]

    def __iter__(self) -> Iterator[bytes]:
        return with_notices(self._reading, lambda: self.missing)


def with_notices(
    pieces: Iterable[bytes], missing: Callable[[], Sequence[Incomplete]]
) -> Iterator[bytes]:
    """Yields the text, and a last line for each part that is missing then."""
    last = b"\n"
    for piece in pieces:
        yield piece
        last = piece or last
    if missing() and not last.endswith(b"\n"):
        yield b"\n"
    for error in missing():
        yield f"[{incomplete_notice(error)}]\n".encode()


def incomplete_notice(error: Incomplete) -> str:
    what = "" if error.is_of_comparison else "this log is incomplete here: "
    return f"oslogserve: {what}{error}"
