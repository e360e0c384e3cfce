# SPDX-License-Identifier: Apache-2.0
"""Finds the chapters of a log: the commands, tasks, stages and tests of a build.

Chapters nest: one that is open may hold others of its level or deeper. The first MOST are listed, and
those of the others that failed.
Their times are not read here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from oslogserve.lines.grammar import chapters
from oslogserve.lines.grammar.chapters import ChapterRule, Event
from oslogserve.native import LIMITS

#: Chapters that a summary lists; those that failed behind them; those that are open at once; bytes of a
#: name.
MOST, MOST_FAILED, MOST_OPEN, LONGEST_NAME = (
    LIMITS[f"chapters.{name}"] for name in ("MOST", "MOST_FAILED", "MOST_OPEN", "LONGEST_NAME")
)

_RULES = [(rule, re.compile(rule.pattern).match) for rule in chapters.CHAPTERS]
_SECTIONS = re.compile(chapters.SECTION).finditer
_FOLDS = re.compile(chapters.FOLD).finditer


class Marked(NamedTuple):
    """A line that may have a mark of chapters."""

    number: int
    #: What is behind its time and blanks.
    content: bytes
    #: What is written over.
    hidden: bytes
    #: True if Travis begins a command at it.
    is_command: bool


@dataclass
class Chapter:
    """A chapter. first, last: numbers of its lines."""

    name: str
    first: int
    last: int = 0
    outcome: str | None = None


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
    #: True for a fold of Travis, and for a command of it whose end is marked.
    has_end: bool = False


class _Announced(NamedTuple):
    """A mark of Travis that names the command on its line, or on the next one."""

    number: int
    name: bytes
    is_timed: bool


_TRAVIS, _FOLD, _LEVEL = "travis", "travis fold", chapters.OVERWRITTEN_LEVEL


class ChapterFinder:
    """Finds the chapters of one log. Takes its lines in their order."""

    def __init__(self) -> None:
        #: Those that are listed, or may be, by their place.
        self._kept: dict[int, Chapter] = {}
        self._count = 0
        #: Those that failed behind the first MOST.
        self._failed = 0
        self._open: list[_Open] = []
        #: The one that ended last, which a verdict may follow.
        self._ended: _Open | None = None
        self._announced: _Announced | None = None

    def add(self, line: Marked, has_mark: bool) -> None:
        """Takes a line. has_mark: False if no rule matches its content."""
        if line.hidden:
            self._read_hidden(line)
        if line.is_command and line.content:
            self._begin_command(line)
        if has_mark:
            self._read(line)

    def _read_hidden(self, line: Marked) -> None:
        level = chapters.OVERWRITTEN_LEVEL
        # What is shown is of the next chapter.
        last = line.number - (bool(line.content) or b"start:" in line.hidden)
        for mark in _SECTIONS(line.hidden):
            if mark[1] == b"start":
                self._close(level + 1, line)
                self._open_one(line, "gitlab", level, mark[3], line.content)
            elif ended := self._find("gitlab", level, mark[3]):
                self._close(level + 1, line, ended)
                self._end(ended, last)
        for mark in _FOLDS(line.hidden):
            what, side, name = mark.group(1, 2, 3)
            if what == b"fold" and side == b"start" and not line.is_command:
                self._begin_fold(line, mark)
            elif side == b"start":
                self._announced = _Announced(line.number, name, what == b"time")
            elif what == b"time":
                self._end_command(line, name, last)
            elif ended := self._find(_FOLD, _LEVEL, name) or self._find(_TRAVIS, _LEVEL, name):
                self._close_within(ended, line, _TRAVIS)
                self._end(ended, last)

    def _close_within(self, around: _Open, line: Marked, left: str) -> None:
        """Ends what is in a chapter of Travis before a line. left: the tool of what stays open if it has
        just begun: the output of an `echo` ends the fold around it, or begins one that goes on.
        """
        for one in reversed(self._open[self._open.index(around) + 1 :]):
            first = one.chapter.first if one.chapter else 0
            is_left = (one.tool, one.level) == (left, _LEVEL) and one.has_end
            if not is_left or first + 1 < line.number:
                self._end(one, line.number - 1)

    def _begin_command(self, line: Marked) -> None:
        """Begins a command of Travis. It ends the one before, and may be in a fold."""
        announced, self._announced = self._announced, None
        if announced and announced.number + 1 < line.number:
            announced = None
        around = next((one for one in reversed(self._open) if _is_of_travis(one)), None)
        self._close(_LEVEL, line, around)
        if around and around.tool == _TRAVIS:
            self._end(around, line.number - 1)
        name = announced.name if announced else line.content
        opened = self._open_one(line, _TRAVIS, _LEVEL, name, line.content)
        opened.has_end = announced is not None and announced.is_timed

    def _end_command(self, line: Marked, name: bytes, last: int) -> None:
        if command := self._find(_TRAVIS, _LEVEL, name):
            self._close_within(command, line, _FOLD)
            self._end(command, last)

    def _begin_fold(self, line: Marked, mark: re.Match[bytes]) -> None:
        """Begins a fold of Travis. It ends the one before, and may be in a command whose end is marked."""
        command = self._find(_TRAVIS, _LEVEL)
        self._close(_LEVEL, line, command if command and command.has_end else None)
        # A line that ends a command shows its outcome, which is no title.
        is_title = b":end:" not in line.hidden[mark.end() :]
        shown = line.content if is_title else b""
        self._open_one(line, _FOLD, _LEVEL, mark[3], shown or mark[3]).has_end = True

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
            case Event.HIDDEN:
                self._read_hidden(Marked(line.number, b"", line.content, is_command=False))

    def _end_named(self, line: Marked, rule: ChapterRule, name: bytes) -> None:
        if found := self._find(rule.tool, rule.level, name):
            self._close(rule.level + 1, line, found)
            self._end(found, line.number, rule.outcome)
        elif rule.event == Event.REPORTS:
            self._begin(line, rule.tool, rule.level, name, rule.outcome)

    def _say(self, line: Marked, rule: ChapterRule) -> None:
        found = self._find(rule.tool, rule.level)
        ended = self._ended
        if found is None and ended and (ended.tool, ended.level) == (rule.tool, rule.level):
            found = ended
            if ended.chapter:
                ended.chapter.last = line.number
        if found and found.chapter:
            may_change = rule.event == Event.FORGIVES or found.chapter.outcome != "failed"
            if may_change:
                found.chapter.outcome = rule.outcome

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
            opened.chapter.outcome = outcome or None

    def _open_one(self, line: Marked, tool: str, level: int, name: bytes, shown: bytes) -> _Open:
        if len(self._open) == MOST_OPEN:
            self._end(self._open[-1], line.number - 1)
        place, chapter = self._count, None
        text = shown.removeprefix(b"$ ") or name
        if text:
            chapter = Chapter(text[:LONGEST_NAME].decode("utf-8", "replace"), line.number)
            self._kept[place] = chapter
            self._count += 1
        opened = _Open(chapter, place, level, tool, name)
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
        if one.chapter.outcome == "failed" and self._failed < MOST_FAILED:
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
                self._end(one, line.number - 1)

    def _end(self, ended: _Open, last: int, outcome: str | None = None) -> None:
        self._open = [one for one in self._open if one is not ended]
        self._follow_ended(ended)
        if chapter := ended.chapter:
            chapter.last = max(last, chapter.first)
            chapter.outcome = chapter.outcome or outcome or None

    def chapters(self, last: int, failed_at: int | None) -> tuple[list[Chapter], int]:
        """The chapters, and how many more there were.

        last: the number of the last line. failed_at: that of the line that tells why the log failed,
        whose chapter failed.
        """
        for one in self._open:
            if one.chapter:
                one.chapter.last = last
        around = list(self._around(failed_at)) if failed_at else []
        if around and around[-1].outcome is None:
            around[-1].outcome = "failed"
        self._follow_ended(None)
        for one in self._open:
            self._settle(one)
        self._open = []
        return list(self._kept.values()), self._count - len(self._kept)

    def _around(self, number: int) -> Iterator[Chapter]:
        return (one for one in self._kept.values() if one.first <= number <= one.last)


def _is_of_travis(one: _Open) -> bool:
    return one.tool in (_TRAVIS, _FOLD) and one.level == _LEVEL
