# SPDX-License-Identifier: Apache-2.0
import random
import re
import time
from datetime import datetime, timedelta
from zlib import crc32

import pytest
from msgspec.structs import replace

from oslogserve import native
from oslogserve.jobs import ranking
from oslogserve.jobs.ranking import likelihood, preference
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.selection import Wanted
from oslogserve.lines.summary import CauseLine
from tests.kit.renderers import renderer, summary_with

BEGIN = datetime(2026, 3, 4, 18, 22, 11)
FAILED = BEGIN + timedelta(hours=1)
LOGS = [
    *("n-api", "n-cpu", "n-sch", "q-svc", "q-agt", "c-api", "c-vol", "g-api", "key", "libvirtd"),
    *("mysql", "rabbit", "syslog", "tempest", "job-output"),
]
CAUSES = [
    "nova.exception.PortBindingFailed: Binding failed for port 0f3d2c1a, please check neutron logs",
    "oslo_db.exception.DBConnectionError: Lost connection to MySQL server during query",
    "No valid host was found. There are not enough hosts available.",
    "Cannot allocate memory: fork failed",
    "AMQP server on 10.0.0.4:5672 is unreachable: timed out",
    "libvirt.libvirtError: internal error: process exited while connecting to monitor",
    "Volume group devstack-volumes has insufficient free space",
    "keystoneauth1.exceptions.http.Unauthorized: The request you have made requires authentication",
    "Could not bring up tap-9f: Device or resource busy",
    "Image 4ac0 could not be found in the store",
]
REPEATED = [
    "Failed to reach the metadata service at 10.0.0.%d, will try again",
    "Unable to find instance %d in the database, skipping",
    "Lock file /var/lock/%d is held by another process",
    "[instance: %d] Error monitoring migration",
]
ONCE = ["Option old_style is deprecated", "Plugin foo could not be loaded", "No policy file found"]


def job(number):
    """(name of the log with the cause, [(name, summary)]) of a failed job with noise everywhere."""
    chance = random.Random(number)
    at_fault = LOGS[number]
    logs = []
    for name in LOGS:
        errors = []
        for text in chance.sample(REPEATED, 2):
            for _ in range(chance.randrange(1, 72)):
                time = BEGIN + (FAILED - BEGIN) * chance.random()
                errors.append((time, text % chance.randrange(99999)))
        errors.append((BEGIN + timedelta(seconds=chance.randrange(900)), chance.choice(ONCE)))
        if name == at_fault:
            errors.append((FAILED - timedelta(seconds=chance.randrange(2, 60)), CAUSES[number]))
        if name == "job-output":
            errors.append((FAILED, "fatal: [ubuntu]: FAILED! => {'msg': 'non-zero return code'}"))
        lines = [f"{time.isoformat(' ', 'milliseconds')} ERROR x {text}" for time, text in errors]
        lines += [f"{BEGIN.isoformat(' ', 'milliseconds')} INFO starts"]
        log = "\n".join(sorted(lines)).encode()
        logs.append((f"logs/{name}.txt", renderer()([log], Wanted("summary")).summary()))
    return f"logs/{at_fault}.txt", logs


def ranked(logs, noise=()):
    """(score, summary) of logs, which are names and summaries, in their order."""
    read = [LogRead(File(name.encode(), 1, 0.0, "disk"), summary=one) for name, one in logs]
    found = {log.file.shown: (log.score, log.summary) for log in ranking.ranked(read, noise)}
    return [found[name] for name, _ in logs]


def first_of(logs, *noise):
    ranks = ranked(logs, [*map(re.compile, noise)])
    best = max(range(len(logs)), key=lambda at: ranks[at][0])
    return logs[best][0], ranks[best][1].cause


def scores_of(logs):
    return [score for score, _ in ranked(logs)]


def test_the_cause_comes_first_in_nine_of_ten_jobs():
    right = 0
    for number in range(10):
        at_fault, logs = job(number)
        name, cause = first_of(logs)
        right += name == at_fault and cause.text.endswith(CAUSES[number])
    assert right >= 9


def errors(*several, lines=None, gap=1):
    """The summary of a log with these errors, which does not say how it ended.

    lines: of the log. gap: from error to error.
    """
    found = [
        {"line": 1 + n * gap, "time": time, "text": text} for n, (time, text) in enumerate(several)
    ]
    last_time = max((time or "" for time, _ in several), default=None)
    cause = {"line": 1, "last": 1, "time": None, "text": "end", "why": "end"}
    if found:
        cause = {**found[-1], "last": found[-1]["line"], "why": "severity"}
    severities = {"ERROR": {"count": lines or cause["last"], "first_line": 1}}
    return summary_with(errors=found, last_time=last_time, cause=cause, severities=severities)


def failed(why, time=None, **members):
    """The summary of a log that says that it failed."""
    cause = {"line": 7, "last": 8, "time": time, "text": "why", "why": why}
    severities = {"NONE": {"count": 8, "first_line": 1}}
    known = {"last_time": time, "cause": cause, "failed": True, "severities": severities}
    return summary_with(**known | members)


def test_of_two_errors_the_one_before_the_failure_counts_more():
    logs = [
        ("a.txt", errors(("2026-03-04T18:00:00", "early"))),
        ("b.txt", errors(("2026-03-04T18:59:58", "late"))),
        ("c.txt", errors(("2026-03-04T19:10:00", "behind"))),
        ("job-output.txt", errors(("2026-03-04T19:00:00", "failed"))),
    ]
    assert first_of(logs)[0] == "b.txt"


def test_zones_are_applied():
    logs = [
        ("a.txt", errors(("2026-03-04T18:59:00Z", "a minute before"))),
        ("b.txt", errors(("2026-03-04T20:59:58+02:00", "seconds before"))),
        ("console.txt", errors(("2026-03-04T19:00:00Z", "failed"))),
    ]
    assert first_of(logs)[0] == "b.txt"


def test_noise_counts_less_and_is_not_left_out():
    logs = [
        ("a.txt", errors(("2026-03-04T18:59:59", "always there"))),
        ("b.txt", errors(("2026-03-04T18:59:30", "rare"))),
        ("console.txt", errors(("2026-03-04T19:00:00", "failed"))),
    ]
    assert first_of(logs)[0] == "a.txt"
    assert first_of(logs, "always")[0] == "b.txt"
    assert all(summary.cause for _, summary in ranked(logs, [re.compile("always")]))


@pytest.mark.parametrize("time", [None, "18:22:11", "12.500000"])
def test_errors_without_a_date_are_ranked_too(time):
    [(score, _)] = ranked([("a.txt", errors((time, "x")))])
    assert score > 0


@pytest.mark.parametrize(
    ("time", "alike"),
    [
        ("2026-03-04T18:22:11.5", "2026-03-04T18:22:11.500000"),
        ("2026-03-04T20:22:11+02:00", "2026-03-04T18:22:11Z"),
        ("2026-03-04T18:22:11 +0000", "2026-03-04T18:22:11"),
    ],
)
def test_a_time_counts_in_whatever_form_it_is(time, alike):
    later = errors(("2026-03-04T18:30:00", "y"))
    first, second = (
        ranked([("a.txt", errors((one, "x"))), ("console.txt", later)]) for one in (time, alike)
    )
    assert first[0][0] == second[0][0] > ranked([("a.txt", errors((None, "x")))])[0][0]


def test_a_log_without_errors_has_no_rank():
    [(score, summary)] = ranked([("a.txt", errors())])
    assert (score, summary.cause.why) == (0.0, "end")


@pytest.mark.parametrize("why", ["test", "severity", "failed step", "end"])
@pytest.mark.parametrize("time", [None, "18:22:11", "2026-03-04T12:00:00"])
def test_a_log_that_failed_leads_with_its_cause_at_any_time(why, time):
    noisy = [("2026-03-04T18:59:59", f"provoked {chr(97 + number)}") for number in range(20)]
    logs = [
        *((f"{number}.txt", errors(*noisy)) for number in range(5)),
        ("build.txt", failed(why, time)),
        ("job-output.txt", errors(("2026-03-04T19:00:00", "failed"))),
    ]
    name, cause = first_of(logs)
    assert (name, cause.why) == ("build.txt", why)


@pytest.mark.parametrize("name", ["a.txt", "console.txt"])
def test_a_log_that_says_that_it_passed_comes_last(name):
    passed = replace(errors(*[("2026-03-04T18:59:59", "provoked")] * 9), cause=None)
    logs = [(name, passed), ("b.txt", errors(("2026-03-04T18:00:00", "early"), lines=900))]
    ranks = ranked(logs)
    assert ranks[0] == (0.0, passed)
    assert ranks[1][0] > 0


def test_a_log_that_an_error_ended_leads_before_one_that_survived_many():
    provoked = [("2026-03-04T18:59:59", f"provoked {chr(97 + n)}") for n in range(60)]
    logs = [
        ("a.txt", errors(*provoked, gap=5)),
        ("b.txt", errors(("2026-03-04T18:30:00", "the only one"))),
        ("c.txt", errors(("2026-03-04T18:59:58", "went on"), lines=2000)),
    ]
    assert first_of(logs)[0] == "b.txt"


def test_a_traceback_is_one_error():
    lines = [("2026-03-04T18:30:00", f"line {chr(97 + n)}") for n in range(20)]
    whole, several = (
        ranked([("a.txt", errors(*lines, gap=gap)), ("b.txt", errors())])[0][0] for gap in (1, 5)
    )
    assert whole > 2 * several


def test_an_error_that_ended_a_log_after_the_job_had_failed_counts_less():
    scores = scores_of(
        [
            ("before.txt", errors(("2026-03-04T18:30:00", "at the end"))),
            ("behind.txt", errors(("2026-03-04T19:00:09", "while all was stopped"))),
            ("job-output.txt", failed("test", "2026-03-04T19:00:00")),
        ]
    )
    assert scores[2] > scores[0] > 2 * scores[1] > 0


@pytest.mark.parametrize("why", ["test", "severity", "failed step", "end"])
def test_a_log_that_failed_leads_before_one_that_an_error_ended(why):
    logs = [("a.txt", errors(("2026-03-04T19:00:00", "x"))), ("b.txt", failed(why))]
    assert first_of(logs)[0] == "b.txt"


@pytest.mark.parametrize("others", ["severity", "failed step", "end"])
@pytest.mark.parametrize("why", ["test", "severity", "failed step", "end"])
def test_of_two_logs_that_failed_the_one_with_a_verdict_leads(why, others):
    loud = errors(("2026-03-04T19:00:00", "x"))
    loud = replace(loud, failed=True, cause=replace(loud.cause, why=others))
    logs = [("a.txt", loud), ("b.txt", failed(why, verdict=True))]
    assert first_of(logs)[0] == "b.txt"


def test_a_failed_test_leads_before_a_verdict_on_a_log_that_shows_nothing():
    logs = [("a.txt", failed("end", verdict=True)), ("b.txt", failed("test"))]
    assert first_of(logs)[0] == "b.txt"


def test_of_two_logs_that_failed_the_one_with_a_failed_test_leads():
    logs = [("console.txt", failed("failed step")), ("tests.txt", failed("test"))]
    assert first_of(logs)[0] == "tests.txt"


def test_errors_shortly_before_the_failure_of_another_log_count_more():
    logs = [
        ("a.txt", errors(("2026-03-04T18:00:00", "early"))),
        ("b.txt", errors(("2026-03-04T18:59:58", "late"))),
        ("c.txt", errors(("2026-03-04T20:00:00", "behind"))),
        ("build.txt", failed("test", "2026-03-04T19:00:00")),
    ]
    scores = scores_of(logs)[:3]
    assert max(scores) == scores[1]


def test_an_error_of_a_service_is_its_cause_and_a_console_keeps_its_own():
    summary = replace(errors((None, "one"), (None, "two")), cause=failed("severity").cause)
    (_, service), (_, console) = ranked([("a.txt", summary), ("console.txt", summary)])
    assert service.cause == CauseLine(1, 1, None, "one", "severity")
    assert console == summary


@pytest.mark.parametrize("lines", [(1, 9), (1, 2), (2, 9)])
def test_an_error_of_a_service_within_its_cause_keeps_the_end_of_it(lines):
    first, last = lines
    summary = errors((None, "one"), (None, "two"))
    cause = replace(failed("severity").cause, line=first, last=last)
    [error] = [one for one in summary.errors if one.line == first]
    [(_, service)] = ranked([("a.txt", replace(summary, cause=cause, errors=[error]))])
    assert (service.cause.line, service.cause.last) == (first, last)


def test_an_error_of_a_service_behind_its_cause_ends_with_its_own_line():
    summary = errors((None, "one"), (None, "two"), gap=9)
    cause = replace(failed("severity").cause, line=1, last=3)
    [(_, service)] = ranked([("a.txt", replace(summary, cause=cause, errors=summary.errors[1:]))])
    assert (service.cause.line, service.cause.last) == (10, 10)


@pytest.mark.parametrize("has_failed", [False, True])
def test_a_log_without_a_new_line_comes_behind_one_that_has_some(has_failed):
    known = errors(("2026-03-04T18:59:59", "right before the failure"))
    new = errors(("2026-03-04T18:30:00", "long before"), lines=900)
    known, new = (
        replace(one, errors=[replace(one.errors[0], new=is_new)], new=counts)
        for one, is_new, counts in ((known, False, {}), (new, True, new.severities))
    )
    logs = [
        ("known.txt", replace(known, failed=has_failed)),
        ("new.txt", new),
        ("job-output.txt", errors(("2026-03-04T19:00:00", "failed"))),
    ]
    assert first_of(logs[:2])[0] == "new.txt"


def test_a_log_that_did_not_fail_has_its_end():
    end = failed("end", failed=False)
    assert ranked([("a.txt", end)]) == [(0.0, end)]


def test_likely_logs_come_first_then_new_and_small_ones():
    large = 20 * 1024 * 1024
    files = [
        File(b"job-output.txt", large, 60.0, "disk"),
        File(b"logs/console.html.gz", 5, 0.0, "disk"),
        File(b"logs/testr_results.html.gz", 5, 0.0, "disk"),
        File(b"a/nova-console.log", 9, 0.0, "disk"),
        File(b"z-new", 5, 600.0, "disk"),
        File(b"unknown", None, 130.0, "disk"),
        File(b"b-small", 5, 121.0, "disk"),
        File(b"a-old", 500, 179.0, "disk"),
        File(b"timeless", 1, None, "swift"),
        File(b"large", large, 900.0, "disk"),
        File(b"console.empty", 0, 900.0, "disk"),
    ]
    mixed = files[::-1]
    mixed.sort(key=likelihood)
    assert mixed == files


def test_where_not_all_logs_are_read_the_larger_ones_of_a_minute_are():
    large = 20 * 1024 * 1024
    files = [
        File(b"b-console.txt", 5, 0.0, "disk"),
        File(b"a-console.txt", 9, 0.0, "disk"),
        File(b"z-new", 5, 600.0, "disk"),
        File(b"b-larger", 500, 121.0, "disk"),
        File(b"a-small", 5, 179.0, "disk"),
        File(b"z-large", large, 900.0, "disk"),
        File(b"a-large", large + 1, 900.0, "disk"),
    ]
    mixed = files[::-1]
    mixed.sort(key=preference)
    assert mixed == files


def test_errors_of_many_letters_are_ranked_in_little_time():
    several = [(None, letters * 75) for letters in ("abcd", "ABCD", "'abc", "''x", "a1b-") * 200]
    logs = [("a.txt", errors(*several))] * 10
    began = time.thread_time()
    ranked(logs)
    assert time.thread_time() - began < 3  # it was 100 s


#: The variable parts of an error: numbers, ids, quoted text.
VARIABLE = re.compile(rb"(?<![0-9a-fA-F])[a-fA-F]*[0-9][0-9a-fA-F-]*|(?<=')[^']*(?=')")


def test_a_kind_is_the_text_without_its_variable_parts():
    chance = random.Random(1)
    for _ in range(5000):
        text = bytes(chance.choices(b"''09-aFgx \xc3\xbc", k=chance.randrange(30)))
        assert native.kind_of(text) == crc32(VARIABLE.sub(b"#", text)), text
