# SPDX-License-Identifier: Apache-2.0
"""The native core of oslogserve: its line renderer, and how it opens a log on disk.

``oslogserve/lines`` and ``oslogserve/sources/opening.py`` are the definition.
"""

from typing import Literal, final

from oslogserve.lines.pieces import NativeRows

__version__: str

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

    The joined results depend on the joined pieces alone. level: one of the severities, None for
    no filter. limit: in lines, None for all. longest: of a line that has not ended at most about
    so many bytes are held back; ValueError where it is less than the formats' reach.
    """

    def __init__(
        self,
        formats: Formats,
        view: Literal["html", "text"],
        level: str | None = None,
        limit: int | None = None,
        longest: int = 1048576,
    ) -> None: ...
    def feed(self, piece: bytes) -> bytes:
        """What this piece of the log adds; b"" while a line is held back."""

    def finish(self) -> bytes:
        """The rest: to be called once, after the last piece."""

    @property
    def done(self) -> bool:
        """The limit was reached: no further piece adds anything."""

def opened(
    root: bytes, path: bytes, most: int
) -> tuple[int | None, bool, int, int, int, int, bytes]:
    """The fields of a ``File``; raises OSError. The GIL is released meanwhile."""
