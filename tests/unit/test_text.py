# SPDX-License-Identifier: Apache-2.0
from datetime import UTC, datetime, timedelta

import pytest

from oslogserve.text import (
    characters_held,
    cut,
    duration,
    for_terminal,
    in_lines,
    iso_moment,
    log_message,
    moment,
    shown,
    size_shown,
)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (1234, "1.23 kB"),
        (12_345, "12.3 kB"),
        (99_999, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (50_000_000, "50.0 MB"),
        (2_000_000_000, "2.00 GB"),
        (10**16, "10000 TB"),
    ],
)
def test_a_size_has_three_digits(size, text):
    assert size_shown(size) == text


def test_a_time_is_utc():
    assert moment(3600.9) == "1970-01-01 01:00:00"
    assert iso_moment(0.0) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1e-6, "0.001 ms"),
        (0.0005, "0.5 ms"),
        (0.00999, "9.99 ms"),
        (0.039, "39 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1 s"),
        (1.5, "1.5 s"),
        (1.25, "1.3 s"),
        (9.96, "10 s"),
        (16.4, "16 s"),
        (59.6, "1 min"),
        (725, "12 min 5 s"),
        (3599.6, "1 h"),
        (61 * 60, "1 h 1 min"),
        (90 * 60 + 59, "1 h 30 min"),
        (23 * 3600, "23 h"),
        (86_400 + 59 * 60, "1 day"),
        (3 * 86_400 + 7200, "3 days 2 h"),
        (1200 * 86_400, "1,200 days"),
    ],
)
def test_a_duration_has_the_two_units_that_make_it_short(seconds, text):
    assert duration(seconds) == text


def test_what_a_terminal_would_obey_is_escaped():
    error = FileNotFoundError(2, "No such file", "/x/\x1b[31m\u202e")
    assert in_lines(error) == r"oslogserve: /x/\x1b[31m\u202e: No such file"


def test_each_line_of_the_servers_log_has_its_time(capfd):
    log_message("one\ntwo\x1b")
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
    assert shown(path) == line


@pytest.mark.parametrize("most", [0, 3, 4, 5, 6, 20, 40])
def test_a_text_is_cut_to_its_bytes(most):
    assert len(cut("\u00e9" * 20, most).encode()) <= max(3, most)


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (b"plain\ttext\r\n\r\r\n", None),
        (b"10%\x1b[0K\x1b[31;1mred\x1b[0m \xc3\xa9 \x9b", None),
        (b"\x1bc\x1b[2J\x1b[31", rb"\x1bc\x1b[2J\x1b[31"),
        (b"shown\x1b[1K\x1b[2K\x1b[K", b"shown" + rb"\x1b[1K\x1b[2K" + b"\x1b[K"),
        (b"\x1b]0;title\x07\x1b", rb"\x1b]0;title\x07\x1b"),
        (b"\x00\x08\x0e\x7f\xc2\x9b\xc2", rb"\x00\x08\x0e\x7f\x9b" + b"\xc2"),
        (b"\x1b[" + b"1" * 200 + b"m", rb"\x1b[" + b"1" * 200 + b"m"),
        (b"10%\r20%\r\rdone\r\n\r", rb"10%\r20%\r\rdone" + b"\r\n" + rb"\r"),
    ],
)
def test_a_terminal_gets_colours_and_no_other_sequence(log, text):
    assert_a_terminal_gets(log, log if text is None else text)


def test_a_colour_ends_with_its_line():
    black = b"\x1b[30;40mblack\r\nnext\x1b[m\n\nlast\x1b[31m"
    assert_a_terminal_gets(black, b"\x1b[30;40mblack\x1b[0m\r\nnext\x1b[m\n\nlast\x1b[31m\x1b[0m")


def test_what_would_reorder_a_line_is_shown():
    reordering = "\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
    escaped = reordering.encode("unicode_escape")
    assert_a_terminal_gets(
        f"a{reordering}b \u2020 \u0600".encode(), b"a" + escaped + "b \u2020 \u0600".encode()
    )


def assert_a_terminal_gets(log, text):
    for size in (1, 2, 3, 5, 1000):
        pieces = (log[at : at + size] for at in range(0, len(log), size))
        assert b"".join(for_terminal(pieces)) == text


@pytest.mark.parametrize(("text", "size"), [("abc", 3), ("", 0), ("abc\N{GRINNING FACE}", 16)])
def test_one_wide_character_makes_all_of_a_text_wide(text, size):
    assert size <= characters_held(text) <= size + 32
