# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, text, JSON lines or a summary: the log's bytes in, the response's bytes out.

Every view says so if some of the log is missing by its end.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import quote

from oslogserve.errors import Header, Incomplete
from oslogserve.lines.nearest import Nearest, moment_of, nearest
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import LINE_BYTES, TAIL_BYTES, Page, Selection, Tally, Wanted
from oslogserve.logs.decode import until_incomplete
from oslogserve.pages import counts, page
from oslogserve.pages.address import address
from oslogserve.pages.bar import LogInfo
from oslogserve.query import Query

#: Bytes of a log's text for each element of its page, where lines are short and have links.
ELEMENT_BYTES = 16


@dataclass
class LogView:
    """One log as one query asks for it."""

    query: Query
    info: LogInfo
    #: What is missing of the log; known when all pieces were read.
    missing: list[Incomplete]
    renderer: Renderer
    #: Of a page, where the query names no end; None for no limits.
    limits: Page | None = None
    #: Begins the log's text anew. Raises Incomplete where it breaks off.
    read_again: Callable[[], Iterable[bytes]] = tuple

    def __post_init__(self) -> None:
        self._selection = self.query.selection
        self._tally = Tally()
        self._has_ended = False

    def render(
        self, view: str, pieces: Iterable[bytes], file_title: str | None = None
    ) -> Iterator[bytes]:
        """The response's body. pieces: the log's text. file_title: of a page that is saved as a
        file, with its style and without links to a server."""
        match view:
            case "html" if file_title is not None:
                return self._html_file(pieces, file_title)
            case "html":
                return self._html(pieces)
            case "jsonl":
                return self._jsonl(pieces)
            case "summary":
                return self._summary(pieces)
        if not self.query.is_unfiltered:
            pieces = self._lines("text", pieces)
        return with_notices(pieces, self.missing)

    def headers(self) -> list[Header]:
        """Counts of the lines and the address of the next ones, known when all pieces were read."""
        counts = self._counts("lines", "matched", "sent")
        headers = [(f"Log-{name.title()}", str(count)) for name, count in counts.items()]
        headers.append(("Log-Complete", json.dumps(not self.missing)))
        headers.append(("Log-Read-To-End", json.dumps(self._is_read_to_end)))
        following = self.next_address()
        return [*headers, ("Link", f'<{following}>; rel="next"')] if following else headers

    def next_address(self) -> str | None:
        """The URL of the lines behind a limit that was reached; None where there was none."""
        query, tally = self.query, self._tally
        if tally.cut_at is None:
            return None
        first = tally.cut_from or tally.cut_at
        # Within the context of a hit, which is to be found once more.
        after = tally.cut_at - 1 if first < tally.cut_at else ""
        lines = f"{first}-{query.selection.last or ''}"
        # What was brought in was sent already.
        following = address(query.parameters, ("lines", "after", "show"), after=after, lines=lines)
        path = query.mount.encode("latin-1") + b"/" + query.path
        return (quote(path) if query.path else "") + following

    def _lines(self, view: str, pieces: Iterable[bytes], link: bytes = b"") -> Iterator[bytes]:
        selection = self._selection
        has_end = (selection.last, selection.limit, selection.tail) != (None, None, None)
        limits = None if has_end else self.limits
        wanted = Wanted(view, selection, self.info.modified, link, limits)
        yield from self.renderer(self._noting_end(pieces), wanted, self._tally)
        if self._tally.dropped:
            left_out = f"{self._tally.dropped} of the last {selection.tail} lines are left out"
            reason = f"{left_out}: the last {TAIL_BYTES >> 20} MiB is all that is held"
            self.missing.append(Incomplete("capped", reason))
        if self._tally.cut_line:
            reason = f"a page shows {LINE_BYTES >> 20} MiB of a line, and line {self._tally.cut_line} has more"
            self.missing.append(Incomplete("capped", reason))

    def _noting_end(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        yield from pieces
        self._has_ended = not self.missing

    @property
    def _is_read_to_end(self) -> bool:
        """True unless the log broke off, or `limit` or `lines` ended the reading before its end."""
        tally = self._tally
        return self._has_ended and (tally.cut_at is None or tally.cut_at <= tally.lines)

    def _html(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        query = self.query
        found = self._nearest()
        if found:
            shown = (*query.selection.show, b"L%d" % found.number)
            self._selection = query.selection._replace(show=shown)
        is_large = self.limits is not None and self.info.text_size > self.limits.size
        if is_large or self._may_hold_too_much():
            self._selection = around_shown(self._selection)
        # By itself: where the filter finds nothing for long, the reader sees at least the page.
        notice = counts.before(query, self._selection, is_large)
        if found and found.micros:
            notice += counts.nearest(*found)
        yield page.before_lines(query, self.info, notice)
        yield from self._lines("html", pieces, page.link_of(query.source))
        notices = [incomplete_notice(error) for error in self.missing]
        footer = counts.footer(query, self._selection, self._tally)
        yield page.after_lines(notices, self.next_address(), footer, self._without_lines())

    def _may_hold_too_much(self) -> bool:
        """True if all lines may have more elements than a page."""
        is_filtered = self.query.selection._replace(show=()) != Selection()
        most = inf if self.limits is None or is_filtered else self.limits.elements
        return self.info.text_size > most * ELEMENT_BYTES

    def _nearest(self) -> Nearest | None:
        """The line that is nearest to the first moment to be shown."""
        written = Wanted("html", written=self.info.modified).last_written()
        moments = (moment_of(anchor, written) for anchor in self.query.selection.show)
        moment = next(filter(None, moments), None)
        if moment is None:
            return None

        def read() -> Iterable[bytes]:
            return until_incomplete(self.read_again(), [])  # the page says what is missing

        return nearest(read, self.renderer, moment, self.info.modified)

    def _html_file(self, pieces: Iterable[bytes], title: str) -> Iterator[bytes]:
        yield page.file_head(title)
        yield from self._lines("html", pieces)
        notices = [incomplete_notice(error) for error in self.missing]
        if self._tally.cut_at is not None:
            notices.append(f"A limit was reached before line {self._tally.cut_at}.")
        yield page.after_lines(notices, without_lines=self._without_lines())

    def _without_lines(self) -> str:
        """The sentence of a page without hits."""
        if self._tally.matched:
            return ""
        if not self._tally.bytes and not self.missing:
            return "This log is empty."
        return "No line of this log fits these filters."

    def _jsonl(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        yield from self._lines("jsonl", pieces)
        counts = self._counts("lines", "matched", "sent")
        yield _json({"end": True, **counts, **self._completeness(), "next": self.next_address()})

    def _summary(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        summary = json.loads(b"".join(self._lines("summary", pieces)))
        errors = summary.pop("errors") or [None]
        counts = self._counts("lines", "bytes", "matched")
        ends = {"first_error": errors[0], "last_error": errors[-1]}
        yield _json({**counts, **summary, **ends, **self._completeness()})

    def _counts(self, *names: str) -> dict[str, int]:
        return {name: getattr(self._tally, name) for name in names}

    def _completeness(self) -> dict[str, Any]:
        reason = "; ".join(str(error) for error in self.missing)
        return {
            "complete": not self.missing,
            "read_to_end": self._is_read_to_end,
            "reason": reason or None,
        }


def around_shown(selection: Selection) -> Selection:
    """The selection, from shortly before the first line to be shown on if it names no window: the
    page of a large log might end before that line."""
    window = (selection.first, selection.last, selection.since, selection.until)
    numbers = [first for first, _ in selection.shown_ranges]
    has_window = (*window, selection.limit, selection.tail, selection.after) != (1, *[None] * 5, 0)
    if has_window or not numbers:
        return selection
    return selection._replace(first=max(1, min(numbers) - counts.LINES_BEFORE))


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def with_notices(pieces: Iterable[bytes], missing: list[Incomplete]) -> Iterator[bytes]:
    """Text, and a last line for what is missing of it by then."""
    last = b"\n"
    for piece in pieces:
        yield piece
        last = piece or last
    if missing and not last.endswith(b"\n"):
        yield b"\n"
    for error in missing:
        yield f"[{incomplete_notice(error)}]\n".encode()


def incomplete_notice(error: Incomplete) -> str:
    return f"oslogserve: this log is incomplete here: {error}"
