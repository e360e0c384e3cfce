# SPDX-License-Identifier: Apache-2.0
"""How much a line of a failed log is worth to who wants to know why it failed.

Worth comes from what a line is: a line of the cause, an error or a failed test elsewhere, a verdict, the end
of the step that failed, the end of the log. It spreads to the lines around and fades with each. Frames of
stacks, repetitions and what tools print for themselves count less. A line has the most that any of these gives.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.summary import LONGEST_ERROR, Summary
from oslogserve.native import SEVERITIES, kind_of

_ERROR = SEVERITIES.index("ERROR")

#: Of the cause's first line, the loss with each further one, the least of its lines, and of its last one.
FIRST, FURTHER, LEAST, LAST = 148.0, 0.8, 60.0, 108.0
#: From here on, a line is one of the main ones.
MAIN = 112.0
#: Right behind the cause and right above it. An error so few lines above it is worth as much as what is behind.
BELOW_CAUSE, ABOVE_CAUSE, BEFORE = 92.0, 62.0, 6
#: A reason why a test failed, as many of them, so near below its report, and each so near below another one.
REASON, MOST_REASONS, BELOW_REPORT, BESIDE = 159.0, 8, 60, 3
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
#: Signs of lines that may say why a test failed, and of those that end its report.
_REASONS = {"Error", "Fatal", "Crash", "Word"}
_ENDS_REPORT = (_BOUNDS | _TESTS | {"Chapter"}) - _REASONS
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
_OVERWRITES = re.compile(r"[\r\x08]")
_OWN = re.compile(r"\S*travis_(?:fold|time)|section_(?:start|end)|##\[endgroup\]|\W{3,}$")


class Weighed(NamedTuple):
    """A line that an excerpt may have."""

    line: MarkedLine
    worth: float
    #: A hash of what its content is but for numbers, ids and quoted texts; None for a blank line.
    kind: int | None
    #: True for an error, or a failed test.
    is_error: bool = False
    #: Its text as the excerpt has it, perhaps without its middle.
    text: str = ""
    #: How many of its kind are left out, as far as these were read; of one error of a kind.
    more: int = 0


def weighed(lines: Iterable[MarkedLine], summary: Summary, total: int) -> list[Weighed]:
    """The lines in their order, with what they are worth, and the errors of the summary that were not read.

    total: the log's lines.
    """
    by_number = {line.number: line for line in lines}
    for error in summary.errors:
        # Else it is not all that a terminal shows of its line.
        is_whole = len(error.text.encode()) < LONGEST_ERROR and not _OVERWRITES.search(error.text)
        if is_whole and error.line not in by_number:
            is_new = error.new is True
            by_number[error.line] = MarkedLine(error.line, _ERROR, "Error", 0, is_new, error.text)
    worths = _Worths([by_number[number] for number in sorted(by_number)])
    cause, step = summary.cause, summary.step
    around = range(cause.line, cause.last + 1) if cause else range(0)
    if cause:
        worths.add_cause(around, cause.why == "end")
    if step:
        worths.raise_to(worths.place_of(step.first), STEP_END)
        worths.spread(worths.place_of(step.last), STEP_END, -1, FADES_ABOVE_STEP_END)
    worths.add_signs(around, total)
    if cause and cause.why == "test":
        worths.add_reasons(around)
    verdict = worths.verdict(around)
    end = LOG_END if verdict is None else CLEANED_UP
    worths.spread(worths.place_of(total), end, -1, FADES_ABOVE_LOG_END)
    contents = (line.content.strip().encode() for line in worths.lines)
    kinds = [kind_of(content) if content else None for content in contents]
    worths.discount(around, kinds)
    if cause and cause.why != "end":
        worths.raise_to(worths.place_of(cause.line), CAUSE)
    worths.raise_to(verdict, VERDICT)
    worths.raise_to(worths.last_count(), LAST_COUNT)
    found = zip(worths.lines, worths.values, kinds, map(_is_error, worths.lines), strict=True)
    return [Weighed(*one) for one in found]


class _Worths:
    """The worths of lines, while they are found."""

    def __init__(self, lines: Sequence[MarkedLine]) -> None:
        self.lines = lines
        self.values = [0.0] * len(lines)
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
            worth *= fading * (BEYOND if self.lines[place].sign in _BOUNDS else 1.0)
            place = self.place_of(self._numbers[place] + step)

    def add_cause(self, cause: range, is_end: bool) -> None:
        """is_end: true if it is the end of what failed, whose last line tells most."""
        worth = FIRST
        first, end = (bisect(self._numbers, number - 1) for number in (cause.start, cause.stop))
        places = range(first, end)
        for place in reversed(places) if is_end else places:
            self.raise_to(place, worth)
            if self.lines[place].content.strip():
                worth = max(LEAST, worth - FURTHER)
        self.raise_to(self.place_of(cause.stop - 1), LAST)
        below, above = self.place_of(cause.stop), self.place_of(cause.start - 1)
        self.spread(below, BELOW_CAUSE, 1, FADES_BELOW_CAUSE)
        self.spread(above, ABOVE_CAUSE, -1, FADES_ABOVE_CAUSE)

    def add_reasons(self, cause: range) -> None:
        """Adds the reasons of a failed test, so that they come before frames, source and values of variables: those in
        its report, or the first ones below."""
        end, left = cause.stop + BELOW_REPORT, MOST_REASONS
        for line in self.lines[bisect(self._numbers, cause.start) :]:
            is_other = line.number >= cause.stop and line.sign in _ENDS_REPORT
            if is_other or line.number >= end or not left:
                break
            if _is_reason(line):
                self.raise_to(self.place_of(line.number), REASON)
                end, left = max(cause.stop, line.number + BESIDE), left - 1

    def add_signs(self, cause: range, total: int) -> None:
        """Adds what the lines say themselves. total: the log's lines."""
        worths = []
        for line in self.lines:
            distance = 0
            if cause:
                distance = max(cause.start - line.number, line.number - cause.stop + 1, 0)
            worth = 0.0
            if line.sign in _TESTS:
                worth = TEST
            elif line.sign in _OUTCOMES:
                worth = COUNT if _COUNT.search(line.content) else OUTCOME
            elif line.sign == "Error" or line.rank >= _ERROR:
                worth = ERROR
            elif line.sign == "Word":
                is_near = distance <= NEAR or line.number > total - NEAR
                worth = WORD if is_near else FAR_WORD
            if worth >= ERROR and 0 < cause.start - line.number <= BEFORE:
                worth = max(worth, BELOW_CAUSE)
            is_far = distance >= FAR and line.sign != "Word"
            worths.append(worth * OF_FAR if is_far else worth)
        for step, fading in ((1, FADES_BELOW), (-1, FADES_ABOVE)):
            # The same as spread() of each worth, in one walk: what is left of the highest one counts.
            left, expected = 0.0, 0
            for place in range(len(worths))[::step]:
                left = max(left if self._numbers[place] == expected else 0.0, worths[place])
                if left >= FADED:
                    self.raise_to(place, left)
                left *= fading * (BEYOND if self.lines[place].sign in _BOUNDS else 1.0)
                expected = self._numbers[place] + step

    def verdict(self, cause: range) -> int | None:
        """The place of the first verdict behind the cause, or of the last one; None for none."""
        places = [place for place, line in enumerate(self.lines) if line.sign in _VERDICTS]
        behind = (one for one in places if cause and self._numbers[one] >= cause.stop - 1)
        return next(behind, places[-1] if places else None)

    def last_count(self) -> int | None:
        """The place of the last line that says how many tests failed; None for none."""
        for place in reversed(range(len(self.lines))):
            line = self.lines[place]
            if line.sign in _COUNTS and _FAILURES.search(line.content):
                return place
        return None

    def discount(self, cause: range, kinds: Sequence[int | None]) -> None:
        """Takes from the lines that tell less than their places say."""
        counts: Counter[int] = Counter()
        texts: set[str] = set()
        for place, (line, kind) in enumerate(zip(self.lines, kinds, strict=True)):
            factor = 1.0 if cause and line.number == cause.start else _own_factor(line)
            if kind is not None:
                counts[kind] += 1
                if line.content in texts:
                    factor *= REPEATED
                elif counts[kind] > DIFFERENT:
                    factor *= REPEATED_IN_CAUSE if line.number in cause else REPEATED
                elif counts[kind] > 1 and line.number not in cause:
                    factor *= REPEATED_IN_CAUSE
                texts.add(line.content)
            self.values[place] *= factor


def _is_error(line: MarkedLine) -> bool:
    is_other = line.sign in _OUTCOMES or line.sign in ("Green", "Word")
    return line.sign in _TESTS or line.sign == "Error" or (line.rank >= _ERROR and not is_other)


def _is_reason(line: MarkedLine) -> bool:
    """True if the line may say why a test failed."""
    content = line.content.lstrip()
    is_told = line.rank >= _ERROR or line.sign in _REASONS or _VALUE.match(content)
    return bool(is_told) and not _is_frame(content)


def _is_frame(content: str) -> bool:
    is_logged = "at " in content and _LOGGED_FRAME.match(content)
    return bool((is_logged or _FRAME.match(content)) and not _VALUE.match(content))


def _own_factor(line: MarkedLine) -> float:
    content = line.content.lstrip()
    if not content:
        return BLANK
    factor = 1.0
    if _is_frame(content):
        factor *= FRAME
    if _OWN.match(content):
        factor *= OWN
    return factor * GREEN if line.sign == "Green" else factor
