# SPDX-License-Identifier: Apache-2.0
"""A log as HTML, text, JSON lines or a summary: its own bytes in, the answer's bytes out.

Where a part of it is missing by the end, every view says so.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

from oslogserve.errors import Incomplete
from oslogserve.lines.renderer import BEST, Renderer
from oslogserve.lines.selection import TAIL_BYTES, Tally, Wanted
from oslogserve.query import Query
from oslogserve.views import page


class LogView:
    """One log for one request. missing: what is found missing while its pieces are read. written:
    when it was last written, in seconds since 1970; None for now. mount: SCRIPT_NAME."""

    def __init__(
        self,
        query: Query,
        missing: list[Incomplete],
        rendered: Renderer = BEST,
        source: str = "",
        mount: str = "",
        written: float | None = None,
    ) -> None:
        self._query = query
        self._missing = missing
        self._rendered = rendered
        self._source = source
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
        last = self._query.selection.last or ""
        kept = [(name, value) for name, value in self._query.given if name != "lines"]
        path = self._mount.encode("latin-1") + b"/" + self._query.path
        return f"{quote(path) if self._query.path else ''}?{urlencode([*kept, ('lines', f'{cut_at}-{last}')])}"

    def _lines(
        self, view: str, pieces: Iterable[bytes], link: bytes = b"", needs_tally: bool = True
    ) -> Iterator[bytes]:
        selection = self._query.selection
        wanted = Wanted(view, selection, self._written, link)
        yield from self._rendered(pieces, wanted, self._tally if needs_tally else None)
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
            yield page.before_lines(self._mount, self._query, self._source)
            link = page.link_of(self._query.source)
        else:
            yield page.standalone_head(standalone)
            link = b""
        selection = self._query.selection
        has_end = selection.limit is not None or selection.tail is not None
        yield from self._lines("html", pieces, link, has_end)
        notices = [told(error) for error in self._missing]
        following = self.next_address()
        if following and standalone is not None:
            notices.append(f"A limit was reached before line {self._tally.cut_at}.")
            following = None
        yield page.after_lines(notices, following)

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
