# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from client_kit import data_of
from oslogserve_mcp.answer import Report
from oslogserve_mcp.client import Answer, Failed
from oslogserve_mcp.job import show_job
from oslogserve_mcp.places import Site

SITE = Site("https://logs.example.org")
SEEN = {
    "by": "exact",
    "runs": 3,
    "jobs": 2,
    "passed": 0,
    "failed_runs": 0,
    "days": 21,
    "href": "/x?c=1",
}


def cause(**members):
    told = ["the first line", "the second line"]
    return {
        "line": 7,
        "last": 8,
        "time": None,
        "text": "text",
        "why": "test",
        "told": told,
        **members,
    }


def log(name, **members):
    severities = {"ERROR": {"count": 1200, "first_line": 7}, "INFO": {"count": 1, "first_line": 1}}
    given = {"name": name, "href": name, "lines": 3000, "severities": severities, "reason": None}
    return {**given, "failed": False, "cause": cause(), **members}


def shown(*logs, most=4000, is_cut=False, to="job/", **members):
    summary = {"logs": logs, "seen": None, "known": [], "skipped": [], "complete": True}
    summary |= {"notices": [], "next": None, **members}
    report = Report(most)
    place = SITE.place(f"https://logs.example.org/{to}?format=summary")
    show_job(Answer(json.dumps(summary).encode(), is_cut, place), SITE, report)
    assert len(report.text().encode()) <= most
    return data_of(report.text())


def test_a_job_has_its_logs_with_their_causes_by_rank():
    lines = shown(log("a.log", failed=True), log("b c.log", href="b%20c.log", cause=None))
    assert lines == [
        "https://logs.example.org/job/",
        "2 logs, of which 1 failed, the most telling first:",
        "FAILED: a.log: 3,000 lines, 1,200 ERROR",
        "https://logs.example.org/job/a.log?goto=7",
        "Cause (test), lines 7-8:",
        "| the first line",
        "| the second line",
        "b c.log: 3,000 lines, 1,200 ERROR",
        "https://logs.example.org/job/b%20c.log",
    ]


def test_of_a_cause_in_another_log_its_line_is_shown():
    one = {"line": 7, "last": 7, "time": "2026-03-04T18:25", "text": "text", "why": "severity"}
    lines = shown(log("a", cause={**one, "new": True, "silent_step": 5}))
    assert "Cause (severity, new), line 7, 2026-03-04T18:25:" in lines
    assert lines[-1] == "| text"
    assert any("line 5" in line for line in lines)


@pytest.mark.parametrize("failed", [False, True])
def test_the_end_of_a_log_is_shown_if_it_is_the_first_or_failed(failed):
    end = cause(why="end")
    lines = shown(log("a", cause=end), log("b", cause=end, failed=failed))
    assert "No cause found, its end, lines 7-8:" in lines
    assert lines.count("| the first line") == 1 + failed
    assert lines[-1].startswith("| the second") == failed


def test_a_long_cause_is_cut_and_the_others_are_shorter():
    long = cause(told=["line"] * 40)
    lines = shown(log("a", cause=long), log("b", cause=long))
    assert lines.count("| line") == 45
    assert lines[-1] == "| ... 35 lines left out"


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        (
            {},
            "Seen before: the same lines in 3 other runs of 2 jobs: https://logs.example.org/x?c=1",
        ),
        (
            {"by": "failure", "href": None},
            "Seen before: the same exception in 3 other runs of 2 jobs",
        ),
        ({"href": "//evil.example/"}, "Seen before: the same lines in 3 other runs of 2 jobs"),
        (
            {"runs": 0, "failed_runs": 9, "passed": 1},
            "Not seen before in 21 days (9 failed runs); 1 run",
        ),
    ],
)
def test_what_other_runs_tell_is_said(members, sentence):
    [said] = [line for line in shown(log("a"), seen=SEEN | members) if "een before" in line]
    assert said == sentence or said.startswith(sentence + " that passed had it")


def test_a_run_that_was_first_is_said_to_be():
    assert "Seen since (this run is the first): the same lines in 3 other runs of 2 jobs" in shown(
        log("a"), seen=SEEN | {"is_first": True, "href": None}
    )


def test_another_failure_that_other_runs_had_is_said():
    another = {"log": "b.txt", "line": 9, **SEEN, "passed": 1, "href": None}
    lines = shown(log("a"), seen=SEEN | {"runs": 0, "failed_runs": 9, "another": another})
    assert lines[lines.index("Not seen before in 21 days (9 failed runs)") + 1] == (
        "Another failure of this run, line 9 of b.txt, was seen: the same lines in 3 other runs of 2 jobs; "
        "1 run that passed had it"
    )


def test_what_people_know_is_said():
    rule = {"title": "Bug 7", "url": "https://bugs.example.org/7"}
    assert "Known: Bug 7 https://bugs.example.org/7" in shown(log("a"), known=[rule])


def test_what_is_missing_is_said():
    lines = shown(
        log("a", reason="It is damaged."),
        complete=False,
        notices=["A folder could not be listed."],
        next="?format=summary&from=z.log",
    )
    assert "Something is missing from this answer." in lines
    assert "A folder could not be listed." in lines
    assert "Of this log, something is missing: It is damaged." in lines
    assert lines[-1] == "More logs: https://logs.example.org/job/?from=z.log"


@pytest.mark.parametrize("most", [1000, 2000, 8000])
def test_logs_that_do_not_fit_are_counted(most):
    lines = shown(*(log(f"{number}.log") for number in range(500)), most=most, next="?from=z")
    names = [line for line in lines if line.endswith("1,200 ERROR")]
    assert len(names) >= 2
    assert f"{500 - len(names)} further logs left out: ask for more bytes" in lines
    assert lines[-1].startswith("More logs: ")


def test_the_root_is_a_job_too():
    assert "https://logs.example.org/a.log?goto=7" in shown(log("a.log"), to="")


def test_a_summary_that_is_too_large_is_refused():
    with pytest.raises(Failed, match="name a folder below it"):
        shown(log("a"), is_cut=True)
