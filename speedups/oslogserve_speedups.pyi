# SPDX-License-Identifier: Apache-2.0
"""The native core of oslogserve: its line renderer, and how it opens a log on disk.

``oslogserve/lines`` and ``oslogserve/sources/open_beneath.py`` are the definition.
"""

from typing import Literal, final

from oslogserve.lines.native_grammar import NativeGrammar
from oslogserve.lines.selection import Tally, Wanted

__version__: str

class UnsupportedPattern(ValueError):
    """A pattern of a search that RE2 alone takes."""

@final
class Grammar:
    """The grammar of heads, compiled once and shared by all threads.

    Raises ValueError, naming the pattern and its fault.
    """

    def __init__(self, data: NativeGrammar) -> None: ...
    def seen(self, line: bytes) -> tuple[tuple[int, int], bytes, tuple[int, int], bool]:
        """Where a line's time stands, its severity's name, where its program's name stands (of
        errors and of TRACE alone), and whether it goes on with the line above: for tests."""

    def clock(self, written: int) -> Clock: ...

@final
class Clock:
    """The twin of `oslogserve.lines.times.Clock`, for tests. written: seconds since 1970."""

    def read(
        self, text: bytes
    ) -> tuple[int, int | None, Literal["epoch", "midnight", "boot"]] | None:
        """Microseconds since the origin, the zone's offset in minutes, the origin."""

    def iso(self, text: bytes) -> str | None: ...
    def on_clock_of(self, text: bytes, offset: int | None) -> int | None:
        """The instant's, of the text."""

@final
class Renderer:
    """One log on its way to a view. The GIL is released while it works.

    The joined results depend on the joined pieces alone. written: when the log was last written, in
    seconds since 1970, for times without a year. longest: of a line that has not ended at most
    about so many bytes are held back, and so many are searched. Raises UnsupportedPattern, and
    ValueError where longest is less than the grammar looks at.
    """

    def __init__(self, grammar: Grammar, wanted: Wanted, written: int, longest: int) -> None: ...
    def feed(self, piece: bytes) -> bytes:
        """What this piece of the log adds; b"" while it is held back."""

    def finish(self) -> bytes:
        """The rest: to be called once, after the last piece."""

    @property
    def done(self) -> bool:
        """No further piece adds anything."""

    def tell(self, into: Tally) -> None:
        """What came of it, after finish()."""

def open_beneath(
    root: bytes, path: bytes, head_size: int
) -> tuple[int | None, bool, int, int, int, int, bytes]:
    """The fields of an ``OpenFile``; raises OSError. The GIL is released meanwhile."""
