# SPDX-License-Identifier: Apache-2.0
"""The result of a failed task of Ansible, read for what it tells.

It stands behind the task's host: JSON in one line, or over several ones, which are indented, as JSON or as
YAML.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

#: Lines below a task's host that are read as its result, and their characters.
MOST_BELOW, MOST_OF_RESULT = 100, 128 * 1024
#: Lines of each output that are shown, the last ones, since these tell most; and the characters of each.
MOST_OF_OUTPUT, LONGEST_OF_OUTPUT = 8, 1000
_FAILED = re.compile(
    r"((.{0,200}?)(?:fatal|failed): \[[^\]]{1,200}\].{0,300}?=> ?)(\{.*|(?:changed=\w{4,5})?\Z)",
    re.DOTALL,
)
#: The text of a cause with a result that may be below.
MAY_OPEN = re.compile(
    r"(?:fatal|failed): \[.*=>(?: \{| changed=\w+)?\s*\Z|An exception occurred during task execution"
)
_DIGIT = re.compile(r"\d")
#: Fields of outputs. A module that crashed has those with "module_".
_OUTPUTS = ("module_stderr", "module_stdout", "stderr", "stdout")
#: A field of JSON that may be cut off.
_FIELD = re.compile(r'"(msg|(?:module_)?std(?:err|out))": "((?:[^"\\]|\\.)*)')
#: A field of YAML; without a value if a block follows.
_YAML_FIELD = re.compile(r"( {2,4})(\w{1,60}):(?: (?:[|>][-+]?\Z)?(.*))?\Z")


class TaskResult(NamedTuple):
    """The result of a failed task, for what it tells."""

    #: The line up to the result.
    begin: str
    message: str
    #: The last lines of each output, by its name.
    outputs: dict[str, list[str]]
    #: True if the result has more than was read.
    is_cut: bool


def result_of(lines: Sequence[str], is_cut: bool = False) -> tuple[TaskResult | None, int]:
    """The result that the first line has or opens, None for one without a message or an output; and how many
    lines it takes. is_cut: true if the first line is not all of it."""
    failed = _FAILED.match(lines[0].rstrip())
    if failed is None:
        return None, 1
    begin, head, result = failed.groups()
    parts = [result]
    is_yaml = not result.startswith("{")
    if is_yaml or result.rstrip() == "{":
        parts += _below(lines[1:], head, "  " if is_yaml else "    ")
    result = "\n".join(parts).rstrip()
    try:
        fields = _yaml_fields(parts[1:]) if is_yaml else json.loads(result)
    except (ValueError, RecursionError):  # it is cut off
        fields = {name: _unquoted(value) for name, value in _FIELD.findall(result)}
    message = " ".join(_lines(fields, "msg"))
    outputs = {name: output for name in _OUTPUTS if (output := _lines(fields, name))}
    if not message and not outputs:
        return None, 1
    has_end = is_yaml or result.endswith("}")
    return TaskResult(begin, message, outputs, is_cut or not has_end), len(parts)


def _below(lines: Sequence[str], head: str, indent: str) -> Iterator[str]:
    """Yields the lines of an indented result without their heads, up to "}"."""
    size, left = len(head), MOST_OF_RESULT
    for line in lines:
        # Heads differ only in digits, such as another time.
        has_head = _DIGIT.sub("0", line[:size]) == _DIGIT.sub("0", head)
        text = (line[size:] if has_head else line).rstrip()
        left -= len(text)
        if left < 0 or (text != "}" and not text.startswith(indent)):
            return
        yield text
        if text == "}":
            return


def _yaml_fields(lines: Sequence[str]) -> dict[str, str]:
    """The fields of an object without those of the objects in it; a block as its lines."""
    fields: dict[str, str] = {}
    depth = name = ""
    for line in lines:
        found = _YAML_FIELD.match(line)
        if found and found[1] == (depth or found[1]):
            depth, name, value = found.groups(default="")
            fields[name] = "" if value == "<omitted>" else value.strip("'\"")
        elif name:
            fields[name] += f"\n{line.strip()}"
    return fields


def _lines(fields: dict[str, Any], name: str) -> list[str]:
    value = fields.get(name) or fields.get(f"{name}_lines") or ""
    several = value.split("\n") if isinstance(value, str) else value
    if not isinstance(several, list):
        several = [json.dumps(several)]
    lines = [text for line in several if (text := str(line).rstrip())][-MOST_OF_OUTPUT:]
    most = LONGEST_OF_OUTPUT
    return [
        line if len(line) <= most else f"{line[:most]}\N{HORIZONTAL ELLIPSIS}" for line in lines
    ]


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value
