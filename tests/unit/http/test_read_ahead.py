# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

from oslogserve.http.read_ahead import MOST_READY, PIECES_WITHOUT_THREAD, ReadAhead

#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


class Made:
    """Pieces one after the other, and who closed them."""

    def __init__(self, count, error=None):
        self.closed_by = []
        self.given = 0
        self.ahead = ReadAhead(self.pieces(count, error), self.on_close)
        self.has_closed = threading.Event()

    def pieces(self, count, error):
        for number in range(count):
            self.given += 1
            yield b"%d" % number
        if error is not None:
            raise error

    def on_close(self):
        self.closed_by.append(threading.current_thread())
        self.has_closed.set()


@pytest.mark.parametrize(
    "count", [0, 1, PIECES_WITHOUT_THREAD - 1, PIECES_WITHOUT_THREAD, PIECES_WITHOUT_THREAD + 1, 20]
)
def test_all_pieces_come_in_their_order(count):
    made = Made(count)
    assert list(made.ahead) == [b"%d" % number for number in range(count)]
    assert list(made.ahead) == []
    made.ahead.close()
    made.ahead.close()
    assert made.closed_by == [threading.current_thread()]


@pytest.mark.parametrize("count", [0, PIECES_WITHOUT_THREAD, PIECES_WITHOUT_THREAD + 1, 20])
def test_what_broke_it_off_is_raised_behind_the_last_piece(count):
    made = Made(count, OSError("gone"))
    came = [next(made.ahead) for _ in range(count)]
    assert len(came) == count
    with pytest.raises(OSError, match="gone"):
        next(made.ahead)
    made.ahead.close()
    assert len(made.closed_by) == 1


@pytest.mark.parametrize("read", [0, 1, PIECES_WITHOUT_THREAD])
def test_closed_before_it_is_worth_a_thread_it_makes_no_more(read):
    made = Made(20)
    for _ in range(read):
        next(made.ahead)
    made.ahead.close()
    assert made.given == read
    assert made.closed_by == [threading.current_thread()]


def test_closed_at_work_the_thread_at_work_closes_what_it_reads_from():
    made = Made(1000)
    for _ in range(PIECES_WITHOUT_THREAD + 1):
        next(made.ahead)
    made.ahead.close()
    assert made.has_closed.wait(BOUND)
    assert len(made.closed_by) == 1
    assert made.closed_by[0] is not threading.current_thread()
    assert made.given <= PIECES_WITHOUT_THREAD + 1 + MOST_READY + 1


def test_closing_does_not_wait_for_a_source_that_hangs():
    goes_on = threading.Event()
    closed = threading.Event()

    def hanging():
        yield from [b"piece"] * (PIECES_WITHOUT_THREAD + 1)
        goes_on.wait(BOUND)
        yield b"late"

    ahead = ReadAhead(hanging(), closed.set)
    for _ in range(PIECES_WITHOUT_THREAD + 1):
        next(ahead)
    ahead.close()
    assert not closed.is_set()
    goes_on.set()
    assert closed.wait(BOUND)


def test_no_more_than_is_bounded_is_made_ahead():
    made = Made(1000)
    for _ in range(PIECES_WITHOUT_THREAD + 1):
        next(made.ahead)
    for _ in range(100):
        next(made.ahead)
        assert made.given <= made.ahead._taken + MOST_READY
    made.ahead.close()
    assert made.has_closed.wait(BOUND)
