# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.summary import CauseLine, Chapter
from oslogserve.search import literal, rewritten
from tests.kit.renderers import answered, summary_with

#: Bytes of an error's text, errors of a log's beginning and of its end, and bars of the histogram.
LONGEST_ERROR, MOST_ERRORS, MOST_BUCKETS = 300, 64, 200
_MINUTE = 60 * 10**6
_DAY = 1440 * _MINUTE
#: Microseconds of a bar.
WIDTHS = [
    *(10**4, 10**5, 10**6, 5 * 10**6, 10**7, 3 * 10**7),
    *(minutes * _MINUTE for minutes in (1, 5, 10, 30, 60, 360)),
    *(days * _DAY for days in (1, 7, 28, 364, 3640, 36_400)),
]
#: A failed test of Surefire, and Maven's last words.
RETRIED = b"drains(a.QueueTest)  Time elapsed: 0.1 s  <<< FAILURE!", b"AssertionError: 0", b""
BUILT = b"BUILD SUCCESS"
#: GitHub's last words in a log.
GITHUB = b"Cleaning up orphan processes"


@pytest.fixture
def summary_of(renderer):
    def summary_of(*lines, **asked):
        wanted = Wanted("summary", Selection(**asked), 1.4e9)
        summary, _ = answered(renderer, [b"".join(line + b"\n" for line in lines)], wanted)
        return summary

    return summary_of


def error(number, time):
    return {"line": number, "time": time.replace(" ", "T"), "text": f"{time} ERROR x"}


def first_lines(summary):
    return [bucket["first_line"] for bucket in summary["histogram"]["buckets"]]


def stamped(seconds):
    return b"2026-03-04 18:%02d:%02d.000 1 INFO x [-] y" % divmod(seconds, 60)


def test_a_log_in_figures(summary_of):
    assert summary_of(
        *(b"x", b"2013-09-27 18:22:11.248 INFO x", b"y"),
        *[b"-"] * 5,
        *(b"2013-09-27 18:22:11.249 ERROR x", b"2013-09-27 18:22:12.500 ERROR x"),
        without=(literal("-\0"), rewritten("^-$")),
    ) == {
        "first_time": "2013-09-27T18:22:11.248",
        "last_time": "2013-09-27T18:22:12.500",
        "errors": [error(9, "2013-09-27 18:22:11.249"), error(10, "2013-09-27 18:22:12.500")],
        "cause": {
            **error(9, "2013-09-27 18:22:11.249"),
            "last": 10,
            "why": "severity",
            "told": ["ERROR x", "ERROR x"],
            "fingerprints": {},
        },
        "failed": False,
        "verdict": False,
        "passed": False,
        "chapters": [],
        "more_chapters": 0,
        "severities": {
            "NONE": {"count": 2, "first_line": 1},
            "INFO": {"count": 1, "first_line": 2},
            "ERROR": {"count": 2, "first_line": 9},
        },
        "histogram": {
            "seconds": 0.01,
            "buckets": [
                {
                    "time": "2013-09-27T18:22:11.24",
                    "first_line": 2,
                    "severities": {"NONE": 1, "INFO": 1, "ERROR": 1},
                },
                {"time": "2013-09-27T18:22:12.50", "first_line": 10, "severities": {"ERROR": 1}},
            ],
        },
    }


def test_nothing_in_figures(summary_of):
    assert summary_of() == {
        "first_time": None,
        "last_time": None,
        "cause": None,
        "failed": False,
        "verdict": False,
        "passed": False,
        "chapters": [],
        "more_chapters": 0,
        "severities": {},
        "histogram": {"seconds": 0.01, "buckets": []},
    }


def test_a_compact_summary_has_the_chapters_around_its_cause_alone():
    cause = CauseLine(7, 9, None, "___ test_x ___", "test")
    bounds = {"before": (1, 2), "run": (3, 30), "step": (3, 20), "test": (7, 9), "behind": (8, 8)}
    chapters = [Chapter(name, *of_it, None, None, None) for name, of_it in bounds.items()]
    whole = replace(summary_with(), cause=cause, chapters=chapters)
    assert [one.name for one in whole.compact.chapters] == ["step", "test"]
    assert whole.compact.step == whole.step == chapters[2]
    assert whole.compact.histogram is None
    assert replace(whole, cause=None).compact.chapters == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"##[error]Process completed with exit code 2.", 2),
        (b"ERROR: Job failed: exit status 137", 137),
        (b"Exited with code exit status 3", 3),
        (b'The command "make" exited with 5.', 5),
        (b"build failed: returned a non-zero code: 4", 4),
        (b"Process failed with exit code -1073741819", -1073741819),
        (b"exit code 9\n##[error]Process completed with exit code 1.", 1),
        (b"3 tests failed", None),
    ],
)
def test_a_cause_has_the_exit_code_that_a_verdict_or_an_outcome_tells(renderer, said, code):
    log = b"ERROR: the lid is open\n" + said + b"\n"
    found, _ = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))
    assert found["cause"]["text"] == "ERROR: the lid is open"
    assert found["cause"].get("exit_code") == code


@pytest.mark.parametrize("count", [1, MOST_ERRORS, 2 * MOST_ERRORS, 5 * MOST_ERRORS])
def test_of_many_errors_the_first_and_the_last_are_held(summary_of, count):
    errors = summary_of(*[b"ERROR: x"] * count)["errors"]
    numbers = list(range(1, count + 1))
    held = numbers if count <= 2 * MOST_ERRORS else numbers[:MOST_ERRORS] + numbers[-MOST_ERRORS:]
    assert [one["line"] for one in errors] == held


def test_an_error_has_the_time_above_it_and_a_bounded_text_without_colours(summary_of):
    line = b"\x1b[31mCRITICAL: " + b"x" * 2 * LONGEST_ERROR + b"\r"
    [error] = summary_of(b"2013-09-27 18:22:11", line)["errors"]
    text = ("CRITICAL: " + "x" * LONGEST_ERROR)[:LONGEST_ERROR]
    assert error == {"line": 2, "time": "2013-09-27T18:22:11", "text": text}


def test_first_and_last_are_of_the_log_and_buckets_are_of_the_clock(summary_of):
    summary = summary_of(b"2013-09-27 18:22:12 x", b"2013-09-27 18:22:11 x")
    assert summary["first_time"] > summary["last_time"]
    assert [bucket["time"][-2:] for bucket in summary["histogram"]["buckets"]] == ["11", "12"]


def test_seconds_since_boot_are_said_and_have_no_bucket(summary_of):
    summary = summary_of(b"[    1.500000] x", b"[    2.500000] x")
    assert (summary["first_time"], summary["last_time"]) == ("1.500000", "2.500000")
    assert summary["histogram"]["buckets"] == []
    assert summary["severities"]["NONE"]["count"] == 2


def test_a_time_that_cannot_be_is_none(summary_of):
    summary = summary_of(b"2013-02-31 00:00:00 x")
    assert (summary["first_time"], summary["histogram"]["buckets"]) == (None, [])


def test_times_are_on_the_lines_own_clock(summary_of):
    [bucket] = summary_of(b"2013-09-27T18:22:11+02:00 x")["histogram"]["buckets"]
    assert bucket["time"] == "2013-09-27T18:22:11"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("width", WIDTHS[:-1])
def test_buckets_become_wider_as_the_log_becomes_longer(summary_of, width, order):
    step = timedelta(microseconds=width)
    begin = datetime(1970, 1, 1)
    for count, wider in ((MOST_BUCKETS, 0), (MOST_BUCKETS + 1, 1)):
        if count * step > datetime.max - begin:
            return
        times = [begin + n * step for n in range(count)][::order]
        stamps = (f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond:06} x".encode() for time in times)
        histogram = summary_of(*stamps)["histogram"]
        assert histogram["seconds"] == WIDTHS[WIDTHS.index(width) + wider] / 10**6
        assert sum(bucket["severities"]["NONE"] for bucket in histogram["buckets"]) == count
        assert len(histogram["buckets"]) <= MOST_BUCKETS


def test_all_times_that_there_are_fit(summary_of):
    summary = summary_of(b"0001-01-01 00:00:00 x", b"9999-12-31 23:59:59 x")
    buckets = summary["histogram"]["buckets"]
    assert len(buckets) == 2
    assert buckets[0]["time"] == "0001-01-01T00:00:00"
    assert summary["histogram"]["seconds"] == WIDTHS[-1] / 10**6


def test_a_bucket_names_its_first_line(summary_of):
    lines = b"no time yet", stamped(1), b"more", stamped(1), stamped(2), stamped(3)
    assert first_lines(summary_of(*lines)) == [2, 5, 6]
    assert first_lines(summary_of(*map(stamped, range(900)))) == list(range(1, 901, 5))
    assert first_lines(summary_of(stamped(9), stamped(5), stamped(9))) == [2, 1]
    set_back = map(stamped, reversed(range(900)))
    assert first_lines(summary_of(*set_back)) == list(range(896, 0, -5))


def test_a_line_without_a_time_has_that_of_the_line_above_although_a_filter_left_it_out(summary_of):
    lines = (
        b"2013-09-27 18:22:11 INFO a",
        b"2013-09-27 18:22:31 INFO b",
        b"  kept",
        b"ERROR: kept",
    )
    summary = summary_of(*lines, searches=(literal("kept"),))
    [bucket] = summary["histogram"]["buckets"]
    assert (bucket["time"], bucket["first_line"]) == ("2013-09-27T18:22:31", 3)
    assert [one["time"] for one in summary["errors"]] == ["2013-09-27T18:22:31"]
    assert summary["first_time"] is None


def test_a_line_whose_time_has_no_date_is_counted_at_the_last_one(summary_of):
    lines = (b"2013-09-27 18:22:11 INFO a", b"[   12.345678] kept", b"ERROR: kept")
    for searches in ((), (literal("kept"),)):
        summary = summary_of(*lines, searches=searches)
        [bucket] = summary["histogram"]["buckets"]
        assert bucket["time"] == "2013-09-27T18:22:11"
        assert [one["time"] for one in summary["errors"]] == ["12.345678"]


@pytest.mark.parametrize(
    ("lines", "passed"),
    [
        ((b"= 12 passed in 3.01s =",), True),
        ((b"Finished: SUCCESS", b""), True),
        ((b"= 12 passed in 3.01s =", *[b"x"] * 10), True),
        ((b"= 12 passed in 3.01s =", *[b"x"] * 11), False),
        ((b"= 12 passed in 3.01s =", b"ERROR: no space"), False),
        ((b"= 12 passed in 3.01s =", b"##[error]Process completed with exit code 1."), False),
        ((b"--- FAIL: TestOne (0.1s)", b"= 12 passed in 3.01s ="), False),
        ((*RETRIED, b"Tests run: 38, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1", BUILT), True),
        ((*RETRIED, b"Tests run: 38, Failures: 0, Errors: 0, Skipped: 0", BUILT), False),
        ((b"##[group]Run ./it", b"ERROR: x", b"Post job cleanup.", GITHUB), True),
        ((b"##[group]Run ./it", b"##[error]x", b"Post job cleanup.", GITHUB), False),
        ((GITHUB, *[b"Terminate orphan process: pid (1) (x)"] * 3), True),
        ((b"x",), False),
        ((), False),
    ],
)
def test_a_log_passed_if_its_last_words_say_so(summary_of, lines, passed):
    assert summary_of(*lines)["passed"] is passed


#: Prints the functions that are called while a value is made of a type.
CALLED = """
import sys
import msgspec
from oslogserve.lines.summary import Summary

def called(of):
    names = []
    sys.setprofile(lambda frame, event, _: event == "call" and names.append(frame.f_code.co_name))
    try:
        msgspec.convert({}, of)
    except msgspec.ValidationError:
        pass
    sys.setprofile(None)
    return names

class Other(msgspec.Struct):
    of: int

print(called(Summary), "get_class_annotations" in called(Other))
"""


def test_first_summaries_in_several_threads_do_not_end_the_process():
    """msgspec would learn of their types then, and use in one thread what another one has half learnt."""
    called = subprocess.run(
        [sys.executable, "-c", CALLED], check=True, capture_output=True, text=True
    )
    assert called.stdout == "[] True\n"
