# SPDX-License-Identifier: Apache-2.0
"""Rows of an excerpt in short."""

import html
import json
import re

import pytest

from oslogserve.pages.failed_tasks import readable

BEGIN = "2026-03-04 18:22:11.000000 | fatal: [controller]: FAILED! => "


def row(text, number=7):
    return f"<li class=E><a href=a.txt#L{number}>{number}</a>{html.escape(text, quote=False)}\n"


def shown(text):
    found = readable(row(text).encode()).decode()
    assert found.startswith("<li class=E><a href=a.txt#L7>7</a>")
    return html.unescape(re.sub("<b>", "\n", re.sub("</?(?!b>)[^>]*>", "", found)))


def test_a_failed_task_shows_what_it_says_as_lines():
    out = [f"out {number} <&" for number in range(90)]
    result = {
        "changed": True,
        "msg": "non-zero <return> code",
        "stderr": "Traceback:\nValueError: no",
        "stdout": "\n".join(out),
        "stdout_lines": out,
    }
    assert shown(BEGIN + json.dumps(result)).splitlines() == [
        f"7{BEGIN}non-zero <return> code",
        *("stderr", "Traceback:", "ValueError: no"),
        *("stdout", *out[-8:]),
    ]


@pytest.mark.parametrize(
    ("result", "wanted"),
    [
        ('{"msg": "no \\"such\\" host", "stderr": "one\\ntwo, cut o', ['no "such" host', "one"]),
        ('{"msg": ["a", "b"], "rc": 1}', ["a b"]),
        ('{"msg": {"a": 1}}', ['{"a": 1}']),
        ('{"stdout_lines": ["one", 2, null]}', ["one", "2", "None"]),
    ],
)
def test_whatever_the_result_holds_is_shown(result, wanted):
    assert all(one in shown(BEGIN + result) for one in wanted)


def test_the_task_that_failed_is_named():
    found = readable(row(BEGIN + '{"msg": "no"}').encode(), "build <it>").decode()
    assert "=&gt; <b>build &lt;it&gt;</b>: no" in found
    assert readable(row("ok").encode(), "build") == row("ok").encode()


@pytest.mark.parametrize(("end", "is_said"), [('"}', False), ("", True), ('"} and more', True)])
def test_a_result_that_is_cut_off_says_that_there_is_more(end, is_said):
    found = shown(f'{BEGIN}{{"msg": "no", "stderr": "one{end}')
    assert ("The result has more: see the log." in found) == is_said


def test_long_lines_are_cut():
    found = shown(BEGIN + json.dumps({"msg": "m" * 5000, "stderr": "e" * 5000 + "\nlast"}))
    assert found.splitlines() == [
        f"7{BEGIN}{'m' * 1000}\N{HORIZONTAL ELLIPSIS}",
        *("stderr", "e" * 1000 + "\N{HORIZONTAL ELLIPSIS}", "last"),
    ]
    assert shown("<&" * 3000) == "7" + "<&" * 2048 + "\N{HORIZONTAL ELLIPSIS}"


@pytest.mark.parametrize(
    "text",
    [BEGIN + '{"rc": 1}', BEGIN + "[" * 4000, BEGIN + "{" * 4000, '{"msg": "x"}', "ok: [a] => {}"],
)
def test_another_line_stays_as_it_is(text):
    assert readable(row(text).encode()) == row(text).encode()


def several(*lines, head=""):
    return "".join(row(head + line, number) for number, line in enumerate(lines, 7))


RESULT = ['    "changed": true,', '    "msg": "a must be b",', '    "stderr": "one\\ntwo",', "}"]


@pytest.mark.parametrize("head", ["", "2026-03-04 18:22:11,123 p=1 u=root n=ansible | "])
def test_a_result_over_several_lines_is_shown_as_one(head):
    rows = several("fatal: [a]: FAILED! => {", *RESULT, "", "PLAY RECAP", head=head)
    rows = rows.replace("18:22:11,123", "18:22:12,400", 3)
    found = readable(rows.encode(), "test").decode()
    assert re.findall("#L([0-9]+)", found) == ["7", "12", "13"]
    assert "=&gt; <b>test</b>: a must be b" in found
    assert "\none\ntwo</span>" in found
    assert "has more" not in found


def test_the_beginning_of_a_result_over_several_lines_says_that_there_is_more():
    found = readable(several("fatal: [a]: FAILED! => {", *RESULT[:-1], "ok: [b]").encode()).decode()
    assert re.findall("#L([0-9]+)", found) == ["7", "11"]
    assert "=&gt; a must be b" in found
    assert "The result has more: see the log." in found


@pytest.mark.parametrize("below", [['    "rc": 1', "}"], ["a"], []])
def test_a_result_over_several_lines_without_a_message_stays_as_it_is(below):
    rows = several("fatal: [a]: FAILED! => {", *below, "b")
    assert readable(rows.encode()).decode() == rows


def test_the_errors_of_a_module_that_crashed_are_shown():
    result = {
        "module_stderr": "Traceback\nKeyError: 'a'\n",
        "module_stdout": "",
        "msg": "MODULE FAILURE",
    }
    assert shown(BEGIN + json.dumps(result)).splitlines() == [
        f"7{BEGIN}MODULE FAILURE",
        *("module_stderr", "Traceback", "KeyError: 'a'"),
    ]
    assert "KeyError: 'a'" in shown(BEGIN + json.dumps(result)[:-9])


def test_each_row_is_read_alone():
    rows = row("before", 1) + row(BEGIN + '{"msg": "no"}', 2) + row("behind", 3)
    found = readable(rows.encode()).decode()
    assert found.startswith(row("before", 1))
    assert found.endswith(row("behind", 3))
    assert "=&gt; no" in found


@pytest.mark.parametrize("run", ["*" * 60, "=" * 20])
def test_a_banner_ends_at_the_pages_edge(run):
    found = readable(row(f"TASK [a : b] {run}").encode()).decode()
    assert found == row(f"TASK [a : b] {run}").replace(run, f'<span class="banner">{run}</span>')
    assert readable(row("a *** b ===").encode()) == row("a *** b ===").encode()
