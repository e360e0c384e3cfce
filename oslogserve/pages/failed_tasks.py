# SPDX-License-Identifier: Apache-2.0
"""Rows of an excerpt in short: the JSON of a failed Ansible task as lines, and banners without wrapping.

The rows are HTML as the renderer writes it: no "<" of a log is in them.
"""

import html
import json
import re
from typing import NamedTuple

from oslogserve.jobs.overview import LONGEST_SHOWN
from oslogserve.templates import rendered

#: Characters of banners, and how many of one make a banner.
_BANNERS, _LEAST_OF_BANNER = "*=#_~-", 20
#: Lines of each output that are shown: the last ones tell most.
MOST_LINES = 8
#: Characters of such a line.
LONGEST_LINE = 1000

_ROW = re.compile(r"(<li[^>]*><a [^>]*>[^<]*</a>)(.*?)(?=<li|\Z)", re.DOTALL)
_OVERWRITTEN = re.compile(r"<s>.*?</s>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_FAILED = re.compile(r"(.{0,200}?(?:fatal|failed): \[[^\]]{1,200}\].{0,300}?=> )(\{.*)", re.DOTALL)
#: A field of JSON that may be cut off.
_FIELD = re.compile(r'"(msg|stderr|stdout)": "((?:[^"\\]|\\.)*)')


class _Result(NamedTuple):
    """The result of a task that failed."""

    message: str
    #: Names of its outputs and their last lines.
    outputs: list[tuple[str, list[str]]]
    #: True if the line has more than was read of it.
    is_cut: bool


def readable(rows: bytes, task: str = "") -> bytes:
    """The rows, of which each keeps its begin with the link. task: the name of the task that failed."""
    return _ROW.sub(
        lambda row: row[1] + _in_short(row[2], task), rows.decode("utf-8", "replace")
    ).encode()


def _in_short(content: str, task: str) -> str:
    text = html.unescape(_TAG.sub("", _OVERWRITTEN.sub("", content)))
    failed = _FAILED.match(text)
    result = failed and _result(failed[2])
    if failed and result:
        return rendered("failed_task.html", begin=failed[1], task=task, result=result).decode()
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
    named = ((name, _lines(fields, name)) for name in ("stderr", "stdout"))
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
