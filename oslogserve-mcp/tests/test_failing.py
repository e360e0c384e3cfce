# SPDX-License-Identifier: Apache-2.0
import json

from client_kit import data_of
from oslogserve_mcp.answer import Report
from oslogserve_mcp.client import Answer
from oslogserve_mcp.failing import show_failing
from oslogserve_mcp.places import Site

URL = "https://logs.example.org/ci/"
SITE = Site(URL)
RUN = {
    "path": "a b/é",
    "ended": "2026-03-04T18:25:00Z",
    "failed": True,
    "job": "smoke",
    "project": "",
    "branch": "main",
    "change": "1,2",
    "log": "sub/x?.txt",
    "line": 7,
}
CAUSE = {
    "fingerprint": "0f",
    "text": "disk\u202e is full",
    "runs": 1400,
    "runs_last_day": 2,
    "jobs": 1,
    "passed": 1,
    "first": "2026-03-01",
    "last": "2026-03-04",
    "known": [{"title": "Bug 1", "url": "https://bugs.example.org/1"}],
    "last_run": RUN,
}


def shown(most=4000, **members):
    report = Report(most)
    body = json.dumps({"days": 7, "more": False, **members}).encode()
    show_failing(Answer(body, False, SITE.place(f"{URL}_oslogserve/seen?days=7")), SITE, report)
    return data_of(report.text())


def test_a_cause_has_its_counts_its_last_run_and_a_link_to_all():
    assert shown(causes=[CAUSE]) == [
        f"{URL}_oslogserve/seen?days=7",
        "1 cause of the last 7 days, those of most runs first:",
        "1,400 runs of 1 job failed, from 2026-03-01 to 2026-03-04, 2 in the last 24 h; 1 run that passed had it:",
        "| disk\\u202e is full",
        "Known: Bug 1 https://bugs.example.org/1",
        "The last one: 2026-03-04T18:25:00Z failed, job smoke, branch main, change 1,2",
        f"{URL}a%20b/%C3%A9/sub/x%3F.txt?goto=7",
        f"All of them: {URL}_oslogserve/seen?cause=0f",
    ]


def test_the_runs_of_a_cause_are_counted_by_jobs():
    runs = [RUN, RUN, {**RUN, "job": "unit"}, {**RUN, "failed": False, "path": "", "job": ""}]
    lines = shown(**CAUSE | {"runs": runs})
    assert lines[1:5] == [
        "| disk\\u202e is full",
        "Known: Bug 1 https://bugs.example.org/1",
        "3 runs failed, by jobs: smoke 2, unit 1",
        "1 run that passed had it",
    ]
    assert lines[-2:] == [
        "2026-03-04T18:25:00Z passed, branch main, change 1,2",
        f"{URL}sub/x%3F.txt?goto=7",
    ]


def test_causes_that_do_not_fit_are_counted():
    lines = shown(causes=[CAUSE] * 50, more=True)
    told = sum(line.startswith("1,400 runs") for line in lines)
    assert 3 < told < 20
    assert lines[-1] == f"{50 - told} further ones left out: ask for more bytes"
    assert shown(causes=[CAUSE], more=True)[-1].startswith("There are more")
