# SPDX-License-Identifier: Apache-2.0
"""The rule of a selection once more, naively over a whole log, and what the rule does not say."""

import random
import re
from typing import NamedTuple

import pytest

from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import (
    CONTEXT_BYTES,
    TAIL_BYTES,
    Selection,
    Tally,
    Wanted,
)
from oslogserve.lines.time_range import time_range
from oslogserve.native import SEVERITIES
from oslogserve.search import literal, rewritten
from tests.kit.renderers import cut

#: Lines of a tail that are held for `show` alone.
TAIL_OTHERS = 10_000
T = b"2013-09-27 18:07:%02d.860"
WORDS = [name.encode() for name in SEVERITIES[1:]]
_SHOWN = re.compile(rb'<li(?: class="?([\w ]*)"?)?(?: id=L(\d+)>|>.*lines=(\d+)-(\d+)">)')


def text(*given):
    return tuple(map(literal, given))


class Shown(NamedTuple):
    """What a page shows. roles: of its lines, by their numbers. gaps: pairs of numbers."""

    roles: dict
    gaps: list
    tally: Tally

    @property
    def numbers(self):
        return list(self.roles)


@pytest.fixture
def selected(renderer):
    def selected(log, selection, size=10**9, longest=1024 * 1024, view="html"):
        pieces = cut(log, range(size, len(log), size))
        rendering = renderer(pieces, Wanted(view, selection, 1.4e9), room=Room(line=longest))
        page = b"".join(rendering)
        roles, gaps = {}, []
        for classes, number, first, last in _SHOWN.findall(page):
            if number:
                role = {b"context", b"shown"} & set(classes.split())
                roles[int(number)] = role.pop() if role else b""
            else:
                gaps.append((int(first), int(last)))
        return Shown(roles, gaps, rendering.tally)

    return selected


class Naive:
    """By looking at the whole log at once."""

    def __init__(self, log, asked):
        self.asked = asked
        self.lines = log.split(b"\n")
        self.lines = [line + b"\n" for line in self.lines[:-1]] + [*filter(None, self.lines[-1:])]
        self.total = len(self.lines)
        self.seconds, self.ranks = [], []
        second, rank, error = None, 0, None
        for line in self.lines:
            words = line.split()
            if line.startswith(b"2013-09-27 18:07:"):
                second = int(line[17:19])
                has_severity = words[2:3] and words[2] in WORDS
                rank = SEVERITIES.index(words[2].decode()) if has_severity else 0
                this = (second, *words[3:4])
                if (
                    words[2:3] == [b"TRACE"]
                    and error
                    and (this[0] == error[1] or this[1:] == error[2:])
                ):
                    rank = error[0]
                else:
                    error = (rank, *this) if rank >= SEVERITIES.index("ERROR") else None
            self.seconds.append(second)
            self.ranks.append(rank)

    def is_in_window(self, number):
        second = self.seconds[number - 1]
        since, until = self.asked.since, self.asked.until
        return (
            self.asked.first <= number <= (self.asked.last or self.total)
            and (since is None or (second is not None and second >= since.first // 10**6 % 60))
            and (until is None or second is None or second <= until.last // 10**6 % 60)
        )

    def is_hit(self, number):
        line = self.lines[number - 1].lower()
        floor = SEVERITIES.index(self.asked.level or "NONE")
        holds = [search.removeprefix("(?i)").encode() in line for search in self.asked.searches]
        lacks = [search.removeprefix("(?i)").encode() not in line for search in self.asked.without]
        return self.is_in_window(number) and self.ranks[number - 1] >= floor and all(holds + lacks)

    @property
    def hits(self):
        return {number for number in range(1, self.total + 1) if self.is_hit(number)}

    def selected(self):
        """Numbers of the lines that are shown, and of the first one behind the limit."""
        asked, hits = self.asked, self.hits
        width = asked.context or 0
        kept = [
            number
            for number in range(1, self.total + 1)
            if self.is_in_window(number) and any(abs(number - hit) <= width for hit in hits)
        ]
        kept = kept if asked.tail is None else kept[-asked.tail :]
        cut_at = None
        if asked.limit is not None and len(kept) >= asked.limit:
            kept, left = kept[: asked.limit], kept[asked.limit :]
            cut_at = kept[-1] + 1
            if asked.tail is not None:
                cut_at = left[0] if left else None
            elif cut_at > min(asked.last or self.total, self.total):
                cut_at = None
        shown = {n for n in range(1, self.total + 1) if b"L%d" % n in asked.show}
        return sorted({*kept, *shown}), cut_at


def made(chance, size):
    lines = []
    second = 0
    for _ in range(size):
        second += chance.randrange(2)
        word = chance.choice([*WORDS, b"x", b"y"])
        stamp = T % second if chance.random() < 0.6 else b"more"
        lines.append(stamp + b" " + word + b" " + bytes(chance.choices(b"abc", k=3)))
    return b"\n".join(lines) + b"\n" * chance.randrange(2)


def asked(chance):
    def maybe(value):
        return value if chance.random() < 0.3 else None

    first = chance.choice((1, 1, chance.randrange(1, 20)))
    return Selection(
        first=first,
        last=maybe(first + chance.randrange(25)),
        since=maybe(time_range(f"2013-09-27T18:07:{chance.randrange(15):02}")),
        until=maybe(time_range(f"2013-09-27T18:07:{chance.randrange(15):02}")),
        level=maybe(chance.choice(SEVERITIES)),
        searches=text(*chance.choice(((), (), ("a",), ("b", "c"), ("ab",)))),
        without=text(*chance.choice(((), (), ("c",), ("aa", "bb")))),
        context=maybe(chance.randrange(4)),
        limit=maybe(chance.randrange(1, 20)),
        tail=maybe(chance.randrange(1, 20)),
        show=chance.choice(((), (), (b"L3",), (b"L1", b"L20"))),
    )


@pytest.mark.parametrize("seed", range(20))
def test_what_is_selected_is_what_the_rule_says_however_the_log_is_cut(selected, renderer, seed):
    chance = random.Random(seed)
    for _ in range(15):
        log, selection = made(chance, chance.randrange(1, 30)), asked(chance)
        naive = Naive(log, selection)
        numbers, cut_at = naive.selected()
        found = selected(log, selection, chance.choice((10**9, 1, 7, 60)))
        assert found.numbers == numbers, selection
        plain = b"".join(renderer([log], Wanted("text", selection, 1.4e9)))
        assert plain == b"".join(naive.lines[number - 1] for number in numbers)
        tally = found.tally
        assert (tally.sent, tally.cut_at) == (len(numbers), cut_at), selection
        assert tally.matched == sum(number <= tally.lines for number in naive.hits)
        assert tally.ended_early == (tally.lines < naive.total)
        for number, role in found.roles.items():
            assert naive.is_hit(number) == (role == b"")
            assert role == b"" or (role == b"shown") == (b"L%d" % number in selection.show)
        covered = [*numbers, *(n for first, last in found.gaps for n in range(first, last + 1))]
        assert len(covered) == len(set(covered))
        end = max(covered, default=0) if tally.cut_at else tally.lines
        assert set(range(selection.first, end + 1)) <= set(covered)


LOG = b"".join(b"%d\n" % number for number in range(1, 31))


def test_contexts_that_meet_are_one_and_a_hit_within_one_is_a_hit(selected):
    found = selected(LOG, Selection(context=2, searches=text("10", "")))
    assert (found.numbers, found.gaps) == ([8, 9, 10, 11, 12], [(1, 7), (13, 30)])
    found = selected(LOG, Selection(context=1, searches=(rewritten("^(10|11|14)$"),)))
    assert (found.numbers, found.gaps) == ([9, 10, 11, 12, 13, 14, 15], [(1, 8), (16, 30)])
    assert [number for number, role in found.roles.items() if role == b""] == [10, 11, 14]


@pytest.mark.parametrize("show", [(b"L7",), (b"L4", b"L8"), (b"L10",)])
def test_what_is_brought_in_takes_nothing_of_the_context_of_a_hit_behind_it(selected, show):
    log = b"a\n" * 9 + b"HIT\n" + b"a\n" * 5
    found = selected(log, Selection(searches=text("HIT"), context=4, show=show))
    assert found.numbers == sorted({*range(6, 15), *(int(fragment[1:]) for fragment in show)})


def test_no_more_is_looked_at_than_can_be_shown(selected):
    for asked, looked_at in (({"last": 7}, 7), ({"limit": 7}, 7), ({"limit": 1, "first": 7}, 7)):
        assert selected(LOG, Selection(**asked)).tally.lines == looked_at
        assert selected(LOG, Selection(**asked), view="summary").tally.lines == 30


def test_a_line_that_is_brought_in_is_looked_for_to_the_end(selected):
    found = selected(LOG, Selection(last=2, show=(b"L9",)))
    assert (found.roles, found.gaps) == ({1: b"", 2: b"", 9: b"shown"}, [(3, 8), (10, 30)])
    assert (found.tally.lines, found.tally.matched, found.tally.sent) == (30, 2, 3)


def test_a_time_that_cannot_be_is_that_of_the_line_before(selected):
    log = T % 5 + b"\n2013-02-31 00:00:00 x\n" + T % 9 + b"\n"
    assert selected(log, Selection(since=time_range("2013-09-27T18:07:06"))).numbers == [3]
    assert selected(log, Selection(until=time_range("2013-09-27T18:07:06"))).numbers == [1, 2]


@pytest.mark.parametrize("longest", [8192, CONTEXT_BYTES, 2 * CONTEXT_BYTES])
def test_context_is_held_within_bounds(selected, longest):
    large = b"x" * (min(longest, CONTEXT_BYTES) // 2 - 1) + b"\n"
    asked = Selection(context=3, searches=text("hit"))
    assert selected(large * 3 + b"hit\n", asked, longest=longest).numbers == [2, 3, 4]
    assert selected(large + large + b"\nhit\n", asked, longest=longest).numbers == [2, 3, 4]


def test_a_tail_is_held_within_bounds_and_what_is_missing_is_told(selected):
    large = b"x" * (TAIL_BYTES // 2 - 1) + b"\n"
    found = selected(b"a\n" + large * 3, Selection(tail=3))
    assert (found.numbers, found.gaps) == ([3, 4], [(1, 2)])
    assert (found.tally.dropped, found.tally.sent) == (1, 2)
    found = selected(b"a\nb\n" + large + large, Selection(tail=2))
    assert (found.numbers, found.tally.dropped) == ([3, 4], 0)


def test_a_line_that_is_larger_than_the_tail_leaves_nothing_of_itself(selected):
    line = b"x" * (TAIL_BYTES + 1)
    for log in (line, line + b"\n", b"a\n" + line):
        found = selected(log, Selection(tail=2), 3_000_000)
        assert (found.numbers, found.tally.sent) == ([], 0)
        assert found.tally.dropped == log.removesuffix(b"\n").count(b"\n") + 1
    found = selected(line + b"\nz", Selection(tail=2), 3_000_000)
    assert (found.numbers, found.tally.dropped) == ([2], 1)


def test_a_selection_is_told_the_same_wherever_the_same_is_asked():
    """Its text is part of an answer's ETag."""
    one, other = (
        Selection(first=2, since=time_range("2013-09"), searches=text("x")) for _ in range(2)
    )
    assert one == other
    assert repr(one) == repr(other) != repr(one._replace(searches=text("X")))


def test_a_line_whose_time_has_no_date_has_the_time_of_the_line_above(selected):
    log = (
        b"x\n[    1.500000] above\n"
        b"2013-09-27 18:22:11 INFO a\n[    2.500000] usb\n18:22:30 INFO b\n  c\n"
        b"2013-09-27 18:22:40 INFO d\n18:22:41 INFO e\n"
    )
    since, until = time_range("2013-09-27T18:22:40"), time_range("2013-09-27T18:22:39")
    assert selected(log, Selection(since=since)).numbers == [7, 8]
    assert selected(log, Selection(until=until)).numbers == [1, 2, 3, 4, 5, 6]
    hits = Selection(since=time_range("2013-09-27T18:22:11"), searches=text("b"))
    assert selected(log, hits).numbers == [4, 5]


def test_lines_that_are_shown_in_any_case_are_held_within_bounds_behind_a_tail(selected):
    lines = TAIL_OTHERS + 10
    asked = Selection(searches=text("hit"), tail=2, show=(b"L2-L%d" % lines,))
    found = selected(b"hit\n" + b"x\n" * (lines - 1), asked, view="html")
    assert found.numbers == list(range(2, lines + 1))
    assert found.tally.dropped == 1
