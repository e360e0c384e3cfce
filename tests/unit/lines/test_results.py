# SPDX-License-Identifier: Apache-2.0
"""What the results of failed tasks tell."""

import json

import pytest

from oslogserve.lines.results import TaskResult, result_of

BEGIN = "2026-03-04 18:22:11.000000 | fatal: [controller]: FAILED! => "


def told(*lines, hidden=0):
    """The result of these lines, and how many they are."""
    return result_of(lines, is_cut=hidden > 0)


def of_one(result, **line):
    found, size = told(BEGIN + result, **line)
    assert (found.begin, size) == (BEGIN, 1)
    return found


def test_a_result_tells_its_message_and_the_last_lines_of_its_outputs():
    out = [f"out {number}" for number in range(90)]
    result = {
        "changed": True,
        "msg": "non-zero return code",
        "stderr": "Traceback:\n\nValueError: no",
        "stdout": "\n".join(out),
        "stdout_lines": out,
    }
    outputs = {"stderr": ["Traceback:", "ValueError: no"], "stdout": out[-8:]}
    found = of_one(json.dumps(result))
    assert found == TaskResult(BEGIN, "non-zero return code", outputs, is_cut=False)


@pytest.mark.parametrize(
    ("result", "message", "outputs"),
    [
        (
            '{"msg": "no \\"such\\" host", "stderr": "one\\ntwo, cut o',
            'no "such" host',
            {"stderr": ["one", "two, cut o"]},
        ),
        ('{"msg": ["a", "b"], "rc": 1}', "a b", {}),
        ('{"msg": {"a": 1}}', '{"a": 1}', {}),
        ('{"stdout_lines": ["one", 2, null]}', "", {"stdout": ["one", "2", "None"]}),
        (
            '{"module_stderr": "Traceback\\nKeyError", "module_stdout": "", "msg": "FAILURE"}',
            "FAILURE",
            {"module_stderr": ["Traceback", "KeyError"]},
        ),
        ('{"module_stderr": "KeyError: \'a', "", {"module_stderr": ["KeyError: 'a"]}),
    ],
)
def test_whatever_the_result_holds_is_told(result, message, outputs):
    found = of_one(result)
    assert (found.message, found.outputs) == (message, outputs)


@pytest.mark.parametrize(
    ("end", "hidden", "is_cut"),
    [('"}', 0, False), ("", 0, True), ('"} and', 0, True), ('"}', 9, True)],
)
def test_a_result_says_that_it_has_more(end, hidden, is_cut):
    assert of_one(f'{{"msg": "no", "stderr": "one{end}', hidden=hidden).is_cut == is_cut


def test_long_lines_of_a_result_are_cut():
    found = of_one(json.dumps({"msg": "m" * 5000, "stderr": "e" * 5000 + "\nlast"}))
    assert found.message == "m" * 1000 + "\N{HORIZONTAL ELLIPSIS}"
    assert found.outputs == {"stderr": ["e" * 1000 + "\N{HORIZONTAL ELLIPSIS}", "last"]}


@pytest.mark.parametrize(
    "text",
    [
        *("", '{"msg": "x"}', "ok: [a] => {}", BEGIN + '{"rc": 1}', BEGIN + '{"msg": ""}'),
        *(BEGIN + "[" * 4000, BEGIN + "{" * 4000, "failed: [" * 4000, BEGIN + '{"a":' * 4000),
    ],
)
def test_another_line_is_no_result(text):
    assert told(text, '    "msg": "no"') == (None, 1)


RESULT = ['    "changed": true,', '    "msg": "a must be b",', '    "stderr": "one\\ntwo",', "}"]


@pytest.mark.parametrize("head", ["", "2026-03-04 18:22:11,123 p=1 u=root n=ansible | "])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_result_over_several_lines_is_one(head, is_whole):
    lines = [head + line for line in ("fatal: [a]: FAILED! => {", *RESULT[: 3 + is_whole], "", "b")]
    found, size = told(*(line.replace("11,123", f"12,{n}00") for n, line in enumerate(lines)))
    assert size == 4 + is_whole
    assert (found.message, found.outputs) == ("a must be b", {"stderr": ["one", "two"]})
    assert found.is_cut != is_whole


@pytest.mark.parametrize("below", [['    "rc": 1', "}"], ["a"], []])
def test_a_result_over_several_lines_without_a_message_is_none(below):
    assert told("fatal: [a]: FAILED! => {", *below, "b") == (None, 1)


@pytest.mark.parametrize("head", ["", "2026-03-04 18:22:11,123 p=1 u=root n=ansible | "])
@pytest.mark.parametrize(("opens", "indent"), [("changed=true ", "  "), ("", "    ")])
def test_a_result_of_yaml_is_one(head, opens, indent):
    result = [
        "msg: 'a must be b'",
        "rc: 1",
        "stderr: |-",
        "  one: 1",
        "  two",
        "stdout_lines: <omitted>",
    ]
    lines = [f"{head}fatal: [a]: FAILED! => {opens}", *(head + indent + line for line in result)]
    found, size = told(*lines, head + "", "b")
    assert (size, found.message, found.is_cut) == (7, "a must be b", False)
    assert found.outputs == {"stderr": ["one: 1", "two"]}


def test_no_more_of_a_result_is_read_than_can_be_shown():
    lines = ["fatal: [a]: FAILED! => {", '    "msg": "no",', *['    "a": "' + "x" * 9000] * 99]
    found, size = told(*lines, *RESULT)
    assert (found.message, found.is_cut) == ("no", True)
    assert size < 20
