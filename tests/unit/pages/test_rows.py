# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.jobs.walk import File
from oslogserve.pages.rows import COLOURS, Mark, by_time, short_names


def row(label, number, text="x", more=""):
    return f"<li class=E><a href={label}#L{number}{more}>{number}</a>{text}\n".encode()


def files(*names):
    return {name.encode(): File(name.encode(), 1, None, "disk") for name in names}


ROWS = [
    row("a.txt", 1),
    row("a.txt", 2, "&lt;li&gt;&lt;a href=b.txt#L1&gt;"),
    row("x/a.txt", 3, '<a href="https://a.b/#L7">#L7</a>', " name=_18_22"),
    row("x/a.txt", 30),
    row("a.txt", 3),
]


def test_rows_are_the_same_however_they_come():
    logs = files("a.txt", "x/a.txt")
    whole = b"".join(by_time([b"".join(ROWS)], logs))
    assert b"".join(by_time(ROWS, logs)) == whole
    assert b"".join(by_time([b"".join(ROWS[:2]), b"", b"".join(ROWS[2:])], logs)) == whole
    without_names = re.sub(rb"</?ol[^>]*>\n?|<li class=name>.*\n", b"", whole)
    assert without_names == b"".join(ROWS)
    assert re.findall(
        rb'<ol class="b run log(\d)"><li class=name><a href="(.*)">(.*)</a>', whole
    ) == [*((b"0", b"a.txt", b"a.txt"), (b"1", b"x/a.txt", b"x/a"), (b"0", b"a.txt", b"a.txt"))]


def test_no_row_is_no_list():
    assert b"".join(by_time([], files("a.txt"))) == b""


def test_a_hostile_name_is_escaped_and_colours_come_again():
    labels = [f"{number}.txt" for number in range(COLOURS + 1)]
    logs = {one.encode(): File(f"<b>{one}\x1b".encode(), 1, None, "disk") for one in labels}
    page = b"".join(by_time([row(label, 1) for label in labels], logs))
    assert b"<b>" not in page
    assert b'<a href="0.txt">&lt;b&gt;0.txt\\x1b</a>' in page
    assert page.count(b'"b run log0"') == 2


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize(
    ("label", "number", "place"), [("a.txt", 3, 4), ("x/a.txt", 3, 2), ("x/a.txt", 30, 3)]
)
def test_the_moment_is_the_row_of_that_log_and_number(split, label, number, place):
    mark = Mark(label.encode(), number)
    marked = b"".join(mark.marked(ROWS if split else [b"".join(ROWS)])).splitlines(True)
    assert mark.is_shown
    assert [line for line in marked if b"id=moment" in line] == [marked[place]]
    assert marked[place].replace(b" id=moment aria-current=true", b"") == ROWS[place]


def test_a_moment_that_is_not_there_changes_nothing():
    mark = Mark(b"b.txt", 1)
    assert list(mark.marked(ROWS)) == ROWS
    assert not mark.is_shown


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["logs/n-cpu.txt.gz", "job-output.txt"], ["n-cpu", "job-output"]),
        (["logs/n-cpu.txt.zst", "job-output.txt"], ["n-cpu", "job-output"]),
        (["a/syslog.txt", "b/syslog.txt"], ["a/syslog", "b/syslog"]),
        (["syslog.txt", "a/syslog.txt"], ["syslog.txt", "a/syslog"]),
        (["a.txt", "a.log", "b/a.txt.gz"], ["a.txt", "a.log", "b/a"]),
        (["x/a.txt", "x/a.txt.gz"], ["a.txt", "a.txt.gz"]),
        ([".gz", "logs/.log", ""], [".gz", ".log", ""]),
        ([], []),
    ],
)
def test_a_short_name_is_as_short_as_no_other_log_has(names, short):
    assert [short_names(names)[name] for name in names] == short
