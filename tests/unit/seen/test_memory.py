# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rules


class Full:
    """A database whose disk is full: it is read, and not written."""

    location, days, is_listed = "db", 21, True
    is_full = True

    def read(self):
        return "read"

    def write(self):
        if self.is_full:
            raise SourceError("seen", "database or disk is full")
        return "written"

    def close(self):
        pass


@pytest.fixture
def database():
    return Full()


@pytest.fixture
def memory(database):
    return Memory(database, Metrics(), Rules())


def told(capsys):
    return [line.partition(" oslogserve: ")[2] for line in capsys.readouterr().err.splitlines()]


def test_a_database_that_is_read_but_not_written_does_not_answer_again(memory, database, capsys):
    for _ in range(3):
        assert memory.ask_or("failed", Full.write, writes=True) == "failed"
        assert memory.ask(Full.read) == "read"
    [beginning] = told(capsys)
    assert beginning.startswith("seen fails in process ")
    assert "database or disk is full" in beginning
    database.is_full = False
    assert memory.ask(Full.write, writes=True) == "written"
    [end] = told(capsys)
    assert end.startswith("seen answers process ")
