# SPDX-License-Identifier: Apache-2.0
import json
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from oslogserve.lines.grammar.severities import RANKS
from oslogserve.lines.grammar.times import Clock
from oslogserve.lines.pure.recognise import Seen
from oslogserve.lines.pure.select import Gap, Line
from oslogserve.lines.pure.split import RestOfLine
from oslogserve.lines.pure.totals import (
    LONGEST_ERROR,
    MOST_BUCKETS,
    MOST_ERRORS,
    WIDTHS,
    Summary,
)
from oslogserve.lines.summary import as_json

WRITTEN = 1_400_000_000  # May 2014


def line(number, time=b"", own=b"", role=b""):
    seen = Seen(0, len(time), own, time)
    return Line(number, time + b" x\n", seen, RANKS[(own or b"NONE").decode()], role)


def error(number, time):
    return {"line": number, "time": time.replace(" ", "T"), "text": f"{time} x"}


def summary_of(*shown):
    return json.loads(as_json(Summary(Clock(WRITTEN)).of(shown)))


def test_a_log_in_figures():
    assert summary_of(
        line(1),
        line(2, b"2013-09-27 18:22:11.248", b"INFO"),
        line(3),
        Gap(4, 811),
        line(812, b"2013-09-27 18:22:11.249", b"ERROR"),
        RestOfLine(b"more\n"),
        line(813, b"2013-09-27 18:22:12.500", b"ERROR", b"context"),
    ) == {
        "first_time": "2013-09-27T18:22:11.248",
        "last_time": "2013-09-27T18:22:12.500",
        "errors": [
            error(812, "2013-09-27 18:22:11.249"),
            error(813, "2013-09-27 18:22:12.500"),
        ],
        "severities": {
            "NONE": {"count": 2, "first_line": 1},
            "INFO": {"count": 1, "first_line": 2},
            "ERROR": {"count": 2, "first_line": 812},
        },
        "histogram": {
            "seconds": 0.01,
            "buckets": [
                {
                    "time": "2013-09-27T18:22:11.24",
                    "first_line": 2,
                    "severities": {"NONE": 1, "INFO": 1, "ERROR": 1},
                },
                {
                    "time": "2013-09-27T18:22:12.50",
                    "first_line": 813,
                    "severities": {"ERROR": 1},
                },
            ],
        },
    }


def test_nothing_in_figures():
    assert summary_of() == {
        "first_time": None,
        "last_time": None,
        "errors": [],
        "severities": {},
        "histogram": {"seconds": 0.01, "buckets": []},
    }


@pytest.mark.parametrize("count", [1, MOST_ERRORS, 2 * MOST_ERRORS, 5 * MOST_ERRORS])
def test_of_many_errors_the_first_and_the_last_are_held(count):
    errors = summary_of(*(line(number, own=b"ERROR") for number in range(1, count + 1)))["errors"]
    numbers = list(range(1, count + 1))
    held = numbers if count <= 2 * MOST_ERRORS else numbers[:MOST_ERRORS] + numbers[-MOST_ERRORS:]
    assert [one["line"] for one in errors] == held


def test_an_error_has_the_time_above_it_and_a_text_without_colours_and_of_bounded_length():
    long = b"\x1b[31m" + b"x" * 2 * LONGEST_ERROR + b"\r\n"
    shown = line(2, own=b"CRITICAL")._replace(text=long)
    [error] = summary_of(line(1, b"2013-09-27 18:22:11"), shown)["errors"]
    assert error == {"line": 2, "time": "2013-09-27T18:22:11", "text": "x" * LONGEST_ERROR}


def test_first_and_last_are_of_the_log_and_buckets_are_of_the_clock():
    summary = summary_of(line(1, b"2013-09-27 18:22:12"), line(2, b"2013-09-27 18:22:11"))
    assert summary["first_time"] > summary["last_time"]
    assert [bucket["time"][-2:] for bucket in summary["histogram"]["buckets"]] == ["11", "12"]


def test_what_is_no_date_is_said_and_has_no_bucket():
    summary = summary_of(line(1, b"1.500000"), line(2, b"2.500000"))
    assert (summary["first_time"], summary["last_time"]) == ("1.500000", "2.500000")
    assert summary["histogram"]["buckets"] == []
    assert summary["severities"]["NONE"]["count"] == 2


def test_a_time_that_cannot_be_is_none():
    summary = summary_of(line(1, b"2013-02-31 00:00:00"))
    assert summary["first_time"] is None
    assert summary["histogram"]["buckets"] == []


def test_times_are_on_the_lines_own_clock():
    [bucket] = summary_of(line(1, b"2013-09-27T18:22:11+02:00"))["histogram"]["buckets"]
    assert bucket["time"] == "2013-09-27T18:22:11"


def test_each_width_is_a_multiple_of_the_one_before():
    assert all(wide % narrow == 0 and wide > narrow for narrow, wide in pairwise(WIDTHS))


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("width", WIDTHS[:-1])
def test_buckets_become_wider_as_the_log_becomes_longer(width, order):
    step = timedelta(microseconds=width)
    begin = datetime(1970, 1, 1)
    for count, wider in ((MOST_BUCKETS, 0), (MOST_BUCKETS + 1, 1)):
        if count * step > datetime.max - begin:
            return
        times = [begin + n * step for n in range(count)][::order]
        stamps = (f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond:06}".encode() for time in times)
        summary = summary_of(*(line(n, stamp) for n, stamp in enumerate(stamps)))
        histogram = summary["histogram"]
        assert histogram["seconds"] == WIDTHS[WIDTHS.index(width) + wider] / 10**6
        assert sum(bucket["severities"]["NONE"] for bucket in histogram["buckets"]) == count
        assert len(histogram["buckets"]) <= MOST_BUCKETS


def test_all_times_that_there_are_fit():
    summary = summary_of(line(1, b"0001-01-01 00:00:00"), line(2, b"9999-12-31 23:59:59"))
    buckets = summary["histogram"]["buckets"]
    assert len(buckets) == 2
    assert buckets[0]["time"] == "0001-01-01T00:00:00"
    assert summary["histogram"]["seconds"] == WIDTHS[-1] / 10**6
