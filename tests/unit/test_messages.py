# SPDX-License-Identifier: Apache-2.0
from datetime import UTC, datetime, timedelta

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
