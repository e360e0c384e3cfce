# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from oslogserve.lines.blocks import LONGEST_LINE, whole_lines

LOG = b"one\n\ntwo two\n" + b"x" * 50 + b"\n\n\nthree\r\nlast, unended"


@pytest.mark.parametrize("log", [LOG, LOG + b"\n"])
def test_blocks_end_at_lines_however_the_pieces_are_cut(log):
    for size in range(1, len(LOG) + 1):
        blocks = list(whole_lines(log[at : at + size] for at in range(0, len(log), size)))
        assert b"".join(blocks) == log, size
        assert all(block.endswith(b"\n") for block in blocks[:-1]), size


def test_random_cuts_make_no_difference():
    chance = random.Random(1)
    for _ in range(200):
        cuts = sorted(chance.sample(range(len(LOG)), 8))
        pieces = [LOG[a:b] for a, b in zip([0, *cuts], [*cuts, len(LOG)], strict=True)]
        blocks = list(whole_lines(pieces))
        assert b"".join(blocks) == LOG
        assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_piece_of_whole_lines_goes_on_at_once():
    pieces = iter([b"a\nb\n", b"c\n"])
    blocks = whole_lines(pieces)
    assert next(blocks) == b"a\nb\n"
    assert next(pieces) == b"c\n"


def test_an_over_long_line_comes_in_parts_and_only_it():
    blocks = list(whole_lines([b"a\nxx", b"xxxx", b"xxxx", b"yy\nb\n"], longest=8))
    assert blocks == [b"a\n", b"xxxxxxxxxx", b"yy\nb\n"]


def test_what_is_held_back_is_bounded():
    piece = b"x" * 65536
    sizes = [len(block) for block in whole_lines([piece] * 100)]
    assert sum(sizes) == 100 * 65536
    assert max(sizes) < LONGEST_LINE + len(piece)


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b""]])
def test_nothing_is_no_block(pieces):
    assert list(whole_lines(pieces)) == []
