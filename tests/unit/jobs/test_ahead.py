# SPDX-License-Identifier: Apache-2.0
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from oslogserve.jobs.ahead import Ahead, started


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_all_values_come_in_their_order(pool):
    assert list(Ahead(pool, iter(range(9)), lambda: None)) == list(range(9))


def test_what_is_raised_is_raised_where_it_is_taken(pool):
    def values():
        yield 1
        raise ValueError("x")

    ahead = Ahead(pool, values(), lambda: None)
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="x"):
        next(ahead)


def test_each_value_is_begun_in_the_thread_that_makes_it(pool):
    begun, made = [], []

    def values():
        for number in range(3):
            made.append(threading.get_ident())
            yield number

    assert list(Ahead(pool, values(), lambda: begun.append(threading.get_ident()))) == [0, 1, 2]
    assert begun[:3] == made
    assert threading.get_ident() not in begun


def test_values_are_closed_behind_the_one_that_is_being_made(pool):
    at_work, may_go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def values():
        try:
            at_work.set()
            may_go_on.wait()
            yield 1
        finally:
            closed.set()

    ahead = Ahead(pool, values(), lambda: None)
    ahead.start()
    at_work.wait()
    ahead.close()
    assert not closed.is_set()
    may_go_on.set()
    assert closed.wait(10)
    ahead.close()
    assert list(ahead) == []


def test_only_the_next_ones_are_started(pool):
    begun = []

    def several():
        for number in range(5):
            begun.append(number)
            yield Ahead(pool, iter([number]), lambda: None)

    ready = started(several(), 2)
    assert list(next(ready)) == [0]
    assert begun == [0, 1, 2]
    assert [list(one) for one in ready] == [[1], [2], [3], [4]]
