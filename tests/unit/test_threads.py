# SPDX-License-Identifier: Apache-2.0
import ctypes
import subprocess
import sys
import threading
import time
from unittest.mock import Mock

import pytest

from oslogserve.threads import ARENAS, Bulkhead, Full, ThreadLimit

PATIENCE = 3.0
#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


class Waiting:
    """Threads that wait for places of a bulkhead, and give them back at once."""

    def __init__(self):
        self.served = []
        self.refused = []
        self._threads = []

    def enter(self, places, name):
        """Returns once it waits."""

        def run():
            try:
                places.enter()
            except Full:
                self.refused.append(name)
                return
            self.served.append(name)
            places.leave()

        before = len(places._limit.waiting)
        self._threads.append(threading.Thread(target=run))
        self._threads[-1].start()
        while len(places._limit.waiting) == before:
            time.sleep(0.001)

    def end(self):
        for thread in self._threads:
            thread.join(BOUND)
        return self.served, self.refused


@pytest.fixture
def waiting():
    return Waiting()


def test_whoever_waits_is_served_in_turn(waiting):
    places = Bulkhead(1, BOUND)
    places.enter()
    names = [*range(8)]
    for name in names:
        waiting.enter(places, name)
    places.leave()
    assert waiting.end() == (names, [])


def test_nobody_overtakes_those_who_wait(waiting):
    places = Bulkhead(1, BOUND)
    places.enter()
    waiting.enter(places, "first")
    places.leave()
    places.enter()
    waiting.served.append("second")
    places.leave()
    assert waiting.end() == (["first", "second"], [])


def test_nobody_waits_long_where_there_is_no_room_to_wait():
    places = Bulkhead(1, BOUND, ThreadLimit(1, 0.01))
    places.enter()
    with pytest.raises(Full):
        places.enter()


def test_the_last_ones_of_the_kind_that_waits_most_are_refused(waiting):
    limit = ThreadLimit(5, 0.1)
    summaries, logs = Bulkhead(1, BOUND, limit), Bulkhead(1, BOUND, limit)
    summaries.enter()
    for name in ("first", "second", "third"):
        waiting.enter(summaries, name)
    logs.enter()
    waiting.enter(logs, "log")
    while waiting.refused != ["third"]:
        time.sleep(0.001)
    summaries.leave()
    logs.leave()
    served, refused = waiting.end()
    assert (sorted(served), refused) == (["first", "log", "second"], ["third"])


def test_a_waiter_that_nobody_waits_for_gives_up():
    places = Bulkhead(1, BOUND)
    places.enter()
    with pytest.raises(ConnectionResetError):
        places.enter(look=Mock(side_effect=[None, ConnectionResetError]))
    assert not places._limit.waiting


def test_a_place_in_which_nothing_is_done_counts_as_free(clock):
    places = Bulkhead(1, PATIENCE)
    idle = []
    places.enter(lambda: bool(idle))
    clock.now += PATIENCE
    with pytest.raises(Full):
        places.enter()
    idle.append(True)
    places.enter()
    idle.clear()  # it goes on, and nobody else may enter until both have left
    clock.now += PATIENCE
    with pytest.raises(Full):
        places.enter()


def test_whoever_gave_up_makes_room_to_wait(clock):
    places = Bulkhead(1, PATIENCE, ThreadLimit(2))
    places.enter()
    clock.now += PATIENCE
    with pytest.raises(Full):
        places.enter()
    assert not places._limit.waiting


#: Eight threads that hold memory of their C library at once; then it says what arenas it has.
PROGRAM = """
import ctypes, threading
{first}
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = (ctypes.c_int, ctypes.c_void_p)
libc.fflush.argtypes = (ctypes.c_void_p,)
barrier = threading.Barrier(8)
def allocate():
    libc.malloc(50_000)
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, out)
libc.fflush(out)
"""
SHARING = "from oslogserve.threads import set_up_malloc; set_up_malloc()"


def arenas(first=""):
    command = [sys.executable, "-c", PROGRAM.format(first=first)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.count(
        "<heap "
    )


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="not glibc")
def test_no_thread_keeps_an_arena_of_memory_that_others_cannot_use():
    assert arenas() > ARENAS
    assert arenas(SHARING) <= ARENAS
