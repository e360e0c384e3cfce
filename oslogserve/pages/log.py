# SPDX-License-Identifier: Apache-2.0
"""A log in each of its views, such as HTML, text or a summary: the log's bytes in, the answer's bytes out.

Each view says at its end if some of the log is missing.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NotRequired, TypedDict

import msgspec
from markupsafe import Markup

from oslogserve.compression import fast, plain_name
from oslogserve.errors import Header, Incomplete
from oslogserve.http.request import is_settled
from oslogserve.jobs.compare import NOT_COMPARED, Compared
from oslogserve.lines.excerpt.lines import MarkedLine, marked_lines, planned
from oslogserve.lines.places import moment_of, nearest
from oslogserve.lines.renderer import Renderer, Rendering
from oslogserve.lines.selection import LINE_BYTES, TAIL_BYTES, PageLimits, Selection, Wanted
from oslogserve.lines.summary import Chapter, ErrorLine, Summary
from oslogserve.logs.open_log import OpenLog
from oslogserve.native import SEVERITIES
from oslogserve.pages import brief
from oslogserve.pages.bar import bar
from oslogserve.pages.chapters import chapters_page
from oslogserve.pages.page import content, frame
from oslogserve.query import Query
from oslogserve.templates import streamed

#: Assumed gzip ratio, used to guess a log's size. A constant, so that the same URL always gives the
#: same page.
ASSUMED_RATIO = 16
#: Bytes of text for each element of a page, if lines are short and have links.
ELEMENT_BYTES = 16
#: Lines shown before the target of a link.
LINES_BEFORE = 200
#: Lines of the window before a page. Where the page before begins is known only once it is read.
WINDOW_LINES = 10_000
#: Bytes at a log's beginning that tell if it is another one.
BEGINS = (64, 256, 1024)
#: Parameters that links to other lines of the same filter replace.
WINDOW = ("lines", "chapter", "after", "limit", "tail", "show")
LONE_RETURNS = "This log has carriage returns and no line feeds: it is shown as one line."
_ERROR = SEVERITIES.index("ERROR")


class Completeness(TypedDict):
    complete: bool
    #: For a query that compares.
    compared: NotRequired[bool]


class ReadCompleteness(Completeness):
    read_to_end: bool
    reason: str | None


class Counts(TypedDict):
    lines: int
    matched: int
    sent: int
    new: NotRequired[int]


class LinesEnd(Counts, ReadCompleteness):
    """The last object of JSON lines."""

    end: bool
    next: str | None


class LogView:
    """A log in the view of a query. Once it is rendered, `rendering` has its counts."""

    #: The lines of the view, while they are rendered.
    rendering: Rendering

    def __init__(
        self,
        query: Query,
        log: OpenLog,
        renderer: Renderer,
        limits: PageLimits | None = None,
        compared: Compared = NOT_COMPARED,
        file_title: str | None = None,
    ) -> None:
        """limits: of a page if the query names no end; None for no limits. compared: the log that this one is
        compared with. file_title: for what is saved as a file: a page has its style and no links to a server.
        """
        self.query = query
        self.log = log
        self.limits = limits
        #: Why lines are missing, or may be called new that are not. Grows while the log is rendered.
        self.missing: list[Incomplete] = [compared.fault] if compared.fault else []
        #: The lines of the view, which may begin later than the query's.
        self.selection = query.selection
        self._renderer = renderer
        self._words = compared.words
        self._file_title = file_title
        self._may_grow = not is_settled(log.stored.modified)

    def render(self, view: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The answer's content. pieces: the log's text."""
        match view:
            case "html":
                return self._html(pieces)
            case "jsonl":
                return self._jsonl(pieces)
            case "summary":
                return self._summary(pieces)
            case "brief" | "markdown":
                return self._brief(view, pieces)
            case "chapters":
                return self._chapters(pieces)
            case "text":
                self._lines("text", pieces)
                return with_notices(self.rendering, self.missing, self._note_end)
        raise ValueError(view)

    def headers(self) -> list[Header]:
        """Counts of lines, and the address of the next ones. Call it when all pieces were read."""
        headers = [(f"Log-{name.title()}", str(count)) for name, count in self._counts().items()]
        for name, value in completeness(self.query, self.missing).items():
            headers.append((f"Log-{name.title()}", json.dumps(value)))
        headers.append(("Log-Read-To-End", json.dumps(self.rendering.is_read_to_end)))
        following = self.next_address()
        return [*headers, ("Link", f'<{following}>; rel="next"')] if following else headers

    def next_address(self) -> str | None:
        """The URL of the lines after a limit; None if none was reached."""
        query, tally = self.query, self.rendering.tally
        if tally.cut_at is None:
            return None
        # Lines of `show` were sent already.
        if query.selection.tail is not None:
            following = query.link(("after", "show"), after=tally.cut_at - 1)
        else:
            begin = _continued(tally.cut_at, tally.cut_from, query.selection.last)
            replaced = ("lines", "chapter", "after", "show")
            following = query.link(replaced, **begin)
        return (query.address if query.path else "") + following

    def _lines(self, view: str, pieces: Iterable[bytes], link: bytes = b"") -> Iterator[bytes]:
        """The lines of the view, behind which it is known what is missing."""
        selection, charge = self.selection, self.log.budget.charge_rendering
        has_end = (selection.last, selection.limit, selection.tail) != (None, None, None)
        limits = None if has_end else self.limits
        written = self._renderer.written(self.log)
        wanted = Wanted(view, selection, written, link, limits, words=self._words)
        self.rendering = self._renderer(pieces, wanted, self.log.blocks, charge=charge)
        return self._rendered(self.rendering)

    def _rendered(self, rendering: Rendering) -> Iterator[bytes]:
        yield from rendering
        self._note_end()

    def _summarised(self, pieces: Iterable[bytes]) -> Summary:
        self._lines("summary", pieces)
        summary = self.rendering.summary()
        self._note_end()
        return summary

    def _note_end(self) -> None:
        """Notes why lines are missing."""
        rendering, tail = self.rendering, self.selection.tail
        tally = rendering.tally
        if rendering.broke_off:
            self.missing.append(rendering.broke_off)
        if tally.dropped:
            left_out = f"{tally.dropped:,} of the last {tail:,} lines are left out"
            reason = f"{left_out}: the last {TAIL_BYTES >> 20} MiB are all that is kept"
            self.missing.append(Incomplete("capped", reason))
        if tally.cut_line:
            reason = f"a page shows {LINE_BYTES >> 20} MiB of a line, and line {tally.cut_line:,} has more"
            self.missing.append(Incomplete("capped", reason))

    def _html(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        query, log = self.query, self.log
        if self._file_title is not None:
            # The style sheet is our own; escaped, it would not work.
            style = Markup(content("log.css"))  # noqa: S704
            lines = self._lines("html", pieces)
            yield from streamed("file.html", lines, view=self, title=self._file_title, style=style)
            return
        written = self._renderer.written(log)
        moments = ((one, moment_of(one, self._renderer, written)) for one in query.selection.show)
        anchor, moment = next((pair for pair in moments if pair[1]), (b"", None))
        found = moment and nearest(log, self._renderer, anchor, moment)
        if found:
            shown = (*query.selection.show, b"L%d" % found[0])
            self.selection = query.selection._replace(show=shown)
        size = (log.stored.size or 0) * (ASSUMED_RATIO if log.packing else 1)
        is_large = self.limits is not None and size > self.limits.size
        is_filtered = query.selection._replace(show=()) != Selection()
        most = inf if self.limits is None or is_filtered else self.limits.elements
        if is_large or size > most * ELEMENT_BYTES:
            self.selection = _around_shown(self.selection)
        selection = self.selection
        has_end = (selection.last, selection.limit, selection.tail) != (None, None, None)
        if found and (not found[1] or found[0] <= query.selection.after):
            found = None
        # A page's title has the last folders, one of which usually names the job.
        *folders, name = query.shown.split("/")
        title = f"{name} - {'/'.join(folders[-4:])}" if folders else name
        # Send the page's beginning first, since a filter may find no line for long.
        yield from streamed(
            "log.html",
            self._lines("html", pieces, query.row_link),
            **frame(query, title),
            **bar(query),
            view=self,
            plain_name=plain_name,
            nearest=found,
            lines_before=LINES_BEFORE,
            may_end_early=is_large and not has_end,
        )

    def notices(self, of_comparison: bool = False) -> list[str]:
        """A sentence for each missing part, or each reason why lines may be called new that are not, or none is."""
        named = (error for error in self.missing if error.is_of_comparison == of_comparison)
        returns = [] if of_comparison or not self._has_lone_returns else [LONE_RETURNS]
        return [*map(incomplete_notice, named), *returns]

    @property
    def _has_lone_returns(self) -> bool:
        """True if the log has been read to its end, and has carriage returns where other logs have line feeds."""
        rendering, begin = self.rendering, self.log.first_bytes.text
        is_one_line = rendering.is_read_to_end and rendering.complete_lines <= 1
        return is_one_line and b"\n" not in begin[:-1] and begin.count(b"\r") > 1

    @property
    def without_lines(self) -> str:
        """The sentence for a page without hits, else ""."""
        tally = self.rendering.tally
        if tally.matched:
            return ""
        if not tally.bytes and not self.missing:
            return "This log is empty."
        if self.newer_lines and 0 < self.rendering.complete_lines <= self.selection.after:
            return "This log has no newer lines yet."
        return "No line of this log fits these filters."

    @property
    def newer_lines(self) -> str | None:
        """The URL of the lines that come after the page's; None if the page cannot get any."""
        selection = self.selection
        has_end = (selection.last, selection.until, selection.limit) != (None, None, None)
        is_to_end = self.rendering.is_read_to_end and self.rendering.tally.next_page is None
        if has_end or not is_to_end or not self._may_grow:
            return None
        # Lines of `show` are on this page.
        replaced = ("after", "tail", "show")
        return self.query.link(replaced, after=self.rendering.complete_lines)

    @property
    def begins(self) -> str:
        """Checksums of the text's first bytes: those that pages of one log have are equal, while it grows."""
        text = self.log.first_bytes.text
        return " ".join(f"{fast.crc32(text[:size]):x}" for size in BEGINS if len(text) >= size)

    @property
    def new_lines(self) -> str | None:
        """The URL of the new lines; None if the log is not compared, or all lines are new ones."""
        if self._words is None or self.query.selection.new_only:
            return None
        return self.query.link(("tail", "show"), new="only")

    @property
    def is_of_errors(self) -> bool:
        """True if the query selects nothing below ERROR."""
        level = self.selection.level
        return level is not None and SEVERITIES.index(level) >= _ERROR

    @property
    def first_error(self) -> int | None:
        """The number of the first line at ERROR or above; None for none."""
        severities = self.rendering.tally.severities.items()
        return min((first for rank, (_, first) in severities if rank >= _ERROR), default=None)

    @property
    def begin(self) -> int:
        """The number of the first line that the page may have."""
        return max(self.selection.first, self.selection.after + 1)

    @property
    def before(self) -> tuple[int, int]:
        """The first and the last line of the window before the page."""
        return max(1, self.begin - WINDOW_LINES), self.begin - 1

    @property
    def severities(self) -> list[tuple[str, int, int]]:
        """Severity, count of lines, and number of the first line; the most severe first."""
        found = sorted(self.rendering.tally.severities.items(), reverse=True)
        return [(SEVERITIES[rank], count, first) for rank, (count, first) in found]

    @property
    def window(self) -> str:
        """The value of `lines` for the same window; "" for the whole log."""
        first, last = self.selection.first, self.selection.last
        return "" if (first, last) == (1, None) else f"{first}-{last or ''}"

    def next_page(self, number: int) -> str:
        """The URL of the lines that the page had no room for, from the one of this number on."""
        has_more = bool(self.query.selection.show)
        begin = _continued(number, self.rendering.tally.next_from, has_more=has_more)
        return self.query.link(("lines", "after"), **begin)

    def address(self, **changed: str | int) -> str:
        """The URL of other lines of the same log and filter. Empty values are left out."""
        return self.query.link((*WINDOW, *changed), **changed)

    def _jsonl(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        yield from self._lines("jsonl", pieces)
        end: LinesEnd = {
            "end": True,
            **self._counts(),
            **self._completeness(),
            "next": self.next_address(),
        }
        yield json_line(end)

    def _summary(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = self._summarised(pieces)
        errors: Sequence[ErrorLine | None] = summary.errors or [None]
        members = msgspec.to_builtins(msgspec.structs.replace(summary, errors=[]))
        for one, failure in zip(
            members.get("other_failures", ()), summary.other_failures, strict=True
        ):
            one["headline"] = failure.headline
        if summary.cause:
            members["cause"]["headline"] = summary.cause.headline
        members["chapters"] = [*map(_with_took, summary.chapters)]
        step = summary.step and _with_took(summary.step)
        members |= {"more_failures": summary.may_have_more_failures, "step": step}
        tally = self.rendering.tally
        counts = {"lines": tally.lines, "bytes": tally.bytes, "matched": tally.matched}
        ends = {"first_error": errors[0], "last_error": errors[-1]}
        yield json_line({**counts, **members, **ends, **self._completeness()})

    def _brief(self, view: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = self._summarised(pieces)
        query, total = self.query, self.rendering.tally.lines
        lines: list[MarkedLine] = []
        plan = planned(summary, total, query.size)
        if plan.show:  # then the log is read again
            log = self.log
            wanted = Wanted("marked", plan, self._renderer.written(log), words=self._words)
            charge = log.budget.charge_rendering
            read = self._renderer(log.text(), wanted, log.blocks, charge=charge)
            lines += marked_lines(read, plan)
            if read.broke_off and self.rendering.broke_off is None:
                self.missing.append(read.broke_off)
        form = brief.FORMS[view]
        name = query.address if form.has_links else query.whole_address
        link = f"{query.whole_address if query.origin or form.has_links else ''}?goto="
        if self._file_title is not None:
            name = self._file_title
            link = brief.NO_LINK if form.has_links else f"{name}:"
        notices = [*self.notices(), *self.notices(of_comparison=True)]
        yield brief.of_log(summary, lines, total, name, link, query.size, notices, form)

    def _chapters(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = self._summarised(pieces)
        yield chapters_page(self.query, summary, map(incomplete_notice, self.missing))

    def _counts(self) -> Counts:
        tally = self.rendering.tally
        counts: Counts = {"lines": tally.lines, "matched": tally.matched, "sent": tally.sent}
        return counts if self._words is None else {**counts, "new": tally.new}

    def _completeness(self) -> ReadCompleteness:
        reason = "; ".join(str(error) for error in self.missing)
        return {
            **completeness(self.query, self.missing),
            "read_to_end": self.rendering.is_read_to_end,
            "reason": reason or None,
        }


def completeness(query: Query, missing: Sequence[Incomplete], has_run: bool = True) -> Completeness:
    """Members of JSON.

    has_run: false if there is no run to compare with.
    """
    members: Completeness = {"complete": all(error.is_of_comparison for error in missing)}
    if query.against:
        members["compared"] = has_run and not any(error.is_of_comparison for error in missing)
    return members


def _around_shown(selection: Selection) -> Selection:
    """The selection; without a window, it begins shortly before the first line of `show`.

    Else the page of a large log might end before that line.
    """
    window = (selection.first, selection.last, selection.since, selection.until)
    numbers = [first for first, _ in selection.shown_ranges]
    has_window = (*window, selection.limit, selection.tail, selection.after) != (1, *[None] * 5, 0)
    if has_window or not numbers:
        return selection
    return selection._replace(first=max(1, min(numbers) - LINES_BEFORE))


def _continued(
    number: int, begin: int | None, last: int | None = None, has_more: bool = False
) -> dict[str, str | int]:
    """Parameters of an answer that continues with the line of this number. begin: the hit in whose
    context that line is. has_more: lines above may be shown that are not to be sent again."""
    first = begin or number
    after = number - 1 if first < number or has_more else ""
    return {"after": after, "lines": f"{first}-{last or ''}"}


def json_line(value: Mapping[str, Any]) -> bytes:
    """The JSON of an answer, in which there may be structs."""
    return json.dumps(value, default=msgspec.to_builtins).encode() + b"\n"


def _with_took(chapter: Chapter) -> dict[str, Any]:
    return {**msgspec.to_builtins(chapter), "took": chapter.took}


def with_notices(
    pieces: Iterable[bytes], missing: list[Incomplete], note_end: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """Yields a log's text until it breaks off, and a last line for each part that is missing then.

    missing: also gets why it broke off. note_end: called behind the pieces; it may add to `missing`.
    """
    last = b"\n"
    try:
        for piece in pieces:
            yield piece
            last = piece or last
    except Incomplete as why:
        missing.append(why)
    note_end()
    if missing and not last.endswith(b"\n"):
        yield b"\n"
    for error in missing:
        yield f"[{incomplete_notice(error)}]\n".encode()


def incomplete_notice(error: Incomplete) -> str:
    what = "" if error.is_of_comparison else "this log is incomplete here: "
    return f"oslogserve: {what}{error}"
