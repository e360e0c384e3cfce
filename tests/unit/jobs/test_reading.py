# SPDX-License-Identifier: Apache-2.0
"""One log of a job, and what is known of it while it is read."""

import pytest

from oslogserve.errors import Incomplete
from oslogserve.jobs.reading import Reader
from oslogserve.jobs.walk import File
from oslogserve.lines.renderer import Rendering
from oslogserve.lines.selection import Wanted
from oslogserve.logs.budget import Budget
from oslogserve.logs.open_log import Logs
from tests.kit.open_logs import FakeLog, FakeSource
from tests.kit.renderers import renderer

PIECE = b"2026-03-04 18:22:11 ERROR x\n" * 3000
LOG = File(b"a.log", None, None, "disk")
ROWS = Wanted("text", label=b"a.log:")


class BreakingOff(FakeLog):
    def __iter__(self):
        yield from self.chunks
        raise Incomplete("timeout", "Swift stopped answering")


@pytest.fixture
def reader():
    """Of a folder with a log that breaks off behind its third piece."""
    source = FakeSource("disk", {b"a.log": BreakingOff("disk", [PIECE] * 3)})
    return Reader(Logs(()), renderer(), [source], b"", Budget(60, 2**30))


@pytest.mark.parametrize("is_merged", [False, True])
def test_what_is_known_with_some_rows_stays_while_the_log_is_read_on(reader, is_merged):
    take = (lambda one: one.merged_rows(99, 1, 1)) if is_merged else Rendering.rows
    several = reader.read(LOG, ROWS._replace(by_time=is_merged), take)
    (rows, first), *_, (last, log) = several
    assert rows
    assert (first.source, first.missing, first.tally.lines) == ("disk", (), 0)
    assert last is None
    assert log.tally.lines == 3 * PIECE.count(b"\n")
    assert [error.reason for error in log.missing] == ["timeout"]
    assert not log.is_read_to_end


def test_a_summary_comes_with_what_is_known_at_the_logs_end(reader):
    read = reader.read(LOG, Wanted("summary"), lambda rendering: [rendering.summary()])
    [(summary, _), (last, log)] = read
    assert summary.severities["ERROR"].count == log.tally.lines
    assert [error.reason for error in log.missing] == ["timeout"]
    assert last is None


def test_a_log_that_is_gone_is_skipped(reader):
    [(rows, log)] = reader.read(LOG._replace(name=b"gone.log"), ROWS, Rendering.rows)
    assert rows is None
    assert log.skipped == "it was removed after it was listed"
