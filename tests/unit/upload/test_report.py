# SPDX-License-Identifier: Apache-2.0
import sys

import pytest

from oslogserve.upload import report as module
from oslogserve.upload.report import Report, shown


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a Grüße.txt".encode(), "a Grüße.txt"),
        (b"\xff\n\x1b[31m", r"\xff\n\x1b[31m"),
        ("\u202egnp.exe".encode(), r"\u202egnp.exe"),
    ],
)
def test_a_name_is_shown_in_one_line_without_control_characters(path, line):
    assert shown(path) == line


def test_the_summary_says_what_became_of_all_files(capsys):
    report = Report()
    report.uploaded(1000, 100)
    report.there()
    report.skipped(b"link", "a link")
    assert report.is_complete
    report.failed(b"a.txt", "gone")
    assert not report.is_complete
    said = report.summary()
    assert said.startswith("1 uploaded (1.00 kB, 100 B as stored), 1 there already, 1 skipped, 1 f")
    assert capsys.readouterr().err == (
        "oslogserve: link: not uploaded: a link\noslogserve: a.txt: gone\n"
    )


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    monkeypatch.setattr(module, "PROGRESS", 0)
    Report().uploaded(1, 1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Report().uploaded(1, 1)
    assert "1 uploaded (1 B), 0 there already" in capsys.readouterr().err
