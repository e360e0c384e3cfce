# SPDX-License-Identifier: Apache-2.0
"""What a terminal gets of a hostile log."""

import pytest

from oslogserve.messages import for_terminal


@pytest.mark.parametrize(
    ("log", "shown"),
    [
        (b"plain\ttext\r\n", b"plain\ttext\r\n"),
        (b"10%\r\x1b[0K\x1b[31;1mred\x1b[0m \xc3\xa9 \x9b", None),
        (b"\x1bc\x1b[2J\x1b[31", b"\\x1bc\\x1b[2J\\x1b[31"),
        (b"\x1b]0;title\x07\x1b", b"\\x1b]0;title\\x07\\x1b"),
        (b"\x00\x08\x0e\x7f\xc2\x9b\xc2", b"\\x00\\x08\\x0e\\x7f\\x9b\xc2"),
        (b"\x1b[" + b"1" * 200 + b"m", b"\\x1b[" + b"1" * 200 + b"m"),
    ],
)
def test_a_terminal_gets_colours_and_no_other_sequence(log, shown):
    for size in (1, 2, 3, 5, 1000):
        pieces = (log[at : at + size] for at in range(0, len(log), size))
        assert b"".join(for_terminal(pieces)) == (log if shown is None else shown)
