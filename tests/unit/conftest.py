# SPDX-License-Identifier: Apache-2.0
import gc
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from oslogserve.seen.memory import Memory

TMPFS = "/dev/shm"


def pytest_collection_finish():
    """Thousands of tests stay till the end: the collector need not walk them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def close_databases(monkeypatch):
    """Closes those of a test's applications: a server's process keeps its own until it ends."""
    opened = []
    make = Memory.__init__

    def note(memory, *given):
        make(memory, *given)
        opened.append(memory)

    monkeypatch.setattr(Memory, "__init__", note)
    yield
    for memory in opened:
        memory.close()


@pytest.fixture
def any_time():
    """A folder whose files may be of any time: ext4 and its like end with the year 2446."""
    if not Path(TMPFS).is_dir():
        pytest.skip(f"{TMPFS} is not there")
    with tempfile.TemporaryDirectory(dir=TMPFS) as name:
        yield Path(name)


@pytest.fixture
def clock(monkeypatch):
    """The monotonic clock, which goes on where a test says so."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    return clock
