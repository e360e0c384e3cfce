# SPDX-License-Identifier: Apache-2.0
"""Finds the cause of a failure: the lines of a log that tell why it failed.

Its lines are read as a terminal shows them, and get their marks; `steps` finds the step that failed.
"""

import re
from collections.abc import Container
from typing import NamedTuple

from oslogserve.lines.grammar import causes, chapters
from oslogserve.lines.grammar.causes import Mark
from oslogserve.lines.grammar.severities import RANKS
from oslogserve.native import LIMITS
from tests.reference.chapters import ChapterFinder, Marked
from tests.reference.recognise import Seen, without_sequences
from tests.reference.step import LONGEST, Cause, Text, mark_of
from tests.reference.steps import Steps

#: Bytes of a line that are read.
REACH = LIMITS["cause.REACH"]

_WARNING = RANKS["WARNING"]
#: Marks that tell why a step failed, and not where it begins or ends.
_TELLING = frozenset(
    (
        *(Mark.CRASH, Mark.HEADING, Mark.ABORTS, Mark.FATAL, Mark.TEST, Mark.NUMBERED),
        *(Mark.TITLE, Mark.INLINE, Mark.ERROR, Mark.SUCCEEDED, Mark.CHAPTER, Mark.ENDED),
    )
)
#: Marks that count although Travis begins a step at their line.
_BEFORE_TRAVIS = (
    *(Mark.STOPPED, Mark.FAILED, Mark.STEP_FAILED, Mark.CANCELED, Mark.BUILD_FAILED),
    *(Mark.EXITED, Mark.TASK_FAILED, Mark.PASSED),
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BEHIND_TIME = re.compile(chapters.BEHIND_TIME).match
_JOB_HEAD = re.compile(chapters.JOB_HEAD).match
_RECORD, _LONGEST_HEAD = re.compile(causes.RECORD).match, 128
_STEP_HEAD = re.compile(chapters.STEP_HEAD).match


class Line(NamedTuple):
    """A line of a log. is_new: the log that it is compared with has no like of it."""

    number: int
    text: bytes
    seen: Seen
    is_new: bool


class CauseFinder:
    """Finds the cause of one log. Takes its lines in their order, and passes marks on to `chapters`.

    chapters: None if only new lines can be causes. Known lines then say no more than where steps begin
    and end.
    """

    def __init__(self, chapters: ChapterFinder | None) -> None:
        self._chapters = chapters
        self._steps = Steps()
        #: True for a log without lines, and while the last one says that the log passed. Blank ones do
        #: not count.
        self._is_healthy = True
        #: The last line with a time and a level below WARNING, which tells nothing.
        self._low: Line | None = None
        #: True while the log has only such lines and blank ones.
        self._is_low = True
        #: The number of the last line.
        self._end = 0
        #: Lines, and records of a service: those that show a level with a time or a name.
        self._lines = self._records = 0
        #: True if GitHub's client names the job and the step before each line.
        self._has_job_heads = False

    def add(self, line: Line) -> None:
        number, stored, rank, own_time = line.number, line.text, line.seen.rank, line.seen.time
        self._end = number
        self._lines += 1
        self._records += rank > 0 and bool(own_time or _RECORD(stored[:_LONGEST_HEAD]))
        is_result = stored.rstrip(b"\r\n").endswith(b": SUCCESS")  # it looks like a level
        if own_time and 0 < rank < _WARNING and not is_result:
            self._is_healthy = False
            if self._is_low and not self._steps.are_decided:
                self._low = line
            return
        raw, cut, shown = _shown(stored)
        self._has_job_heads |= self._lines == 1 and _JOB_HEAD(shown) is not None
        named = _JOB_HEAD(shown) if self._has_job_heads else None
        start = named.end() if named else _behind_time(shown, own_time)
        if head := _STEP_HEAD(shown, start):
            start = head.end()
        content = shown[start:].lstrip()
        indent = len(shown) - start - len(content)
        text = Text(number, shown, start + indent, indent, rank)
        self._is_low = self._is_low and not content
        is_echo = content.startswith(b"$ ") and chapters.ECHO in raw
        is_travis = is_echo or chapters.OVERWRITTEN in raw[:cut]
        mark = mark_of(text.content)
        marked = Marked(number, text.content, raw[:cut], is_travis)
        if self._chapters:
            self._chapters.add(marked, has_mark=mark is not None)
        if self._steps.are_final:
            return
        self._take(text, mark, is_travis=is_travis, is_hidden=not (self._chapters or line.is_new))

    def _take(self, text: Text, mark: Mark | None, *, is_travis: bool, is_hidden: bool) -> None:
        if text.content:
            self._is_healthy = mark == Mark.HEALTHY
        if is_travis and mark not in _BEFORE_TRAVIS:
            mark = Mark.BEGINS
        if mark == Mark.OUTCOME and text.rank == _WARNING:
            mark = None
        if is_hidden and mark in _TELLING:
            mark = None
        if is_hidden:
            mark = Mark.OUTCOME if mark == Mark.RESULT else mark
            text = text if mark else Text(text.number, b"", 0, 0, 0)
        self._steps.add(text, mark)

    def cause(self) -> tuple[Cause | None, bool]:
        """The cause, and whether the log says that something failed.

        The cause is the log's end if no line shows a failure, and None for a log that says that it
        passed, or has no line.
        """
        if self._is_healthy and not self._steps.are_decided:
            return None, False
        cause, has_failed = self._steps.cause(
            self._end, is_of_service=2 * self._records > self._lines
        )
        return cause or self._low_end(), has_failed

    @property
    def has_verdict(self) -> bool:
        """True if a verdict says that the log failed. Call it behind cause()."""
        return self._steps.has_verdict

    @property
    def has_passed(self) -> bool:
        """True if the log says in its last words that all went well. Call it behind cause()."""
        if self._is_healthy and self._lines and not self._steps.are_decided:
            return True
        return self._steps.have_passed(self._end)

    def failures(self, *, has_failed: bool) -> list[Cause]:
        """The first failures, see Steps. Call it behind cause(), which says whether the log has failed."""
        return self._steps.failures(is_build=self._is_healthy, has_failed=has_failed)

    def _low_end(self) -> Cause | None:
        """The end of a log whose lines all have a time and a level below WARNING."""
        if self._low is None or not self._is_low:
            return None
        _, _, shown = _shown(self._low.text)
        return Cause(Text(self._low.number, shown, 0, 0, 0), self._low.number, "end")


def _shown(stored: bytes) -> tuple[bytes, int, bytes]:
    """The line without its end, the size of what is written over, and what a terminal shows."""
    raw = stored[:REACH].rstrip(b"\r\n")
    cut = raw.rfind(b"\r") + 1
    return raw, cut, without_sequences(raw[cut:][: 2 * LONGEST])


def _behind_time(shown: bytes, time: bytes) -> int:
    """The offset behind the time that a line begins with; 0 for none."""
    mark = len(_BYTE_ORDER_MARK) if shown.startswith(_BYTE_ORDER_MARK) else 0
    for start in (mark, mark + 1):  # a bracket may be before it
        if time and shown.startswith(time, start):
            found = _BEHIND_TIME(shown, start + len(time))
            return found.end() if found else 0
    return mark


def compared(cause: Cause, among_new: Cause | None, new: Container[int]) -> Cause:
    """The cause of a log that is compared with another one: an error that both have is none.

    cause: among all lines; among_new: among the new ones. new: see findings().
    """
    if among_new is None:
        return cause
    if cause.why == "end":
        return among_new if among_new.first.number in new else cause
    return cause if among_new.why == "end" or cause.first.number in new else among_new
