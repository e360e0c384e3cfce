# SPDX-License-Identifier: Apache-2.0
from contextlib import closing

import pytest

from oslogserve.errors import Incomplete, SourceError
from oslogserve.jobs import job
from oslogserve.jobs.job import Jobs
from oslogserve.jobs.walk import File
from oslogserve.logs.budget import Budget
from oslogserve.logs.open_log import Logs
from oslogserve.query import Query
from tests.kit.open_logs import FakeSource
from tests.kit.renderers import renderer


def opened(sources, view="overview", logs=None, budget=None):
    jobs = Jobs(logs or Logs(()), renderer(), (2, 2**30, 2**30))
    return jobs.open(Query(b"job", True, format=view), sources, budget or Budget())


@pytest.mark.parametrize("view", ["jsonl", "overview"])
def test_the_names_of_skipped_files_have_a_limit_and_the_others_are_counted(monkeypatch, view):
    monkeypatch.setattr(job, "MOST_SKIPPED", 10_000)
    names = [b"%03d" % number + b"x" * 997 for number in range(300)]
    found = opened([FakeSource("disk", names=names)], view)
    assert (found.files, len(found.skipped)) == ([], 10)
    assert [str(one) for one in found.missing] == [
        "logs with names of more than 512 bytes are left out",
        "290 more files were not read, and are not listed",
    ]


def test_zuuls_report_is_listed_behind_very_many_names(monkeypatch):
    monkeypatch.setattr(job, "MOST_SKIPPED", 10)
    names = [*(b"a%d.png" % number for number in range(9)), b"job-output.json"]
    found = opened([FakeSource("disk", names=names)])
    assert [name for name, _ in found.skipped] == ["a0.png", "job-output.json"]


def test_a_source_that_fails_is_told_by_an_answer_that_leaves_logs_to_the_next():
    ill = FakeSource("swift", names=SourceError("swift", "it is ill"))
    found = opened([FakeSource("disk", names=[b"a", b"b", b"c", b"d"]), ill], "jsonl")
    assert found.next_log == b"c"
    assert [error.reason for error in found.missing] == ["capped", "failed"]
    assert "it is ill" in str(found.missing[1])
    assert not found.ending([]).is_read_to_end


def test_comparing_names_with_patterns_is_paid_for():
    class Counted(Logs):
        names = 0

        def media_type(self, name, *_):
            self.names += 1

    class Paying(Budget):
        def charge(self, inflated=0):
            if logs.names == 5:
                raise Incomplete("budget", "its time is over")

    logs = Counted(())
    source = FakeSource("disk", names=[b"%03d" % number for number in range(300)])
    found = opened([source], logs=logs, budget=Paying())
    assert logs.names == 5
    assert "its time is over" in [str(one) for one in found.missing]


def test_the_only_value_of_a_log_leaves_nothing_open():
    closed = []

    def values():
        try:
            yield 1
        finally:
            closed.append(True)

    log = File(b"a", 1, 0.0, "disk")
    with closing(opened([FakeSource("disk", names=[])])) as empty:
        several = empty.read_each([(log, values()), (log, iter(()))])
        assert (next(several), closed) == (1, [True])
        assert [*several] == [None]
