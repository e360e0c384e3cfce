# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.places import Moment, moment, time_of
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.time_range import time_range
from tests.kit.open_logs import open_log

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
    assert time_of(line, open_log(LOG), RENDERER) == time_range(time)


def test_above_the_first_date_a_line_has_no_time():
    assert time_of(1, open_log(LOG), RENDERER) is None
    assert time_of(9, open_log(b"12:00:00 x\n" * 9), RENDERER) is None


TRAVIS = b"""Build image provisioning date and time\x1b[0m\r
Tue Dec  5 20:11:19 UTC 2017\r
 Built:        Tue Sep 26 22:41:20 2017\r
travis_time:start:01a4a85e\r\x1b[0K$ git clone\r
Cloning into 'a'...\r
travis_time:end:01a4a85e:start=1564428937228528700,finish=1564428938268450526,duration=1\r\x1b[0K$ make\r
"""


@pytest.mark.parametrize("line", [1, 2, 3, 4, 5])
def test_dates_of_versions_and_images_are_no_times_of_a_job(line):
    assert time_of(line, open_log(TRAVIS), RENDERER) is None


@pytest.mark.parametrize("line", [6, 7, 2500])
def test_lines_behind_a_command_of_travis_have_the_time_at_which_it_finished(line):
    found = time_of(line, open_log(TRAVIS + b"cc a.c\r\n" * 3000), RENDERER)
    assert found is not None
    assert found.first == 1564428938268450


def test_a_date_alone_is_that_of_the_thing_above_wherever_the_log_is_cut(rendered):
    lines = b"Image creation date:\n", b"Tue Dec  5 20:11:19 UTC 2017\n", b"x\n"
    log = b"".join(lines)
    whole = rendered([log], "jsonl")
    assert whole.count(b'"time": null') == 3
    for at in range(len(log)):
        assert rendered([log[:at], log[at:]], "jsonl") == whole
    unended = lines[0], lines[1].rstrip()
    assert rendered(unended, "jsonl") == rendered([b"".join(unended)], "jsonl")
    assert rendered([b"Start:\n" + lines[1]], "jsonl").count(b"2017-12-05T20:11:19") == 1
    assert rendered([lines[0] + b"\n" + lines[1]], "jsonl").count(b"2017-12-05T20:11:19") == 1
