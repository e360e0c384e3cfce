# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.pages.names import short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["logs/n-cpu.txt.gz", "job-output.txt"], ["n-cpu", "job-output"]),
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
