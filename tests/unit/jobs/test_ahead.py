# SPDX-License-Identifier: Apache-2.0
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import pytest

from oslogserve.jobs.ahead import NICER, Ahead, pool_of, started


class Values:
    """A value that is made once it may be."""

    def __init__(self):
        self.at_work, self.may_go_on, self.closed = (threading.Event() for _ in range(3))

    def made(self):
        try:
            self.at_work.set()
            self.may_go_on.wait()
            yield 1
        finally:
            self.closed.set()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_all_values_come_in_their_order(pool):
    assert list(Ahead(pool, iter(range(9)), nullcontext)) == list(range(9))


def test_threads_that_read_a_jobs_logs_yield_to_all_others():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with pool_of("disk") as pool:
        assert pool.submit(niceness).result() == min(niceness() + NICER, 19)


def test_what_is_raised_is_raised_where_it_is_taken(pool):
    def values():
        yield 1
        raise ValueError("x")

    ahead = Ahead(pool, values(), nullcontext)
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="x"):
        next(ahead)


def test_each_value_is_made_in_a_context_of_its_thread(pool):
    made = []

    @contextmanager
    def working():
        made.append(("began", threading.get_ident()))
        yield
        made.append(("ended", threading.get_ident()))

    def values():
        for number in range(3):
            made.append((number, threading.get_ident()))
            yield number

    assert list(Ahead(pool, values(), working)) == [0, 1, 2]
    assert [what for what, _ in made[:6]] == ["began", 0, "ended", "began", 1, "ended"]
    threads = [thread for _, thread in made]
    assert threads[0] == threads[1] == threads[2]
    assert threading.get_ident() not in threads


def test_values_are_closed_behind_the_one_that_is_being_made(pool):
    values = Values()
    ahead = Ahead(pool, values.made(), nullcontext)
    ahead.start()
    values.at_work.wait()
    ahead.close()
    assert not values.closed.is_set()
    values.may_go_on.set()
    assert values.closed.wait(10)
    ahead.close()
    assert list(ahead) == []


def test_an_interrupted_wait_leaves_what_is_being_made_to_be_closed(pool, monkeypatch):
    values = Values()

    def interrupted(_):
        values.at_work.wait()
        raise KeyboardInterrupt

    ahead = Ahead(pool, values.made(), nullcontext)
    monkeypatch.setattr(Future, "result", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            next(ahead)
        ahead.close()
    finally:
        values.may_go_on.set()
    assert values.closed.wait(10)


def test_only_the_next_ones_are_started(pool):
    begun = []

    def several():
        for number in range(5):
            begun.append(number)
            yield Ahead(pool, iter([number]), nullcontext)

    ready = started(several(), 2)
    assert list(next(ready)) == [0]
    assert begun == [0, 1, 2]
    assert [list(one) for one in ready] == [[1], [2], [3], [4]]


def test_the_next_value_may_wait_until_it_is_asked_for(pool):
    made = []
    ahead = Ahead(pool, (made.append(n) or n for n in range(9)), nullcontext, is_eager=False)
    assert (next(ahead), made, ahead.is_ready) == (0, [0], False)
    ahead.start()
    assert (next(ahead), made) == (1, [0, 1])
