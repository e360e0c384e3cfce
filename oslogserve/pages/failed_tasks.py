# SPDX-License-Identifier: Apache-2.0
"""Rows of an excerpt in short: the JSON of a failed Ansible task as lines, and banners without wrapping.

The rows are HTML as the renderer writes it: no "<" of a log is in them.
"""

import html
import json
import re
from itertools import islice
from typing import NamedTuple

from oslogserve.jobs.overview import LONGEST_SHOWN
from oslogserve.jobs.task_results import result_below, split, text_of
from oslogserve.templates import rendered

#: Characters of banners, and how many of one make a banner.
_BANNERS, _LEAST_OF_BANNER = "*=#_~-", 20
#: Lines of each output that are shown: the last ones tell most.
MOST_LINES = 8
#: Characters of such a line.
LONGEST_LINE = 1000

_BEGINS_ROW = re.compile(r"(?=<li)")
_FAILED = re.compile(r"(.{0,200}?(?:fatal|failed): \[[^\]]{1,200}\].{0,300}?=> )(\{.*)", re.DOTALL)
#: Fields of outputs. A module that crashed has those with "module_".
_OUTPUTS = ("module_stderr", "module_stdout", "stderr", "stdout")
#: A field of JSON that may be cut off.
_FIELD = re.compile(r'"(msg|(?:module_)?std(?:err|out))": "((?:[^"\\]|\\.)*)')


class _Result(NamedTuple):
    """The result of a task that failed."""

    message: str
    #: Names of its outputs and their last lines.
    outputs: list[tuple[str, list[str]]]
    #: True if there is more than was read.
    is_cut: bool


def readable(rows: bytes, task: str = "") -> bytes:
    """The rows, of which each keeps its begin with the link. task: the name of the task that failed."""
    all_rows = _BEGINS_ROW.split(rows.decode("utf-8", "replace"))
    found, at = [], 0
    while at < len(all_rows):
        begin, content = split(all_rows[at])
        below = result_below(map(text_of, islice(all_rows, at, None)))
        text = text_of(all_rows[at])
        told = _failed_task("\n".join([text.rstrip(), *below]), task)
        found.append(begin + (told or _in_short(text, content)))
        at += 1 + (len(below) if told else 0)
    return "".join(found).encode()


def _failed_task(text: str, task: str) -> str:
    """The result of a failed task as lines; "" for another text."""
    failed = _FAILED.match(text)
    result = failed and _result(failed[2])
    if not failed or not result:
        return ""
    return rendered("failed_task.html", begin=failed[1], task=task, result=result).decode()


def _in_short(text: str, content: str) -> str:
    if len(text) > LONGEST_SHOWN:
        return html.escape(_cut(text, LONGEST_SHOWN), quote=False)
    return _with_banner(content)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "\N{HORIZONTAL ELLIPSIS}"


def _with_banner(content: str) -> str:
    """The content of a row, whose run of stars or the like at its end is an element."""
    text = content.rstrip()
    before = text.rstrip(text[-1]) if text and text[-1] in _BANNERS else text
    if len(text) - len(before) < _LEAST_OF_BANNER:
        return content
    return f'{before}<span class="banner">{text[len(before) :]}</span>{content[len(text) :]}'


def _result(text: str) -> _Result | None:
    """The result of a task; None if it has no message and no output."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):  # a long line is cut off
        fields = {name: _unquoted(value) for name, value in _FIELD.findall(text)}
    named = ((name, _lines(fields, name)) for name in _OUTPUTS)
    outputs = [(name, lines) for name, lines in named if lines]
    message = " ".join(_lines(fields, "msg"))
    is_cut = not text.rstrip().endswith("}")
    return _Result(message, outputs, is_cut) if message or outputs else None


def _lines(fields: dict[str, object], name: str) -> list[str]:
    value = fields.get(name) or fields.get(f"{name}_lines") or ""
    several = value.split("\n") if isinstance(value, str) else value
    if not isinstance(several, list):
        several = [json.dumps(several)]
    lines = [str(line) for line in several if str(line).strip()][-MOST_LINES:]
    return [_cut(line, LONGEST_LINE) for line in lines]


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value
