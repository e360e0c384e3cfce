# SPDX-License-Identifier: Apache-2.0
"""A step of a build, and the cause of its failure.

A step keeps the first line of each kind that tells by its first, such as a failed test; and, before its
first outcome and behind it, the last group of errors and the last lines. An outcome that many lines
follow decides nothing. Memory is bounded.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, islice, pairwise, takewhile
from typing import NamedTuple

from oslogserve.lines.grammar import causes
from oslogserve.lines.grammar.causes import Mark
from oslogserve.lines.grammar.severities import RANKS
from oslogserve.native import LIMITS

#: Bytes of a line's content that are read; lines that a step keeps; lines of a group whose text is kept.
LONGEST, RING, TOLD = (LIMITS[f"group.{name}"] for name in ("LONGEST", "RING", "TOLD"))
#: Lines that end a group of errors, and of words of failure; how far above the end the last word may be;
#: lines of a paragraph and of a report; lines behind an outcome that the step survived; failures that are noted.
GAP, WORD_GAP, WORD_REACH, PARAGRAPH, REPORT, SURVIVED, MOST_NOTED = (
    LIMITS[f"step.{name}"]
    for name in (
        *("GAP", "WORD_GAP", "WORD_REACH", "PARAGRAPH", "REPORT", "SURVIVED", "MOST_NOTED"),
    )
)
#: The weight of a step that shows errors alone, and of one that ends with an error of GitHub's runner.
ERRORS_ALONE, ANNOTATED = 2, 5
#: Blanks between a failed test's number and its name, if that is on a line of its own.
_TITLE = 5
#: What a frame of Python's stack begins with, which is above its exception.
_FRAME_HEAD = b'File "'
#: Lines of a failed test that its subtest tells.
_MESSAGES = 12
_ERROR, _WARNING = RANKS["ERROR"], RANKS["WARNING"]

#: The kind of a failed test below a heading.
_HEADED = "headed"
#: Why a line was chosen, by what a step found, in the order in which a step's cause is chosen.
_WHY = {
    _HEADED: "test",
    Mark.TEST: "test",
    Mark.CRASH: "severity",
    Mark.INLINE: "test",
}


_TESTS = _WHY.keys() - {Mark.CRASH}


def _any(patterns: Iterable[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"(?:%b)" % pattern for pattern in patterns))


_RULES = [(rule.mark, rule.is_anywhere, re.compile(rule.pattern).match) for rule in causes.RULES]
_HINT = re.compile(b"|".join(map(re.escape, causes.HINTS))).search
_GREEN = _any(pattern for _, pattern in causes.GREEN).match
_WEAK = _any(pattern for _, pattern in causes.WEAK).match
_WORDS = re.compile(causes.WORDS).search
_PASSING = re.compile(causes.PASSING).search
_RECAP = re.compile(causes.RECAP).match
_NUMBER = re.compile(causes.NUMBER).match
_FRAME = re.compile(causes.FRAME).match
_CALL = re.compile(causes.CALL).match
_LIBRARY = re.compile(causes.LIBRARY).match
_HAS_LETTER = re.compile(rb"[A-Za-z\x80-\xff]").search
_USAGE = re.compile(causes.USAGE).match
_OPTION = re.compile(causes.OPTION).match


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
    #: The first line of the step that failed, if that shows nothing and the cause is of an earlier one.
    silent_step: int | None = None
    #: The contents of its first lines.
    told: Sequence[bytes] = ()


@dataclass
class Group:
    """Lines of one kind that follow one another."""

    first: Text
    last: int
    #: The contents of the first of them.
    told: list[bytes]

    @classmethod
    def of(cls, *texts: Text) -> "Group":
        return cls(texts[0], texts[-1].number, [text.content for text in texts])

    def extend(self, text: Text) -> None:
        """Takes a line behind its last one."""
        self.last = text.number
        self.told = [*self.told, text.content][:TOLD]

    def cause(self, why: str) -> Cause:
        return Cause(self.first, self.last, why, told=self.told)


def mark_of(content: bytes) -> Mark | None:
    """The meaning of a line's content; None for most."""
    is_hinted = _HINT(content) is not None
    rules = ((mark, match) for mark, is_anywhere, match in _RULES if is_hinted or not is_anywhere)
    return next((mark for mark, match in rules if match(content)), None)


def _is_weak(text: Text) -> bool:
    """True if the line locates a fault."""
    return _WEAK(text.content) is not None and not _FRAME(text.content)


def _is_word(text: Text) -> bool:
    """True if the line speaks of a failure."""
    content = text.content
    if not content or text.rank >= _ERROR or 0 < text.rank < _WARNING or _GREEN(content):
        return False
    if _PASSING(content):
        return False
    if _is_weak(text):
        return True
    return text.rank != _WARNING and _WORDS(content) is not None


@dataclass
class _Turn:
    """The line from which on a step's lines tell what is known already."""

    #: The first outcome; None for a recap without one.
    outcome: Text | None
    #: The number of the last outcome; None once a recap began.
    last: int | None
    is_recap: bool = False
    #: True if the outcome holds what its command printed.
    is_result: bool = False


def _ring() -> deque[Text]:
    return deque(maxlen=RING)


@dataclass
class Step:
    """A step, up to the current line."""

    #: The line that begins it; None before the first.
    begin: Text | None = None
    #: True once its own text has ended.
    is_shown: bool = False
    #: The first line of each kind in _WHY, and of NUMBERED.
    found: dict[str, Group] = field(default_factory=dict)
    #: The next failed tests, with their kinds; the first MOST_NOTED.
    further: list[tuple[str, Group]] = field(default_factory=list)
    #: True if the failed tests below a heading have numbers.
    has_numbers: bool = False
    #: The last group of errors; before a recap.
    errors: Group | None = None
    before_recap: Group | None = None
    turn: _Turn | None = None
    #: The indentation of the error whose stack may follow, until one of its calls is told.
    stack: int | None = None
    #: The last lines; before the turn.
    ring: deque[Text] = field(default_factory=_ring)
    before: deque[Text] = field(default_factory=_ring)
    #: The heading whose next line tells: HEADING or ABORTS; an outcome below ABORTS.
    heading: Mark | None = None
    #: The indentation of the last failed subtest.
    depth: int | None = None
    #: The report of the last test whose lines go on, and its kind; whether a blank line was in it, and no error since.
    report: Group | None = None
    report_kind: str = ""
    is_paused: bool = False
    #: True right behind a blank line that the report may go on behind.
    is_open: bool = False
    #: The number of the last error that is an outcome.
    fatal: int | None = None
    #: True if a recap says that a task failed.
    has_failed_recap: bool = False
    #: The number of the last outcome, if that says that all went well.
    succeeded: int | None = None
    #: True once it has ended.
    is_over: bool = False
    #: True if it ended with an error of GitHub's runner, which says that it failed.
    is_annotated: bool = False

    @property
    def weight(self) -> int:
        """How much the step shows of a failure; 0 for nothing."""
        return ANNOTATED if self.is_annotated else self.shown

    @property
    def shown(self) -> int:
        """The same, whatever its last line is."""
        if self.found:
            return 4
        has_outcome = self.turn is not None and self.turn.outcome is not None
        if self.turn and has_outcome and not self.turn.is_recap:
            return 3
        return ERRORS_ALONE if self._errors else int(has_outcome)

    def has_failed(self, start: int, *, is_of_service: bool) -> bool:
        """True if an outcome or a test says so, and no later outcome that all went well.

        Errors alone do not: healthy services log some. start: the first line in which outcomes count.
        is_of_service: whether the first outcome and the first test have to be there.
        """
        if self.has_ended_failed or self.succeeded is not None:
            return self.has_ended_failed
        tests = [group for kind, group in self.found.items() if kind in _TESTS]
        if tests and not is_of_service:
            return True
        told = [group.last for kind, group in self.found.items() if kind in _WHY]
        if self.fatal is not None:
            told.append(self.fatal)
        if self.turn and self.turn.outcome:
            last = start if self.turn.last is None else self.turn.last
            told.append(self.turn.outcome.number if is_of_service else last)
        return any(number >= start for number in told)

    @property
    def has_passed(self) -> bool:
        """True if its last outcome says that all went well, and no error follows."""
        if self.has_ended_failed or self.succeeded is None:
            return False
        return self.succeeded > (self.errors.last if self.errors else 0)

    @property
    def has_ended_failed(self) -> bool:
        """True if it failed although the log goes on: a recap says so, or its last line."""
        return self.has_failed_recap or self.is_annotated

    @property
    def is_silent(self) -> bool:
        """True if it has no line behind its own text."""
        return not (self.weight or self.ring or self.before)

    @property
    def _errors(self) -> Group | None:
        return self.before_recap or self.errors

    def show(self) -> None:
        """Ends the step's own text, such as its script."""
        if self.begin and not self.is_shown:
            self.is_shown = True
            self.ring.clear()

    def end(self) -> None:
        """Notes how it ended."""
        last = next((text for text in reversed(self.ring) if text.content), None)
        if last and last.content.startswith(causes.ANNOTATION):
            self.is_annotated = True

    def close(self, number: int) -> None:
        """Ends the step: what follows cleans up."""
        self.settle(number)
        if self.turn:
            self.turn.last = None
        self.is_over = True

    def recap(self, text: Text) -> None:
        """Begins a recap of what is known already."""
        self.settle(text.number)
        if self.turn:
            self.turn.last = None
        else:
            self._turn_at(_Turn(None, None, is_recap=True))
        if not self.before_recap:
            self.before_recap, self.errors = self.errors, None

    def settle(self, end: int) -> None:
        """Forgets an outcome that the step survived until the line of this number."""
        if self.turn and self.turn.last and end > self.turn.last + SURVIVED:
            self.turn = None
        if self.fatal and end > self.fatal + SURVIVED:
            self.fatal = None

    def _turn_at(self, turn: _Turn) -> None:
        self.turn = turn
        self.before, self.ring = self.ring, _ring()

    def add(self, text: Text, mark: Mark | None) -> Cause | None:
        """Takes a line. Returns a group of errors that one at this line displaces."""
        if self.is_over:
            return None
        if mark == Mark.FATAL:
            self.fatal = text.number
        if mark == Mark.TITLE and _HEADED not in self.found:
            mark = Mark.CHAPTER
        kind = self._kind(text, None if mark in (Mark.CHAPTER, Mark.SUCCEEDED) else mark)
        is_end = mark in (Mark.CHAPTER, Mark.HEADING, Mark.ABORTS, Mark.SUCCEEDED)
        if self.is_open and self.report and kind is None and not is_end and text.content:
            is_next = self._goes_on(self.report, text) and not _GREEN(text.content)
            self.is_paused = self.is_paused and not is_next
        self._extend_report(text, kind, is_end=is_end)
        is_recap = kind == Mark.OUTCOME or text.rank >= _ERROR
        if Mark.NUMBERED in self.found and is_recap and _RECAP(text.content):
            self._take_recap()
        displaced = None
        if kind != Mark.OUTCOME:
            self._take_call(text, kind)
        if mark == Mark.FATAL or kind not in (None, Mark.ERROR):
            self.succeeded = None
        elif mark == Mark.SUCCEEDED:
            self.succeeded = text.number
        if kind == Mark.OUTCOME:
            self._add_outcome(text, is_result=mark == Mark.RESULT)
        elif kind == Mark.ERROR:
            displaced = self._add_error(text)
        elif kind:
            self._add_first(text, kind)
        if kind != Mark.OUTCOME:
            self.ring.append(text)
        return displaced and displaced.cause("severity")

    def _kind(self, text: Text, mark: str | None) -> str | None:
        """The kind of the line: _HEADED, a Mark that tells, or None."""
        content = text.content
        if mark in (Mark.HEADING, Mark.ABORTS):
            self.heading = mark
            return None
        if mark in (Mark.OUTCOME, Mark.RESULT):
            if self.heading == Mark.ABORTS:
                self.heading = Mark.OUTCOME
            return Mark.OUTCOME
        if mark == Mark.TITLE or (mark == Mark.NUMBERED and self.has_numbers):
            mark = _HEADED
        is_error = mark in (Mark.ERROR, Mark.FATAL) or (mark is None and text.rank >= _ERROR)
        if self.heading == Mark.OUTCOME and not content:
            self.heading = None
        is_told = self.heading and _HAS_LETTER(content)
        if not is_error and not is_told:
            return mark
        is_green = _GREEN(content) is not None
        if is_told and not (is_green and self.heading == Mark.HEADING):
            kind = _HEADED if self.heading == Mark.HEADING else Mark.ERROR
            self.heading = None
            return kind
        if not is_error:
            return mark
        return None if is_green or content.startswith(causes.STACK) else Mark.ERROR

    def _extend_report(self, text: Text, kind: str | None, *, is_end: bool) -> None:
        """Extends the current report by the line, or ends it. A stack ends with its exception.

        In a paragraph of something else, only errors extend it, what follows them, and the line of the source
        that failed.
        """
        report = self.report
        if report is None:
            return
        is_inline = self.report_kind == Mark.INLINE
        is_stack = report.first.content.startswith(causes.STACK)
        is_long = text.number - report.first.number > REPORT
        is_error = kind == Mark.ERROR and not (is_long or is_end or is_inline)
        is_source = text.content.startswith(causes.SOURCE)
        is_blank = not (text.content or is_stack)
        is_end = is_end or is_long or (kind is not None and not is_error)
        if self.report_kind == _HEADED and kind is None and self._names(report, text):
            name = b" ".join([*report.told, text.content])[:LONGEST]
            report.first, report.last, report.told = text, text.number, [name]
        elif is_error or not (is_end or is_blank or (self.is_paused and not is_source)):
            report.extend(text)
        may_open = self.is_open or not self.is_paused
        self.is_open = is_blank and may_open and not report.first.content.startswith(causes.QUOTING)
        self.is_paused = not is_error and (is_blank or self.is_paused)
        if is_end or (is_stack and is_error) or (is_inline and is_blank):
            self.report, self.is_paused, self.is_open = None, False, False

    def _goes_on(self, report: Group, text: Text) -> bool:
        """True if the report goes on behind a blank line: with its first message, or deeper lines."""
        has_message = not all(line.startswith(b"- ") for line in report.told[1:])
        if self.report_kind == Mark.TEST and not has_message:
            return True
        is_of_test = self.report_kind in (_HEADED, Mark.TEST, Mark.NUMBERED)
        return is_of_test and text.indent > report.first.indent

    def _names(self, report: Group, text: Text) -> bool:
        """True for the name of a failed test whose number and suites are in the report above."""
        is_deep = text.indent >= report.first.indent + _TITLE
        is_name = text.content.endswith(b":") and is_deep and not self.is_paused
        return is_name and _NUMBER(report.first.content) is not None

    def _add_outcome(self, text: Text, *, is_result: bool) -> None:
        self.settle(text.number)
        errors = self.errors
        is_near = errors and text.number - errors.last <= 2
        if errors and is_near and _first_word(text) == _first_word(errors.first):
            errors.extend(text)
        if not self.turn:
            self._turn_at(_Turn(text, text.number, is_result=is_result))
            return
        self.has_failed_recap = self.has_failed_recap or not self.turn.last
        self.turn.outcome = self.turn.outcome or text
        self.turn.last = self.turn.last and text.number

    def _add_error(self, text: Text) -> Group | None:
        """Returns the last group if another one begins."""
        errors = self.errors
        if errors and text.number - errors.last <= GAP:
            errors.extend(text)
            return None
        self.errors = Group.of(text)
        frame = _frame_above(self.ring, text)
        self.errors.told += frame
        self.stack = None if frame else text.indent
        return errors

    def _take_call(self, text: Text, kind: str | None) -> None:
        """Tells the first call of the program's own in the stack below an error."""
        indent, self.stack = self.stack, None
        if indent is None or text.indent <= indent or kind is not None or not text.content:
            return
        if not _is_own_call(text):
            self.stack = indent
        elif self.errors:
            self.errors.told = [*self.errors.told, text.content]

    def _take_recap(self) -> None:
        """Makes failed tests of numbered lines."""
        numbered = self.found.pop(Mark.NUMBERED)
        is_first = self.found.setdefault(Mark.TEST, numbered) is numbered
        renamed = {Mark.NUMBERED: Mark.TEST} if is_first else {}
        further = [(renamed.get(kind, kind), group) for kind, group in self.further]
        self.further = [one for one in further if one[0] != Mark.NUMBERED]
        if self.report_kind == Mark.NUMBERED:
            self.report_kind = Mark.TEST
            self.report = self.report if is_first else None

    def _add_first(self, text: Text, kind: str) -> None:
        is_subtest = kind == Mark.TEST and text.content.startswith(causes.SUBTEST)
        is_deeper = is_subtest and self.depth is not None and text.indent > self.depth
        is_further = kind in self.found and not is_deeper
        is_room = kind != Mark.CRASH and len(self.further) < MOST_NOTED
        is_noted = is_room or not is_further
        if kind == Mark.TEST:
            self.depth = text.indent if is_subtest and is_noted else None
        if not is_noted:
            return
        above = _located_above(self.ring, text) if is_subtest else []
        group = Group.of(*above, text)
        if kind == _HEADED and text.content.startswith(causes.STACK):
            group.told[:0] = _underlined(self.ring)
        elif text.content.endswith(causes.UNNAMED):
            group.told[:0] = _running(self.ring)
        if is_further:
            self.further.append((kind, group))
        elif kind not in self.found:
            self.has_numbers |= kind == _HEADED and _NUMBER(text.content) is not None
            self.found[kind] = group
        else:
            group = self._replaced(group)
        self.report, self.report_kind = group, kind
        self.is_paused, self.is_open = False, False

    def _replaced(self, subtest: Group) -> Group:
        """The last failed test, which becomes its subtest, with some of its messages."""
        several = [group for kind, group in self.further if kind == Mark.TEST]
        test = several[-1] if several else self.found[Mark.TEST]
        told = [line for line in test.told if not line.startswith(causes.SUBTEST)]
        test.first, test.last = subtest.first, subtest.last
        test.told = [*subtest.told, *told[:_MESSAGES]][:TOLD]
        return test

    def further_of_cause(self) -> list[Cause]:
        """The failed tests behind the one that is its cause."""
        telling = next((one for one in _WHY.items() if one[0] in self.found), None)
        if telling is None:
            return []
        return [group.cause(telling[1]) for kind, group in self.further if kind == telling[0]]

    def cause(self) -> Cause | None:
        """The step's cause; None for a step without lines."""
        for kind, why in _WHY.items():
            if group := self.found.get(kind):
                return group.cause(why)
        ring = self._told
        words, is_near = _last_words(ring)
        if errors := self._errors:
            end = next((text.number for text in reversed(ring) if text.content), 0)
            is_survived = end > errors.last + SURVIVED
            if not (is_survived and words and words.last == end and _is_weak(words.first)):
                return errors.cause("severity")
        if words and (is_near or _is_weak(words.first)):
            return words.cause("failed step")
        return self._paragraph()

    def likely_end(self) -> Cause | None:
        """The end of a step that shows no failure; None for a step without lines."""
        words, is_near = _last_words(self._told)
        return words.cause("end") if words and is_near else self._paragraph()

    @property
    def _told(self) -> deque[Text]:
        """The last lines before those that only repeat what is known."""
        return self.before if self.turn else self.ring

    def _paragraph(self) -> Cause | None:
        return _last_paragraph(self._told) or self._only_line()

    def last_lines(self) -> Cause | None:
        """Its last lines, without a recap; None for a step without lines."""
        has_recap = self.turn is not None and self.turn.is_recap
        return _last_paragraph(self.before if has_recap else self.ring) or self._only_line()

    def _only_line(self) -> Cause | None:
        """The cause of a step without a line that could be one."""
        outcome = self.turn and self.turn.outcome
        if outcome and self.turn and self.turn.is_result:
            return Group.of(outcome).cause("severity")
        only = self.begin or outcome
        return Cause(only, only.number, "end") if only else None


def _located_above(ring: deque[Text], test: Text) -> list[Text]:
    """The deeper lines right above a failed test of Go, from the first that says where it failed; none if they
    are below another one."""
    lines: list[Text] = []
    for line in islice(reversed(ring), TOLD - 1):
        if line.indent <= test.indent or not line.content:
            break
        lines.insert(0, line)
    above = next(islice(reversed(ring), len(lines), None), None)
    if above and above.content.startswith(causes.SUBTEST):
        return []
    return [*dropwhile(lambda line: not _is_weak(line), lines)]


def _underlined(ring: deque[Text]) -> list[bytes]:
    """The last line that is underlined: the name of the failed test whose report this is; none, or one."""
    lines = [text.content for text in ring]
    named = (
        line
        for line, below in reversed([*pairwise(lines)])
        if line and line != below == b"-" * len(line)
    )
    return [*islice(named, 1)]


def _running(ring: deque[Text]) -> list[bytes]:
    """The last line that says which test runs; none, or one."""
    named = (text.content for text in reversed(ring) if text.content.startswith(causes.RUNNING))
    return [*islice(named, 1)]


def _frame_above(ring: deque[Text], text: Text) -> list[bytes]:
    """The last call of the program's own in the stack right above its exception; none, or one."""
    stack = takewhile(lambda line: line.indent > text.indent, reversed(ring))
    frames = (line for line in stack if line.content.startswith(_FRAME_HEAD))
    own = (line.content for line in frames if _is_own_call(line))
    return [*islice(own, 1)]


def _is_own_call(text: Text) -> bool:
    """True for a frame of a stack that is not of a library."""
    return _CALL(text.content) is not None and _LIBRARY(text.content) is None


def _first_word(text: Text) -> bytes:
    return text.content.partition(b" ")[0]


def _last_words(ring: deque[Text]) -> tuple[Group | None, bool]:
    """The last lines with a word of failure, and whether they are near the end."""
    group: Group | None = None
    end = 0
    is_usage = False
    for text in ring:
        is_usage = _is_usage(text, follows=is_usage)
        end = end if is_usage else text.number
        if is_usage or not _is_word(text):
            continue
        if group and text.number - group.last <= WORD_GAP:
            group.extend(text)
        else:
            group = Group.of(text)
    return group, group is not None and group.last >= end - WORD_REACH


def _is_usage(text: Text, *, follows: bool) -> bool:
    """True for a line of a program's usage text. follows: True if the line above is one."""
    content = text.content
    if not content:
        return follows
    is_within = text.indent > 0 or content.startswith(b"-") or content.endswith(b":")
    is_option = text.indent > 0 and _OPTION(content)
    return bool((follows and is_within) or _USAGE(content) or is_option)


def _last_paragraph(ring: deque[Text]) -> Cause | None:
    last = 0
    first: Text | None = None
    for text in reversed(ring):
        content = text.content
        if not content or content.startswith(b"$ "):
            if first:
                break
        else:
            first, last = text, last or text.number
            if last - text.number >= PARAGRAPH:
                break
    return Cause(first, last, "end") if first else None
