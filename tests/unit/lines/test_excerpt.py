# SPDX-License-Identifier: Apache-2.0
"""Excerpts: the plan, marked lines, their worth, and the choice."""

import re
from itertools import chain, pairwise

import pytest
from msgspec.structs import replace

from oslogserve.lines.excerpt import worth
from oslogserve.lines.excerpt.choice import chosen
from oslogserve.lines.excerpt.lines import MOST_HELD, SHORT, MarkedLine, marked_lines, planned
from oslogserve.lines.excerpt.worth import Weighed, weighed
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.summary import CauseLine
from tests.kit.marked import MARKED

RENDERER = Renderer()
OF_RUN = 10


def cost_of(line):
    return len(line.text) + 1


def plan_of(*ranges):
    shown = tuple(b"L%d-L%d" % (first, last + 1) for first, last in ranges)
    return Selection(first=10**12, show=shown)


def marked(pieces, plan):
    return [*marked_lines(RENDERER(pieces, Wanted("marked", plan)), plan)]


def all_marked(log):
    return marked([log], plan_of((1, log.count(b"\n") + (not log.endswith(b"\n")))))


def summary_of(log):
    return RENDERER([log], Wanted("summary")).summary()


def excerpt(log, size):
    summary = summary_of(log)
    total = log.count(b"\n")
    plan = planned(summary, total, size)
    lines = marked([log], plan) if plan.show else []
    return chosen(weighed(lines, summary, total), size, cost_of, OF_RUN)


def texts(runs):
    return [line.text for run in runs for line in run]


def numbers(run):
    return [one.line.number for one in run]


@pytest.mark.parametrize(
    ("line", "shown", "sign"),
    [
        (b"plain", "plain", ""),
        (b"\x1b[31mFAIL: test_a (tests.A)\x1b[0m", "FAIL: test_a (tests.A)", "Test"),
        (b"10%\r20%\r100%", "100%", ""),
        (b"100%\r", "100%", ""),
        (b"##[group]Run make", "##[group]Run make", "Begins"),
        (b"2026-01-01T00:00:00.0Z ok: [node]", "2026-01-01T00:00:00.0Z ok: [node]", "Green"),
        (b"=== RUN   TestA", "=== RUN   TestA", "Chapter"),
        (b"--- PASS: TestA (0.14s)", "--- PASS: TestA (0.14s)", "Green"),
        (b"  cannot find the file", "  cannot find the file", "Word"),
        (b"+ make test", "+ make test", "Green"),
        (b"3 tests failed", "3 tests failed", "Outcome"),
        (b"\xff is no UTF-8", "\ufffd is no UTF-8", ""),
    ],
)
def test_a_marked_line_is_what_a_terminal_shows_and_what_it_tells(line, shown, sign):
    [found] = all_marked(line)
    assert (found.text, found.sign) == (shown, sign)


def test_a_marked_line_is_the_same_however_the_log_is_cut():
    log = b"one\nERROR two\n" + b"x" * 9000 + b"end\n\nlast"
    whole = all_marked(log)
    for size in (1, 7, 4097):
        pieces = [log[at : at + size] for at in range(0, len(log), size)]
        assert marked(pieces, plan_of((1, 5))) == whole


def test_only_the_lines_of_the_plan_are_read():
    log = b"".join(b"line %d\n" % number for number in range(1, 1001))
    read = []

    def pieces():
        for at in range(0, len(log), 100):
            read.append(at)
            yield log[at : at + 100]

    found = marked(pieces(), plan_of((3, 4), (6, 6), (20, 21)))
    assert [line.number for line in found] == [3, 4, 6, 20, 21]
    assert len(read) < 5


def test_a_long_line_is_cut_in_its_middle():
    [line] = all_marked(b"begin" + b"x" * 100_000 + b"end")
    shown = line.within(300)
    assert shown.startswith("begin" + "x" * 200)
    assert shown.endswith("xend")
    assert f" ... {100_008 - 300:,} bytes ... " in shown
    assert line.within(100).count("x") < 100


@pytest.mark.parametrize("end", [b"FAIL: test_a (tests.A)", b"FAIL: test_a (tests.A)\r\r"])
@pytest.mark.parametrize("size", [1, 700, 10**6])
def test_overwritten_progress_of_a_long_line_is_not_shown(size, end):
    for progress in (b"10 %\r" * 3000, b"\r" * 3 + b"x" * 9000 + b"\r", b"x" * 4095 + b"\r"):
        log = progress + b"\x1b[0K" + end
        pieces = [log[at : at + size] for at in range(0, len(log), size)]
        [line] = marked(pieces, plan_of((1, 1)))
        assert (line.within(300), line.sign) == ("FAIL: test_a (tests.A)", "Test")


def test_text_behind_overwritten_progress_is_cut_in_its_middle():
    [line] = all_marked(b"10 %\r" * 3000 + b"begin" + b"x" * 20_000 + b"end")
    assert line.within(300).startswith("beginxx")
    assert f" ... {20_008 - 300:,} bytes ... " in line.within(300)


def test_a_line_that_fits_is_not_cut():
    [line] = all_marked(b"x" * 4600)
    assert line.within(4600) == "x" * 4600


def test_many_long_lines_are_held_in_short():
    lines = all_marked((b"x" * 4000 + b"\n") * 1000)
    assert sum(len(line.text) for line in lines) < MOST_HELD + 1000 * SHORT
    assert lines[-1].within(100) == f"{'x' * 80} ... 3,900 bytes ... {'x' * 20}"


def test_a_small_log_is_read_whole():
    assert planned(summary_of(b"a\n" * 600), 600, 500) == plan_of((1, 600))
    assert planned(summary_of(b""), 0, 500) == plan_of()


def test_the_plan_has_the_cause_its_step_other_errors_and_the_end():
    filler = [b"line\n"] * 4000
    log = [
        *filler,
        b"ERROR: something else\n",
        *filler,
        b"TASK [test] ***\n",
        b"the test begins\n",
        *filler,
        b'fatal: [node]: FAILED! => {"msg": "it broke"}\n',
        *filler,
    ]
    ranges = planned(summary_of(b"".join(log)), len(log), 4000).shown_ranges
    inside = [4001, 8002, 12004, len(log)]
    assert all(any(first <= number < end for first, end in ranges) for number in inside)
    assert sum(end - first for first, end in ranges) < 1000
    assert all(end < first for (_, end), (first, _) in pairwise(ranges))


def test_the_cause_with_its_values_comes_before_all_else():
    log = b"".join(
        [
            *[b"compiling\n"] * 50,
            b"FAIL: test_sum (tests.Sum)\n",
            b"AssertionError: 3 != 4\n",
            b"expected: 4\n",
            *[b"cleaning up\n"] * 50,
            b"FAILED (failures=1)\n",
        ]
    )
    shown = texts(excerpt(log, 150))
    assert "FAIL: test_sum (tests.Sum)" in shown
    assert "AssertionError: 3 != 4" in shown
    assert "expected: 4" in shown
    assert texts(excerpt(log, 5000)) == log.decode().splitlines()


@pytest.mark.parametrize("reason", ["E       AssertionError: not ready", "expected 4, got 5"])
@pytest.mark.parametrize(
    "line", ["    value_{0} = make({0}, 'of hazel and oak')", "    at kiln.made{0}(Kiln.java:{0})"]
)
def test_the_reason_of_a_failed_test_comes_before_frames_and_values(reason, line):
    lines = [
        "____________________________ test_starts ____________________________",
        "",
        *[line.format(number) for number in range(45)],
        "",
        reason,
        "",
        *[line.format(number) for number in range(45, 60)],
        "=========================== short test summary info ===========================",
        "FAILED tests/test_server.py::test_starts",
        "========================= 1 failed, 12 passed in 9.88s =========================",
    ]
    log = "".join(f"{one}\n" for one in ["=== FAILURES ===", *lines]).encode()
    assert reason in texts(excerpt(log, 800))


def test_the_report_of_another_test_tells_no_reason():
    log = b"".join(
        [
            b"--- FAIL: TestDrains (0.01s)\n",
            *[b"    drain_test.go:%d: step %d\n" % (number, number) for number in range(30)],
            b"=== RUN   TestFills\n",
            b"    expected 2, got 3\n",
            *[b"filling\n"] * 30,
            b"FAIL\n",
        ]
    )
    assert "    expected 2, got 3" not in texts(excerpt(log, 500))


def test_an_error_right_above_the_cause_comes_before_what_stands_behind_it():
    log = b"".join(
        [
            *[b"compiling\n"] * 50,
            b"error: ./commands.go:395:20: undefined: Version\n",
            b"FAIL\texample.org/kiln [build failed]\n",
            *[b"ok  \texample.org/kiln/part%d\t0.036s\n" % number for number in range(4)],
            b"--- FAIL: TestDrains (0.00s)\n",
            b"    drain_test.go:4: got 5\n\n",
            *[b"%s goes on\n" % name.encode() for name in dir(str)],
            b"FAIL\n",
        ]
    )
    assert "error: ./commands.go:395:20: undefined: Version" in texts(excerpt(log, 600))


def test_the_last_verdict_and_count_come_before_what_stands_behind_the_cause():
    log = b"$ make test\nTraceback (most recent call last):\nKeyError: 'name'\n"
    log += b"".join(b"value %d of what the test got\n" % number for number in range(60))
    log += b"Ran 11155 tests, 1 failed\nmake: *** [test] Error 1\n"
    log += b'The command "make test" exited with 2.\n' + b"cleaning up\n" * 30
    shown = texts(excerpt(log, 500))
    assert {"KeyError: 'name'", 'The command "make test" exited with 2.'} <= set(shown)
    assert "Ran 11155 tests, 1 failed" in shown


@pytest.mark.parametrize(
    "count", ["11155 tests completed, 1 failed, 2 skipped", "[ERROR] Tests run: 7, Failures: 1"]
)
def test_no_other_number_is_taken_for_a_count_of_failed_tests(count):
    log = b"ERROR: it broke\n"
    log += b"".join(b"value %d of what the test got\n" % number for number in range(60))
    log += count.encode() + b"\n[ERROR] [Help 1] http://example.org/Help\n"
    log += b"Build step 'Execute shell' marked build as failure\n" + b"cleaning up\n" * 30
    log += b"Done. Your build exited with 1.\n"
    assert count in texts(excerpt(log, 600))


def test_the_verdict_comes_before_most_of_a_long_cause():
    log = b"Traceback (most recent call last):\n"
    log += b"".join(b'  File "a%d.py", line 1, in f\n    f(%d)\n' % (n, n) for n in range(80))
    log += b"KeyError: 'name'\n##[error]Process completed with exit code 1.\n"
    log += b"".join(b"Removing file %d of the workspace\n" % number for number in range(30))
    for size in (500, 1000, 2000):
        assert "##[error]Process completed with exit code 1." in texts(excerpt(log, size))


def test_a_cause_of_a_million_lines_costs_no_more_than_its_lines_that_are_read():
    lines = all_marked(b"ERROR: it broke\n" * 50)
    cause = CauseLine(1, 10**12, None, "ERROR: it broke", "severity")
    summary = replace(summary_of(b""), cause=cause)
    worths = [one.worth for one in weighed(lines, summary, 10**12)]
    assert worths[0] == max(worths)


def test_lines_are_shown_in_order_and_never_twice():
    log = b"".join(b"ERROR: fault %d of something\n" % (number % 7) for number in range(3000))
    for size in (60, 500, 5000, 50_000):
        runs = excerpt(log, size)
        shown = [number for run in runs for number in numbers(run)]
        assert shown == sorted(set(shown))
        assert all(numbers(run)[-1] - numbers(run)[0] + 1 == len(run) for run in runs)
        assert sum(len(text) + 1 for text in texts(runs)) + 10 * len(runs) <= size


def test_a_step_of_few_lines_between_two_that_are_shown_is_shown_too():
    texts = ["line 1", "line 2", "line 3", "line 4 is long" * 9]
    lines = [MarkedLine(number, 0, "", 0, False, text) for number, text in enumerate(texts, 1)]
    several = [Weighed(*one, 1) for one in zip(lines, [9.0, 0.0, 9.0, 0.0], strict=True)]
    runs = chosen(several, 40, cost_of, OF_RUN)
    assert [*map(numbers, runs)] == [[1, 2, 3]]


def test_a_blank_line_begins_no_run():
    lines = [MarkedLine(number, 0, "", 0, False, text) for number, text in ((1, "a"), (9, ""))]
    several = [Weighed(lines[0], 5.0, 1), Weighed(lines[1], 9.0, None)]
    assert [*map(numbers, chosen(several, 100, cost_of, OF_RUN))] == [[1]]


def test_a_run_ends_with_no_blank_line_unless_all_lines_fit():
    log = b"compiling\n" * 900 + b"\n\nFAIL: test_sum (tests.Sum)\n\n3 != 4\n\n\n"
    log += b"compiling more\n" * 900
    for size in range(80, 400, 7):
        runs = excerpt(log, size)
        assert all(run[place].text for run in runs for place in (0, -1))
    assert texts(excerpt(b"\nERROR: a\n\n", 500)) == ["", "ERROR: a", ""]


def test_errors_of_a_kind_are_counted_where_they_are_left_out():
    log = b"".join(b"ERROR: request %d failed\n" % number for number in range(500))
    [first, *others] = [line for run in excerpt(log, 400) for line in run]
    assert first.more == 500 - 1 - len(others)
    assert not any(line.more for line in others)


def test_errors_of_a_kind_are_counted_at_the_one_that_is_shown():
    filler = b"INFO fine\n" * 100
    log = b"".join(b"%bERROR: request %d failed\n" % (filler, number) for number in range(9))
    log += b"ERROR: request 10 failed\nexited with code 1\n"
    counts = [line.more for run in excerpt(log, 110) for line in run if line.more]
    assert counts == [10 - sum("request" in text for text in texts(excerpt(log, 110)))]


def test_an_error_is_repeated_only_if_all_else_fits():
    log = b"a\nb\n" + b"ERROR: it is broken\n" * 100 + b"c\nd\n"
    assert texts(excerpt(log, 60)) == ["a", "b", "ERROR: it is broken", "c", "d"]
    assert texts(excerpt(log, 5000)) == log.decode().splitlines()


def test_no_control_character_is_shown_but_tabs():
    log = "ERROR: a\x00b\x07c\x0ed\x7fe\x9bf\x85\tg\x1bc\x1b=\x1b#8\x1b(0\x1bM\x1b\n".encode()
    assert texts(excerpt(log, 500)) == ["ERROR: abcdef\tg"]


def test_the_first_error_far_away_is_read_with_its_values():
    filler = b"".join(b"line %d\n" % number for number in range(3000))
    old = (b"ERROR: of old\nexpected: 3\n", filler, b"ERROR: of use\n", filler)
    log = b"".join((filler, *old, b"ERROR: the last one\n"))
    assert len(planned(summary_of(log), log.count(b"\n"), 1500).show) == 2
    shown = {*texts(excerpt(log, 1500))}
    assert {"ERROR: of old", "expected: 3", "ERROR: of use", "ERROR: the last one"} <= shown


def test_what_nobody_would_see_is_escaped():
    unseen = "ERROR: a\u202eb\u200bc\u2028d\ufeffe\U000e0041"
    seen = "\u6f22 \u200d\U0001f469\u00a0\u00fc"
    escaped = r"ERROR: a\u202eb\u200bc\u2028d\ufeffe\U000e0041"
    assert texts(excerpt(f"{unseen}{seen}\n".encode(), 500)) == [escaped + seen]


def test_bytes_that_are_left_out_are_those_that_a_reader_would_see():
    log = b"ERROR: begin " + b"x\0\0\0" * 900 + b"\n"
    [line] = texts(excerpt(log, 500))
    begin, middle, end = re.fullmatch(r"(.*) \.\.\. ([\d,]+) bytes \.\.\. (.*)", line).groups()
    assert len(begin + end) + int(middle) == len("ERROR: begin ") + 900


@pytest.mark.parametrize("size", [420, 2000, 9000])
def test_the_only_line_takes_most_of_the_room(size):
    [line] = [line for run in excerpt(b"ERROR: " + b"x" * 10**6 + b"\n", size) for line in run]
    assert size / 4 < len(line.text) < size


@pytest.mark.parametrize("size", [60, 150, 400, 1000])
@pytest.mark.parametrize(
    "long", ["abcdefghij" * 100, "\u9519\u8bef" * 500, "x" * 400 + "\U0001f600" * 400]
)
def test_a_long_cause_is_always_shown_shortened(long, size):
    noise = b"INFO fine\n" * 2000
    log = b"%bERROR: AssertionError: %b END\nexited with code 1\n" % (noise, long.encode())
    runs = excerpt(log, size)
    [cause] = [text for text in texts(runs) if text.startswith("ERROR: ")]
    assert cause.endswith("END")
    assert sum(cost_of(line) for run in runs for line in run) + OF_RUN * len(runs) <= size


@pytest.mark.parametrize("size", [150, 300, 1000])
def test_a_verdict_takes_no_room_from_the_first_line_of_the_cause(size):
    verdict = b'The command "%b" exited with 2.\n' % (b"make " * 30)
    log = b"INFO fine\n" * 900 + b"FAIL: %b END\n" % (b"abc " * 200) + b"INFO fine\n" * 900
    shown = texts(excerpt(log + verdict, size))
    assert sum(text.startswith("FAIL: ") and text.endswith(" END") for text in shown) == 1
    assert size < 300 or any(text.startswith("The command") for text in shown)


@pytest.mark.parametrize(
    "count", ["5 failing", "# fail  4", "===== 50000 failed in 3s ====", "1 error, listed below:"]
)
def test_a_count_of_what_failed_is_a_number_beside_the_word(count):
    log = b"ERROR: it broke\n" + b"value of what the test got\n" * 60
    log += b"%b\n" % count.encode() + b"cleaning up %d\n" * 60 + b"make: *** [test] Error 1\n"
    log += b"Done. Your build exited with 1.\n"
    assert count in texts(excerpt(log, 400))


@pytest.mark.parametrize("log", [b"", b"\n\n\n", b"all is well\n"])
def test_a_log_without_a_failure_has_an_excerpt_too(log):
    assert texts(excerpt(log, 500)) == [
        line for line in log.decode().splitlines() if any(log.strip())
    ]


def test_lines_are_weighed_by_signs_that_lines_have():
    lines = [b"cannot find the file", *chain.from_iterable(MARKED.values())]
    signs = {line.sign for line in all_marked(b"\n".join(lines) + b"\n")}
    assert signs >= worth._BOUNDS | worth._COUNTS | worth._OUTCOMES | worth._TESTS
