# SPDX-License-Identifier: Apache-2.0
"""How much a line of a failed log is worth to who wants to know why it failed.

Worth comes from what a line is: a line of the cause, an error or a failed test elsewhere, a verdict, the end
of the step that failed, the end of the log. It spreads to the lines around and fades with each. Frames of
stacks, repetitions and what tools print for themselves count less. A line has the most that any of these gives.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from oslogserve import native
from oslogserve.lines.brief.marked import MarkedLine, with_errors
from oslogserve.lines.brief.plan import Range
from oslogserve.lines.summary import Summary
from oslogserve.native import SEVERITIES

_ERROR = SEVERITIES.index("ERROR")

#: Of the cause's first line, the loss with each further one, the least of its lines, and of its last one.
FIRST, FURTHER, LEAST, LAST = 148.0, 0.8, 60.0, 108.0
#: From here on, a line is one of the main ones.
MAIN = 112.0
#: Right behind the cause and right above it.
BELOW_CAUSE, ABOVE_CAUSE = 92.0, 62.0
#: A failed test and an error elsewhere; an outcome with a number and one without.
TEST, ERROR, COUNT, OUTCOME = 64.0, 54.0, 42.0, 25.0
#: The least of the cause's first line, of the verdict, and of the last line that says how many tests failed.
CAUSE, VERDICT, LAST_COUNT = 161.0, 160.0, 122.0
#: From here on, a line is shown whatever its length is.
VITAL = VERDICT
#: A line that speaks of a failure, near the cause or the log's end and elsewhere; so many lines are near.
WORD, FAR_WORD, NEAR = 44.0, 22.0, 30
#: The last line of the log, and the first and the last one of the step that failed.
LOG_END, STEP_END = 36.0, 36.0
#: The last line of a log with a verdict, behind which a runner only cleans up.
CLEANED_UP = 16.0
#: What is left of the worth on the next line: below the cause and above it, below other lines and above
#: them, and above the ends of the log and of the step.
FADES_BELOW_CAUSE, FADES_ABOVE_CAUSE = 0.98, 0.84
FADES_BELOW, FADES_ABOVE = 0.92, 0.55
FADES_ABOVE_LOG_END, FADES_ABOVE_STEP_END = 0.97, 0.95
#: What is left of it beyond a line that begins or ends a step.
BEYOND = 0.5
#: Worth spreads no further below this.
FADED = 1.0
#: Lines from the cause from which on other errors count less, and how much of them counts.
FAR, OF_FAR = 200, 0.92

#: Factors: a frame of a stack, what passed, what tools print for themselves, a blank line.
FRAME, GREEN, OWN, BLANK = 0.72, 0.6, 0.2, 0.8
#: Factors of a repetition: elsewhere, and behind the first so many lines of a kind in the cause.
REPEATED, REPEATED_IN_CAUSE, DIFFERENT = 0.4, 0.7, 5

_TESTS = {"Test", "Inline", "Numbered", "Crash", "Fatal", "Aborts", "Heading", "Stopped"}
_VERDICTS = {"Failed", "StepFailed", "Canceled", "BuildFailed", "Exited", "TaskFailed"}
_RESULTS = {"Outcome", "Result"}
_OUTCOMES = _RESULTS | _VERDICTS
_BOUNDS = {"Passed", "TaskPassed", "Begins", "Over"} | _VERDICTS
#: Lines that may say how many tests failed, and how they do: a number beside the word.
_COUNTS = _RESULTS | {"Heading", "Word"}
_FAILURES = re.compile(
    r"\b[1-9][\d,]* (?:(?:tests?|examples?|specs?) )?(?:failed|failures?|failing|errors?)\b"
    r"|\b(?:failures?|errors|failed|fail)(?:[:=] ?| {1,8})[1-9]",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b[1-9]")
#: Frames of stacks, and those of Java and Go behind a logger's name.
_FRAME = re.compile(r"(?:at |from |in |File \"|\.\.\. \d+ more|#\d+ |\S+:\d+:in |\d+: )")
_LOGGED_FRAME = re.compile(r".{0,100}?\s{2}at \S{1,200} ?\(")
#: What a test expected and got stands in lines that may look like frames.
_VALUE = re.compile(r"(?:E  |[-+] |expected|actual|got\b|want\b)", re.IGNORECASE)
_OWN = re.compile(r"\S*travis_(?:fold|time)|section_(?:start|end)|##\[endgroup\]|\W*$")


class Weighed(NamedTuple):
    """A line and its worth."""

    line: MarkedLine
    worth: float
    #: A hash of what its content is but for numbers, ids and quoted texts; None for a blank line.
    kind: int | None
    #: True for an error, or a failed test.
    is_error: bool = False


def weighed(lines: Sequence[MarkedLine], summary: Summary, total: int) -> list[Weighed]:
    """The lines and the errors of the summary in their order, with what they are worth.

    total: the log's lines.
    """
    lines = with_errors(lines, summary.errors)
    cause = summary.cause
    around = Range(cause.line, cause.last) if cause else None
    worths = _Worths(lines)
    if around and cause:
        worths.add_cause(around, cause.why == "end")
        if step := summary.step:
            worths.raise_to(worths.place_of(step.first), STEP_END)
            worths.spread(worths.place_of(step.last), STEP_END, -1, FADES_ABOVE_STEP_END)
    worths.add_signs(around, total)
    verdict = _verdict(lines, around)
    end = LOG_END if verdict is None else CLEANED_UP
    worths.spread(worths.place_of(total), end, -1, FADES_ABOVE_LOG_END)
    contents = [line.content.strip().encode("utf-8", "replace") for line in lines]
    kinds = [native.kind_of(content) if content else None for content in contents]
    worths.discount(around, kinds)
    if cause and cause.why != "end":
        worths.raise_to(worths.place_of(cause.line), CAUSE)
    worths.raise_to(verdict, VERDICT)
    worths.raise_to(_last_count(lines), LAST_COUNT)
    errors = map(_is_error, lines)
    return [Weighed(*one) for one in zip(lines, worths.values, kinds, errors, strict=True)]


class _Worths:
    """The worths of lines, while they are found."""

    def __init__(self, lines: Sequence[MarkedLine]) -> None:
        self.values = [0.0] * len(lines)
        self._lines = lines
        self._numbers = [line.number for line in lines]
        self._places = {number: place for place, number in enumerate(self._numbers)}

    def place_of(self, number: int) -> int | None:
        """The place of a line; None if it was not read."""
        return self._places.get(number)

    def raise_to(self, place: int | None, worth: float) -> None:
        if place is not None:
            self.values[place] = max(self.values[place], worth)

    def spread(self, place: int | None, worth: float, step: int, fading: float) -> None:
        """Gives the worth to a line, and what is left of it to the ones behind or above, up to a gap."""
        while place is not None and worth >= FADED:
            self.raise_to(place, worth)
            worth *= fading * (BEYOND if self._lines[place].sign in _BOUNDS else 1.0)
            place = self.place_of(self._lines[place].number + step)

    def add_cause(self, cause: Range, is_end: bool) -> None:
        """is_end: true if it is the end of what failed, whose last line tells most."""
        worth = FIRST
        first, end = (bisect(self._numbers, number) for number in (cause.first - 1, cause.last))
        places = range(first, end)
        for place in reversed(places) if is_end else places:
            self.raise_to(place, worth)
            if self._lines[place].content.strip():
                worth = max(LEAST, worth - FURTHER)
        self.raise_to(self.place_of(cause.last), LAST)
        below, above = self.place_of(cause.last + 1), self.place_of(cause.first - 1)
        self.spread(below, BELOW_CAUSE, 1, FADES_BELOW_CAUSE)
        self.spread(above, ABOVE_CAUSE, -1, FADES_ABOVE_CAUSE)

    def add_signs(self, cause: Range | None, total: int) -> None:
        """Adds what the lines say themselves."""
        worths = []
        for line in self._lines:
            distance = 0
            if cause:
                distance = max(cause.first - line.number, line.number - cause.last, 0)
            is_near = distance <= NEAR or line.number > total - NEAR
            worth = _by_sign(line, is_near)
            is_far = distance >= FAR and line.sign != "Word"
            worths.append(worth * OF_FAR if is_far else worth)
        self._spread_all(worths, 1, FADES_BELOW)
        self._spread_all(worths, -1, FADES_ABOVE)

    def _spread_all(self, worths: Sequence[float], step: int, fading: float) -> None:
        """The same as spread() of each worth, in one walk: what is left of the highest one counts."""
        left, expected = 0.0, 0
        for place in range(len(worths))[::step]:
            left = max(left if self._numbers[place] == expected else 0.0, worths[place])
            if left >= FADED:
                self.values[place] = max(self.values[place], left)
            left *= fading * (BEYOND if self._lines[place].sign in _BOUNDS else 1.0)
            expected = self._numbers[place] + step

    def discount(self, cause: Range | None, kinds: Sequence[int | None]) -> None:
        """Takes from the lines that tell less than their places say."""
        seen: Counter[int] = Counter()
        texts: set[str] = set()
        for place, (line, kind) in enumerate(zip(self._lines, kinds, strict=True)):
            is_first = cause is not None and line.number == cause.first
            factor = 1.0 if is_first else _own_factor(line)
            if kind is not None:
                seen[kind] += 1
                is_within = cause is not None and cause.first <= line.number <= cause.last
                factor *= _of_repeated(seen[kind], line.content in texts, is_within)
                texts.add(line.content)
            self.values[place] *= factor


def _by_sign(line: MarkedLine, is_near: bool) -> float:
    if line.sign in _TESTS:
        return TEST
    if line.sign in _OUTCOMES:
        return COUNT if _COUNT.search(line.content) else OUTCOME
    if line.sign == "Error" or line.rank >= _ERROR:
        return ERROR
    if line.sign == "Word":
        return WORD if is_near else FAR_WORD
    return 0.0


def _verdict(lines: Sequence[MarkedLine], cause: Range | None) -> int | None:
    """The place of the first verdict behind the cause, or of the last one; None for none."""
    places = [place for place, line in enumerate(lines) if line.sign in _VERDICTS]
    behind = (place for place in places if cause and lines[place].number >= cause.last)
    return next(behind, places[-1] if places else None)


def _last_count(lines: Sequence[MarkedLine]) -> int | None:
    """The place of the last line that says how many tests failed; None for none."""
    for place in reversed(range(len(lines))):
        if lines[place].sign in _COUNTS and _FAILURES.search(lines[place].content):
            return place
    return None


def _is_error(line: MarkedLine) -> bool:
    is_other = line.sign in _OUTCOMES or line.sign in ("Green", "Word")
    return line.sign in _TESTS or line.sign == "Error" or (line.rank >= _ERROR and not is_other)


def _own_factor(line: MarkedLine) -> float:
    content = line.content.lstrip()
    if not content:
        return BLANK
    factor = 1.0
    is_logged_frame = "at " in content and _LOGGED_FRAME.match(content)
    if (is_logged_frame or _FRAME.match(content)) and not _VALUE.match(content):
        factor *= FRAME
    if _OWN.match(content):
        factor *= OWN
    return factor * GREEN if line.sign == "Green" else factor


def _of_repeated(count: int, is_same: bool, is_of_cause: bool) -> float:
    """The factor of a line, of which so many of its kind were there so far with it."""
    if count == 1:
        return 1.0
    if is_same:
        return REPEATED
    if count <= DIFFERENT:
        return REPEATED_IN_CAUSE if not is_of_cause else 1.0
    return REPEATED_IN_CAUSE if is_of_cause else REPEATED
