# SPDX-License-Identifier: Apache-2.0
"""One log of a job, and what is known of it while it is read."""

import pytest

from oslogserve.errors import Incomplete
from oslogserve.jobs.job_log import PASSED_ON, JobLog, JobReader
from oslogserve.jobs.walk import File
from oslogserve.lines.selection import Selection
from oslogserve.logs.budget import Allowance, Budget
from oslogserve.logs.open_log import Logs
from tests.kit.renderers import renderer
from tests.unit.sources.fake import FakeLog, FakeSource

PIECE = b"2026-03-04 18:22:11 ERROR x\n" * (PASSED_ON // 20)


class BreakingOff(FakeLog):
    def __iter__(self):
        yield from self.chunks
        raise Incomplete("timeout", "Swift stopped answering")


@pytest.fixture
def log():
    """A log that breaks off behind its third piece."""
    source = FakeSource("disk", {b"a.log": BreakingOff("disk", [PIECE] * 3)})
    reader = JobReader(Logs(()), renderer(), [source], b"", Budget(Allowance(60, 2**30)))
    return JobLog(File(b"a.log", None, None, "disk"), Selection(), reader)


@pytest.mark.parametrize("is_merged", [False, True])
def test_what_is_known_with_some_rows_stays_while_the_log_is_read_on(log, is_merged):
    asked = "text", b"a.log:", b""
    first, *others = log.merged_rows(*asked, 1, None) if is_merged else log.rows(*asked)
    assert first.rows
    assert (first.log.source, first.log.missing, first.log.tally.lines) == ("disk", (), 0)
    last = others[-1]
    assert last.rows is None
    assert last.log.tally.lines == 3 * PIECE.count(b"\n")
    assert [error.reason for error in last.log.missing] == ["timeout"]
    assert not last.log.is_read_to_end


def test_a_summary_comes_with_what_is_known_at_the_logs_end(log):
    [(read, summary)] = log.summary()
    assert summary.severities["ERROR"].count == read.tally.lines
    assert [error.reason for error in read.missing] == ["timeout"]


def test_a_log_that_is_gone_is_skipped(log):
    *_, end = log._replace(file=log.file._replace(name=b"gone.log")).rows("text", b"a.log:", b"")
    assert end.log.skipped.why == "it was removed after it was listed"
