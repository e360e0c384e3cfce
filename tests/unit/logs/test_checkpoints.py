# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import Incomplete
from oslogserve.logs import checkpoints
from oslogserve.logs.checkpoints import Checkpoints

LOG = bytes(range(256)) * 4
INTERVAL = 100
SIZES = (1, 7, 99, 100, 101, 250, 5000)


@pytest.fixture(autouse=True)
def short_interval(monkeypatch):
    monkeypatch.setattr(checkpoints, "INTERVAL", INTERVAL)


def cut(log, size):
    return [log[at : at + size] for at in range(0, len(log), size)]


def counted(log=LOG, size=7):
    found = Checkpoints()
    assert b"".join(found.counting(cut(log, size))) == log
    return found


RANGES = [(0, 1), (0, 100), (99, 101), (100, 200), (350, 777), (1000, 1024), (0, len(LOG))]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("first", "end"), RANGES)
@pytest.mark.parametrize("log", [LOG, LOG[:1000]])
def test_a_range_is_the_same_however_the_log_is_cut(log, first, end, size):
    first, end = min(first, len(log) - 1), min(end, len(log))
    pieces = list(counted(log).checked_range(first, end, cut(log, size)))
    assert b"".join(pieces) == log[first:end]
    assert all(pieces)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("first", "end"), RANGES)
def test_no_altered_byte_of_a_range_goes_without_a_word(first, end, size):
    for at in {first, (first + end) // 2, end - 1}:
        altered = LOG[:at] + bytes([LOG[at] ^ 1]) + LOG[at + 1 :]
        with pytest.raises(Incomplete, match="not the same"):
            list(counted().checked_range(first, end, cut(altered, size)))


def test_nothing_is_read_beyond_the_next_checkpoint():
    pieces = iter(cut(LOG, 50))
    assert b"".join(counted().checked_range(10, 20, pieces)) == LOG[10:20]
    assert b"".join(pieces) == LOG[INTERVAL:]


def test_a_log_that_ends_before_the_checkpoint_is_told():
    with pytest.raises(Incomplete, match="not the same"):
        list(counted().checked_range(0, 10, [LOG[:50]]))


def test_what_was_appended_since_is_not_looked_at():
    assert b"".join(counted().checked_range(1000, 1024, [LOG + b"more"])) == LOG[1000:]
