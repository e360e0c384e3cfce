# SPDX-License-Identifier: Apache-2.0
"""Known counts of real gate logs, and the same of logs that the demo makes."""

import gzip
import random
import re
from collections import Counter
from functools import cache

import pytest

from oslogserve import demo
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.logs.decode import Decoded
from tests.kit.renderers import words_of

RENDERER = Renderer()
LEVELS = ("DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR")
COUNTS = {
    "screen-c-api.txt.gz": (2804, 486, 249, 0, 50, 0),
    "screen-n-api.txt.gz": (11886, 2721, 271, 0, 6, 5),
}
OTHERS = ["console.html.gz", "devstacklog.txt.gz", "devstack@c-api.service.log.txt"]
MADE = ["job-output.txt", "controller/logs/screen-n-api.txt", "controller/logs/syslog.txt"]
EXPLICIT = re.compile(
    rb"^(?:<[^>]*>)*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?:</a>)?(?: \d+)? ([A-Z]+) ",
    re.MULTILINE,
)


@cache
def made(name):
    return b"".join(demo._FILES[name]())


@pytest.fixture
def log(request, name):
    """A log's text."""
    if name in MADE:
        return made(name)
    stored = (request.getfixturevalue("samples") / name).read_bytes()
    if not name.endswith(".gz"):
        return stored
    chunks = [stored[at : at + 65536] for at in range(0, len(stored), 65536)]
    text = b"".join(Decoded(chunks))
    assert text == gzip.decompress(stored)
    return text


def shown(view, log, **asked):
    pieces = [log[at : at + 65536] for at in range(0, len(log), 65536)]
    return b"".join(RENDERER(pieces, Wanted(view, Selection(**asked))))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [*COUNTS, MADE[1]])
def test_exactly_the_known_lines_come_out_at_each_level(name, log, level):
    found = Counter(word.decode() for word in EXPLICIT.findall(log))
    if name in COUNTS:
        assert tuple(found[known] for known in LEVELS) == COUNTS[name]
    wanted = {known: n for known, n in found.items() if LEVELS.index(known) >= LEVELS.index(level)}
    lines = EXPLICIT.findall(shown("text", log, level=level))
    assert Counter(word.decode() for word in lines) == wanted


@pytest.mark.parametrize("name", [*COUNTS, MADE[1]])
def test_the_classes_count_the_same(name, log):
    classes = Counter(re.findall(rb"<li class=(\w) id=", shown("html", log)))
    found = Counter(EXPLICIT.findall(log))
    for level in LEVELS:
        assert classes[level[:1].encode()] == found[level.encode()]


@pytest.mark.parametrize("name", [*COUNTS, *OTHERS, *MADE])
def test_every_line_is_an_element_and_the_text_is_the_log(log):
    assert shown("text", log) == log
    marked_up = shown("html", log)
    ids = re.findall(rb"<li[^>]* id=L(\d+)>", marked_up)
    lines = log.count(b"\n") + (not log.endswith(b"\n"))
    assert list(map(int, ids)) == list(range(1, lines + 1))
    assert marked_up.count(b"\n") == lines


@pytest.mark.parametrize(("name", "errors"), [("devstacklog.txt.gz", 6), ("console.html.gz", 22)])
def test_a_console_has_the_errors_that_its_tools_print(log, errors):
    assert shown("html", log).count(b"<li class=E id=") == errors
    assert b"ERROR: Invalid OpenStack Nova credentials." in shown("text", log, level="ERROR")
    assert b" name=_20" in shown("html", log)


@pytest.mark.parametrize("name", [OTHERS[2], MADE[2]])
def test_a_journal_has_severities(log):
    warnings = shown("text", log, level="WARNING")
    assert b"WARNING" in warnings
    assert len(warnings) < len(log)


def other_run(log):
    """The same log with other times, numbers, hashes, addresses and order."""
    chance = random.Random(5)

    def another(found):
        digits = b"0123456789abcdef" if re.search(rb"[a-f]", found[0]) else b"0123456789"
        return re.sub(rb"[0-9a-f]", lambda _: bytes([chance.choice(digits)]), found[0])

    hashes = rb"(?<=0x)[0-9a-f]+|\b(?=[0-9a-f-]*\d)[0-9a-f]{8}(?:-?[0-9a-f]{4,12})*\b|\d+"
    lines = re.sub(hashes, another, log).splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def new_lines(log, passed):
    """Those that `passed` has no like of, their count, and that of all lines."""
    wanted = Wanted("text", Selection(new_only=True), words=words_of(passed))
    rendering = RENDERER([log], wanted)
    shown = b"".join(rendering)
    return shown, rendering.tally.new, rendering.tally.lines


@pytest.mark.parametrize("name", [*COUNTS, *OTHERS, *MADE])
def test_another_run_of_the_same_has_one_new_line_in_a_thousand_at_most(name, log):
    assert new_lines(log, log)[1] == 0
    shown, new, lines = new_lines(other_run(log), log)
    assert new * 1000 <= lines, shown[:1000]
