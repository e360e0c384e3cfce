# SPDX-License-Identifier: Apache-2.0
"""The lines of a log's cause with some around them, and what failed tasks of Ansible tell there.

A task's result is JSON behind the task's host: in one line, or over several ones, indented.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from oslogserve.jobs.job import Job
from oslogserve.jobs.overview import Findings
from oslogserve.jobs.reading import Reader
from oslogserve.jobs.walk import File
from oslogserve.lines.excerpt.lines import MarkedLine, plan_of
from oslogserve.lines.summary import CauseLine

#: Logs of a page that have an excerpt, and the bytes of their texts together.
MOST_EXCERPTS, MOST_READ = 10, 256 * 1024 * 1024
#: Lines before and after the cause.
AROUND = 2
#: Lines of a cause that are shown. Of a longer traceback, and of a longer end of a log, the last line is.
MOST_LINES = 8
#: Bytes of a line that are read: what a failed task printed comes late in one long line.
LONGEST = 32 * 1024

#: Lines below a task's host that are read as its result, and their characters.
MOST_BELOW, MOST_OF_RESULT = 100, 128 * 1024
#: Lines of each output that are shown, the last ones, since these tell most; and the characters of each.
MOST_OF_OUTPUT, LONGEST_OF_OUTPUT = 8, 1000
#: The text of a cause with a result that may be below.
_MAY_OPEN = re.compile(
    r"(?:fatal|failed): \[.*=> \{\s*\Z|An exception occurred during task execution"
)
_FAILED = re.compile(
    r"((.{0,200}?)(?:fatal|failed): \[[^\]]{1,200}\].{0,300}?=> )(\{.*)", re.DOTALL
)
_DIGIT = re.compile(r"\d")
#: Fields of outputs. A module that crashed has those with "module_".
_OUTPUTS = ("module_stderr", "module_stdout", "stderr", "stdout")
#: A field of JSON that may be cut off.
_FIELD = re.compile(r'"(msg|(?:module_)?std(?:err|out))": "((?:[^"\\]|\\.)*)')


class TaskResult(NamedTuple):
    """What the result of a failed task tells."""

    #: The line up to the result.
    begin: str
    message: str
    #: The last lines of each output, by its name.
    outputs: dict[str, list[str]]
    #: True if the result has more than was read.
    is_cut: bool


#: A line, and the result that it has or that is below it; None for none.
Row = tuple[MarkedLine, TaskResult | None]


class Excerpt(NamedTuple):
    before: list[Row]
    cause: list[Row]
    after: list[Row]


def excerpts(job: Job, found: Findings) -> dict[File, Excerpt]:
    """The excerpts of the first logs that show a failure, as far as these can be read again.

    Skipping lines takes a tenth of the time of a summary, and unpacking a gzip up to half of it.
    """
    left = MOST_READ
    several = {}
    for one in found.telling[:MOST_EXCERPTS]:
        left -= one.tally.bytes
        if one.summary.cause and left >= 0:
            file = one.file
            several[file] = _excerpt(job.reader, file, one.summary.cause)
    read = job.read_each(several.items())
    return {file: one for file, one in zip(several, read, strict=True) if one}


def lines_shown(cause: CauseLine) -> tuple[int, int]:
    """The numbers of the first and the last line of the cause that are shown."""
    first, last = cause.line, cause.last
    if last - first < MOST_LINES:
        return first, last
    tells_last = cause.why == "end" or "Traceback" in cause.text
    return (last, last) if tells_last else (first, first + MOST_LINES - 1)


def _excerpt(reader: Reader, file: File, cause: CauseLine) -> Iterator[Excerpt]:
    """Yields the excerpt; nothing if the log cannot be read so far."""
    first, last = lines_shown(cause)
    above = max(1, first - AROUND)
    may_open = _MAY_OPEN.search(cause.text)
    plan = plan_of([(above, last + AROUND + (MOST_BELOW if may_open else 0))])
    lines, missing = reader.marked_lines(file, plan, LONGEST)
    if missing or len(lines) <= last - above:
        return
    begin, end = first - above, last + 1 - above
    before, _ = _rows(lines[:begin], begin)
    told, size = _rows(lines[begin:] if may_open else lines[begin:end], end - begin)
    after, _ = _rows(lines[begin + size :][:AROUND], AROUND)
    yield Excerpt(before, told, after)


def _rows(lines: Sequence[MarkedLine], most: int) -> tuple[list[Row], int]:
    """The first `most` lines as rows, and how many lines these take with the results below them."""
    rows: list[Row] = []
    at = 0
    while at < min(most, len(lines)):
        result, size = result_of(lines[at : at + 1 + MOST_BELOW])
        rows.append((lines[at], result))
        at += size
    return rows, at


def result_of(lines: Sequence[MarkedLine]) -> tuple[TaskResult | None, int]:
    """The result that the first line has or opens, None for one without a message or an output; and how many
    lines it takes."""
    failed = _FAILED.match(lines[0].text)
    if failed is None:
        return None, 1
    begin, head, result = failed.groups()
    told = [result]
    if result.rstrip() == "{":
        told += _below(lines[1:], head)
    result = "\n".join(told).rstrip()
    try:
        fields = json.loads(result)
    except (ValueError, RecursionError):  # it is cut off
        fields = {name: _unquoted(value) for name, value in _FIELD.findall(result)}
    message = " ".join(_lines(fields, "msg"))
    outputs = {name: output for name in _OUTPUTS if (output := _lines(fields, name))}
    if not message and not outputs:
        return None, 1
    is_cut = lines[0].hidden > 0 or not result.endswith("}")
    return TaskResult(begin, message, outputs, is_cut), len(told)


def _below(lines: Sequence[MarkedLine], head: str) -> Iterator[str]:
    """Yields the lines of an indented result without their heads, up to "}"."""
    size, left = len(head), MOST_OF_RESULT
    for line in lines:
        # Heads differ only in digits, such as another time.
        has_head = _DIGIT.sub("0", line.text[:size]) == _DIGIT.sub("0", head)
        text = (line.text[size:] if has_head else line.text).rstrip()
        left -= len(text)
        if left < 0 or (text != "}" and not text.startswith("    ")):
            return
        yield text
        if text == "}":
            return


def _lines(fields: dict[str, Any], name: str) -> list[str]:
    value = fields.get(name) or fields.get(f"{name}_lines") or ""
    several = value.split("\n") if isinstance(value, str) else value
    if not isinstance(several, list):
        several = [json.dumps(several)]
    lines = [str(line) for line in several if str(line).strip()][-MOST_OF_OUTPUT:]
    most = LONGEST_OF_OUTPUT
    return [
        line if len(line) <= most else f"{line[:most]}\N{HORIZONTAL ELLIPSIS}" for line in lines
    ]


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value
