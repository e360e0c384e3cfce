# SPDX-License-Identifier: Apache-2.0
import threading
from types import SimpleNamespace

import pytest

from oslogserve.sources import bulkhead
from oslogserve.sources.bulkhead import Bulkhead, Full

PATIENCE = 3.0
#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(bulkhead, "time", clock)
    return clock


def test_nobody_waits_long_where_there_is_no_room_to_wait(clock):
    places = Bulkhead(1, PATIENCE, threading.Semaphore(0), 0.01)
    places.enter()
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
