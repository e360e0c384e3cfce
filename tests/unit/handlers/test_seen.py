# SPDX-License-Identifier: Apache-2.0
"""The page of what fails now, over a database of its own."""

import re
import time
from functools import partial

import pytest
import webob

from oslogserve.errors import Error
from oslogserve.handlers.seen import MOST_CAUSES, MOST_RUNS, what_failed
from oslogserve.handlers.server import error_answer
from oslogserve.http.request import Request
from oslogserve.metrics import Metrics
from oslogserve.seen import Cause, Run
from oslogserve.seen.database import Database
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rule, Rules

NOW = int(time.time())
DAY = 24 * 3600
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e\n&"
BUG = {"title": "Mirror & more", "url": "https://bugs.example.org/1?a=1&b=2"}


def fingerprint(number):
    return f"{number:032x}"


def cause(number, text="no space", log="logs/a.txt", line=7, told=""):
    return Cause(log, line, text, fingerprint(number), fingerprint(number + 1000), told)


def run(path, *causes, ago=60, has_failed=True, **named):
    return Run(path, NOW - ago, has_failed, **named, change="9123,2", causes=causes)


class Asking:
    def __init__(self, folder, rules=(), is_listed=True, days=21):
        self.database = Database(f"sqlite:///{folder}/seen.sqlite", days, is_listed=is_listed)
        self.memory = Memory(self.database, Metrics(), Rules(rules))
        self._handler = partial(what_failed, memory=self.memory)

    def __call__(self, query="", accept="text/html", mount=""):
        asked = webob.Request.blank(f"/_oslogserve/seen{query}", {"SCRIPT_NAME": mount})
        asked.headers["Accept"] = accept
        request = Request(asked.environ, None)
        try:
            answer = self._handler(request)
        except Error as error:
            answer = error_answer(request, error, ())
        body = b"".join(answer.pieces)
        return webob.Response(body=body, status=answer.status, headerlist=answer.headers)

    def json(self, query=""):
        answer = self(query, accept="application/json")
        assert answer.content_type == "application/json"
        return answer.json

    def keep(self, *runs):
        assert [self.database.remember(one) for one in runs] == ["kept"] * len(runs)


@pytest.fixture
def ask(tmp_path):
    asking = Asking(tmp_path)
    yield asking
    asking.memory.close()


def test_causes_of_most_runs_come_first_with_their_days(ask):
    ask.keep(
        run("a/1", cause(1), job="unit", project="nova", branch="main"),
        run("a/2", cause(2, "timed out"), ago=DAY + 60, job="unit"),
        run("a/3", cause(2, "timed out"), ago=3 * DAY + 60, job="tempest"),
        run("a/4", cause(2, "timed out"), ago=9 * DAY),
        run("a/5", cause(1), ago=120, has_failed=False),
    )
    found = ask.json()
    assert (found["days"], found["kept_days"]) == (7, 21)
    [first, second] = found["causes"]
    assert (
        first.items()
        >= {
            "fingerprint": fingerprint(2),
            "text": "timed out",
            "runs": 2,
            "runs_last_day": 0,
            "jobs": 2,
            "passed": 0,
            "by_day": [0, 0, 0, 1, 0, 1, 0],
            "known": [],
        }.items()
    )
    assert (second["runs"], second["runs_last_day"], second["passed"]) == (1, 1, 1)
    assert (
        second["last_run"].items()
        >= {
            "path": "a/1",
            "failed": True,
            "job": "unit",
            "project": "nova",
            "branch": "main",
            "change": "9123,2",
            "log": "logs/a.txt",
            "line": 7,
        }.items()
    )
    assert [one["runs"] for one in ask.json("?days=21")["causes"]] == [3, 1]


def test_a_list_is_of_a_job_a_project_a_branch(ask):
    ask.keep(
        run("a/1", cause(1), job="unit", project="nova", branch="main"),
        run("a/2", cause(2), job="unit", project="nova", branch="old"),
        run("a/3", cause(3), job="other", project="nova", branch="main"),
    )
    found = ask.json("?job=unit&project=nova&branch=main")
    assert [one["fingerprint"] for one in found["causes"]] == [fingerprint(1)]
    assert ask.json("?job=unit&project=&branch=")["job"] == "unit"
    page = ask("?job=unit").text
    assert 'title="Without this filter">job unit</a>' in page
    assert "?days=7&amp;job=unit&amp;branch=old" in page


def test_the_runs_of_a_cause_are_linked_where_they_failed_and_passed_ones_are_apart(ask):
    ask.keep(
        run("a/1", cause(1)),
        run("b c/2", cause(2), cause(1, log="x y.txt", line=9), ago=DAY),
        run("a/3", cause(1), has_failed=False),
        run("a/4", cause(3)),
    )
    page = ask(f"?cause={fingerprint(1)}", mount="/htmlify").text
    failed, passed = page.split("1 run that passed")
    assert "2 runs that failed" in failed
    assert 'href="/htmlify/a/1/?format=overview"' in failed
    assert 'href="/htmlify/b%20c/2/?format=overview"' in failed
    assert 'href="/htmlify/b%20c/2/x%20y.txt?show=L9#L9"' in failed
    assert 'href="/htmlify/a/3/?format=overview"' in passed
    assert "a/4" not in page
    assert 'href="/htmlify/_oslogserve/seen"' in page
    found = ask.json(f"?cause={fingerprint(1)}")
    assert [(one["path"], one["failed"]) for one in found["runs"]] == [
        ("a/1", True),
        ("b c/2", True),
        ("a/3", False),
    ]


def test_the_list_leads_to_runs_lines_and_json_below_the_mount(ask):
    ask.keep(run("a/1", cause(1)))
    page = ask(mount="/htmlify").text
    assert f'href="?days=7&amp;cause={fingerprint(1)}"' in page
    assert 'href="/htmlify/a/1/logs/a.txt?show=L7#L7"' in page
    assert 'href="/htmlify/a/1/?format=overview"' in page
    assert re.search(r'href="/htmlify/_oslogserve/seen\.\w+\.css"', page)
    assert '<path d="M60 24v-24h8v24z"/>' in page


def test_the_list_leads_to_the_runs_of_its_days_and_filters_and_these_to_all(ask):
    ask.keep(
        run("a/1", cause(1), job="unit"),
        run("a/2", cause(1), ago=9 * DAY, job="unit"),
        run("a/3", cause(1), job="other"),
        run("a/4", cause(1), job="unit", has_failed=False),
        run("a/5", cause(1), job="other", has_failed=False),
    )
    [listed] = ask.json("?job=unit")["causes"]
    assert (listed["runs"], listed["passed"]) == (1, 1)
    [to_runs] = re.findall(r'class="name" href="(.*?)"', ask("?job=unit").text)
    page = ask(to_runs.replace("&amp;", "&")).text
    assert "Runs of the last 7 days, job unit." in page
    assert re.findall(r">(a/\d)<", page) == ["a/1", "a/4"]
    [to_all] = re.findall(r'href="(.*?)">Show all<', page)
    page = ask(to_all).text
    assert {*re.findall(r">(a/\d)<", page)} == {f"a/{number}" for number in range(1, 6)}
    assert "Show all" not in page
    assert len(ask.json(f"{to_all}&days=7")["runs"]) == 4
    assert ask(f"{to_all}&days=1&branch=x").status_code == 404


def test_a_run_is_listed_by_its_leading_cause_alone(ask):
    ask.keep(run("a/1", cause(1), cause(2, log="n-cpu.txt")), run("a/2", cause(3), cause(2)))
    found = {one["fingerprint"] for one in ask.json()["causes"]}
    assert found == {fingerprint(1), fingerprint(3)}
    assert len(ask.json(f"?cause={fingerprint(2)}")["runs"]) == 2


def test_so_many_runs_are_listed_at_most_and_more_are_told(ask):
    query = f"?cause={fingerprint(1)}"
    ask.keep(*(run(f"{number}/a", cause(1)) for number in range(MOST_RUNS)))
    assert (len(ask.json(query)["runs"]), ask.json(query)["more"]) == (MOST_RUNS, False)
    assert "there are more" not in ask(query).text
    ask.keep(run("b/1", cause(1)))
    assert (len(ask.json(query)["runs"]), ask.json(query)["more"]) == (MOST_RUNS, True)
    assert "Only the last 200 runs: there are more." in ask(query).text


def test_so_many_causes_are_listed_at_most_and_more_are_told(ask):
    ask.keep(*(run(f"{number}/a", cause(number)) for number in range(MOST_CAUSES)))
    assert (len(ask.json()["causes"]), ask.json()["more"]) == (MOST_CAUSES, False)
    assert "there are more" not in ask().text
    ask.keep(run("b/1", cause(MOST_CAUSES + 1)))
    assert (len(ask.json()["causes"]), ask.json()["more"]) == (MOST_CAUSES, True)
    assert "The first 100 causes of the last 7 days" in ask().text


def test_paths_names_and_texts_are_escaped(ask):
    ask.keep(
        run(
            f"a/{HOSTILE}",
            cause(1, HOSTILE, log=f"{HOSTILE}.txt"),
            **dict.fromkeys(("job", "project", "branch"), HOSTILE),
        )
    )
    for page in (ask().text, ask(f"?cause={fingerprint(1)}").text):
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert not set("\x1b\u202e") & set(page)


def test_a_cut_name_of_a_log_is_no_link(ask):
    ask.keep(run("a/1", cause(1, log="x" * 300)))
    assert "show=L7" not in ask().text + ask(f"?cause={fingerprint(1)}").text


def test_what_rules_know_is_shown_by_all_lines_of_a_cause(tmp_path):
    ask = Asking(tmp_path, [Rule("mirror.*gone", **BUG, job="^unit$"), Rule("two", "x")])
    several = cause(1, "one", told="one\nthe mirror is gone")
    ask.keep(run("a/1", several, job="unit"), run("a/2", cause(3), job="other"))
    ask.keep(run("a/4", cause(2, "two")))
    listed = {one["fingerprint"]: one["known"] for one in ask.json()["causes"]}
    assert listed == {
        fingerprint(1): [BUG],
        fingerprint(2): [{"title": "x", "url": ""}],
        fingerprint(3): [],
    }
    link = '<a href="https://bugs.example.org/1?a=1&amp;b=2" rel="noreferrer nofollow">Mirror &amp;'
    assert link in ask().text
    assert link in ask(f"?cause={fingerprint(1)}").text
    assert link not in ask(f"?cause={fingerprint(2)}").text
    ask.memory.close()


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?days=0", "days='0' is not understood: days takes a whole number from 1 to 21, "),
        ("?days=22", "a whole number from 1 to 21"),
        ("?days=x", "a whole number from 1 to 21"),
        ("?cause=xyz", "a fingerprint, 32 hexadecimal digits"),
        ("?cause=%3Cb%3E", "cause='<b>'"),
        ("?format=text", "one of html, json"),
        ("?job=" + "x" * 101, "1 to 100 characters"),
        ("?level=ERROR", "Unknown parameter 'level'"),
        ("?days=1&days=2", "contradicts"),
        ("?job=" + "x" * 5000, "longer than 4096"),
    ],
)
def test_a_wrong_parameter_is_named(ask, query, sentence):
    answer = ask(query, accept="text/plain")
    assert answer.status_code == 400
    assert sentence in answer.text
    assert ask(query).status_code == 400


@pytest.mark.parametrize(
    "query",
    ["job=%00", "branch=%FF%ED%A0%80", "project=%25%5F'", "job=\xff", "&&=&job", "utm_x=1&fbclid"],
)
def test_any_name_is_looked_up(ask, query):
    ask.keep(run("a/1", cause(1), job="x"))
    for accepted in ("text/html", "application/json"):
        answer = ask(f"?{query}", accept=accepted)
        assert answer.status_code == (400 if query.startswith("&") else 200)


def test_all_days_are_drawn_in_a_bounded_width(tmp_path):
    ask = Asking(tmp_path, days=365)
    ask.keep(*(run(f"a/{day}", cause(1), ago=day * DAY + 60) for day in range(0, 365, 5)))
    page = ask("?days=365").text
    assert 'viewBox="0 0 3650 24" width="240" height="24"' in page
    assert page.count("v-24h8v24z") == 73
    assert 'aria-label="Runs by day"' in page
    ask.memory.close()


def test_an_empty_list_says_so(ask):
    page = ask().text
    assert "No run failed in the last 7 days for a cause that is known." in page
    assert "with these filters" in ask("?job=x").text
    assert ask(f"?cause={fingerprint(1)}").status_code == 404


def test_it_is_neither_kept_nor_found_by_search_engines(ask):
    for query in ("", "?format=json", f"?cause={fingerprint(1)}"):
        ask.database.remember(run("a/1", cause(1)))
        answer = ask(query)
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "script-src" in ask().headers["Content-Security-Policy"]


def test_a_server_may_refuse_the_list(tmp_path):
    ask = Asking(tmp_path, is_listed=False)
    assert ask().status_code == 403
    ask.memory.close()


def test_a_server_that_keeps_no_runs_says_so():
    request = Request(webob.Request.blank("/_oslogserve/seen").environ, None)
    with pytest.raises(Error, match="does not keep") as raised:
        what_failed(request, Memory(None, Metrics(), Rules()))
    assert raised.value.status.startswith("404")


def test_a_failing_database_is_told_without_what_it_said(tmp_path):
    (tmp_path / "seen.sqlite").write_bytes(b"no database " * 1000)
    ask = Asking(tmp_path)
    answer = ask()
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert "What runs failed for cannot be looked up now. Try again soon." in answer.text
    ask.memory.close()
