# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from client_kit import data_of
from oslogserve_mcp.answer import Report
from oslogserve_mcp.client import Answer
from oslogserve_mcp.places import BadRequest, Site
from oslogserve_mcp.steps import show_steps

SITE = Site("https://logs.example.org/")


def step(first, last, outcome=None, name="make", took=None):
    return {"first": first, "last": last, "outcome": outcome, "name": name, "took": took}


def shown(*steps, most=4000, **members):
    report = Report(most)
    body = json.dumps({"chapters": steps, "complete": True, **members}).encode()
    show_steps(Answer(body, False, SITE.place("a.log")), SITE, report)
    return data_of(report.text())


def test_steps_are_below_those_that_contain_them():
    steps = [step(1, 9, "failed", took="1 min 5 s"), step(2, 4, "passed"), step(3, 3), step(10, 11)]
    assert shown(*steps, more_chapters=3) == [
        "https://logs.example.org/a.log",
        "4 steps, of which 1 failed. Further steps: 3.",
        "FAILED 1-9, 1 min 5 s: make",
        "  passed 2-4: make",
        "    3-3: make",
        "10-11: make",
    ]


def test_steps_that_passed_are_left_out_first():
    steps = [step(number, number, "passed") for number in range(1, 200)]
    assert shown(*steps, step(200, 200, "failed"), most=1000)[2:] == [
        "FAILED 200-200: make",
        "199 steps left out: ask for more bytes",
    ]
    lines = shown(*(step(number, number, "failed") for number in range(1, 200)), most=1000)
    assert lines[-1] == f"{199 - (len(lines) - 3)} steps left out: ask for more bytes"


def test_a_folder_has_no_steps():
    with pytest.raises(BadRequest, match="This is a folder"):
        show_steps(Answer(b'{"logs": []}', False, SITE.place("job/")), SITE, Report(1000))


def test_what_is_missing_is_said():
    assert "It is damaged." in shown(complete=False, reason="It is damaged.")
