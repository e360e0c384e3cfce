# SPDX-License-Identifier: Apache-2.0
import ctypes
import subprocess
import sys
import threading

import pytest

from oslogserve.threads import ARENAS, Bulkhead, Full

PATIENCE = 3.0
#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


def test_nobody_waits_long_where_there_is_no_room_to_wait(clock):
    places = Bulkhead(1, PATIENCE, threading.Semaphore(0), 0.01)
    places.enter()
    with pytest.raises(Full):
        places.enter()


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
    room = threading.Semaphore(1)
    places = Bulkhead(1, PATIENCE, room)
    places.enter()
    clock.now += PATIENCE
    with pytest.raises(Full):
        places.enter()
    assert room.acquire(blocking=False)


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
