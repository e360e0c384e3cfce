# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.places import moment_of, nearest
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.time_range import time_range
from tests.kit.open_logs import open_log

RENDERER = Renderer()
#: 2014-05-13.
WRITTEN = 1_400_000_000
LOG = (
    b"begins\n"
    b"2013-09-27 18:22:11.248 INFO a\n"
    b"  goes on\n"
    b"2013-09-27 18:22:12.000 INFO b\n"
    b"12:00:00 INFO a time of day alone\n"
    b"2013-09-27 18:22:14.000 INFO c\n"
)


def found(moment, log=LOG, anchor=b"_"):
    opened = open_log(log[:100], log[100:], modified=WRITTEN)
    return nearest(opened, RENDERER, anchor, time_range(moment))


@pytest.mark.parametrize(
    ("moment", "number", "micros"),
    [
        ("2013-09-27T18:22:11.248", 2, 0),
        ("2013-09-27T18:22:11.209", 2, 39_000),
        ("2013-09-26", 2, 152_531_248_000),
        ("2013-09-27T18:22:11.5", 2, -252_000),
        ("2013-09-27T18:22:11.7", 4, 300_000),
        ("2013-09-27T18:22:12.999", 4, -999_000),
        ("2013-09-27T18:22:13.001", 6, 999_000),
        ("2013-09-27T18:22:15", 6, -1_000_000),
    ],
)
def test_the_nearer_of_the_lines_before_and_after_is_found(moment, number, micros):
    assert found(moment) == (number, micros)


def test_a_line_of_that_time_below_a_later_one_is_found():
    log = LOG + b"2013-09-27 18:22:10.000 INFO set back\n"
    assert found("2013-09-27T18:22:10", log, b"_2013-09-27_18_22_10_000") == (7, 0)


@pytest.mark.parametrize("log", [b"", b"no time\n", b"12:00:00 INFO x\n"])
def test_without_a_dated_line_there_is_none(log):
    assert found("2013-09-27", log) is None


@pytest.mark.parametrize(
    ("anchor", "text"),
    [
        (b"_2013-09-27_18_22_11_248", "2013-09-27T18:22:11.248"),
        (b"_2013-09-27T18_22_11Z", "2013-09-27T18:22:11"),
        (b"_Sep_27_18_22_11", "2013-09-27T18:22:11"),
        (b"_2013-09-27_06_22_11_PM", "2013-09-27T18:22:11"),
        (b"_Mar__8_12_20_42_377230", "2014-03-08T12:20:42.377230"),
    ],
)
def test_a_dated_anchor_names_a_moment(anchor, text):
    assert moment_of(anchor, RENDERER, WRITTEN) == time_range(text)


@pytest.mark.parametrize(
    "anchor", [b"L12", b"_Sep_31_18_22_11", b"_2013-13-27_18_22_11", b"_18_22_11"]
)
def test_another_anchor_names_none(anchor):
    assert moment_of(anchor, RENDERER, WRITTEN) is None
