# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.places import Moment, moment, time_of
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.time_range import time_range

RENDERER = Renderer()
LOG = (
    b"begins\n"
    b"2013-09-27 18:22:11.248 DEBUG a\n"
    b"  goes on\n"
    b"12:00:00 INFO a time of day alone\n"
    b"2013-09-27T20:22:14+02:00 INFO c\n"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("17", Moment(b"", 17)),
        ("L17", Moment(b"", 17)),
        ("a.txt:17", Moment(b"a.txt", 17)),
        ("logs/12:30:5", Moment(b"logs/12:30", 5)),
        ("a\n\udcff.gz:L9", Moment(b"a\n\xff.gz", 9)),
    ],
)
def test_a_moment_is_a_line_of_a_log(text, found):
    assert moment(text) == found
    assert not found.log or moment(found.value.decode("utf-8", "surrogateescape")) == found


@pytest.mark.parametrize(
    "text", ["", "0", "a.txt", ":1", "a.txt:", "1-2", "9" * 13, "x" * 1001 + ":1"]
)
def test_what_names_no_line_is_refused(text):
    with pytest.raises(ValueError, match="a line's number"):
        moment(text)


@pytest.mark.parametrize(
    ("line", "time"),
    [
        (2, "2013-09-27T18:22:11.248"),
        (3, "2013-09-27T18:22:11.248"),
        (4, "2013-09-27T18:22:11.248"),
        (5, "2013-09-27T20:22:14+02:00"),
        (99, "2013-09-27T20:22:14+02:00"),
    ],
)
def test_a_line_has_the_time_of_the_last_one_with_a_date(line, time):
    assert time_of(line, lambda: [LOG], RENDERER, None) == time_range(time)


def test_above_the_first_date_a_line_has_no_time():
    assert time_of(1, lambda: [LOG], RENDERER, None) is None
    assert time_of(9, lambda: [b"12:00:00 x\n" * 9], RENDERER, None) is None
