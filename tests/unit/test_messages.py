# SPDX-License-Identifier: Apache-2.0
from datetime import UTC, datetime, timedelta

import pytest

from oslogserve import messages


def test_what_a_terminal_would_obey_is_escaped():
    error = FileNotFoundError(2, "No such file", "/x/\x1b[31m\u202e")
    assert messages.in_lines(error) == r"oslogserve: /x/\x1b[31m\u202e: No such file"


def test_each_line_of_the_servers_log_has_its_time(capfd):
    messages.log("one\ntwo\x1b")
    one, two = capfd.readouterr().err.splitlines()
    time, program, text = one.split(" ")
    assert (program, text) == ("oslogserve:", "one")
    assert datetime.now(UTC) - datetime.fromisoformat(time) < timedelta(seconds=5)
    assert two == rf"{time} oslogserve: two\x1b"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a Grüße.txt".encode(), "a Grüße.txt"),
        (b"\xff\n\x1b[31m", r"\xff\n\x1b[31m"),
        ("\u202egnp.exe".encode(), r"\u202egnp.exe"),
    ],
)
def test_a_path_is_shown_in_one_line_without_control_characters(path, line):
    assert messages.shown(path) == line


@pytest.mark.parametrize("most", [0, 3, 4, 5, 6, 20, 40])
def test_a_text_is_cut_to_its_bytes(most):
    assert len(messages.cut("\u00e9" * 20, most).encode()) <= max(3, most)
