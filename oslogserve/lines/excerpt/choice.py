# SPDX-License-Identifier: Apache-2.0
"""The choice of an excerpt's lines: the worthiest ones, as many as a number of bytes holds."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby

from msgspec.structs import replace

from oslogserve.lines.excerpt.lines import MarkedLine
from oslogserve.lines.excerpt.worth import MAIN, VITAL, Weighed
from oslogserve.text import visible

#: Bytes of a line, and of a main one: so many, or a part of the excerpt.
LONGEST, LONGEST_MAIN = 250, 600
PART, PART_OF_MAIN = 12, 8
#: The part of a small excerpt that a line, and a main one, takes at most.
PART_OF_SMALL, MAIN_OF_SMALL = 3, 2
#: Bytes of the mark in place of a line's middle, about.
MARK = 30
#: Factors of these where all lines fit.
WIDER = (2, 4, 8)
#: Lines of a kind of which it is worth saying that they are left out.
LEAST_MORE = 3
#: Lines between two that are shown, which are shown too if that takes hardly more than to say that they are
#: left out.
MOST_BETWEEN, EXTRA = 4, 30
#: Worth that a line loses with each byte, and if it begins a run.
BYTE, ALONE = 0.02, 24.0
#: The loss of an error whose text is that of one that is taken: all else comes first.
REPEATED = 1000.0
#: What a terminal obeys, but for tabs: an escape with what it is for, and control characters.
_OBEYED = re.compile(r"\x1b(?:[ -/]*[0-~])?|[\x00-\x08\x0a-\x1f\x7f-\x9f]")
#: What changes how others are seen, or ends a line for some readers, and is not seen itself. Joiners of words and
#: emojis are none of it.
_UNSEEN = re.compile(
    "[\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]+"
)


def chosen(
    lines: Sequence[Weighed], size: int, cost_of: Callable[[Weighed], int], of_run: int
) -> list[list[Weighed]]:
    """The lines that fit into so many bytes, in order: a list for each run of lines that follow one another.

    cost_of: bytes of a line as it is written. of_run: of what stands before a run, at most.
    """
    choice = _Choice(_with_texts(lines, size, 1), cost_of, of_run, size)
    for wider in WIDER:
        if len(choice.taken) < len(lines) or choice.left < size // 4:
            break
        # All lines fit: long ones get more of the room.
        with_more = _Choice(_with_texts(lines, size, wider), cost_of, of_run, size)
        if len(with_more.taken) < len(lines):
            break
        choice = with_more
    left_out = Counter(one.kind for place, one in enumerate(lines) if place not in choice.taken)
    taken = [choice.lines[place] for place in sorted(choice.taken)]
    taken = [_counting(one, left_out[one.kind]) if one.more else one for one in taken]
    by_run = groupby(enumerate(taken), lambda one: one[1].line.number - one[0])
    runs = [[line for _, line in run] for _, run in by_run]
    if len(taken) == len(lines):
        return runs
    return [_without_blank_ends(run) for run in runs]


def _with_texts(lines: Sequence[Weighed], size: int, wider: int) -> list[Weighed]:
    """The lines with their texts. wider: a factor of their lengths."""
    main = max(min(LONGEST_MAIN, size // MAIN_OF_SMALL), size // PART_OF_MAIN) * wider
    other = max(min(LONGEST, size // PART_OF_SMALL), size // PART) * wider
    found = []
    for one in lines:
        most = (main if one.worth >= MAIN else other) + MARK
        text = _fitting(one.line, most, lambda text: len(text.encode()))
        found.append(one._replace(text=text))
    return found


def _fitting(line: MarkedLine, most: int, measured: Callable[[str], int]) -> str:
    """The text as a reader sees it, and without its middle if it measures more than `most`.

    It may measure more without any.
    """
    line = replace(line, text=_without_controls(line.text), end=_without_controls(line.end))
    characters = max(0, most - MARK)
    while True:
        text = line.within(characters)
        size = measured(text)
        if size <= most or not characters:
            return text
        characters = min(characters - 1, characters * most // size)


def _without_controls(text: str) -> str:
    """The text without control characters. What nobody would see is escaped."""
    if text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: visible(found[0]), _OBEYED.sub("", text))


def _counting(one: Weighed, more: int) -> Weighed:
    """The line; so many of its kind are left out, if that is worth saying."""
    return one._replace(more=more if more >= LEAST_MORE else 0)


class _Choice:
    """Lines that are taken, the worthiest first. What leads to a line that is taken costs less."""

    def __init__(
        self, lines: list[Weighed], cost_of: Callable[[Weighed], int], of_run: int, size: int
    ) -> None:
        self.lines = lines
        #: Places.
        self.taken: set[int] = set()
        #: Bytes.
        self.left = size
        #: The contents of lines that are taken.
        self._contents: set[str] = set()
        self._kinds = Counter(one.kind for one in lines)
        #: The kinds of which an error that is taken says how many are left out.
        self._counted: set[int | None] = set()
        self._cost_of = cost_of
        self._costs = [cost_of(one) for one in lines]
        self._of_run = of_run
        self._waiting: list[tuple[float, int]] = []
        places = sorted(range(len(lines)), key=lambda place: -lines[place].worth)
        # These are shown whatever their lengths are, the worthiest first.
        for place in [place for place in places if lines[place].worth >= VITAL] or places[:1]:
            self._shorten(place)
            self._take(place)
        self._waiting = [self._entry(place) for place in range(len(lines))]
        heapify(self._waiting)
        while self._waiting:
            loss, place = heappop(self._waiting)
            if place in self.taken:
                continue
            one = lines[place]
            if loss < REPEATED and one.is_error and one.line.content in self._contents:
                heappush(self._waiting, (loss + REPEATED, place))
            elif self._take(place):
                for step in (1, -1):
                    self._fill(place, step)

    def _shorten(self, place: int) -> None:
        """Leaves out as much of the line as has no room."""
        one, counted, most = self.lines[place], self._with_count(place), self.left - self._of_run
        if most < self._cost_of(counted):
            text = _fitting(one.line, most, lambda text: self._cost_of(counted._replace(text=text)))
            self.lines[place] = one._replace(text=text)
            self._costs[place] = self._cost_of(self.lines[place])

    def _with_count(self, place: int) -> Weighed:
        """The line as it is taken: the first error of a kind says how many others there are."""
        one = self.lines[place]
        is_counted = not one.is_error or one.kind in self._counted
        return _counting(one, 0 if is_counted else self._kinds[one.kind] - 1)

    def _entry(self, place: int) -> tuple[float, int]:
        """The place, by which a heap has the worthiest line first."""
        alone = 0.0 if self._joins(place) else ALONE
        return alone + BYTE * self._costs[place] - self.lines[place].worth, place

    def _take(self, place: int) -> bool:
        """Takes a line if it fits. A blank line begins no run."""
        one, joins = self._with_count(place), self._joins(place)
        cost = self._cost_of(one) if one.more else self._costs[place]
        cost += self._of_run * (1 - joins)
        if cost > self.left or not (joins or one.kind is not None):
            return False
        self.taken.add(place)
        self._contents.add(one.line.content)
        if one.more:
            self.lines[place] = one
            self._counted.add(one.kind)
        self.left -= cost
        for other in (place - 1, place + 1):
            if 0 <= other < len(self.lines) and other not in self.taken:
                heappush(self._waiting, self._entry(other))
        return True

    def _joins(self, place: int) -> int:
        """The number of lines next to it that are taken."""
        next_to_it = self.taken & {place - 1, place + 1}
        return sum(self._follows(place, other) for other in next_to_it)

    def _follows(self, place: int, other: int) -> bool:
        """True if no line between the two was not read."""
        numbers = self.lines[place].line.number, self.lines[other].line.number
        return numbers[1] - numbers[0] == other - place

    def _fill(self, place: int, step: int) -> None:
        """Takes the few lines between this one and the next one that is taken."""
        for distance in range(1, MOST_BETWEEN + 2):
            end = place + step * distance
            if end not in self.taken:
                continue
            if distance > 1 and self._follows(place, end):
                between = range(min(place, end) + 1, max(place, end))
                cost = sum(self._costs[one] for one in between) - self._of_run
                if cost <= min(self.left, EXTRA):
                    self.taken.update(between)
                    self.left -= cost
            return


def _without_blank_ends(run: list[Weighed]) -> list[Weighed]:
    """The lines from the first one with a text to the last one."""
    with_text = [place for place, line in enumerate(run) if line.text.strip()]
    return run[with_text[0] : with_text[-1] + 1] if with_text else run
