# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.lines.pure.overwritten import overwritten_in


def on_screen(text):
    """What is shown of a line, and then left of what was written before."""
    start, end, left = overwritten_in(text)
    return (text[:start] + text[end:]).rstrip(b"\r") + left


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"plain", b"plain"),
        (b"", b""),
        (b"windows\r", b"windows"),
        (b"\r\r", b""),
        (b"10%\r20%\r100%", b"100%"),
        (b"10%\r20%\r\r", b"20%"),
        (b"100 MB\rdone", b"doneMB"),
        (b"abcdef\r12345\rXY", b"XY345f"),
        (b"abc\xc3\xa9\xe2\x82\xac\r1234", "1234€".encode()),
        (b"abc\r\xc3\xa9", "ébc".encode()),
        (b"\x1b[31mabc\x1b[0m\rX", b"Xbc"),
        (b"abcdef\rXY\x1b[K", b"XY\x1b[K"),
        (b"abcdef\rXYZ\x1b[0K\r1", b"1YZ"),
        (b"abcdef\r\x1b[2J", b"\x1b[2J"),
        (b"section_start:1560896352:x\r\x1b[0KTitle", b"\x1b[0KTitle"),
        (b"section_end:1560896353:x\r\x1b[0K", b"\x1b[0K"),
        (b"##[group]Run make", b"Run make"),
        (b"2026-03-04T18:22:11.1234567Z ##[endgroup]", b"2026-03-04T18:22:11.1234567Z "),
        (b"\xef\xbb\xbf2026-03-04T18:22:11Z ##[group]x\r", b"\xef\xbb\xbf2026-03-04T18:22:11Z x"),
        (b"##[error]failed", b"##[error]failed"),
        (b"a ##[group]", b"a ##[group]"),
        (b"0" * 41 + b"Z ##[group]", b"0" * 41 + b"Z ##[group]"),
    ],
)
def test_a_line_is_what_a_terminal_shows_in_the_end(text, shown):
    assert on_screen(text) == shown


@pytest.mark.parametrize(
    "text", [b"a" * 30_000 + b"\ra" * 30_000, b"\xc3\xa9a\r" * 30_000, b"\r\x1b[K" * 30_000]
)
def test_it_takes_no_longer_than_the_line_is_long(text):
    began = time.process_time()
    overwritten_in(text)
    assert time.process_time() - began < 1
