# SPDX-License-Identifier: Apache-2.0
"""What is just within a limit of the manual, and what is just beyond it.

The numbers are the manual's (doc/filters.rst, page.rst, severities.rst, security.rst, urls.rst), or what
the comment beside a constant of the native core says.
"""

import re

import pytest

from oslogserve.lines.selection import PageLimits, Selection, Wanted
from oslogserve.lines.time_range import time_range
from oslogserve.native import LIMITS, Merge, line_feeds, state_count
from oslogserve.search import literal, rewritten
from tests.kit.renderers import anchor_of, answered, is_new, rows_of, seen_in, words_of

MIB = 1024 * 1024
T = b"2013-09-27 18:07:11.860"


def text(given):
    return (literal(given),)


def severity_of(line):
    return seen_in(line).severity


# Heads.


@pytest.mark.parametrize(("end", "severity"), [(512, b"WARNING"), (513, b"")])
def test_a_plain_head_ends_there(end, severity):
    line = T + b" [%b] WARNING" % (b"x" * (end - len(T) - len(b" [] WARNING")))
    assert len(line) == end
    assert severity_of(line + b" more") == severity


@pytest.mark.parametrize(("size", "severity"), [(4097, b"ERROR"), (4098, b"")])
def test_an_object_is_read_so_far(size, severity):
    begin, end = b'{"a":"', b'","level":"error"}'
    line = begin + b"x" * (size - len(begin + end)) + end
    assert severity_of(line) == severity


@pytest.mark.parametrize(("fields", "severity"), [(b" a.b" * 39, b"WARNING"), (b" a.b" * 40, b"")])
def test_a_head_has_so_many_tokens(fields, severity):
    assert severity_of(T + fields + b" WARNING x") == severity


@pytest.mark.parametrize(("prefixes", "severity"), [(7, b"WARNING"), (8, b"")])
def test_content_begins_so_often(prefixes, severity):
    assert severity_of(b"PHP " * prefixes + b"WARNING: x") == severity


@pytest.mark.parametrize(("names", "severity"), [(2, b"ERROR"), (3, b"")])
def test_so_many_words_may_stand_behind_a_time(names, severity):
    assert severity_of(T + b" main" * names + b" ERROR x") == severity


@pytest.mark.parametrize(("fields", "severity"), [(6, b"ERROR"), (7, b"")])
def test_so_many_groups_may_stand_before_a_level(fields, severity):
    assert severity_of(T + b" (a)" * fields + b" ERROR x") == severity


@pytest.mark.parametrize(("fields", "severity"), [(2, b"ERROR"), (3, b"")])
def test_so_many_fields_may_stand_before_a_bar(fields, severity):
    assert severity_of(b"a.b " * fields + b"| ERROR: x") == severity


@pytest.mark.parametrize(("groups", "time"), [(2, T), (3, b"")])
def test_so_many_groups_may_stand_between_a_level_and_its_time(groups, time):
    assert seen_in(b"[ERROR] " + b"[a] " * groups + T) == (anchor_of(time), b"ERROR")


@pytest.mark.parametrize(("letters", "is_time"), [(8, True), (9, False)])
def test_a_word_in_brackets_before_a_time_has_so_many_letters(letters, is_time):
    time = b"18:07:11.860"
    anchor = seen_in(b"[" + b"Q" * letters + b" " + time + b"] x").anchor
    assert anchor == (anchor_of(time) if is_time else b"")


@pytest.mark.parametrize("number", range(26))
def test_opentelemetry_has_four_numbers_for_each_severity(number):
    names = [b"TRACE", b"DEBUG", b"INFO", b"WARNING", b"ERROR", b"CRITICAL"]
    severity = names[(number - 1) // 4] if 1 <= number <= 24 else b""
    assert severity_of(b'{"severityNumber": %d}' % number) == severity


@pytest.mark.parametrize("number", range(8))
def test_a_priority_of_syslog_is_its_last_three_bits(number):
    names = [b"CRITICAL"] * 3 + [b"ERROR", b"WARNING", b"INFO", b"INFO", b"DEBUG"]
    assert severity_of(b"<%d>x: y" % (8 + number)) == names[number]


def test_a_severity_of_a_compiler_that_is_no_level_is_info():
    assert severity_of(b"a.c:3:1: remark: x") == b"INFO"
    assert severity_of(b"a.c:3:1: warning: x") == b"WARNING"


_FIELDS = b" aaa.b" + b" a.b" * 13


@pytest.mark.parametrize(
    ("level", "none"),
    [
        (_FIELDS + b" ERROR", _FIELDS + b" ERRORs"),
        (_FIELDS + b" ERROR x", _FIELDS + b" ERRORs x"),
        (_FIELDS[:30] + b" ERROR " + b"z" * 60, _FIELDS[:30] + b" ERRORs " + b"z" * 60),
        (_FIELDS[:30] + b" ERROR " + b"z" * 60, _FIELDS[:30] + b" ERROR = " + b"z" * 60),
        (_FIELDS[:30] + b" ERROR 1z" + b"z" * 60, _FIELDS[:30] + b" ERROR 1%"),
    ],
)
def test_a_head_read_before_decides_nothing_about_one_that_differs(rendered, level, none):
    """What was read is remembered up to the last byte that was looked at."""
    assert len(_FIELDS + b" ERROR") == 64
    log = T + level + b"\n" + T + none + b"\n"
    elements = rendered([log]).splitlines()
    assert [one.startswith(b"<li class=E ") for one in elements] == [True, False]


# Inheritance.


@pytest.mark.parametrize(("size", "rank"), [(64, b"ERROR"), (63, b"TRACE")])
def test_so_many_bytes_of_a_programs_name_are_compared(rendered, size, rank):
    name = b"p" * size
    log = b"[ERROR] %bx\n[TRACE] %by\n" % (name, name)
    shown = rendered([log], "text", level="ERROR").count(b"\n")
    assert shown == (2 if rank == b"ERROR" else 1)


def test_lines_without_a_time_have_no_time_in_common(rendered):
    assert rendered([b"[ERROR] a x\n[TRACE] b y\n"], "text", level="ERROR") == b"[ERROR] a x\n"


# Selections.


def test_context_and_tail_hold_so_much(renderer):
    def shown(log, **asked):
        page = b"".join(renderer([log], Wanted("text", Selection(**asked))))
        return [line[:1] for line in page.splitlines()]

    half = MIB // 2
    fits = b"a" * (half - 1) + b"\n" + b"b" * (half - 1) + b"\n"
    assert shown(fits + b"hit\n", context=2, searches=text("hit")) == [b"a", b"b", b"h"]
    assert shown(b"a" + fits + b"hit\n", context=2, searches=text("hit")) == [b"b", b"h"]
    eighth = 8 * MIB
    fits = b"a" * (eighth - 1) + b"\n" + b"b" * (eighth - 1) + b"\n"
    assert shown(fits, tail=2) == [b"a", b"b"]
    assert shown(b"a" + fits, tail=2) == [b"b"]


def test_a_page_shows_so_much_of_a_line(renderer):
    for more in (0, 1):
        page, tally = answered(renderer, [b"x" * (4 * MIB + more)], Wanted("html"))
        assert page.count(b"x") == 4 * MIB
        assert tally.cut_line == (1 if more else None)


@pytest.mark.parametrize(("others", "dropped"), [(10_000, 0), (10_001, 1)])
def test_a_tail_holds_so_many_lines_for_show_alone(renderer, others, dropped):
    """Those that `show` names leave for more of them, and are shown at once."""
    log = b"hit\n" + b"x\n" * others
    asked = Selection(searches=text("hit"), tail=1, show=(b"L2-L%d" % (others + 1),))
    rows, tally = answered(renderer, [log], Wanted("text", asked))
    assert tally.dropped == dropped
    assert rows.count(b"x") == others


@pytest.mark.parametrize(("before", "is_timed"), [(999, True), (1000, False)])
def test_a_log_without_a_time_in_so_many_lines_has_none(renderer, before, is_timed):
    log = b"x\n" * before + T + b" INFO late\n"
    wanted = Wanted("text", written=1.4e9, label=b"", by_time=True)
    [*_, (last, _)] = rows_of(renderer([log], wanted))
    assert (last != LIMITS["log_times.UNTIMED"]) == is_timed


def test_an_answer_that_ends_within_a_context_goes_on_from_its_hit(renderer):
    log = b"".join(b"%d\n" % number for number in range(1, 10))
    for limit, begin in ((3, 3), (4, 3), (5, 6)):
        asked = Selection(searches=text("3"), context=2, limit=limit, show=(b"L99",))
        _, tally = answered(renderer, [log], Wanted("text", asked))
        assert (tally.cut_at, tally.cut_from) == (limit + 1, begin)


@pytest.mark.parametrize(("size", "following"), [(3, 3), (4, 3), (5, 4)])
def test_a_page_ends_with_the_line_that_reaches_its_size(renderer, size, following):
    wanted = Wanted("html", page=PageLimits(size, 100))
    assert answered(renderer, [b"a\n" * 9], wanted)[1].next_page == following


def test_ranges_of_lines_may_hold_each_other(rendered):
    log = b"".join(b"%d\n" % number for number in range(1, 10))
    asked = {"show": (b"L1-L7", b"L3", b"L5-L6"), "level": "CRITICAL"}
    assert rendered([log], "text", **asked) == log[: 2 * 7]


def test_a_line_of_a_context_has_its_links(rendered):
    page = rendered([b"http://a\nhit\n"], searches=text("hit"), context=1)
    assert b'<a href="http://a">' in page


def test_what_a_pattern_may_lack_is_not_searched_for(rendered):
    search = rewritten("x(?:abcde)?y")
    assert rendered([b"xy\nxabcdey\nxabcd\n"], "text", searches=(search,)) == b"xy\nxabcdey\n"


def test_a_fault_quotes_so_many_characters():
    name = r"\p{Klingon_of_old}"
    with pytest.raises(ValueError, match="^" + re.escape(name) + " is no class"):
        state_count(rewritten(name))
    with pytest.raises(ValueError, match="^" + re.escape(r"\p{Klingon_of_the_ol") + " is no"):
        state_count(rewritten(r"\p{Klingon_of_the_old}"))


def test_a_selection_may_leave_out_the_first_line_alone(rendered):
    assert rendered([b"a\nb\nc\n"], "text", first=2) == b"b\nc\n"


def test_a_time_range_holds_its_last_microsecond(rendered):
    line = b"2013-09-27 18:07:11.860123 x\n"
    for until, shown in (("860123", line), ("860122", b"")):
        asked = time_range(f"2013-09-27T18:07:11.{until}")
        assert rendered([line], "text", until=asked) == shown


# Comparisons.


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # A fifth of words and pairs of neighbours: 2 of 9, 2 of 11.
        (b"one two six ten blue", True),
        (b"one two six ten red blue", False),
        # 1 of 5, 1 of 7.
        (b"one two ten", True),
        (b"one two ten red", False),
        # A hash has six digits or more, and a decimal one among them.
        (b"abcde1", False),
        (b"abcd1", True),
        # A part of an address has four digits at most.
        (b"1:cafe", False),
        (b"1:faced", True),
        (b"z", False),
        (b"zz", True),
        # The first 16 KiB of a line are compared.
        (b" " * (16 * 1024 - 2) + b"zz", True),
        (b" " * (16 * 1024 - 1) + b"zz", False),
        # Pairs are words too.
        (b"two one ten six", True),
    ],
)
def test_what_makes_a_line_new(line, expected):
    assert is_new(line, words_of(b"one two six ten red\n")) is expected


# Causes and chapters.


@pytest.fixture
def found_in(renderer):
    """(the line of the cause, why); None for no cause. known: lines that another log has."""

    def found_in(*lines, known=None):
        words = None if known is None else words_of(b"\n".join(known))
        log = b"".join(line + b"\n" for line in lines)
        wanted = Wanted("summary", written=1.4e9, words=words)
        cause = answered(renderer, [log], wanted)[0]["cause"]
        return cause and (cause["line"], cause["why"])

    return found_in


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        # A step keeps its last 64 lines.
        ([*[b"cannot x"] * 70, b"FAILED"], (7, "failed step")),
        # Words of failure are one group with 5 lines from one to the next at most.
        ([b"cannot a", *[b"x"] * 4, b"cannot b", b"FAILED"], (1, "failed step")),
        ([b"cannot a", *[b"x"] * 5, b"cannot b", b"FAILED"], (7, "failed step")),
        # The last one is at most 15 lines above the end.
        ([b"cannot a", *[b"x"] * 15, b"FAILED"], (1, "failed step")),
        ([b"cannot a", *[b"x"] * 16, b"FAILED"], (5, "end")),
        # So many bytes of what is behind a line's time are read, and of a line.
        ([b"x" * 394 + b" error", b"x", b"FAILED"], (1, "failed step")),
        ([b"x", b"", b"x" * 395 + b" error", b"FAILED"], (3, "end")),
        ([b"x" * 4088 + b"\rnot ok more", b"x"], (1, "test")),
        ([b"x" * 4089 + b"\rnot ok more", b"x"], (1, "end")),
        # The first of the steps that show as much, but the last of those that show errors alone.
        ([b"TASK [a]", b"a 1", b"FAILED", b"TASK [b]", b"b", b"FAILED", b"TASK [c]"], (2, "end")),
        ([b"TASK [a]", b"ERROR: a", b"TASK [b]", b"ERROR: b", b"TASK [c]"], (4, "severity")),
        # The first rule of the table.
        ([b"x", b"not ok 1 - No space left on device"], (2, "severity")),
        # A warning that locates a fault.
        ([b"y", b"", b"a.c:3:1: warning: unused", b"x", b"FAILED"], (3, "failed step")),
        ([T + b" INFO x", b"##[endgroup]"], None),
        ([T + b" INFO x", b""], (1, "end")),
    ],
)
def test_what_is_the_cause(found_in, lines, found):
    assert found_in(*lines) == found


def test_a_cause_that_both_logs_have_gives_way_to_an_error_alone(found_in):
    known = b"ERROR: nova cannot reach the cache"
    assert found_in(known, b"error: fresh mistake", known=[known]) == (2, "severity")
    far = [known, *[b"x"] * 30, b"error: fresh mistake", *[b"x"] * 30, known]
    assert found_in(*far, known=[known]) == (32, "severity")
    assert found_in(known, b"quite another story", known=[known]) == (1, "severity")


def test_known_lines_say_where_a_step_ends(found_in):
    known = [b"[Zuul] Task exit code: 0", b"TASK [b]", b"ERROR: nova cannot reach the cache"]
    assert found_in(b"error: fresh mistake", *known, known=known) == (4, "severity")


def test_a_chapter_between_times_of_two_clocks_has_no_duration(renderer):
    log = b"05:06:07 TASK [a]\n2024-03-04 05:06:09 TASK [b]\n2024-03-04 05:06:10 TASK [c]\n"
    chapters = answered(renderer, [log], Wanted("summary"))[0]["chapters"]
    assert [one["duration"] for one in chapters] == [None, 1.0, None]


def test_of_an_error_so_many_bytes_are_read(renderer):
    line = b"ERROR " + b"\x1b[1m" * 253 + b"abcdefgh"
    [error] = answered(renderer, [line], Wanted("summary"))[0]["errors"]
    assert error["text"] == "ERROR abcdef"


# Others.


@pytest.mark.parametrize(("size", "is_link"), [(2048, True), (2049, False)])
def test_a_link_of_a_terminal_has_so_many_bytes(rendered, size, is_link):
    address = b"http://" + b"a" * size
    assert (b"<a href" in rendered([b"\x1b]8;;%b\x07here\x1b]8;;\x07" % address])) == is_link


def test_a_merge_pauses_once_there_is_enough(renderer):
    merge = Merge(1)
    wanted = Wanted("text", written=1.4e9, label=b"", by_time=True)
    merge.feed(0, next(renderer([T + b"\n" + T + b"\n"], wanted).merged_rows(0, 1, 1)))
    assert (merge.run(len(T) + 3), merge.take()[0]) == (-1, b"1:" + T + b"\n")
    assert (merge.run(1), merge.take()[0]) == (-1, b"2:" + T + b"\n")


def test_line_feeds_are_counted_as_bytes_count_does():
    for start, end in ((0, 4), (1, 99), (2, 3), (4, 4)):
        assert line_feeds(b"a\nb\n", start, end) == b"a\nb\n".count(b"\n", start, end)
