# SPDX-License-Identifier: Apache-2.0
"""Lines that a log of a run that passed has no like of."""

import json
from itertools import islice, product

import pytest

from oslogserve.lines.selection import Selection, Wanted
from tests.renderers import is_new, known_of, renderer
from tests.unit.lines.conftest import WRITTEN

PASSED = (
    b"2013-09-27 18:22:11.248 2790 INFO nova.api [req-0f3d2c1a-1111-2222-3333-444455556666] GET /servers\n"
    b"+ cp /tmp/tmpab_1c/setup.log /opt/logs\n"
    b"Sep 27 18:22:12 node1 kernel: eth0 link fa:16:3e:ab:cd:ef fe80::f816:3eff:dead:beef\n"
    b"took 3.5 s, object at 0x7f3a5c0e2d90 of 8c2d1e5f\n"
    b"tests passed"
)
LIKE = [
    b"2014-10-03 01:02:03.999 81 INFO nova.api [req-1aaabbbb-cccc-dddd-eeee-ffff00000000] GET /servers",
    b"+ cp /tmp/tmpxyzw_q/setup.log /opt/logs",
    b"Oct  3 01:02:03 node22 kernel: eth1 link be:ef:00:aa:bb:cc fe80::1:face:cafe:2",
    b"took 17 s, object at 0x1 of abc12345",
    b"tests passed",
    b"",
    b"17:00 -- 12",
]
NEW = [
    b"No Rakefile found",
    b"2013-09-27 18:22:11.248 2790 ERROR nova.api Unexpected exception",
    b"passed tests of kernel and setup",
]


@pytest.fixture(scope="module")
def known():
    """The words of PASSED, fed in pieces."""
    return known_of(*(PASSED[at : at + 7] for at in range(0, len(PASSED), 7)))


@pytest.fixture(scope="module")
def compared(known):
    """A view of a log compared with PASSED, and the tally. asked: fields of a Selection."""

    def compared(log, view="html", known=known, **asked):
        wanted = Wanted(view, Selection(**asked), WRITTEN, b"?", known=known)
        rendering = renderer()([log[:50], log[50:]], wanted)
        return b"".join(rendering), rendering.tally

    return compared


@pytest.mark.parametrize("line", [*LIKE, *PASSED.split(b"\n")])
def test_numbers_hashes_addresses_and_times_make_no_line_new(known, line):
    assert not is_new(line, known)


@pytest.mark.parametrize("line", NEW)
def test_words_and_their_neighbours_make_a_line_new(known, line):
    assert is_new(line, known)
    assert is_new(line + b"\r\n", known)


def test_a_line_is_new_if_a_fifth_of_its_words_and_pairs_is(known):
    words = PASSED.split(b"\n")[0]
    assert not is_new(words + b" unheard", known)
    assert is_new(words + b" unheard of before", known)


def test_only_the_beginning_of_a_long_line_is_compared():
    reach = 16 * 1024
    known = known_of(b"a" * reach + b" beyond words\n" + b" ".join([b"within"] * (reach // 7)))
    assert is_new(b"beyond", known)
    assert not is_new(b"within " * (reach // 7) + b" unheard" * reach, known)


def test_words_beyond_the_most_are_left_out_and_said():
    letters = product(b"abcdefghijklmnopqrstuvwxyz", repeat=4)
    words = b"\n".join(map(bytes, islice(letters, 300_000)))
    known = known_of(words)
    assert (known.is_full, is_new(b"aaaa", known), known.size) == (False, False, 8 << 20)
    known = known_of(words.replace(b"\n", b" ") + b"\n" + words.replace(b"\n", b" xx\n"))
    assert known.is_full
    assert known.size == 8 << 20


def test_new_lines_have_a_class_a_member_and_counts(compared):
    log = b"tests passed\nNo Rakefile found\n2013-09-27 18:22:11 ERROR no hope left\n"
    html, tally = compared(log)
    assert b"<li id=L1>" in html
    assert b"<li class=new id=L2>" in html
    assert b'<li class="E new" id=L3>' in html
    assert (tally.new, tally.matched) == (2, 3)
    lines = compared(log, "jsonl")[0].splitlines()
    assert [json.loads(line).get("new") for line in lines] == [None, True, True]
    summary = json.loads(compared(log, "summary")[0])
    assert summary["new"] == {
        "NONE": {"count": 1, "first_line": 2},
        "ERROR": {"count": 1, "first_line": 3},
    }


def test_new_only_selects_new_lines_with_their_context(compared):
    log = b"tests passed\n" * 5 + b"No Rakefile found\n" + b"tests passed\n" * 5
    text, tally = compared(log, "text", new_only=True, context=1)
    assert text == b"tests passed\nNo Rakefile found\ntests passed\n"
    assert tally.matched == 1
    html, _ = compared(log, new_only=True)
    assert html.count(b"class=gap") == 2
    assert b"class=new id=L6" in html


def test_an_error_that_both_logs_have_is_no_cause():
    passed = b"2013-09-27 18:22:11 ERROR nova cannot reach the cache\ndone\n"
    known = known_of(passed)
    failed = passed + b"error: cannot stat the manual\n" + passed * 3

    def cause(known):
        wanted = Wanted("summary", written=WRITTEN, known=known)
        return json.loads(b"".join(renderer()([failed], wanted)))["cause"]

    assert cause(None)["text"].endswith("cannot reach the cache")
    assert cause(known)["text"] == "error: cannot stat the manual"


@pytest.mark.parametrize("size", [3, 100])
def test_an_error_of_a_summary_is_new_if_its_whole_line_is(compared, size):
    like = b"2013-09-27 18:22:11 ERROR tests passed" + b" tests passed" * 40
    line = like + b" unheard of" * size
    known = known_of(like)
    assert is_new(line, known) == (size == 100)
    summary = json.loads(compared(line, "summary", known)[0])
    assert summary["errors"][0]["new"] is summary["cause"]["new"] is (size == 100)
    uncompared = json.loads(b"".join(renderer()([line], Wanted("summary"))))
    assert "new" not in uncompared["errors"][0] | uncompared["cause"]
