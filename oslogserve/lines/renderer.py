# SPDX-License-Identifier: Apache-2.0
"""The renderer: the native core, which is fed with the pieces of a log.

A Rendering is one log on its way to one view. It is iterated once, as bytes, rows, objects or a summary; then its tally
is known, and why the log broke off, if it did. A break ends the reading and never the view: what was read is shown.

If the log has an index, the core tells which blocks it can pass over. If an index turns out to be of another text
before anything was given out, the rendering begins anew without it. If all of a log was summarised, its index is made.

Pieces are cut so that the core never works for long at once: other threads want the processor, a client may leave, and
the budget is charged before each. How much that is for a search follows the time that the last piece took.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from msgspec.json import encode

from oslogserve import native
from oslogserve.errors import Incomplete, WrongIndex
from oslogserve.lines.selection import ALL_LINES, LONGEST_LINE, Rows, Tally, Wanted
from oslogserve.lines.summary import Summary, of_json, summary_of
from oslogserve.logs.blocks import Blocks
from oslogserve.logs.open_log import OpenLog

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
    #: Bytes of a block of an index that are held until its checksum is known; None for MOST_HELD, see Blocks.read().
    held: int | None = None


_ROOM = Room()
#: Views that show lines as they are.
_OF_LINES = ("html", "jsonl", "text")


class Renderer:
    """Renders logs by one grammar. Raises ValueError, with the format's name, for a faulty one."""

    def __init__(self, formats: Sequence[native.Format] = ()) -> None:
        self._grammar = native.Grammar(formats)

    def __call__(
        self,
        pieces: Iterable[bytes],
        wanted: Wanted,
        blocks: Blocks | None = None,
        room: Room = _ROOM,
        charge: Callable[[], None] = lambda: None,
    ) -> "Rendering":
        """The rendering of a log.

        pieces: the log's text, cut anywhere; may raise Incomplete. blocks: those of the log, if it has some; they are
        read instead where its index tells that they are enough. charge: called before each piece is rendered. It
        may raise Incomplete too, which ends the log there.
        """
        return Rendering(self._grammar, pieces, wanted, blocks, room, charge)

    def new_words(self) -> native.LogWords:
        """No words yet: it is fed with a log that others are compared with, see Wanted.words."""
        return native.LogWords(self._grammar)

    def written(self, log: OpenLog) -> int:
        """When a log was last written, in seconds since 1970, for times without a year: half a year after a date
        with a year that its beginning shows, if that is earlier."""
        return self._grammar.written(log.first_bytes.text, int(log.written))

    def iso(self, time: bytes, written: int) -> str | None:
        """A time as a line shows it in ISO 8601; None if it is none.

        written: when the log was last written, in seconds since 1970, for a time without a year.
        """
        return self._grammar.iso(time, written)


class Rendering:
    """A view of a log. Iterate it, or what a method gives, once: then its outcome is known."""

    def __init__(
        self,
        grammar: native.Grammar,
        pieces: Iterable[bytes],
        wanted: Wanted,
        blocks: Blocks | None,
        room: Room,
        charge: Callable[[], None],
    ) -> None:
        """See Renderer."""
        #: The counts.
        self.tally = Tally()
        #: Why the log broke off; None if it did not.
        self.broke_off: Incomplete | None = None
        #: True unless the log broke off, or the selection ended the reading before its end.
        self.is_read_to_end = False
        #: Lines that were read, without a last one that is not finished.
        self.complete_lines = 0
        self._grammar, self._pieces, self._wanted = grammar, pieces, wanted
        self._blocks, self._room, self._charge = blocks, room, charge
        self._ends_a_line = True
        self._has_given = False
        self._summary: Summary | None = None
        #: True for the summary that an index has: of all lines, without a comparison.
        self._is_of_all = wanted.view == "summary" and wanted.selection == ALL_LINES
        self._is_of_all = self._is_of_all and wanted.words is None
        selection = wanted.selection
        self._is_search = bool(selection.searches or selection.without)
        #: Bytes that are rendered at once: after a search, by the time that it took.
        self._size = FIRST_SEARCHED if self._is_search else room.block
        self._core = self._new_core()
        self._needed = self._needed_blocks()
        if self._needed is None and self._is_of_all and blocks and blocks.is_kept:
            self._core.collect_index(blocks.interval)
            blocks.collect()

    def _new_core(self) -> native.Renderer:
        wanted = self._wanted
        written = int(time.time() if wanted.written is None else wanted.written)
        return native.Renderer(self._grammar, wanted, written, self._room.line, wanted.words)

    def __iter__(self) -> Iterator[bytes]:
        """Yields the bytes of the view; none of a view summary."""
        return filter(None, self._fed())

    def rows(self) -> Iterator[Rows]:
        """Yields the same lines as rows. For views html, text or jsonl with a label."""
        for text in self._fed():
            ends, times, reached, named = self._core.rows()
            places = memoryview(ends).cast("q")
            yield Rows(text, places, memoryview(times).cast("q"), reached, named)

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

    def summary(self, is_compact: bool = False) -> Summary:
        """The summary, of a view summary. is_compact: see Summary.compact."""
        if self._is_of_all and self._blocks and (index := self._blocks.index):
            lines = index.lines
            self.tally = Tally(lines, index.size, matched=lines, sent=lines)
            self.is_read_to_end = True
            return of_json(index.compact if is_compact else index.summary)
        for _ in self._fed():
            pass
        if self._summary is None:
            raise ValueError("it is another view")
        return self._summary.compact if is_compact else self._summary

    def _fed(self) -> Iterator[bytes]:
        """Yields the core's output for each piece of the log, and a last one, which may be empty."""
        blocks, is_over = self._blocks, False
        try:
            try:
                for piece in self._cut():
                    self._charge()
                    began = time.thread_time()
                    text = self._core.feed(piece)
                    if self._is_search:
                        is_fast = time.thread_time() - began < BLOCK_TIME
                        size = min(2 * self._size, self._room.block) if is_fast else self._size // 2
                        self._size = max(size, LEAST_SEARCHED)
                    self._has_given = self._has_given or bool(text)
                    yield text
                    if self._core.done:
                        break
                else:
                    is_over = True
            except Incomplete as error:
                self.broke_off = error
            yield from iter(self._core.finish, b"")
            if is_over and blocks and self._core.is_index_wrong:
                self.broke_off, is_over = blocks.refuse("its blocks lack lines"), False
            yield b""
            totals = self._core.totals()
            self.tally = tally = Tally(**self._core.tally())
            self._summary = summary = summary_of(totals) if totals else None
            if is_over and blocks and summary and (made := self._core.blocks()):
                whole, compact = map(encode, (summary, summary.compact))
                ends_a_line = self._ends_a_line
                blocks.keep(tally.lines, tally.bytes, ends_a_line, whole, compact, made)
        finally:
            # It may hold MiB, and the outcome is kept for as long as the answer.
            del self._core
        self.is_read_to_end = is_over and not tally.ended_early
        self.complete_lines = tally.lines - (not self._ends_a_line)

    def _needed_blocks(self) -> Iterator[bytes] | None:
        """The text of the blocks that the answer needs, by the log's index; None if it must read all of the log."""
        core, wanted, blocks = self._core, self._wanted, self._blocks
        needs_all = wanted.selection == ALL_LINES and (wanted.page or wanted.last) is None
        if needs_all or not blocks:
            return None
        if not (index := blocks.index):
            self._begin_behind(blocks)
            return None
        is_collected = False
        try:
            if wanted.selection.searches and index.has_contents:
                core.leave_out(index.blocks, *index.contents)
            elif wanted.selection.searches:
                is_collected = blocks.is_kept
            if wanted.last:
                core.show_last(*wanted.last, index.blocks)
            if not (core.may_pass_over(index.blocks) or is_collected):
                return None
        except ValueError as error:
            blocks.refuse(str(error))
            return None
        self._ends_a_line = index.ends_a_line
        places = self._places(index.blocks)
        return chain.from_iterable(
            blocks.read(place, self._room.held, is_collected) for place in places
        )

    def _begin_behind(self, blocks: Blocks) -> None:
        """Begins where the log has grown, if only lines behind one are wanted that was there before.

        Left out is what depends on when the log was written, or on lines behind a block.
        """
        wanted, selection = self._wanted, self._wanted.selection
        is_dated = wanted.by_time or selection.since or selection.until
        depends = is_dated or selection.context or selection.tail or wanted.view not in _OF_LINES
        if not selection.after or depends or not (before := blocks.before()):
            return
        index, text = before
        if self._core.pass_over(index, 0, may_go_on=True) == len(index) - 1:
            self._pieces = text
        else:
            self._core = self._new_core()

    def _places(self, blocks: native.Index) -> Iterator[int]:
        """Yields the places of the blocks that the core does not pass over."""
        place = 0
        while (place := self._core.pass_over(blocks, place)) < len(blocks) and not self._core.done:
            yield place
            place += 1

    def _cut(self) -> Iterator[bytes]:
        """Yields the pieces of the log that are needed, cut to what is rendered at once.

        If the index has another text, it begins anew without the index, unless something was given out.
        """
        # Text has no more bytes than the log, and a summary has no lines. Counting takes time.
        has_lines = self._wanted.view in ("html", "jsonl", "marked")
        most = self._room.lines or (MOST_LINES if has_lines else inf)
        while True:
            try:
                for piece in self._pieces if self._needed is None else self._needed:
                    if piece and self._needed is None:
                        self._ends_a_line = piece.endswith(b"\n")
                    at = 0
                    while at < len(piece):
                        size = self._size
                        # bytes.count takes twenty times as long, and blocks other threads meanwhile.
                        while size > most and native.line_feeds(piece, at, at + size) > most:
                            size //= 2
                        yield piece[at : at + size]
                        at += size
                return
            except WrongIndex:
                if self._needed is None or self._has_given or self._wanted.by_time:
                    raise
                self._needed, self._core = None, self._new_core()
