# SPDX-License-Identifier: Apache-2.0
"""The known counts of real gate logs. Without the samples this fails: it must not look green."""

import gzip
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from oslogserve.lines.decode import decoded, until_incomplete
from oslogserve.lines.renderer import BEST
from oslogserve.query import Query
from oslogserve.views import log

SAMPLES = Path(
    os.environ.get("OSLOGSERVE_SAMPLES") or Path(__file__).parents[2] / "../shared/samples"
)
LEVELS = ("DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR")
COUNTS = {
    "screen-c-api.txt.gz": (2804, 486, 249, 0, 50, 0),
    "screen-n-api.txt.gz": (11886, 2721, 271, 0, 6, 5),
}
EXPLICIT = re.compile(
    rb"^(?:<[^>]*>)*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?:</a>)?(?: \d+)? ([A-Z]+) ",
    re.MULTILINE,
)


def chunks(name):
    stored = (SAMPLES / name).read_bytes()
    return [stored[at : at + 65536] for at in range(0, len(stored), 65536)]


def text(name, **query):
    missing = []
    pieces = until_incomplete(decoded(chunks(name)), missing)
    told = b"".join(log.text(pieces, Query(name.encode(), False, **query), missing))
    assert missing == []
    return told


def html(name, **query):
    missing = []
    pieces = until_incomplete(decoded(chunks(name)), missing)
    told = b"".join(BEST(pieces, "html", query.get("level"), query.get("limit")))
    assert missing == []
    return told


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("view", [text, html], ids=["text", "html"])
def test_exactly_the_known_lines_come_out_at_each_level(view, name, level):
    lines = EXPLICIT.findall(view(name, level=level).replace(b"\n</span>", b"\n"))
    counts = {known: n for known, n in zip(LEVELS, COUNTS[name], strict=True) if n}
    shown = {known: n for known, n in counts.items() if LEVELS.index(known) >= LEVELS.index(level)}
    assert Counter(word.decode() for word in lines) == shown


@pytest.mark.parametrize("name", COUNTS)
def test_the_classes_count_the_same(name):
    classes = Counter(re.findall(rb'<span id="L\d+" class="(\w+)">', html(name)))
    for level, count in zip(LEVELS, COUNTS[name], strict=True):
        assert classes[level.encode()] == count


@pytest.mark.parametrize(
    "name",
    [*COUNTS, "console.html.gz", "devstacklog.txt.gz", "devstack@c-api.service.log.txt"],
)
def test_every_line_is_an_element_and_the_text_is_the_log(name):
    stored = (SAMPLES / name).read_bytes()
    whole = gzip.decompress(stored) if name.endswith(".gz") else stored
    assert text(name) == whole
    marked_up = html(name)
    ids = re.findall(rb'<span id="L(\d+)"', marked_up)
    lines = whole.count(b"\n") + (not whole.endswith(b"\n"))
    assert list(map(int, ids)) == list(range(1, lines + 1))
    assert marked_up.count(b"</span>") == lines


@pytest.mark.parametrize("name", ["devstacklog.txt.gz", "console.html.gz"])
def test_a_log_without_severities_has_nothing_at_error(name):
    assert text(name, level="ERROR") == b""
    assert b"<a name=" in html(name)


def test_the_journal_sample_has_severities():
    name = "devstack@c-api.service.log.txt"
    assert b"WARNING" in text(name, level="WARNING")
    assert len(text(name, level="WARNING")) < len(text(name))
