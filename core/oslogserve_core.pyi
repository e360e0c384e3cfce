# SPDX-License-Identifier: Apache-2.0
"""The native core of oslogserve: its line renderer, and how it opens a log on disk.

Numbers that it cannot take raise ValueError or OverflowError.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, final

from oslogserve.lines.selection import Wanted
from oslogserve.native import Format

#: A digest of those sources that exchange something with Python, see `oslogserve.native`.
INTERFACE: str
#: A digest of all that the core was built from.
SOURCES: str
#: Lowest first: `level=X` shows X and all after it. The first one is for lines without a severity.
SEVERITIES: tuple[str, ...]
#: The core's limits by the module and name of their constants, such as "found.MOST_NOTED".
LIMITS: dict[str, int]

@final
class Grammar:
    """The grammar of lines, compiled once and shared by all threads.

    tables: texts of files of core/grammar by their names, in place of those that the core was built with.
    Raises ValueError, naming the row or the format at fault.
    """

    def __init__(self, formats: Sequence[Format], tables: Mapping[str, str] = {}) -> None: ...
    def iso(self, time: bytes, written: int) -> str | None:
        """A time as a line shows it in ISO 8601; None if it is none.

        written: when the log was last written, in seconds since 1970.
        """

    def written(self, beginning: bytes, written: int) -> int:
        """When a log was last written, for times without a year, see core/src/recognition/times.rs."""

@final
class Contents:
    """The words and ids of a log's blocks, see core/src/index/contents.rs. The GIL is released while it works."""

    def __init__(self) -> None: ...
    def feed(self, piece: bytes) -> None:
        """Takes a piece of a block, cut anywhere. The blocks are fed in order."""

    def end_block(self) -> None: ...
    def finish(self) -> tuple[bytes, bytes]:
        """The words, and the ids."""

class Point(TypedDict):
    """A place in stored bytes from which on they can be inflated, see core/src/decode."""

    #: The next stored byte, and the bits of the one before it that are still to be read.
    stored: int
    bits: int
    bit_count: int
    #: Bytes of text before it.
    at: int
    #: The text before it to which the next bytes refer, as raw deflate; empty for zstd.
    window: bytes

@final
class Index:
    """The blocks of a log that was read before. Raises ValueError for what cannot be true of a log."""

    def __init__(self, blocks: bytes, ends_a_line: bool, ranks: int) -> None:
        """blocks: JSON, of Renderer.blocks(). ends_a_line: true if the last line is complete.
        ranks: the number of severities.
        """

    @property
    def ends_a_line(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> tuple[int, int, int]:
        """Bytes of text before a block, its size, and the CRC-32 of its text."""

    @property
    def size(self) -> tuple[int, int]:
        """Lines and bytes of the text."""

    def place_of(self, at: int) -> int:
        """The place of the block that has the byte `at` of the text."""

@final
class Inflater:
    """A compressed log that is being inflated. The GIL is released while it works.

    All output before a damage is given.
    """

    def __init__(self, packing: str, piece_size: int) -> None:
        """packing: gzip, zlib, deflate or zstd. piece_size: the most bytes of a piece."""

    @staticmethod
    def at(packing: str, piece_size: int, point: Point) -> Inflater:
        """One that begins at a point of a log. Raises ValueError for a point of none."""

    def collect_points(self, interval: int) -> None:
        """Collects points from here on, at least `interval` bytes of text apart."""

    def take_points(self) -> list[Point]:
        """The points that were collected."""

    def feed(self, chunk: bytes) -> bytes:
        """The next piece, of the next stored bytes. To be called once `more` gives None."""

    def more(self) -> bytes | None:
        """The next piece of the last chunk; None if there is none, or nothing more can be inflated."""

    @property
    def fault(self) -> tuple[str, str] | None:
        """Why nothing more can be inflated: a reason and a sentence of Incomplete. None if more may follow."""

    @property
    def fault_at_end(self) -> tuple[str, str] | None:
        """The same, once all stored bytes were fed."""

    @property
    def is_refused(self) -> bool:
        """True if the fault is none of the stored bytes: they need a larger window, or a dictionary."""

    @property
    def memory(self) -> int:
        """Bytes of memory that it holds: of Zstandard up to some 8.5 MiB, of all else 0.1 MiB and a piece."""

    @property
    def is_one_member(self) -> bool:
        """True if all that was fed is exactly one gzip member or Zstandard frame."""

@final
class LogWords:
    """The words of a log, to tell which lines of another log have no like in it.

    It takes nothing more once a renderer uses it.
    """

    def __init__(self, grammar: Grammar) -> None: ...
    @property
    def size(self) -> int:
        """Bytes of memory."""

    @property
    def is_full(self) -> bool:
        """True if words were left out. Then lines can be new that are not."""

    def feed(self, piece: bytes) -> None:
        """Takes a piece of the log's text, cut anywhere."""

    def finish(self) -> bytes:
        """Takes the last line. Returns all words as a list; empty if they take too much room."""

    @staticmethod
    def of_list(list: bytes) -> LogWords:
        """The words of such a list. Raises ValueError."""

@final
class Renderer:
    """One log on its way to a view. The GIL is released while it works.

    The joined results depend on the joined pieces alone. written: when the log was last written, in
    seconds since 1970. longest: bytes of a line that are held back until its end is seen, and that
    are searched. Raises ValueError where that is less than the grammar looks at, and for a search
    that it refuses.
    """

    def __init__(
        self,
        grammar: Grammar,
        wanted: Wanted,
        written: int,
        longest: int,
        words: LogWords | None = None,
    ) -> None: ...
    def feed(self, piece: bytes) -> bytes:
        """What this piece of the log adds; b"" while it is held back."""

    def finish(self) -> bytes:
        """What was held back, and the end of the view: to be called until it gives b""."""

    @property
    def done(self) -> bool:
        """No further piece adds anything."""

    def rows(self) -> tuple[bytes, bytes, int, int]:
        """Ends, times, `reached` and `named` of the Rows of oslogserve.lines.selection, of what the last call
        gave. The first two are arrays of 64-bit numbers."""

    def hold_rows(self, most_waiting: int) -> None:
        """Holds the rows until they are taken, so that feed() and finish() give nothing.

        most_waiting: bytes of rows that wait for the log's first time.
        """

    @property
    def rows_size(self) -> int:
        """Bytes of the rows that are held."""

    def take_rows(self) -> MergedRows:
        """The rows that are held; none while they wait. Those above the log's first time get that time."""

    def show_last(self, rows: LastRows, log: int, index: Index) -> None:
        """Shows only what may be among the last rows of a merge. log: the log's index in it.

        Blocks that all other logs have told before are taken into account.
        """

    @property
    def is_index_wrong(self) -> bool:
        """True if a block lacks rows that its index says, after show_last() and finish()."""

    @property
    def cut_line(self) -> int | None:
        """The first line so far that has more bytes than are shown; None for none."""

    def collect_index(self, interval: int) -> None:
        """Collects an index, of a summary of all lines. interval: bytes of text from block to block."""

    def blocks(self) -> bytes | None:
        """JSON of the index's blocks, after finish(); None if none were collected. See core/src/index/mod.rs."""

    def leave_out(self, index: Index, words: bytes, ids: bytes) -> None:
        """Notes the blocks that cannot hold what is searched for. words, ids: of Contents.

        Raises ValueError if they cannot be of this log.
        """

    def may_pass_over(self, index: Index) -> bool:
        """False if nearly all blocks must be read, as far as is known before one is."""

    def pass_over(self, index: Index, place: int, may_go_on: bool = False) -> int:
        """The place of the first block from `place` on that must be read. Those before it are passed over.

        What was fed must have ended with the block before `place`. may_go_on: true if the last block may have more
        lines than the index says, so that it must be read.
        """

    def tally(self) -> dict[str, Any]:
        """The fields of a Tally of oslogserve.lines.selection, after finish()."""

    def totals(self) -> dict[str, Any] | None:
        """What a summary is made of, see core/src/views/totals.rs, after finish(); None for another view, and once
        they were given.
        """

@final
class LastRows:
    """The last rows of several logs that are merged, as far as their indexes say where they begin."""

    def __init__(self, most: int) -> None: ...

@final
class MergedRows:
    """Rows of one log on their way to a merge, which takes them."""

    def __init__(self) -> None:
        """None, of a log of which nothing is known yet."""

    @property
    def size(self) -> int:
        """Bytes of the rows."""

    @property
    def reached(self) -> int | None:
        """The time that no later row is before; None once they were merged."""

@final
class Patterns:
    """Patterns in the syntax of Rust's `regex` that are tried on a line together, in linear time.

    Raises ValueError that says what is wrong with one, or that they are too large.
    """

    def __init__(self, patterns: list[str]) -> None: ...
    def hits(self, line: bytes) -> list[int]:
        """The places of the patterns that match, in their order."""

@final
class Masks:
    """What is replaced: values byte for byte, and matches of patterns within a line.

    values: of 4 bytes to 32 KiB, without a line feed. Raises ValueError that says what is wrong with a
    value or pattern, or that they are too large.
    """

    def __init__(self, values: list[bytes], patterns: list[str]) -> None: ...

@final
class Masking:
    """A text that is being masked. Pieces may end anywhere."""

    def __init__(self, masks: Masks) -> None: ...
    def feed(self, piece: bytes) -> bytes:
        """The masked text as far as no later byte can change it."""

    def finish(self) -> bytes:
        """The rest of the masked text. A beginning of a value at its end is masked too."""

    @property
    def counts(self) -> list[int]:
        """How many times each value, and then each pattern, was found so far."""

@final
class Packer:
    """A text that is compressed as Zstandard. Raises OSError if that fails."""

    def __init__(self) -> None: ...
    def feed(self, piece: bytes) -> bytes: ...
    def finish(self, is_whole: bool) -> bytes:
        """The rest. is_whole: False for a frame without an end."""

@final
class Merge:
    """Rows of so many logs on their way to one order."""

    def __init__(self, logs: int) -> None: ...
    def feed(self, log: int, rows: MergedRows) -> None:
        """Takes the next rows of a log that needs them. Raises ValueError if they were taken before, and for no log."""

    def ending_first(self, most: int) -> list[int]:
        """The logs whose rows come to their end first, at most so many."""

    def run(self, most: int) -> int:
        """Merges, and returns the log whose rows are needed to go on; -1 once there are `most`
        bytes, -2 for the end."""

    def take(self) -> tuple[bytes, tuple[bytes, bytes, bytes], int]:
        """What was merged since: text; ends, run_ends and run_logs of the Rows of oslogserve.lines.selection, as
        arrays of 64-bit numbers; and `named`."""

def state_count(pattern: str) -> int:
    """The states of a search's automaton, which is its cost for each byte at worst.

    Raises ValueError that says what is wrong with the pattern.
    """

def check_line_pattern(pattern: str) -> None:
    """Raises ValueError that says what the pattern of a user format has to be."""

def kind_of(text: bytes) -> int:
    """A hash of an error's kind: errors that differ in numbers, ids and quoted texts only have the same."""

def line_feeds(piece: bytes, start: int, end: int) -> int:
    """The count of line feeds in ``piece[start:end]``, as ``bytes.count`` has it."""

def links(text: bytes) -> list[tuple[int, int, bool]]:
    """The links of a line: where each begins and ends, and whether it is a URL. Else it is the id of a request."""

def open_beneath(root: bytes, path: bytes, head_size: int, follows_links: bool) -> dict[str, Any]:
    """The fields of an ``OpenFile``; raises OSError. The GIL is released meanwhile."""
