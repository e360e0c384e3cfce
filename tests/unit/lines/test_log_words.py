# SPDX-License-Identifier: Apache-2.0
"""Lines that a log of a run that passed has no like of."""

import json
import random
from contextlib import suppress
from itertools import islice, pairwise, product

import pytest

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.native import LogWords
from tests.kit.mutated import log_of
from tests.kit.renderers import answered, is_new, new_lines, renderer, words_of
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
    return words_of(*(PASSED[at : at + 7] for at in range(0, len(PASSED), 7)))


@pytest.fixture(scope="module")
def compared(known):
    """A view of a log compared with PASSED, and the tally. asked: fields of a Selection."""

    def compared(log, view="html", words=known, **asked):
        wanted = Wanted(view, Selection(**asked), WRITTEN, b"?", words=words)
        return answered(renderer(), [log[:50], log[50:]], wanted)

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


#: A line of a run that passed and one of a run that failed, which differ in an outcome alone.
TURNED = [
    (
        b"changed: [localhost] => {%b}" % (b'"stdout": "one two six ten", ' * 9),
        b"changed: [localhost] =>",
        b"fatal: [localhost]: FAILED! =>",
    ),
    (b"2013-09-27 18:22:11 INFO nova.api [req-x] GET /servers", b"INFO", b"ERROR"),
    (
        b'{"level": "info", "msg": "one two six ten red blue", "caller": "main.go"}',
        b"info",
        b"error",
    ),
    (
        b'1.1.1.1 - - [27/Sep/2013:18:22:11 +0000] "GET /one/two/six/ten HTTP/1.1" 200 7',
        b"200",
        b"500",
    ),
    (
        b"node1 : ok=3 changed=1 unreachable=0 failed=0 skipped=1 rescued=0 ignored=0",
        b"d=0",
        b"d=1",
    ),
    (b"Done. Your build of this and that project exited with 0.", b"0.", b"1."),
    (b"##[section] Process of one two six ten completed with exit code 0", b" 0", b" 127"),
    (b"[Zuul] Task exit code: 0 of one two six ten red", b": 0", b": -9"),
    (b'one two six ten red: {"cmd": "make", "rc": 0, "start": "now"}', b": 0", b": 2"),
    (b"the one two six ten red make returned 0", b" 0", b" 2"),
    (b"returned exit status 0 by one two six ten", b"0", b"1"),
    (b"unit_of_one.two (of.six.ten.red.Blue) ... ok", b"ok", b"FAIL"),
    (b"result of the one two six ten red job: passed", b"passed", b"failed"),
]


@pytest.mark.parametrize(("passed", "outcome", "turned"), TURNED)
def test_a_line_is_new_if_its_like_was_no_error_or_its_outcome_has_turned(passed, outcome, turned):
    failed = passed.replace(outcome, turned)
    # All words and pairs of the failed line are known, from others.
    pairs = b"\n".join(map(b" ".join, pairwise(failed.split())))
    assert new_lines(passed + b"\n" + failed, words_of(passed + b"\n" + pairs)) == [2]
    assert not is_new(failed, words_of(*(passed + b"\n" + failed).partition(turned[:2])))


@pytest.mark.parametrize(
    ("passed", "failed"),
    [
        (b"HTTP status 200 of one two six ten", b"HTTP status 404 of one two six ten"),
        (b"exit code 1 of one two six ten", b"exit code 2 of one two six ten"),
        (b"the select returned 0 rows of one two", b"the select returned 3 rows of one two"),
        (b"src 0 of one two six ten", b"src 1 of one two six ten"),
        (b"took 0 of one two six ten", b"took 1 of one two six ten"),
        (b"exit code 0 of one two six ten", b"exit code 000 of one two six ten"),
    ],
)
def test_other_numbers_are_no_outcomes(passed, failed):
    assert not is_new(failed, words_of(passed))


def test_a_failed_task_stays_the_cause_if_the_passed_run_has_its_long_line():
    result = b'=> {"changed": true, "rc": 0, "stdout": "%b"}\n' % (b"compiled one object " * 40)
    passed = b"TASK [build] ***\nchanged: [localhost] " + result
    failed = b"TASK [build] ***\nfatal: [localhost]: FAILED! " + result
    failed += b"\tto retry, use: --limit @/home/zuul/site.retry\n"
    wanted = Wanted("summary", written=WRITTEN, words=words_of(passed))
    summary = renderer()([failed], wanted).summary()
    assert (summary.cause.line, summary.cause.new) == (2, True)


def test_only_the_beginning_of_a_long_line_is_compared():
    reach = 16 * 1024
    known = words_of(b"a" * reach + b" beyond words\n" + b" ".join([b"within"] * (reach // 7)))
    assert is_new(b"beyond", known)
    assert not is_new(b"within " * (reach // 7) + b" unheard" * reach, known)


def test_words_beyond_the_most_are_left_out_and_said():
    letters = product(b"abcdefghijklmnopqrstuvwxyz", repeat=4)
    words = b"\n".join(map(bytes, islice(letters, 300_000)))
    known = words_of(words)
    assert (known.is_full, is_new(b"aaaa", known), known.size) == (False, False, 8 << 20)
    known = words_of(words.replace(b"\n", b" ") + b"\n" + words.replace(b"\n", b" xx\n"))
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
    summary = compared(log, "summary")[0]
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
    known = words_of(passed)
    failed = passed + b"error: cannot stat the manual\n" + passed * 3

    def cause(known):
        wanted = Wanted("summary", written=WRITTEN, words=known)
        return renderer()([failed], wanted).summary().cause.text

    assert cause(None).endswith("cannot reach the cache")
    assert cause(known) == "error: cannot stat the manual"


@pytest.mark.parametrize("size", [3, 100])
def test_an_error_of_a_summary_is_new_if_its_whole_line_is(compared, size):
    like = b"2013-09-27 18:22:11 ERROR tests passed" + b" tests passed" * 40
    line = like + b" unheard of" * size
    known = words_of(like)
    assert is_new(line, known) == (size == 100)
    summary = compared(line, "summary", known)[0]
    assert summary["errors"][0]["new"] is summary["cause"]["new"] is (size == 100)
    uncompared, _ = compared(line, "summary", None)
    assert "new" not in uncompared["errors"][0] | uncompared["cause"]


def list_of(log):
    known = renderer().new_words()
    known.feed(log)
    return known.finish()


@pytest.mark.parametrize("number", [40, pytest.param(2000, marks=pytest.mark.long)])
def test_the_listed_words_of_a_log_find_the_same_lines_new(number):
    chance = random.Random(7)
    for _ in range(number):
        log, other = (log_of(chance, most=60) for _ in range(2))
        listed = LogWords.of_list(list_of(log))
        for compared in (other, log, b"fatal: " + log, log.replace(b" INFO", b" ERROR")):
            assert new_lines(compared, listed) == new_lines(compared, words_of(log))


def test_a_log_without_words_has_a_list_too():
    for log in (b"", b"\n\n", b"17:00 -- 12\n"):
        assert is_new(b"a line", LogWords.of_list(list_of(log)))


def test_a_word_that_begins_and_ends_anywhere_in_a_piece_is_listed():
    log = b"\xc3\xa4bc <" + b"w" * 40_000 + b"> end\n"
    listed = LogWords.of_list(list_of(log))
    assert not is_new(log, listed)
    assert is_new(log.replace(b"w" * 9000, b"x"), listed)


def test_words_that_take_too_much_room_are_not_listed():
    letters = (bytes(word) for word in product(b"abcdefghij", repeat=5))
    assert list_of(b"\n".join(islice(letters, 30_000)))
    assert list_of(b"\n".join(islice(letters, 60_000))) == b""
    pairs = (
        b"%b %b" % (b"x" * one, b"y" * other) for one, other in product(range(2, 400), repeat=2)
    )
    assert list_of(b"\n".join(pairs)) == b""


def test_a_damaged_list_is_refused_or_has_other_words():
    chance = random.Random(5)
    whole = list_of(PASSED)
    assert len(whole) > 200
    for end in range(len(whole)):
        with pytest.raises(ValueError, match="no list of words"):
            LogWords.of_list(whole[:end])
    for _ in range(3000):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(whole))] = chance.choice((0, 1, 127, 128, 255, 10))
        with suppress(ValueError):
            assert LogWords.of_list(bytes(damaged)).size < 100_000
