# SPDX-License-Identifier: Apache-2.0
from datetime import UTC, datetime
from io import BytesIO

import pytest
from subunit import StreamResultToBytes

from oslogserve.jobs.reports import MOST_PARTS, MOST_TESTS, FailedTest, failed_tests, most


def of_junit(content):
    return failed_tests("logs/junit.xml", content)


def of_subunit(content):
    return failed_tests("logs/testrepository.subunit.gz", content)


REPORT = b"""<?xml version="1.0"?>
<testsuites><testsuite name="x">
<testcase classname="a.B" name="fine"/>
<testcase classname="a.B" name="bad"><failure message="1 != 2">trace</failure></testcase>
<testcase name="worse"><error>
Traceback
  more</error></testcase>
<testcase name="left out"><skipped/></testcase>
</testsuite></testsuites>"""


def test_the_tests_that_failed_are_named():
    assert of_junit(REPORT) == [
        FailedTest("a.B.bad", "1 != 2"),
        FailedTest("worse", "Traceback"),
    ]


def test_of_a_damaged_report_what_stands_before_is_told():
    cut = REPORT[: REPORT.index(b"worse")]
    assert [test.name for test in of_junit(cut)] == ["a.B.bad"]


def test_no_more_tests_are_named_than_are_read():
    one = b'<testcase name="x"><failure/></testcase>'
    assert len(of_junit(b"<testsuite>" + one * 99 + b"</testsuite>")) == MOST_TESTS


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"no xml", b"<html></html>"),
        b'<!DOCTYPE x [<!ENTITY a "b">]><testcase name="&a;"><failure/></testcase>',
    ],
)
def test_what_is_no_report_names_no_test(content):
    assert of_junit(content) == []


def test_a_report_of_very_many_elements_is_not_taken_apart():
    many = b"<a>" * (MOST_PARTS + 1) + b'<testcase name="x"><failure/></testcase>'
    assert of_junit(many) == []


MOMENT = datetime(2026, 3, 4, 18, 22, 11, tzinfo=UTC)
TRACEBACK = b"Traceback (most recent call last):\n  File x\nValueError: <boom>\n"


def subunit(*packets):
    stream = BytesIO()
    result = StreamResultToBytes(stream)
    for packet in packets:
        result.status(timestamp=MOMENT, **packet)
    return stream.getvalue()


def failing(name):
    return (
        {"test_id": name, "file_name": "traceback", "file_bytes": TRACEBACK[:20]},
        {"test_id": name, "file_name": "traceback", "file_bytes": TRACEBACK[20:]},
        {"test_id": name, "file_name": "traceback", "file_bytes": b"", "eof": True},
        {"test_id": name, "test_status": "fail"},
    )


FINE = {"test_id": "a.B.fine", "test_status": "success"}
BAD = FailedTest("a.B.bad", "ValueError: <boom>", "2026-03-04T18:22:11+00:00")


def test_a_subunit_stream_names_the_tests_that_failed_and_when():
    worse = {"test_id": "worse", "test_status": "fail"}
    assert of_subunit(subunit(FINE, *failing("a.B.bad"), FINE, worse)) == [
        BAD,
        FailedTest("worse", "", BAD.time),
    ]


def test_of_a_damaged_subunit_stream_what_stands_before_is_told():
    whole, later = subunit(*failing("a.B.bad")), subunit(*failing("later"))
    for damaged in (whole + later[:-20], whole + b"text" + later, whole + b"\xb3\x2f" + later):
        assert of_subunit(damaged) == [BAD]


def test_tests_that_run_at_once_have_their_own_messages():
    one, two = failing("a.B.bad"), failing("two")
    packets = [packet for pair in zip(one, two, strict=True) for packet in pair]
    assert of_subunit(subunit(*packets)) == [BAD, BAD._replace(name="two")]


def test_no_more_tests_of_a_subunit_stream_are_named_than_are_read():
    assert len(of_subunit(subunit(*failing("x")) * 99)) == MOST_TESTS


def test_a_subunit_stream_of_very_many_packets_is_not_read_to_its_end():
    assert of_subunit(subunit(FINE) * MOST_PARTS + subunit(*failing("late"))) == []


@pytest.mark.parametrize("content", [b"", b"\xb3" * 10_000, b"\xb3\x2f\xff" * 10_000, b"text"])
def test_what_is_no_subunit_stream_names_no_test(content):
    assert of_subunit(content) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("logs/testr_results.xml", True),
        ("testrepository.subunit", True),
        ("testrepository.subunit.gz", True),
        ("logs/subunit.txt", False),
        ("domain.xml", False),
    ],
)
def test_a_report_is_known_by_its_name(name, is_one):
    assert bool(most(name)) is is_one
