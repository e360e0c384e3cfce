# SPDX-License-Identifier: Apache-2.0
"""Results of failed Ansible tasks that are printed as JSON over several lines, indented.

Rows are HTML as the renderer writes it: no "<" of a log is in them.
"""

import html
import re
from collections.abc import Iterator, Sequence

#: Lines of a result that are read, and the bytes of their rows.
MOST_LINES, MOST_BYTES = 100, 128 * 1024
#: The text of a cause with a result that may be below.
MAY_OPEN = re.compile(
    r"(?:fatal|failed): \[.*=> \{\s*\Z|An exception occurred during task execution"
)

_OPENS = re.compile(r"(.{0,200}?)(?:fatal|failed): \[.*=> \{\s*\Z", re.DOTALL)
_BEGIN = re.compile(r"<li[^>]*><a [^>]*>[^<]*</a>")
_OVERWRITTEN = re.compile(r"<s>.*?</s>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
#: A field that the page shows of a result.
_TELLS = re.compile(r'"(?:msg|(?:module_)?std(?:err|out))(?:_lines)?": ')
_DIGIT = re.compile(r"\d")


def split(row: str) -> tuple[str, str]:
    """The beginning of a row with its number, and its content."""
    begin = _BEGIN.match(row)
    end = begin.end() if begin else 0
    return row[:end], row[end:]


def text_of(row: str) -> str:
    """The text that a row shows, without the number."""
    return html.unescape(_TAG.sub("", _OVERWRITTEN.sub("", split(row)[1])))


def result_below(texts: Iterator[str]) -> list[str]:
    """The lines of the result that the first text opens, without their heads; none if it opens none.

    The last one is "}" if the result is whole.
    """
    opens = _OPENS.match(next(texts, ""))
    if not opens:
        return []
    lines = []
    head, size = _DIGIT.sub("0", opens[1]), len(opens[1])
    for text in texts:
        # Heads differ only in digits, such as another time.
        has_head = _DIGIT.sub("0", text[:size]) == head
        line = (text[size:] if has_head else text).rstrip()
        if line != "}" and not line.startswith("    "):
            break
        lines.append(line)
        if line == "}":
            break
    return lines


def behind_result(rows: Sequence[bytes], end: int) -> int:
    """The number of the first row behind the result that the row before `end` opens.

    `end` if it opens none, or one of which nothing that tells was read.
    """
    texts, size = [], 0
    for row in rows[end - 1 : end + MOST_LINES]:
        size += len(row)
        if size > MOST_BYTES:
            break
        texts.append(text_of(row.decode("utf-8", "replace")))
    below = result_below(iter(texts))
    return end + len(below) if any(map(_TELLS.search, below)) else end
