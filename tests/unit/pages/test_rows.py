# SPDX-License-Identifier: Apache-2.0
import re
from itertools import accumulate

import pytest

from oslogserve.jobs.lines import Slice
from oslogserve.lines.selection import Rows
from oslogserve.pages.job import COLOURS, rows, short_names

#: Rows of two logs by time, as runs: a log, and its rows.
RUNS = [(0, [b"<li>a1\n", b"<li>a2\n"]), (1, [b"<li>b1\n"]), (0, [b"<li>a3\n"]), (1, [b"<li>b2\n"])]
LOGS = [("a.txt", "a.txt"), ("x/a.txt", "x/a.txt")]


def merged(runs):
    """A slice of these runs."""
    ends = [*accumulate(len(row) for _, texts in runs for row in texts)]
    run_ends = [*accumulate(sum(map(len, texts)) for _, texts in runs)]
    text = b"".join(row for _, texts in runs for row in texts)
    logs = [log for log, _ in runs]
    return Slice(Rows(text, ends, (), run_ends=run_ends, run_logs=logs), 0, len(ends))


def page(*slices, logs=LOGS):
    return b"".join(rows(slices, logs, True, []))


def test_rows_stand_below_the_names_of_their_logs():
    assert re.findall(
        rb'<ol class="b run log(\d)"><li class=name><a href="(.*)">(.*)</a>\n([^.]*?)</ol>\n',
        page(merged(RUNS)),
    ) == [
        (b"0", b"a.txt", b"a.txt", b"<li>a1\n<li>a2\n"),
        (b"1", b"x/a.txt", b"x/a", b"<li>b1\n"),
        (b"0", b"a.txt", b"a.txt", b"<li>a3\n"),
        (b"1", b"x/a.txt", b"x/a", b"<li>b2\n"),
    ]


def test_rows_are_the_same_however_they_come():
    whole, one = page(merged(RUNS)), merged(RUNS)
    assert page(*(merged([run]) for run in RUNS)) == whole
    for at in range(1, 5):
        assert page(one._replace(end=at), one._replace(first=at)) == whole
        assert page(one._replace(first=at, end=at + 1)).count(b"<li>") == 1
    assert page() == b""


def test_a_hostile_name_is_escaped_and_colours_come_again():
    logs = [(f"{number}.txt", f"<b>{number}.txt\x1b") for number in range(COLOURS + 1)]
    found = page(merged([(number, [b"<li>x\n"]) for number in range(COLOURS + 1)]), logs=logs)
    assert b"<b>" not in found
    assert b'<a href="0.txt">&lt;b&gt;0.txt\\x1b</a>' in found
    assert found.count(b'"b run log0"') == 2


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
    assert short_names(names) == short
