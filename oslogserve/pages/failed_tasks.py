# SPDX-License-Identifier: Apache-2.0
"""Rows of an excerpt in short: the JSON of a failed Ansible task as lines, and banners without wrapping.

The rows are HTML as the renderer writes it: no "<" of a log is in them.
"""

import html
import json
import re
from itertools import islice

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
    """The result of a failed task as lines; "" for another text, or without a message or an output."""
    failed = _FAILED.match(text)
    if failed is None:
        return ""
    begin, result = failed.groups()
    try:
        fields = json.loads(result)
    except (ValueError, RecursionError):  # a long line is cut off
        fields = {name: _unquoted(value) for name, value in _FIELD.findall(result)}
    message = " ".join(_lines(fields, "msg"))
    outputs = {name: lines for name in _OUTPUTS if (lines := _lines(fields, name))}
    if not message and not outputs:
        return ""
    values = {"begin": begin, "task": task, "message": message, "outputs": outputs}
    is_cut = not result.rstrip().endswith("}")
    return rendered("failed_task.html", **values, is_cut=is_cut).decode()


def _in_short(text: str, content: str) -> str:
    if len(text) > LONGEST_SHOWN:
        return html.escape(_cut(text, LONGEST_SHOWN), quote=False)
    # A run of stars or the like at the end is an element.
    end = content.rstrip()
    before = end.rstrip(end[-1]) if end and end[-1] in _BANNERS else end
    if len(end) - len(before) < _LEAST_OF_BANNER:
        return content
    return f'{before}<span class="banner">{end[len(before) :]}</span>{content[len(end) :]}'


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "\N{HORIZONTAL ELLIPSIS}"


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
