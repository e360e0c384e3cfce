# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.lines.pure.ansi import PLAIN, SEQUENCE, Style, after, without_sequences


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (b"plain", b"plain"),
        (b"\x1b[31mred\x1b[0m", b"red"),
        (b"\x1b[mx", b"x"),
        (b"a\x1b[2Kb\x1b[1;1Hc\x1b[?25ld", b"abcd"),
        (b"\x1b[0 qx", b"x"),
        (b"\x1b[" + b"1" * 64 + b"mx", b"x"),
        (b"\x1b[" + b"1" * 65 + b"mx", b"\x1b[" + b"1" * 65 + b"mx"),
        (b"\x1b[31", b"\x1b[31"),
        (b"\x1b[3\x1b[1mx", b"\x1b[3x"),
        (b"\x1b\x1b[1mx\x1b", b"\x1bx\x1b"),
        (b"\x1b]0;title\x07x", b"\x1b]0;title\x07x"),
        (b"\x1b[3\xff1mx", b"\x1b[3\xff1mx"),
    ],
)
def test_sequences_are_taken_out_and_what_only_begins_like_one_is_text(text, plain):
    assert without_sequences(text) == plain


@pytest.mark.parametrize(
    ("codes", "classes"),
    [
        (b"", b""),
        (b"0", b""),
        (b"1", b"bold"),
        (b"2", b"dim"),
        (b"3;4", b"italic underline"),
        (b"31", b"fg1"),
        (b"97", b"fg15"),
        (b"42", b"bg2"),
        (b"100", b"bg8"),
        (b"01;31", b"bold fg1"),
        (b"1;0;4", b"underline"),
        (b"1;2;22", b""),
        (b"3;23", b""),
        (b"4;24", b""),
        (b"31;39", b""),
        (b"41;49", b""),
        (b"31;", b""),
        (b"38;5;9", b"fg9"),
        (b"48;5;9;1", b"bold bg9"),
        (b"38:5:208", b"fg9"),
        (b"38:5:214", b"fg11"),
        (b"38;5;16", b"fg0"),
        (b"38;5;231", b"fg15"),
        (b"38;5;232", b"fg0"),
        (b"38;5;255", b"fg15"),
        (b"38;5;256", b""),
        (b"38;2;255;0;0", b"fg9"),
        (b"38;2;100;0;0", b"fg1"),
        (b"48;2;255;255;999;4", b"underline bg15"),
        (b"31;38", b""),
        (b"31;38;5", b""),
        (b"38;2;1;2", b""),
        (b"38;7;31", b""),
        (b"5;7;8;9;21;53;99", b""),
        (b"?25;31", b"fg1"),
        (b"99999;1", b"bold"),
        (b"1;<b>", b"bold"),
    ],
)
def test_a_style_is_a_list_of_classes(codes, classes):
    assert after(PLAIN, codes).classes == classes


def test_codes_change_what_they_name_and_nothing_else():
    style = Style(bold=True, foreground=1, background=2)
    assert after(style, b"32") == style._replace(foreground=2)
    assert after(style, b"4") == style._replace(underline=True)
    assert after(style, b"77") == style
    assert after(style, b"") == PLAIN


@pytest.mark.parametrize(
    "unit", [b"\x1b", b"\x1b[", b"\x1b[" + b"1" * 63, b"\x1b[1;31m", b"\x1b[ "]
)
def test_hostile_text_takes_no_time(unit):
    text = unit * (1024 * 1024 // len(unit))
    started = time.process_time()
    without_sequences(text)
    assert time.process_time() - started < 0.5


def test_no_sequence_reaches_over_a_line():
    assert not SEQUENCE.search(b"\x1b[3\n1m")
