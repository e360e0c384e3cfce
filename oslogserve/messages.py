# SPDX-License-Identifier: Apache-2.0
"""Sentences for a terminal and for the server's log, which is standard error."""

import contextlib
import os
import sys
import traceback
from datetime import UTC, datetime


def visible(text: str) -> str:
    """The text, with characters that are not printable escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cut(text: str, most: int) -> str:
    """The text, with "..." in place of its middle if it has more than `most` bytes."""
    content, half = text.encode(), max(0, most - len("...")) // 2
    if len(content) <= most:
        return text
    begin, end = content[:half], content[len(content) - half :]
    return f"{begin.decode(errors='ignore')}...{end.decode(errors='ignore')}"


def shown(path: bytes) -> str:
    """A path as one line of text, whatever its bytes are."""
    return visible(path.decode("utf-8", "backslashreplace"))


def in_lines(error: Exception) -> str:
    """The error for a terminal. Each line begins with the program's name."""
    return "\n".join(f"oslogserve: {visible(fault)}" for fault in _text(error).split("\n"))


def log(message: str | Exception) -> None:
    """Writes the lines of a message to the server's log. Each begins with the time in ISO 8601."""
    text = message if isinstance(message, str) else _text(message)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    lines = [f"{now} oslogserve: {visible(line)}\n" for line in text.split("\n")]
    with contextlib.suppress(OSError):  # the server goes on without its log
        print("".join(lines), end="", file=sys.stderr, flush=True)


def without_values(error: BaseException) -> str:
    """Which error it is, and where it arose. Most texts of libraries may contain addresses with secrets."""
    if isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno):
        return _text(error)
    at = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {os.path.basename(at.filename)}:{at.lineno}"


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)
