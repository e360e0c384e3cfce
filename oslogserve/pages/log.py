# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, text, JSON lines or a summary: its own bytes in, the answer's bytes out.

Where a part of it is missing by the end, every view says so.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

from oslogserve.errors import Incomplete
from oslogserve.lines.clock import span
from oslogserve.lines.renderer import BEST, Renderer
from oslogserve.lines.selection import TAIL_BYTES, WHOLE, Page, Selection, Tally, Wanted
from oslogserve.pages import counts, page
from oslogserve.pages.bar import Facts
from oslogserve.query import Query


class LogView:
    """One log for one request. missing: what is found missing while its pieces are read. written:
    when it was last written, in seconds since 1970; None for now. mount: SCRIPT_NAME. page: what
    one page shows, where no end is asked for; None for all. size: bytes of the log, or about as
    many. stored_size: those that are stored, where that is known."""

    def __init__(
        self,
        query: Query,
        missing: list[Incomplete],
        rendered: Renderer = BEST,
        source: str = "",
        mount: str = "",
        written: float | None = None,
        page: Page | None = None,
        size: int = 0,
        stored_size: int | None = None,
    ) -> None:
        self._query = query
        self._selection = query.selection
        self._page = page
        self._size = size
        self._missing = missing
        self._rendered = rendered
        self._facts = Facts(source, stored_size, written)
        self._mount = mount
        self._written = written
        self._tally = Tally()

    def of(
        self, view: str, pieces: Iterable[bytes], standalone: str | None = None
    ) -> Iterator[bytes]:
        """standalone: the title of a page that is a file of its own."""
        match view:
            case "html":
                return self._html(pieces, standalone)
            case "jsonl":
                return self._jsonl(pieces)
            case "summary":
                return self._summary(pieces)
        if not self._query.is_unfiltered:
            pieces = self._lines("text", pieces)
        return with_notice(pieces, self._missing)

    def facts(self) -> list[tuple[str, str]]:
        """Headers of a text: what came of the selection, once it was made."""
        tally = self._tally
        facts = [
            ("Log-Lines", str(tally.lines)),
            ("Log-Matched", str(tally.matched)),
            ("Log-Sent", str(tally.sent)),
            ("Log-Complete", "false" if self._missing else "true"),
        ]
        following = self.next_address()
        return [*facts, ("Link", f'<{following}>; rel="next"')] if following else facts

    def next_address(self) -> str | None:
        """Of the rest, where a limit cut."""
        cut_at = self._tally.cut_at
        if cut_at is None:
            return None
        first, last = self._tally.cut_from or cut_at, self._query.selection.last or ""
        # What was brought in was sent already.
        kept = [pair for pair in self._query.given if pair[0] not in ("lines", "after", "show")]
        if first < cut_at:  # within the context of a hit, which is to be found once more
            kept.append(("after", str(cut_at - 1)))
        path = self._mount.encode("latin-1") + b"/" + self._query.path
        return f"{quote(path) if self._query.path else ''}?{urlencode([*kept, ('lines', f'{first}-{last}')])}"

    def _lines(self, view: str, pieces: Iterable[bytes], link: bytes = b"") -> Iterator[bytes]:
        selection = self._selection
        has_end = (selection.last, selection.limit, selection.tail) != (None, None, None)
        room = None if has_end else self._page
        wanted = Wanted(view, selection, self._written, link, room)
        yield from self._rendered(pieces, wanted, self._tally)
        if self._tally.dropped:
            self._missing.append(
                Incomplete(
                    "capped",
                    f"{self._tally.dropped} of the last {selection.tail} lines are left out:"
                    f" the last {TAIL_BYTES >> 20} MiB is all that is held",
                )
            )

    def _html(self, pieces: Iterable[bytes], standalone: str | None) -> Iterator[bytes]:
        # By itself: where the filter finds nothing for long, the reader sees at least the page.
        if standalone is None:
            is_large = self._page is not None and self._size > self._page.size
            if is_large:
                self._selection = around_shown(self._selection)
            link = page.link_of(self._query.source)
            before = counts.before(self._query, self._selection, is_large)
            yield page.before_lines(self._mount, self._query, self._facts, before)
        else:
            link = b""
            yield page.standalone_head(standalone)
        yield from self._lines("html", pieces, link)
        notices = [told(error) for error in self._missing]
        following = self.next_address()
        behind = ""
        if standalone is None:
            behind = counts.footer(self._query, self._selection, self._tally)
        elif following:
            notices.append(f"A limit was reached before line {self._tally.cut_at}.")
            following = None
        yield page.after_lines(notices, following, behind, self._none())

    def _none(self) -> str:
        if self._tally.sent:
            return ""
        if not self._tally.bytes and not self._missing:
            return "This log is empty."
        return "No line of this log is what was asked for."

    def _jsonl(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        yield from self._lines("jsonl", pieces)
        counted = {
            "end": True,
            "lines": self._tally.lines,
            "matched": self._tally.matched,
            "sent": self._tally.sent,
        }
        yield _json({**counted, **self._ending(), "next": self.next_address()})

    def _summary(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        figures = json.loads(b"".join(self._lines("summary", pieces)))
        counted = {
            "lines": self._tally.lines,
            "bytes": self._tally.bytes,
            "matched": self._tally.matched,
        }
        yield _json({**counted, **figures, **self._ending()})

    def _ending(self) -> dict[str, Any]:
        reason = "; ".join(str(error) for error in self._missing)
        return {"complete": not self._missing, "reason": reason or None}


def around_shown(selection: Selection) -> Selection:
    """The part of a large log around a line that is to be shown, where no end of a part is asked
    for. Else the page would end before it, whatever it is filtered by."""
    window = (selection.first, selection.last, selection.since, selection.until)
    if (*window, selection.limit, selection.tail, selection.after) != _NO_WINDOW:
        return selection
    numbers = [int(fragment[1:]) for fragment in selection.show if fragment.startswith(b"L")]
    if numbers:
        return selection._replace(first=max(1, min(numbers) - counts.BEFORE))
    moments = [_ANCHOR.fullmatch(fragment) for fragment in selection.show]
    texts = [b"%b-%b-%bT%b:%b:%b%b" % found.groups() for found in moments if found]
    texts = [text.replace(b"_", b".") for text in texts]
    return selection._replace(since=span(min(texts).decode())) if texts else selection


_NO_WINDOW = (WHOLE.first, None, None, None, None, None, WHOLE.after)
#: Of a moment; those of other formats do not say the year.
_ANCHOR = re.compile(rb"_(\d{4})-(\d\d)-(\d\d)[_T](\d\d)_(\d\d)_(\d\d)(_\d{1,6}|)Z?")


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def with_notice(pieces: Iterable[bytes], missing: list[Incomplete]) -> Iterator[bytes]:
    """Text, and a last line for what is missing of it by then."""
    last = b"\n"
    for piece in pieces:
        yield piece
        last = piece or last
    if missing and not last.endswith(b"\n"):
        yield b"\n"
    for error in missing:
        yield f"[{told(error)}]\n".encode()


def told(error: Incomplete) -> str:
    return f"oslogserve: this log is incomplete here: {error}"
