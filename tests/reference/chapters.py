# SPDX-License-Identifier: Apache-2.0
"""Finds the chapters of a log: the commands, tasks, stages and tests of a build.

Chapters nest: one that is open may hold others of its level or deeper. The first MOST are listed, and
those of the others that failed.
The native core does the same (core/src/chapters.rs).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from oslogserve.lines.grammar import chapters
from oslogserve.lines.grammar.chapters import ChapterRule, Event
from oslogserve.lines.summary import LONGEST_NAME, Chapter
from tests.reference.clock import Clock, Instant

#: Chapters that a summary lists; those that failed behind them; and those that are open at once.
MOST, MOST_FAILED, MOST_OPEN = 500, 100, 64

_RULES = [(rule, re.compile(rule.pattern).match) for rule in chapters.CHAPTERS]
_SECTIONS = re.compile(chapters.SECTION).finditer
_FOLDS = re.compile(chapters.FOLD).finditer
_SECONDS = re.compile(chapters.SECONDS).search
_SECOND = 10**6


class Marked(NamedTuple):
    """A line that may have a mark of chapters."""

    number: int
    #: What is behind its time and blanks.
    content: bytes
    #: What is written over.
    hidden: bytes
    #: Its own time; b"" for none.
    time: bytes
    #: True if Travis begins a command at it.
    is_command: bool


@dataclass
class _Open:
    """A chapter that has not ended."""

    #: None if it has no name.
    chapter: Chapter | None
    #: How many chapters began before it.
    place: int
    level: int
    tool: str
    name: bytes
    time: Instant | None


class ChapterFinder:
    """Finds the chapters of one log. Takes its lines in their order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: Those that are listed, or may be, by their place.
        self._kept: dict[int, Chapter] = {}
        self._count = 0
        #: Those that failed behind the first MOST.
        self._failed = 0
        self._open: list[_Open] = []
        #: The one that ended last, which a verdict may follow.
        self._ended: _Open | None = None

    def add(self, line: Marked, has_mark: bool) -> None:
        """Takes a line. has_mark: False if no rule matches its content."""
        if line.hidden:
            self._read_hidden(line)
        if line.is_command:
            self._begin(line, "travis", chapters.OVERWRITTEN_LEVEL, line.content)
        if has_mark:
            self._read(line)

    def _read_hidden(self, line: Marked) -> None:
        level = chapters.OVERWRITTEN_LEVEL
        # What is shown is of the next chapter.
        last = line.number - (bool(line.content) or b"start:" in line.hidden)
        for mark in _SECTIONS(line.hidden):
            seconds = int(mark[2]) * _SECOND
            if mark[1] == b"start":
                self._close(level + 1, line)
                opened = self._open_one(line, "gitlab", level, mark[3], line.content)
                opened.time = Instant(seconds)
                _date(opened.chapter, seconds)
            elif ended := self._find("gitlab", level, mark[3]):
                self._close(level + 1, line, ended)
                begin = ended.time.micros if ended.time else seconds
                self._end(ended, last, None, seconds - begin)
        for mark in _FOLDS(line.hidden):
            if mark[2] == b"end":
                self._end_fold(line, mark, last)
            elif mark[1] == b"fold" and not line.is_command:
                self._begin(line, "travis", level, line.content or mark[3])

    def _end_fold(self, line: Marked, mark: re.Match[bytes], last: int) -> None:
        ended = self._find("travis", chapters.OVERWRITTEN_LEVEL)
        if ended is None:
            return
        self._close(ended.level + 1, line, ended)
        duration = None
        if mark[4]:
            begin, end = (int(nanos) // 1000 for nanos in mark.group(4, 5))
            _date(ended.chapter, begin)
            duration = end - begin
        self._end(ended, last, None, duration)

    def _read(self, line: Marked) -> None:
        found = ((rule, mark) for rule, match in _RULES if (mark := match(line.content)))
        rule, mark = next(found, (None, None))
        if rule is None or mark is None:
            return
        name = b" ".join(filter(None, mark.groups()))
        match rule.event:
            case Event.BEGINS:
                self._begin(line, rule.tool, rule.level, name, rule.outcome)
            case Event.WITHIN:
                if any(one.tool == rule.tool for one in self._open):
                    self._begin(line, rule.tool, rule.level, name, rule.outcome)
            case Event.NESTS:
                self._close(rule.level + 1, line)
                self._open_one(line, rule.tool, rule.level, name, name)
            case Event.ENDS | Event.REPORTS:
                self._end_named(line, rule, name)
            case Event.CLOSES:
                self._close(rule.level, line)
            case Event.SAYS | Event.FORGIVES:
                self._say(line, rule)

    def _end_named(self, line: Marked, rule: ChapterRule, name: bytes) -> None:
        if found := self._find(rule.tool, rule.level, name):
            self._close(rule.level + 1, line, found)
            seconds = _SECONDS(line.content)
            duration = _micros(seconds[1]) if seconds else self._since(found, line)
            self._end(found, line.number, rule.outcome, duration)
        elif rule.event == Event.REPORTS:
            self._begin(line, rule.tool, rule.level, name, rule.outcome)

    def _say(self, line: Marked, rule: ChapterRule) -> None:
        found = self._find(rule.tool, rule.level)
        ended = self._ended
        if found is None and ended and (ended.tool, ended.level) == (rule.tool, rule.level):
            found = ended
            if ended.chapter:
                ended.chapter["last"] = line.number
        if found and found.chapter:
            may_change = rule.event == Event.FORGIVES or found.chapter["outcome"] != "failed"
            if may_change:
                found.chapter["outcome"] = rule.outcome

    def _find(self, tool: str, level: int, name: bytes = b"") -> _Open | None:
        """The innermost open chapter of a tool and level, and of a name if there is one."""
        for one in reversed(self._open):
            if (one.tool, one.level) == (tool, level) and (not name or one.name == name):
                return one
        return None

    def _begin(self, line: Marked, tool: str, level: int, name: bytes, outcome: str = "") -> None:
        """Begins a chapter. Ends those of its level or deeper."""
        self._close(level, line)
        opened = self._open_one(line, tool, level, name, name)
        if opened.chapter:
            opened.chapter["outcome"] = outcome or None

    def _open_one(self, line: Marked, tool: str, level: int, name: bytes, shown: bytes) -> _Open:
        if len(self._open) == MOST_OPEN:
            self._end(self._open[-1], line.number - 1)
        place, chapter = self._count, None
        text = shown.removeprefix(b"$ ") or name
        if text:
            chapter = Chapter(
                name=text[:LONGEST_NAME].decode("utf-8", "replace"),
                first=line.number,
                last=0,
                begin=self._clock.iso(line.time) if line.time else None,
                begin_micros=None,
                micros=None,
                outcome=None,
            )
            self._kept[place] = chapter
            self._count += 1
        opened = _Open(chapter, place, level, tool, name, self._instant(line))
        self._open.append(opened)
        self._follow_ended(None)
        return opened

    def _follow_ended(self, ended: _Open | None) -> None:
        """Makes `ended` the one that ended last. The one before it has its outcome now."""
        if self._ended:
            self._settle(self._ended)
        self._ended = ended

    def _settle(self, one: _Open) -> None:
        """Drops a chapter behind the first MOST unless it failed."""
        if one.chapter is None or one.place < MOST:
            return
        if one.chapter["outcome"] == "failed" and self._failed < MOST_FAILED:
            self._failed += 1
        else:
            del self._kept[one.place]

    def _close(self, level: int, line: Marked, within: _Open | None = None) -> None:
        """Ends the chapters of a level or deeper before a line, the innermost first: all, or those
        within one.
        """
        for one in reversed(self._open.copy()):
            if one is within:
                break
            if one.level >= level:
                self._end(one, line.number - 1, None, self._since(one, line))

    def _end(
        self, ended: _Open, last: int, outcome: str | None = None, micros: int | None = None
    ) -> None:
        self._open = [one for one in self._open if one is not ended]
        self._follow_ended(ended)
        if chapter := ended.chapter:
            chapter["last"] = max(last, chapter["first"])
            chapter["micros"] = micros if micros is not None and micros >= 0 else None
            chapter["outcome"] = chapter["outcome"] or outcome or None

    def _instant(self, line: Marked) -> Instant | None:
        return self._clock.read(line.time) if line.time else None

    def _since(self, begun: _Open, line: Marked) -> int | None:
        """Microseconds from a chapter's beginning to a line, if both have a time."""
        now = self._instant(line)
        if now is None or begun.time is None or now.origin != begun.time.origin:
            return None
        return now.micros - begun.time.micros

    def chapters(self, last: int, failed_at: int | None) -> tuple[list[Chapter], int]:
        """The chapters, and how many more there were.

        last: the number of the last line. failed_at: that of the line that tells why the log failed,
        whose chapter failed.
        """
        for one in self._open:
            if one.chapter:
                one.chapter["last"] = last
        around = list(self._around(failed_at)) if failed_at else []
        if around and around[-1]["outcome"] is None:
            around[-1]["outcome"] = "failed"
        self._follow_ended(None)
        for one in self._open:
            self._settle(one)
        self._open = []
        return list(self._kept.values()), self._count - len(self._kept)

    def _around(self, number: int) -> Iterator[Chapter]:
        return (one for one in self._kept.values() if one["first"] <= number <= one["last"])


def _date(chapter: Chapter | None, micros: int) -> None:
    if chapter:
        chapter["begin_micros"] = micros


def _micros(seconds: bytes) -> int:
    whole, _, fraction = seconds.partition(b".")
    return int(whole) * _SECOND + int(fraction.ljust(6, b"0"))
