# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from oslogserve.lines.pure.split import RestOfLine, split
from oslogserve.lines.selection import LONGEST_LINE

LOG = b"one\n\ntwo two\n" + b"x" * 50 + b"\n\n\nthree\r\nlast, unended"


@pytest.mark.parametrize("log", [LOG, LOG + b"\n"])
def test_lines_are_the_same_however_the_pieces_are_cut(log):
    for size in range(1, len(LOG) + 1):
        lines = list(split(log[at : at + size] for at in range(0, len(log), size)))
        assert b"".join(lines) == log, size
        assert all(line.find(b"\n") == len(line) - 1 for line in lines[:-1]), size


def test_random_cuts_make_no_difference():
    chance = random.Random(1)
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(LOG)), 8))
        pieces = [LOG[a:b] for a, b in zip([0, *cuts], [*cuts, len(LOG)], strict=True)]
        assert list(split(pieces)) == list(split([LOG]))


def test_a_line_goes_on_at_once():
    pieces = iter([b"a\nb\n", b"c\n"])
    lines = split(pieces)
    assert next(lines) == b"a\n"
    assert next(lines) == b"b\n"
    assert next(pieces) == b"c\n"


def test_an_over_long_line_comes_as_a_beginning_and_its_rest_and_only_it():
    lines = list(split([b"a\nxx", b"xxxx", b"xxxx", b"yy\nb\n"], longest=8))
    assert lines == [b"a\n", b"xxxxxxxxxx", RestOfLine(b"yy\n"), b"b\n"]


def test_what_is_held_back_is_bounded():
    piece = b"x" * 65536
    first, *rest = split([piece] * 100)
    sizes = [len(first), *(len(one.text) for one in rest)]
    assert sum(sizes) == 100 * 65536
    assert max(sizes) < LONGEST_LINE + len(piece)


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b""]])
def test_nothing_is_no_line(pieces):
    assert list(split(pieces)) == []
