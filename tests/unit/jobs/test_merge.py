# SPDX-License-Identifier: Apache-2.0
import random
from array import array
from itertools import chain

import pytest

from oslogserve.jobs import merge
from oslogserve.lines.selection import NO_TIME, UNTIMED, Rows


def pieces(rows, *sizes):
    """Rows, given as (time, text), in pieces of so many; what is left in one more."""
    reached = NO_TIME
    for size in (*sizes, len(rows)):
        part, rows = rows[:size], rows[size:]
        times = [time for time, _ in part]
        known = [time for time in times if time != NO_TIME]
        reached = max([reached, *(known[:1] if reached == NO_TIME else times)])
        ends = [sum(len(text) for _, text in part[: n + 1]) for n in range(len(part))]
        yield rows_of(b"".join(text for _, text in part), ends, times, reached)


def rows_of(text, ends, times, reached):
    return Rows(text, array("q", ends), array("q", times), reached)


def bundles(rows, *sizes):
    """The pieces as they are merged, some of them several at a time."""
    return merge.bundled(pieces(rows, *sizes), 20, 3)


def text_of(several):
    return b"".join(rows.text for rows in several)


def times_of(several):
    return [time for rows in several for time in rows.times]


@pytest.mark.parametrize("seed", range(60))
def test_rows_come_by_time_then_log_then_number(seed):
    chance = random.Random(seed)
    logs = []
    for log in range(chance.randrange(1, 7)):
        time, rows = chance.randrange(4), []
        for number in range(chance.randrange(40)):
            time += chance.choice((0, 0, 1, 2))
            rows.append((time, b"%d:%d\n" % (log, number)))
        logs.append(rows)
    expected = sorted(
        (time, log, number, text)
        for log, rows in enumerate(logs)
        for number, (time, text) in enumerate(rows)
    )
    cuts = [[chance.randrange(5) for _ in range(20)] for _ in logs]
    merged = merge.merge([bundles(rows, *sizes) for rows, sizes in zip(logs, cuts, strict=True)])
    assert text_of(merged) == b"".join(text for *_, text in expected)


def test_each_row_ends_where_it_is_said():
    for rows in merge.merge([bundles([(1, b"a\n"), (3, b"b\n")]), bundles([(2, b"long\n")])]):
        assert [rows.text[end - 1 : end] for end in rows.ends] == [b"\n"] * len(rows.ends)


def test_a_log_whose_rows_come_later_is_not_waited_for():
    def late():
        yield [rows_of(b"", [], [], 5)]
        raise AssertionError("it was waited for")

    merged = merge.merge([bundles([(1, b"a\n"), (4, b"b\n")]), late()])
    assert next(merged).text == b"a\nb\n"


def test_rows_above_the_first_time_come_with_it():
    rows = [(NO_TIME, b"a"), (NO_TIME, b"b"), (7, b"c"), (8, b"d")]
    assert times_of(merge.placed(pieces(rows, 1, 0))) == [7, 7, 7, 8]


def test_rows_above_the_first_time_come_with_it_where_its_own_row_does_not():
    rows = [rows_of(b"a", [1], [NO_TIME], 7), rows_of(b"b", [1], [NO_TIME], 8)]
    several = [*merge.placed([*rows, rows_of(b"c", [1], [9], 9)])]
    assert times_of(several) == [7, 7, 9]
    assert [one.reached for one in several] == [7, 8, 9]
    assert times_of(merge.placed(rows)) == [7, 7]


@pytest.mark.parametrize("size", [1, 2, 9])
def test_what_is_held_does_not_depend_on_how_a_log_is_cut(size):
    rows = [(NO_TIME, b"ab"), (NO_TIME, b"cd"), (7, b"ef"), (8, b"gh")]
    assert times_of(merge.placed(pieces(rows, *[size] * 9), 4)) == [7, 7, 7, 8]
    more = [(NO_TIME, b"x"), *rows]
    assert times_of(merge.placed(pieces(more, *[size] * 9), 4)) == [UNTIMED] * 5


def test_pieces_of_a_long_first_line_are_not_held():
    pieces = [rows_of(b"", [], [], NO_TIME)] * 9
    [rows] = merge.placed([*pieces, rows_of(b"a\n", [2], [5], 5)])
    assert rows.times[0] == 5


def test_a_log_without_times_is_untimed():
    assert times_of(merge.placed(pieces([(NO_TIME, b"a"), (NO_TIME, b"b")], 1))) == [UNTIMED] * 2


def test_a_log_with_more_above_its_first_time_than_is_held_is_untimed():
    rows = [(NO_TIME, b"abc"), (NO_TIME, b"d"), (7, b"e")]
    several = list(merge.placed(pieces(rows, 1, 1), 2))
    assert times_of(several) == [UNTIMED] * 3
    assert {one.reached for one in several} == {UNTIMED}


@pytest.mark.parametrize(
    ("most_bytes", "most_pieces", "expected"),
    [(1, 99, [2, 1, 3, 3]), (9, 99, [6, 3]), (99, 2, [2, 1, 6]), (99, 99, [9])],
)
def test_bundles_have_so_many_bytes_or_pieces(most_bytes, most_pieces, expected):
    rows = [(time, b"a\n") for time in range(9)]
    bundles = list(merge.bundled(pieces(rows, 2, 0, 1, 0, 3), most_bytes, most_pieces))
    assert times_of(chain.from_iterable(bundles)) == list(range(9))
    assert bundles[-1][-1].reached == 8
    assert [sum(len(one.ends) for one in bundle) for bundle in bundles] == expected
