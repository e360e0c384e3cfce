# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from oslogserve.lines.blocks import whole_lines
from oslogserve.lines.filter import at_least, numbered
from oslogserve.lines.formats import SEVERITIES

T = b"2013-09-27 18:07:11.860"
WORDS = [name.encode() for name in SEVERITIES[1:]]


def kept(level, log):
    """The rule, naively: [(number, line)] over the whole log."""
    own = SEVERITIES.index("NONE")
    found = []
    for number, line in enumerate(log.splitlines(keepends=True), 1):
        words = line.split()
        if line.startswith(T) and len(words) > 2 and words[2] in WORDS:
            own = SEVERITIES.index(words[2].decode())
        if own >= SEVERITIES.index(level):
            found.append((number, line))
    return found


def made(seed, size=60):
    chance = random.Random(seed)
    lines = []
    for _ in range(size):
        kind = chance.randrange(4)
        if kind == 0:
            lines.append(b"Traceback ERROR %d" % chance.randrange(99))
        elif kind == 1:
            lines.append(T + b" no severity" + b"." * chance.randrange(30))
        elif kind == 2:
            lines.append(b"")
        else:
            lines.append(T + b" " + chance.choice(WORDS) + b" x" * chance.randrange(20))
    return b"\n".join(lines) + b"\n" * (seed % 2)


def lined(runs):
    """Runs as [(number, line)]; parts of one line joined."""
    found = []
    for numbers, lines in runs:
        for number, line in zip(numbers, lines.splitlines(keepends=True), strict=True):
            if found and not found[-1][1].endswith(b"\n"):
                assert found[-1][0] == number
                found[-1] = (number, found[-1][1] + line)
            else:
                found.append((number, line))
    return found


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("level", SEVERITIES)
@pytest.mark.parametrize("seed", range(6))
def test_a_filtered_log_is_the_same_however_it_is_cut(level, seed):
    log = made(seed)
    expected = kept(level, log)
    for size in [*range(1, 40), len(log)]:
        assert lined(at_least(level, whole_lines(cut(log, size)))) == expected


@pytest.mark.parametrize("level", SEVERITIES[1:])
@pytest.mark.parametrize("size", [1, 7, 40, 64])
def test_an_over_long_line_goes_whole_or_not_at_all(level, size):
    long_lines = [T + b" " + word + b" " + b"y" * 300 for word in WORDS]
    random.Random(3).shuffle(long_lines)
    log = b"\n".join([b"first", *long_lines, b"tail", b"x" * 200, *long_lines[:3]])
    blocks = list(whole_lines(cut(log, size), longest=80))
    assert any(not block.endswith(b"\n") for block in blocks[:-1])
    assert lined(at_least(level, blocks)) == kept(level, log)


def test_a_traceback_stays_with_its_error():
    log = T + b" INFO a\n" + T + b" ERROR b\nTraceback\n  File\n" + T + b" INFO c\nmore\n"
    kept = T + b" ERROR b\nTraceback\n  File\n"
    assert list(at_least("ERROR", [log])) == [([2, 3, 4], kept)]


def test_a_block_that_begins_with_a_line_left_out_adds_no_empty_line():
    blocks = [T + b" ERROR a\n", T + b" INFO b\n" + T + b" ERROR c\n"]
    assert list(at_least("ERROR", blocks)) == [(range(1, 2), blocks[0]), ([3], T + b" ERROR c\n")]


def test_lines_before_the_first_severity_are_lowest():
    log = b"header\n" + T + b" DEBUG a\n"
    assert list(at_least("DEBUG", [log])) == [([2], T + b" DEBUG a\n")]
    assert list(at_least("NONE", [log])) == [(range(1, 3), log)]


def test_numbers_count_whole_lines():
    blocks = [b"a\nb\n", b"long", b"er", b"\nc\n", b"d"]
    assert list(numbered(blocks)) == [
        (range(1, 3), b"a\nb\n"),
        (range(3, 4), b"long"),
        (range(3, 4), b"er"),
        (range(3, 5), b"\nc\n"),
        (range(5, 6), b"d"),
    ]
