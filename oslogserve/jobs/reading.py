# SPDX-License-Identifier: Apache-2.0
"""The reading of a job's logs: for rows, merged rows, summaries and excerpts.

All of them open a log, compare it if that is asked, render what is wanted, and note what is missing. Reader.read() does
so for one log, in a thread of its source; its caller takes what it wants of the rendering.

What is known of the log so far goes with each part of its rendering, since an answer may take some parts, and leave
others that were read ahead. So what an answer says of a log is of the part that it shows, however far threads came.

The logs of a job share a budget and a fate: once the budget is spent, no more logs are begun, and once two logs of a
source have timed out, the others are not waited for. A log that cannot be opened is skipped, and named.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple, TypeVar

from oslogserve.errors import BadRequest, Error, Incomplete, NotFound
from oslogserve.jobs.compare import NOT_COMPARED, PassedRun
from oslogserve.jobs.walk import File
from oslogserve.lines.excerpt.lines import MarkedLine, marked_lines
from oslogserve.lines.renderer import Renderer, Rendering, Room
from oslogserve.lines.selection import LONGEST_LINE, Selection, Tally, Wanted
from oslogserve.lines.summary import NONE, Summary
from oslogserve.logs.budget import Budget
from oslogserve.logs.open_log import Logs, OpenLog
from oslogserve.native import SEVERITIES
from oslogserve.sources import OpenOptions, Source

#: Bytes of a log that are read at once.
READ = 256 * 1024
#: Stored bytes that are read at once, whether or not the log has an index.
SMALL = 64 * 1024
#: Logs of a source that time out before its other logs are given up.
MOST_STALLED = 2

_ERRORS = SEVERITIES[SEVERITIES.index("ERROR") :]
_T = TypeVar("_T")


class LogRead(NamedTuple):
    """What is known of a log once it was read, or of the part that an answer has taken."""

    file: File
    #: The name of its source; "" until it is open.
    source: str = ""
    tally: Tally = Tally()
    #: What is missing from it.
    missing: tuple[Incomplete, ...] = ()
    #: Why it was not read; "" if it was.
    skipped: str = ""
    #: True if the budget was spent before its end.
    is_unpaid: bool = False
    #: False for a log without times; known once it was merged.
    has_times: bool = True
    #: True if all of its lines were read.
    is_read_to_end: bool = False
    #: The path of the log that it is compared with; None for none.
    like: bytes | None = None
    summary: Summary = NONE
    #: The score by which logs are ranked.
    score: float = 0.0

    @property
    def errors(self) -> int:
        """Lines at ERROR or above."""
        severities = self.summary.severities.items()
        return sum(lines.count for name, lines in severities if name in _ERRORS)

    @property
    def shows_failure(self) -> bool:
        """True if the log shows an error or a failure, and does not say that it passed."""
        return self.score > 0 and self.summary.cause is not None

    def lacking(self, error: Incomplete | None) -> "LogRead":
        return self._replace(missing=(*self.missing, error)) if error else self


class Reader:
    """Reads the logs of one job, which share a budget. For many threads."""

    def __init__(
        self,
        logs: Logs,
        renderer: Renderer,
        sources: Sequence[Source],
        folder: bytes,
        budget: Budget,
        passed: PassedRun | None = None,
    ) -> None:
        """passed: the run whose logs are compared with these."""
        self.budget = budget
        self.passed = passed
        self._logs = logs
        self._renderer = renderer
        self._sources = sources
        self._folder = folder
        #: Not empty once the budget is spent: no more logs are read then.
        self._ended: list[Incomplete] = []
        #: The source of each log that timed out.
        self._stalled: list[str] = []

    def read(
        self,
        file: File,
        wanted: Wanted,
        take: Callable[[Rendering], Iterable[_T]],
        room: Room | None = None,
        is_again: bool = False,
    ) -> Iterator[tuple[_T | None, LogRead]]:
        """Yields what `take` gives of a log's rendering, each with what is known of the log then.

        wanted: when the log was written is found here. None comes last, with what is known at the end; it comes alone
        if the log is skipped. is_again: true if the answer has read the log before, and now takes an excerpt, in which
        lines may be cut.
        """
        if is_again and self._stalled:  # its source would time out again
            yield None, LogRead(file)
            return
        room = room or Room(READ)
        like, compared = None, NOT_COMPARED
        if self.passed and not self._ended:
            like = self.passed.like(file.name)
            compared = self.passed.compared(like)
        log = self._opened(file, room.block, is_again)
        if isinstance(log, LogRead):
            yield None, log
            return
        read = LogRead(file, log.stored.source, like=like).lacking(compared.fault)
        tells_cut = wanted.label is not None and not is_again
        is_awaited = False

        def charge() -> None:
            """Raises Incomplete also once too many logs of the source have timed out: but not of what is here."""
            nonlocal is_awaited
            if is_awaited and self._stalled.count(read.source) >= MOST_STALLED:
                what = f"{read.source} stopped answering for other logs too"
                raise Incomplete("timeout", what)
            is_awaited = not log.is_whole
            self.budget.charge_rendering()

        with closing(log):
            written = self._renderer.written(log)
            wanted = wanted._replace(words=compared.words, written=written)
            rendering = self._renderer(log.text(), wanted, log.blocks, room, charge)
            for one in take(rendering):
                read = self._known_now(read, rendering)
                if tells_cut and (line := rendering.cut_line):
                    tells_cut = False  # only the first one
                    most = "1 MiB" if room.line == LONGEST_LINE else f"{room.line >> 10:,} KiB"
                    what = f"a row has at most {most} of a line, and line {line:,} has more"
                    read = read.lacking(Incomplete("capped", what))
                yield one, read
        read = self._known_now(read, rendering)
        if dropped := read.tally.dropped:
            what = f"{dropped:,} of its last lines are left out"
            read = read.lacking(Incomplete("capped", what))
        yield None, read

    def summary(self, file: File, selection: Selection) -> Iterator[LogRead]:
        """Yields the log with its compact summary, unless it is skipped."""
        wanted = Wanted("summary", selection)
        # The other chapters of many logs would fill the memory.
        read = [*self.read(file, wanted, lambda log: [log.summary(is_compact=True)])]
        yield read[-1][1]._replace(summary=read[0][0] or NONE)

    def marked_lines(
        self, file: File, plan: Selection, beginning: int = 4096
    ) -> Iterator[tuple[list[MarkedLine], list[Incomplete]]]:
        """Yields the planned lines of a log that was read before, and why some lack; nothing without a plan.

        beginning: see Wanted.
        """
        if not plan.show:
            return
        wanted = Wanted("marked", plan, beginning=beginning)
        read = [*self.read(file, wanted, partial(marked_lines, plan=plan), is_again=True)]
        lacks = [error for error in read[-1][1].missing if not error.is_of_comparison]
        yield [line for line, _ in read if line], lacks

    def beginning(self, name: bytes, most: int) -> tuple[bytes, list[Incomplete]]:
        """All of a report, or somewhat more than `most` bytes; less where it cannot be read. And why it is
        not whole."""
        if self._stalled:  # its source would time out again
            return b"", []
        try:
            log = self._open(name, READ)
        except Error as error:
            return b"", [Incomplete("failed", error.sentence)]
        missing: list[Incomplete] = []
        text = bytearray()
        with closing(log):
            try:
                for piece in log.text():
                    text += piece
                    if len(text) > most:
                        what = f"only {most >> 20} MiB of it are read"
                        missing.append(Incomplete("capped", what))
                        break
            except Incomplete as error:
                missing.append(error)
        return bytes(text), missing

    def _opened(self, file: File, size: int, is_again: bool) -> OpenLog | LogRead:
        """The open log, in pieces of at most `size` bytes; or why it is skipped.

        Nothing is read of a log that has an index, so what was done before it is charged here.
        """
        try:
            self.budget.charge_rendering()
        except Incomplete as error:
            self._ended.append(error)
        if self._ended:
            why = self._ended[0]
            return LogRead(file, missing=(why,), skipped=str(why), is_unpaid=True)
        by_index = file.size is None or file.size > SMALL
        try:
            log = self._open(file.name, size, by_index, is_again)
        except NotFound:
            return _skipped(file, "it was removed after it was listed")
        except Error as error:
            return _skipped(file, error.sentence)
        media_type = self._logs.media_type(file.shown, log.first_bytes.text)
        if media_type is None:
            return log
        log.close()
        return LogRead(file, log.stored.source, skipped=f"it is {media_type}")

    def _open(
        self, name: bytes, size: int, by_index: bool = False, is_again: bool = False
    ) -> OpenLog:
        path = b"/".join(filter(None, (self._folder, name)))
        sources = [source.waiting_anew() for source in self._sources]
        options = OpenOptions(chunk_size=size)
        log = self._logs.open(
            path, sources, self.budget, options, by_index=by_index, is_again=is_again
        )
        if log is None:
            raise BadRequest("it is a folder now")
        return log

    def _known_now(self, log: LogRead, outcome: Rendering) -> LogRead:
        """What is known of a log now. Notes why it broke off: other logs may not be read for that."""
        error = outcome.broke_off
        is_unpaid = error is not None and error.reason == "budget"
        if error and error not in log.missing:
            log = log.lacking(error)
            if is_unpaid:
                self._ended.append(error)
            if error.reason == "timeout":
                self._stalled.append(log.source)
        return log._replace(
            tally=outcome.tally, is_unpaid=is_unpaid, is_read_to_end=outcome.is_read_to_end
        )


def _skipped(file: File, why: str) -> LogRead:
    """A log that cannot be read."""
    return LogRead(file, missing=(Incomplete("failed", why),), skipped=why)
