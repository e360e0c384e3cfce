# SPDX-License-Identifier: Apache-2.0
"""A step of a build, and the cause of its failure.

A step keeps the first line of each kind that tells by its first, such as a failed test; the last group
of its errors; and the last lines before its first outcome. Memory is bounded.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from oslogserve.lines.grammar import causes
from oslogserve.lines.grammar.causes import Mark
from oslogserve.lines.grammar.severities import RANKS
from oslogserve.native import LIMITS

#: Bytes of a line's content that are read; lines that a step keeps; lines that end a group of errors, and
#: of words of failure; how far above the end the last word may be; lines of a paragraph and of a report.
LONGEST, RING, GAP, WORD_GAP, WORD_REACH, PARAGRAPH, REPORT = (
    LIMITS[f"step.{name}"]
    for name in ["LONGEST", "RING", "GAP", "WORD_GAP", "WORD_REACH", "PARAGRAPH", "REPORT"]
)
_ERROR, _WARNING = RANKS["ERROR"], RANKS["WARNING"]

#: Why a line was chosen, by what a step found, in the order in which a step's cause is chosen.
_WHY = {
    "headed": "test",
    Mark.TEST: "test",
    Mark.CRASH: "severity",
    Mark.INLINE: "test",
}


def _any(patterns: Iterable[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"(?:%b)" % pattern for pattern in patterns))


_RULES = [(rule.mark, rule.is_anywhere, re.compile(rule.pattern).match) for rule in causes.RULES]
_HINT = re.compile(b"|".join(map(re.escape, causes.HINTS))).search
_GREEN = _any(pattern for _, pattern in causes.GREEN).match
_WEAK = _any(pattern for _, pattern in causes.WEAK).match
_WORDS = re.compile(causes.WORDS).search
_PASSING = re.compile(causes.PASSING).search
_RECAP = re.compile(causes.RECAP).match
_FRAME = re.compile(causes.FRAME).match
_HAS_WORD = re.compile(rb"\w").search


class Text(NamedTuple):
    """A line as a terminal shows it."""

    number: int
    shown: bytes
    #: Where its content begins: behind its time and blanks.
    start: int
    #: Blanks before the content.
    indent: int
    rank: int

    @property
    def content(self) -> bytes:
        return self.shown[self.start : self.start + LONGEST]


class Cause(NamedTuple):
    """The lines that tell why a log failed."""

    first: Text
    #: The number of the last one.
    last: int
    #: "severity", "failed step", "test" or "end".
    why: str


@dataclass
class _Group:
    """Lines of one kind that follow one another."""

    first: Text
    last: int


def mark_of(content: bytes) -> Mark | None:
    """The meaning of a line's content; None for most."""
    is_hinted = _HINT(content) is not None
    rules = ((mark, match) for mark, is_anywhere, match in _RULES if is_hinted or not is_anywhere)
    return next((mark for mark, match in rules if match(content)), None)


def _is_word(text: Text) -> bool:
    """True if the line speaks of a failure."""
    content = text.content
    if not content or text.rank >= _ERROR or 0 < text.rank < _WARNING or _GREEN(content):
        return False
    if mark_of(content) == Mark.OUTCOME or _PASSING(content):
        return False
    if _WEAK(content) and not _FRAME(content):
        return True
    return text.rank != _WARNING and _WORDS(content) is not None


@dataclass
class Step:
    """A step, up to the current line."""

    #: The line that begins it; None before the first.
    begin: Text | None = None
    #: The first line of each kind in _WHY, and of NUMBERED.
    found: dict[str, _Group] = field(default_factory=dict)
    #: The last group of errors.
    errors: _Group | None = None
    #: The first outcome.
    outcome: Text | None = None
    #: The last lines before the first outcome.
    ring: deque[Text] = field(default_factory=lambda: deque(maxlen=RING))
    #: The heading whose next line tells: HEADING or ABORTS.
    heading: Mark | None = None
    #: The indentation of the first failed subtest, until a test failed at the same one.
    depth: int | None = None
    #: A report of `found` whose lines go on.
    report: _Group | None = None

    @property
    def weight(self) -> int:
        """How much the step shows of a failure; 0 for nothing."""
        return 2 if self.found else int(self.outcome is not None or self.errors is not None)

    @property
    def has_failed(self) -> bool:
        """True if an outcome or a test says so. Errors alone do not: healthy services log some."""
        return self.outcome is not None or bool(self.found)

    def add(self, text: Text, mark: Mark | None) -> None:
        kind = self._kind(text, mark)
        self._extend_report(text, kind)
        is_recap = kind == Mark.OUTCOME or text.rank >= _ERROR
        if Mark.NUMBERED in self.found and is_recap and _RECAP(text.content):
            self.found.setdefault(Mark.TEST, self.found.pop(Mark.NUMBERED))
        if kind == Mark.OUTCOME:
            self.outcome = self.outcome or text
        elif kind == Mark.ERROR:
            self._add_error(text)
        elif kind:
            self._add_first(text, kind)
        if not self.outcome:
            self.ring.append(text)

    def _kind(self, text: Text, mark: Mark | None) -> str | None:
        """The kind of the line: "headed", a Mark that tells, or None."""
        content = text.content
        if mark in (Mark.HEADING, Mark.ABORTS):
            self.heading = mark
            return None
        is_error = mark in (None, Mark.ERROR) and (mark is not None or text.rank >= _ERROR)
        is_told = self.heading and mark != Mark.OUTCOME and _HAS_WORD(content)
        if not is_error and not is_told:
            return mark
        is_green = _GREEN(content) is not None
        if is_told and not is_green:
            kind = "headed" if self.heading == Mark.HEADING else Mark.ERROR
            self.heading = None
            return kind
        if not is_error:
            return mark
        return None if is_green or content.startswith(causes.STACK) else Mark.ERROR

    def _extend_report(self, text: Text, kind: str | None) -> None:
        """Extends the current report by the line, or ends it. A stack ends with its exception."""
        report = self.report
        if report is None:
            return
        is_stack = report.first.content.startswith(causes.STACK)
        is_long = text.number - report.first.number > REPORT
        is_end = is_long or kind is not None or not (text.content or is_stack)
        if not is_end or (is_stack and kind == Mark.ERROR and not is_long):
            report.last = text.number
        if is_end:
            self.report = None

    def _add_error(self, text: Text) -> None:
        if self.errors and text.number - self.errors.last <= GAP:
            self.errors.last = text.number
        else:
            self.errors = _Group(text, text.number)

    def _add_first(self, text: Text, kind: str) -> None:
        is_test = kind == Mark.TEST
        is_subtest = is_test and text.content.startswith(causes.SUBTEST)
        is_deeper = is_subtest and self.depth is not None and text.indent > self.depth
        if kind not in self.found or is_deeper:
            self.report = self.found[kind] = _Group(text, text.number)
            if is_test:
                self.depth = text.indent if is_subtest else None
        elif is_test:
            self.depth = None

    def cause(self) -> Cause | None:
        """The step's cause; None for a step without lines."""
        for kind, why in _WHY.items():
            if group := self.found.get(kind):
                return Cause(group.first, group.last, why)
        if self.errors:
            return Cause(self.errors.first, self.errors.last, "severity")
        if words := self._last_words():
            return Cause(words.first, words.last, "failed step")
        return self._last_paragraph()

    def _last_words(self) -> _Group | None:
        """The last lines with a word of failure, if they are near the end."""
        group: _Group | None = None
        for text in filter(_is_word, self.ring):
            if group and text.number - group.last <= WORD_GAP:
                group.last = text.number
            else:
                group = _Group(text, text.number)
        if group and group.last >= self.ring[-1].number - WORD_REACH:
            return group
        return None

    def _last_paragraph(self) -> Cause | None:
        last = 0
        first: Text | None = None
        for text in reversed(self.ring):
            content = text.content
            if not content or content.startswith(b"$ "):
                if first:
                    break
            elif mark_of(content) != Mark.OUTCOME:
                first, last = text, last or text.number
                if last - text.number >= PARAGRAPH:
                    break
        if first:
            return Cause(first, last, "end")
        only = self.begin or self.outcome
        return Cause(only, only.number, "end") if only else None
