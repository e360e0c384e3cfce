# SPDX-License-Identifier: Apache-2.0
import random
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from oslogserve.jobs import lines
from oslogserve.lines.selection import NO_TIME, UNTIMED, Selection, Wanted
from tests.kit.renderers import cut, renderer

RENDERER = renderer()
BEGIN = datetime(2026, 3, 4, 18)
MICROS = 1772647200 * 10**6


class Log:
    """A log whose rows were read already."""

    is_ready = True

    def __init__(self, several, started=None, number=0):
        self._several = iter(several)
        #: Where its index is put each time that it is started.
        self.started = started
        self.number = number

    def __next__(self):
        return next(self._several)

    def start(self):
        if self.started is not None:
            self.started.append(self.number)


def merge(logs):
    return lines.merge(logs, logs)


def rows_of(pieces, most_waiting=10**6, most_bytes=1, most_pieces=1, **selection):
    """The rows of a log, whose label is empty."""
    wanted = Wanted("text", Selection(**selection), 1.4e9, b"", None, b"", by_time=True)
    rendering = RENDERER(pieces, wanted)
    return [*rendering.merged_rows(most_waiting, most_bytes, most_pieces)]


def log_of(*times):
    """A line for each time, in seconds; None for a line without one."""
    texts = []
    for number, time in enumerate(times):
        stamp = "" if time is None else f"{BEGIN + timedelta(seconds=time):%Y-%m-%d %H:%M:%S} "
        texts.append(f"{stamp}INFO line {number}\n".encode())
    return b"".join(texts)


def merged(*several):
    return b"".join(rows.text for rows in merge([Log(rows) for rows in several]))


@pytest.mark.parametrize("seed", range(60))
def test_rows_come_by_time_then_log_then_number(seed):
    chance = random.Random(seed)
    expected, several = [], []
    for number in range(chance.randrange(1, 7)):
        times = sorted(chance.choices(range(40), k=chance.randrange(40)))
        log = log_of(*times)
        at = [chance.randrange(len(log) + 1) for _ in range(chance.randrange(9))]
        several.append(rows_of(cut(log, at), most_bytes=chance.choice((1, 99, 999)), most_pieces=3))
        lines = log.splitlines(keepends=True)
        for line, (time, text) in enumerate(zip(times, lines, strict=True)):
            expected.append((time, number, line, b"%d:%b" % (line + 1, text)))
    assert merged(*several) == b"".join(text for *_, text in sorted(expected))


def test_each_row_ends_where_it_is_said():
    several = [Log(rows_of([log_of(*times)])) for times in ((1, 3), (2,))]
    for rows in merge(several):
        assert [rows.text[end - 1 : end] for end in rows.ends] == [b"\n"] * len(rows.ends)


@pytest.mark.parametrize("most", [1, 100, 4096])
def test_it_is_said_which_log_a_run_of_rows_is_of_and_which_row_is_named(monkeypatch, most):
    monkeypatch.setattr("oslogserve.jobs.lines.MOST_MERGED", most)
    logs = [log_of(1, 2, 5).replace(b"line", b"a"), log_of(3, 4, 9).replace(b"line", b"b")]
    several = [Log(rows_of([logs[0]])), Log(rows_of([logs[1]], show=(b"L2",)))]
    found, named = [], []
    for rows in merge(several):
        starts = [0, *rows.run_ends]
        assert starts[-1] == len(rows.text)
        for begin, end, log in zip(starts, rows.run_ends, rows.run_logs, strict=False):
            found += [(log, row[-3:]) for row in rows.text[begin:end].splitlines()]
        assert not any(one == other for one, other in pairwise(rows.run_logs))
        if rows.named >= 0:
            named.append(rows.text.splitlines()[rows.named][-3:])
    assert found == [(0, b"a 0"), (0, b"a 1"), (1, b"b 0"), (1, b"b 1"), (0, b"a 2"), (1, b"b 2")]
    assert named == [b"b 1"]


def test_a_log_whose_rows_come_later_is_not_waited_for():
    def late():
        yield from rows_of([log_of(5)], level="ERROR")[:1]
        raise AssertionError("it was waited for")

    several = [Log(rows_of([log_of(1, 4)])), Log(late())]
    several[1].is_ready = False
    assert next(merge(several)).text.count(b"\n") == 2


def test_what_is_merged_is_passed_on_where_a_log_is_waited_for():
    several = [Log(rows_of([log_of(1), log_of(4)])) for _ in range(2)]
    several[0].is_ready = False
    assert next(merge(several)).text.count(b"\n") == 1


def test_the_logs_whose_rows_end_first_are_read_ahead(monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.lines.LOGS_AHEAD", 1)
    started = []
    rows = [rows_of([log_of(*times)]) for times in ((1, 9), (2, 3), (1, 5))]
    next(merge([Log(one, started, number) for number, one in enumerate(rows)]))
    assert list(dict.fromkeys(started)) == [1, 2, 0]


def test_rows_above_the_first_time_come_with_it():
    log = log_of(None, None, 7, 8)
    assert merged(rows_of([log]), rows_of([log_of(6, 7)])).split(b"\n")[1].startswith(b"1:INFO")


@pytest.mark.parametrize("size", [7, 40, 4096])
def test_rows_above_the_first_time_come_with_it_where_its_own_row_does_not(size):
    log = log_of(None, 7, 8)
    rows = rows_of(cut(log, range(size, len(log), size)), level="ERROR")
    reached = [one.reached for one in rows]
    assert reached == sorted(reached)
    assert reached[-1] == MICROS + 8 * 10**6


@pytest.mark.parametrize("size", [7, 40, 4096])
@pytest.mark.parametrize(("above", "is_timed"), [(2, True), (3, False)])
def test_what_waits_does_not_depend_on_how_a_log_is_cut(size, above, is_timed):
    log = log_of(*[None] * above, 7, 8)
    rows = rows_of(cut(log, range(size, len(log), size)), most_waiting=2 * len(b"1:INFO line 0\n"))
    assert (rows[-1].reached != UNTIMED) == is_timed
    first = merged(rows, rows_of([log_of(6, 7, 9)])).split(b"\n")[1]
    assert first.startswith(b"1:INFO") == is_timed


def test_rows_of_a_log_wait_for_its_first_time():
    first, *_ = rows_of([log_of(None), log_of(7)])
    assert (first.size, first.reached) == (0, NO_TIME)


def test_a_log_without_times_is_untimed():
    [*_, last] = rows_of([log_of(None, None)])
    assert last.reached == UNTIMED


def test_rows_are_taken_once():
    [rows, *_] = rows_of([log_of(1)])
    several = [Log([rows]), Log([rows])]
    with pytest.raises(ValueError, match="merged"):
        next(merge(several))


def test_rows_come_by_more_and_more_pieces():
    pieces = [log_of(second) for second in range(20)]
    size = len(b"1:") + len(pieces[0])
    sizes = [rows.size // size for rows in rows_of(pieces, most_bytes=10**6, most_pieces=4)]
    assert sizes == [1, 2, 4, 4, 4, 4, 1]
