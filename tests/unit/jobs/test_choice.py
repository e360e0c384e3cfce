# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

from oslogserve.errors import Incomplete, SourceError
from oslogserve.jobs import choice
from oslogserve.jobs.choice import Limits, chosen
from oslogserve.jobs.walk import Walk
from oslogserve.query import Query
from tests.kit.open_logs import FakeSource

LIMITS = Limits(logs=2, stored=2**30, unasked=2**30)


def media_type(name):
    return "a picture" if name.endswith(".png") else None


def test_the_names_of_skipped_files_have_a_limit_and_the_others_are_counted(monkeypatch):
    monkeypatch.setattr(choice, "MOST_SKIPPED", 10_000)
    names = [b"%03d" % number + b"x" * 997 for number in range(300)]
    for view in ("jsonl", "overview"):
        found = chosen(
            Query(b"job", True, format=view),
            Walk([FakeSource("disk", names=names)], b"job"),
            LIMITS,
            media_type,
        )
        assert (found.files, len(found.skipped)) == ([], 10)
        assert [str(one) for one in found.missing] == [
            "logs with names of more than 512 bytes are left out",
            "290 more files were not read, and are not listed",
        ]


def test_zuuls_report_is_listed_behind_very_many_names(monkeypatch):
    monkeypatch.setattr(choice, "MOST_SKIPPED", 10)
    names = [*(b"a%d.png" % number for number in range(9)), b"job-output.json"]
    walk = Walk([FakeSource("disk", names=names)], b"job")
    found = chosen(Query(b"job", True, format="overview"), walk, LIMITS, lambda name: "no log")
    assert [one.name for one in found.skipped] == ["a0.png", "job-output.json"]


def test_a_source_that_fails_is_told_by_an_answer_that_leaves_logs_to_the_next():
    ill = FakeSource("swift", names=SourceError("swift", "it is ill"))
    walk = Walk([FakeSource("disk", names=[b"a", b"b", b"c", b"d"]), ill], b"job")
    found = chosen(Query(b"job", True, format="jsonl"), walk, LIMITS, media_type)
    assert found.next_log == b"c"
    assert [error.reason for error in found.missing] == ["capped", "failed"]
    assert "it is ill" in str(found.missing[1])
    assert not found.has_all


def test_comparing_names_with_patterns_is_paid_for():
    compared = SimpleNamespace(names=0)

    def counted(name):
        compared.names += 1

    def charge():
        if compared.names == 5:
            raise Incomplete("budget", "its time is over")

    names = [b"%03d" % number for number in range(300)]
    walk = Walk([FakeSource("disk", names=names)], b"job", charge=charge)
    found = chosen(Query(b"job", True, format="overview"), walk, LIMITS, counted)
    assert compared.names == 5
    assert "its time is over" in [str(one) for one in found.missing]
