# SPDX-License-Identifier: Apache-2.0
"""The renderer: the native core, which is fed with the blocks of a log."""

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

from oslogserve import native
from oslogserve.errors import Incomplete, WrongIndex
from oslogserve.lines.contents import Learner
from oslogserve.lines.selection import ALL_LINES, LONGEST_LINE, Rows, Tally, Wanted
from oslogserve.lines.summary import Totals, as_json, compact
from oslogserve.logs.index_file import Facts
from oslogserve.logs.indexed_log import IndexedLog
from oslogserve.logs.log_text import LogText, text_of

#: Bytes that are rendered at once; a request holds several such blocks as markup.
LARGEST_RENDERED = 256 * 1024
#: Lines that are rendered or searched at once: a short one becomes forty times its bytes as JSON.
MOST_LINES = 8 * 1024
#: Bytes that are searched at once: first, and at least. They double after a block that took less than
#: BLOCK_TIME seconds, else they halve.
FIRST_SEARCHED, LEAST_SEARCHED = 16 * 1024, 4 * 1024
BLOCK_TIME = 0.02


class Room(NamedTuple):
    """Limits of what a rendering holds."""

    #: Bytes of a block, which is rendered at once.
    block: int = LARGEST_RENDERED
    #: Lines of a block; None for MOST_LINES where a view has something for each line, else for no limit.
    lines: int | None = None
    #: Bytes of a line that are held and searched, see LONGEST_LINE.
    line: int = LONGEST_LINE
    #: Bytes of a block of an index that are held until its checksum is known, see IndexedLog.read().
    held: int | None = None


_ROOM = Room()


class Renderer:
    """Renders logs by one grammar. Raises ValueError, with the format's name, for a faulty one."""

    def __init__(self, formats: Sequence[native.Format] = ()) -> None:
        self._grammar = native.Grammar(formats)

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        room: Room = _ROOM,
        charge: Callable[[], None] = lambda: None,
    ) -> "Rendering":
        """The rendering of a log.

        pieces: the log's text, cut anywhere; may raise Incomplete. A LogText is read by its index.
        charge: called before each block. It may raise Incomplete too, which ends the log there.
        """
        text = text_of(pieces)
        core = self._core(wanted, room)
        if text.blocks and text.blocks.is_kept and _is_of_all(wanted):
            core.collect_index(text.blocks.interval)
            text.blocks.collect()
        needed = self._needed(core, wanted, text, room)
        blocks = _Cutter(needed or _WholeLog(text), wanted, room)

        def begin_anew() -> tuple[native.Renderer, _Cutter]:
            return self._core(wanted, room), _Cutter(_WholeLog(text), wanted, room)

        may_begin_anew = needed is not None and not wanted.by_time
        anew = begin_anew if may_begin_anew else None
        return Rendering(core, blocks, charge, text.blocks, anew)

    def _core(self, wanted: Wanted, room: Room) -> native.Renderer:
        return native.Renderer(
            self._grammar, wanted, wanted.last_written(), room.line, wanted.known
        )

    def summary(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        room: Room = _ROOM,
        charge: Callable[[], None] = lambda: None,
    ) -> tuple[dict[str, Any], "Outcome"]:
        """The object of a view summary, see `lines.summary`, and its outcome. Arguments: see __call__()."""
        text = text_of(pieces)
        if text.blocks and _is_of_all(wanted) and (facts := text.blocks.facts):
            return json.loads(facts.summary), _outcome_of(facts)
        rendering = self(text, wanted, room, charge)
        return rendering.summary(), rendering

    def compact_summary(
        self, text: LogText, wanted: Wanted, room: Room, charge: Callable[[], None]
    ) -> tuple[dict[str, Any], "Outcome"]:
        """The compact summary, see `lines.summary.compact`, and its outcome."""
        if text.blocks and _is_of_all(wanted) and (facts := text.blocks.compact):
            return json.loads(facts.summary), _outcome_of(facts)
        summary, outcome = self.summary(text, wanted, room, charge)
        return compact(summary), outcome

    def _needed(
        self, core: native.Renderer, wanted: Wanted, text: LogText, room: Room
    ) -> "_NeededBlocks | None":
        """The blocks that an answer needs, by the log's index; None if it must read all of the log."""
        needs_all = wanted.selection == ALL_LINES and (wanted.page or wanted.last) is None
        if needs_all or not text.blocks or not (index := text.blocks.index):
            return None
        learner = None
        if wanted.selection.searches:
            try:
                if contents := index.file.contents():
                    core.leave_out(index.blocks, *contents)
                elif text.blocks.is_kept:
                    learner = Learner(text.blocks, len(index.blocks))
            except ValueError as error:
                text.blocks.refuse(str(error))
                return None
        if wanted.last:
            core.show_last(*wanted.last, index.blocks)
        if learner or core.may_pass_over(index.blocks):
            read = partial(text.block, most_held=room.held)
            return _NeededBlocks(core, index.blocks, read, learner)
        return None

    def new_known(self) -> native.Known:
        """No words yet: it is fed with a log that others are compared with, see Wanted.known."""
        return native.Known(self._grammar)

    def iso(self, time: bytes, written: int) -> str | None:
        """A time as a line shows it in ISO 8601; None if it is none.

        written: when the log was last written, in seconds since 1970, for a time without a year.
        """
        return self._grammar.iso(time, written)


class Outcome:
    """The outcome of a rendering, known once the log was rendered."""

    def __init__(self) -> None:
        #: The counts.
        self.tally = Tally()
        #: Why the log broke off; None if it did not.
        self.broke_off: Incomplete | None = None
        #: True unless the log broke off, or the selection ended the reading before its end.
        self.is_read_to_end = False
        #: Lines that were read, without a last one that is not finished.
        self.complete_lines = 0


class Rendering(Outcome):
    """A view of a log. Iterate it, or what a method gives, once: then its outcome is known."""

    def __init__(
        self,
        core: native.Renderer,
        blocks: "_Cutter",
        charge: Callable[[], None],
        indexed: IndexedLog | None,
        begin_anew: "Callable[[], tuple[native.Renderer, _Cutter]] | None",
    ) -> None:
        """indexed: where the index is kept that the core collects. begin_anew: reads the log without its
        index; None where that is of no use."""
        super().__init__()
        self._core, self._blocks = core, blocks
        self._totals: Totals | None = None
        self._charge = charge
        self._indexed = indexed
        self._begin_anew = begin_anew

    def __iter__(self) -> Iterator[bytes]:
        """Yields the bytes of the view."""
        yield from filter(None, self._fed())
        if self._totals:
            yield as_json(self._totals)

    def rows(self) -> Iterator[Rows]:
        """Yields the same lines as rows. For views html, text or jsonl with a label."""
        for text in self._fed():
            ends, times, reached = self._core.rows()
            yield Rows(text, memoryview(ends).cast("q"), memoryview(times).cast("q"), reached)

    def merged_rows(
        self, most_waiting: int, most_bytes: int, most_pieces: int
    ) -> Iterator[native.MergedRows]:
        """Yields the same rows for a merge, some of them at a time, in the end perhaps none.

        The first ones are of one piece of the log, and each time they are of twice as many, so that an
        answer begins early. most_waiting: bytes of rows above the log's first time. most_bytes,
        most_pieces: of the rows that are yielded at a time, about.
        """
        core = self._core
        core.hold_rows(most_waiting)
        pieces, wanted = 0, 1
        for _ in self._fed():
            pieces += 1
            if pieces >= wanted or core.rows_size >= most_bytes or core.done:
                yield core.take_rows()
                pieces, wanted = 0, min(2 * wanted, most_pieces)

    @property
    def cut_line(self) -> int | None:
        """The first line so far that has more bytes than are shown; None for none."""
        return self._core.cut_line

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yields the lines of a view jsonl."""
        rest = b""
        for piece in self:
            *lines, rest = (rest + piece).split(b"\n")
            yield from map(json.loads, lines)

    def summary(self) -> dict[str, Any]:
        """The object of a view summary, see `lines.summary`."""
        summary: dict[str, Any] = json.loads(b"".join(self))
        return summary

    def _fed(self) -> Iterator[bytes]:
        """Yields the core's output for each block of the log, and an empty one last."""
        try:
            is_over = yield from self._all_fed()
            yield from iter(self._core.finish, b"")
            if is_over and self._indexed and self._core.is_index_wrong:
                self._indexed.refuse("its blocks lack lines")
                self.broke_off, is_over = WrongIndex(), False
            yield b""
            self._totals = self._core.totals()
            self.tally = Tally(**self._core.tally())
            if is_over and self._indexed and self._totals and (blocks := self._core.blocks()):
                ends_a_line, summary = self._blocks.ends_a_line, as_json(self._totals)
                facts = Facts(self.tally.lines, self.tally.bytes, ends_a_line, summary)
                self._indexed.keep(facts, json.dumps(compact(json.loads(summary))).encode(), blocks)
        finally:
            # It may hold MiB, and the outcome is kept for as long as the answer.
            del self._core
        self.is_read_to_end = is_over and not self.tally.ended_early
        self.complete_lines = self.tally.lines - (not self._blocks.ends_a_line)

    def _all_fed(self) -> Generator[bytes, None, bool]:
        """Yields the core's output for each block of the log. Returns true at the log's end.

        If the index has another text, it begins anew without the index, unless something was given out.
        """
        has_given = False
        while True:
            try:
                for block in self._blocks:
                    self._charge()
                    began = time.thread_time()
                    text = self._core.feed(block)
                    self._blocks.took(time.thread_time() - began)
                    has_given = has_given or bool(text)
                    yield text
                    if self._core.done:
                        return False
                return True
            except Incomplete as error:
                if has_given or self._begin_anew is None or not isinstance(error, WrongIndex):
                    self.broke_off = error
                    return False
                self._core, self._blocks = self._begin_anew()


def _is_of_all(wanted: Wanted) -> bool:
    """True for the summary that an index has: of all lines, without a comparison."""
    return wanted.view == "summary" and wanted.selection == ALL_LINES and wanted.known is None


def _outcome_of(facts: Facts) -> Outcome:
    """The outcome of a summary of all lines."""
    outcome = Outcome()
    lines = facts.lines
    outcome.tally = Tally(lines, facts.size, matched=lines, sent=lines)
    outcome.is_read_to_end = True
    outcome.complete_lines = lines - (not facts.ends_a_line)
    return outcome


class _WholeLog:
    """All pieces of a log."""

    def __init__(self, text: LogText) -> None:
        self._text = text
        #: True if the last line so far is complete.
        self.ends_a_line = True

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._text:
            if piece:
                self.ends_a_line = piece.endswith(b"\n")
            yield piece


class _NeededBlocks:
    """The pieces of the blocks that an answer needs. The core passes over the others."""

    def __init__(
        self,
        core: native.Renderer,
        blocks: native.Index,
        read: Callable[[int], Iterator[bytes]],
        learner: Learner | None,
    ) -> None:
        """read: the text of a block. learner: of the blocks; None if nothing is to be learnt."""
        self._core = core
        self._blocks = blocks
        self._read = read
        self._learner = learner
        self.ends_a_line = blocks.ends_a_line

    def __iter__(self) -> Iterator[bytes]:
        place = 0
        while (place := self._core.pass_over(self._blocks, place)) < len(self._blocks):
            if self._core.done:
                return
            pieces = self._read(place)
            yield from self._learner.reading(place, pieces) if self._learner else pieces
            place += 1


class _Cutter:
    """Cuts the pieces of a log into blocks. The size of the next one follows the time of the last search."""

    def __init__(self, pieces: _WholeLog | _NeededBlocks, wanted: Wanted, room: Room) -> None:
        selection = wanted.selection
        self._pieces = pieces
        self._is_search = bool(selection.searches or selection.without)
        self._size = FIRST_SEARCHED if self._is_search else room.block
        self._largest = room.block
        # Text has no more bytes than the log, and a summary has no lines. Counting takes time.
        has_lines = wanted.view in ("html", "jsonl", "marked")
        self._most_lines = room.lines or (MOST_LINES if has_lines else inf)

    @property
    def ends_a_line(self) -> bool:
        """True if the last line is complete; known at the end."""
        return self._pieces.ends_a_line

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            at, most = 0, self._most_lines
            while at < len(piece):
                size = self._size
                # bytes.count takes twenty times as long, and blocks other threads meanwhile.
                while size > most and native.line_feeds(piece, at, at + size) > most:
                    size //= 2
                yield piece[at : at + size]
                at += size

    def took(self, seconds: float) -> None:
        """Notes how long the last block took to render."""
        if self._is_search:
            is_fast = seconds < BLOCK_TIME
            size = min(2 * self._size, self._largest) if is_fast else self._size // 2
            self._size = max(size, LEAST_SEARCHED)
