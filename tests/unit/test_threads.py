# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

from oslogserve.threads import Bulkhead, Full

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
