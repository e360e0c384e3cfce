# SPDX-License-Identifier: Apache-2.0
"""The known counts of real gate logs. Without the samples this fails: it must not look green."""

import gzip
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from oslogserve.lines.renderer import named
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.logs.decode import Decoded, until_incomplete
from tests.renderers import bare

SAMPLES = Path(
    os.environ.get("OSLOGSERVE_SAMPLES") or Path(__file__).parents[2] / "../shared/samples"
)
_, RENDERER = named("auto")
LEVELS = ("DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR")
COUNTS = {
    "screen-c-api.txt.gz": (2804, 486, 249, 0, 50, 0),
    "screen-n-api.txt.gz": (11886, 2721, 271, 0, 6, 5),
}
EXPLICIT = re.compile(
    rb"^(?:<[^>]*>)*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?:</a>)?(?: \d+)? ([A-Z]+) ",
    re.MULTILINE,
)


@cache
def pieces(name):
    stored, missing = (SAMPLES / name).read_bytes(), []
    chunks = [stored[at : at + 65536] for at in range(0, len(stored), 65536)]
    found = list(until_incomplete(Decoded(chunks), missing))
    assert missing == []
    return found


def shown(view, name, **asked):
    return b"".join(RENDERER(pieces(name), Wanted(view, Selection(**asked))))


def text(name, **asked):
    return shown("text", name, **asked)


def html(name, **asked):
    return shown("html", name, **asked)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("view", [text, html], ids=["text", "html"])
def test_exactly_the_known_lines_come_out_at_each_level(view, name, level):
    lines = EXPLICIT.findall(re.sub(rb"(?m)^<li[^>]*>", b"", bare(view(name, level=level))))
    counts = {known: n for known, n in zip(LEVELS, COUNTS[name], strict=True) if n}
    shown = {known: n for known, n in counts.items() if LEVELS.index(known) >= LEVELS.index(level)}
    assert Counter(word.decode() for word in lines) == shown


@pytest.mark.parametrize("name", COUNTS)
def test_the_classes_count_the_same(name):
    classes = Counter(re.findall(rb"<li class=(\w) id=", html(name)))
    for level, count in zip(LEVELS, COUNTS[name], strict=True):
        assert classes[level[:1].encode()] == count


@pytest.mark.parametrize(
    "name",
    [*COUNTS, "console.html.gz", "devstacklog.txt.gz", "devstack@c-api.service.log.txt"],
)
def test_every_line_is_an_element_and_the_text_is_the_log(name):
    stored = (SAMPLES / name).read_bytes()
    whole = gzip.decompress(stored) if name.endswith(".gz") else stored
    assert text(name) == whole
    marked_up = html(name)
    ids = re.findall(rb"<li[^>]* id=L(\d+)>", marked_up)
    lines = whole.count(b"\n") + (not whole.endswith(b"\n"))
    assert list(map(int, ids)) == list(range(1, lines + 1))
    assert marked_up.count(b"\n") == lines


@pytest.mark.parametrize(("name", "errors"), [("devstacklog.txt.gz", 6), ("console.html.gz", 21)])
def test_a_console_has_the_errors_that_its_tools_print(name, errors):
    assert html(name).count(b"<li class=E id=") == errors
    assert b"ERROR: Invalid OpenStack Nova credentials." in text(name, level="ERROR")
    assert b" name=_20" in html(name)


def test_the_journal_sample_has_severities():
    name = "devstack@c-api.service.log.txt"
    assert b"WARNING" in text(name, level="WARNING")
    assert len(text(name, level="WARNING")) < len(text(name))
