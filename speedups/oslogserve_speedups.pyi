# SPDX-License-Identifier: Apache-2.0
"""The native core of oslogserve: its line renderer, and how it opens a log on disk.

``oslogserve/lines`` and ``oslogserve/sources/open_beneath.py`` are the definition.
"""

from collections.abc import Sequence
from typing import Literal, Protocol, final

from oslogserve.lines.pieces import NativeRows

__version__: str

class _Span(Protocol):
    """A query's time, in microseconds; its zone in minutes east of UTC."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def offset(self) -> int | None: ...

class _Search(Protocol):
    @property
    def pattern(self) -> str: ...

class _Selection(Protocol):
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int | None: ...
    @property
    def since(self) -> _Span | None: ...
    @property
    def until(self) -> _Span | None: ...
    @property
    def level(self) -> str | None: ...
    @property
    def searches(self) -> Sequence[_Search]: ...
    @property
    def without(self) -> Sequence[_Search]: ...
    @property
    def context(self) -> int | None: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def tail(self) -> int | None: ...
    @property
    def show(self) -> Sequence[bytes]: ...
    @property
    def after(self) -> int: ...

class _Tally(Protocol):
    lines: int
    bytes: int
    matched: int
    sent: int
    cut_at: int | None
    cut_from: int | None
    dropped: int
    next_page: int | None
    elements: int
    severities: dict[int, tuple[int, int]]

@final
class Clock:
    """The twin of clock.py's, for the tests that compare both. written: seconds since 1970."""

    def __init__(self, written: int) -> None: ...
    def read(
        self, text: bytes
    ) -> tuple[int, int | None, Literal["epoch", "midnight", "boot"]] | None:
        """Microseconds since the origin, the zone's offset in minutes, the origin."""

    def iso(self, text: bytes) -> str | None: ...
    def on_clock_of(self, text: bytes, offset: int | None) -> int | None:
        """The instant's, of the text."""

@final
class Formats:
    """The table of formats, compiled once and shared by all threads.

    rows: as oslogserve.lines.pieces.for_native() makes them. Raises ValueError, naming the pattern
    and its fault.
    """

    def __init__(self, rows: NativeRows) -> None: ...
    @property
    def reach(self) -> int:
        """As many bytes of a line decide on its time and severity."""

    def seen_in(self, lines: bytes) -> list[tuple[int, int, bytes]]:
        """As oslogserve.lines.recognise.Formats: for tests, which compare the two."""

@final
class Renderer:
    """One log on its way to a view. The GIL is released while it works.

    The joined results depend on the joined pieces alone. selection: what Selection of
    oslogserve.lines.selection has. written: when the log was last written, in seconds since 1970,
    for stamps without a year. link: what an address of the log's page begins with, escaped for
    HTML; b"" where there is none. page: the most bytes of the log and elements that a page of lines
    holds; None where there is no end to it. longest: of a line that has not ended at most about so
    many bytes are held back, and so many are searched. ValueError where that is less than the
    formats' reach, and where a pattern is not understood.
    """

    def __init__(
        self,
        formats: Formats,
        view: Literal["html", "text", "jsonl", "summary"],
        selection: _Selection,
        written: int,
        link: bytes,
        page: tuple[int, int] | None,
        longest: int,
    ) -> None: ...
    def feed(self, piece: bytes) -> bytes:
        """What this piece of the log adds; b"" while it is held back."""

    def finish(self) -> bytes:
        """The rest: to be called once, after the last piece."""

    @property
    def done(self) -> bool:
        """No further piece adds anything."""

    def tell(self, into: _Tally) -> None:
        """What came of it, after finish()."""

def open_beneath(
    root: bytes, path: bytes, head_size: int
) -> tuple[int | None, bool, int, int, int, int, bytes]:
    """The fields of an ``OpenFile``; raises OSError. The GIL is released meanwhile."""
