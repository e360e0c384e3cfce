# SPDX-License-Identifier: Apache-2.0
"""Text for people: sizes, times and names on pages, and sentences for a terminal and for the server's log.

The server's log is standard error.
"""

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

#: Units of time in seconds, each with the one that stands beside it.
_UNITS_OF_TIME = (
    (86_400, "day", 3600, "h"),
    (3600, "h", 60, "min"),
    (60, "min", 1, "s"),
    (1, "s", 1, ""),
)


def size_shown(size: int) -> str:
    """The size with three digits: '999 B', '1.23 kB', '45.6 MB'."""
    if size < 1000:
        return f"{size} B"
    amount = size / 1000
    for unit in ("kB", "MB", "GB", "TB"):
        if amount < 999.5 or unit == "TB":
            break
        amount /= 1000
    decimals = 2 if amount < 9.995 else 1 if amount < 99.95 else 0
    return f"{amount:.{decimals}f} {unit}"


def moment(seconds: float | None) -> str | None:
    """The time as '2013-09-27 18:22:11', in UTC; None if unknown. seconds: since 1970."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")[:19]


def iso_moment(seconds: float | None) -> str | None:
    """The time as '2013-09-27T18:22:11Z'; None if unknown. seconds: since 1970."""
    shown = moment(seconds)
    return f"{shown.replace(' ', 'T')}Z" if shown else None


def duration(seconds: float) -> str:
    """'0 s', '0.5 ms', '39 ms', '1.5 s', '16 s', '12 min 5 s', '1 h 1 min', '3 days': so everywhere."""
    micros = round(seconds * 10**6)
    if micros < 10_000:
        return f"{micros / 1000:g} ms" if micros else "0 s"
    if micros < 999_500:
        return f"{(micros + 500) // 1000} ms"
    if micros < 9_950_000:
        return f"{(micros + 50_000) // 100_000 / 10:g} s"
    whole = (micros + 500_000) // 10**6
    size, unit, part, of_part = next(row for row in _UNITS_OF_TIME if whole >= row[0])
    count, rest = divmod(whole, size)
    shown = counted(count, unit) if unit == "day" else f"{count} {unit}"
    return f"{shown} {rest // part} {of_part}" if rest >= part else shown


def characters_held(text: str) -> int:
    """Bytes of memory that its characters take: one, two or four for each, as the widest one needs."""
    return sys.getsizeof(text) - sys.getsizeof("")


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the plural if need be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def visible(text: str) -> str:
    """The text, with characters that are not printable escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quoted(text: str) -> str:
    """The text between quotes, made visible. In repr(), regular expressions have each backslash twice."""
    return f"'{visible(text)}'"


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


def log_message(message: str | Exception) -> None:
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


#: Parameters of a colour.
_PARAMETERS = rb"[0-9;:]{0,64}"
_RESET, _RESETS = b"\x1b[0m", (b"\x1b[m", b"\x1b[0m")
#: What a terminal gets: colours, ends of lines, and erasing behind the text. All else that it would obey is escaped:
#: other control characters but tabs (C1 has two bytes in UTF-8), and characters that change the direction of text.
_CONTROL = re.compile(
    rb"(?P<colour>\x1b\[%bm)|(?P<end>\r{0,2}\n)|(?P<erasing>\x1b\[0?K)|[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]"
    rb"|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xaa-\xae]|\x81[\xa6-\xa9])" % _PARAMETERS
)
#: What the next bytes may make one of these.
_OPEN = re.compile(rb"(?:\x1b(?:\[%b)?|\r{1,2}|[\xc2\xd8]|\xe2[\x80\x81]?)\Z" % _PARAMETERS)


def for_terminal(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, with what is escaped as in "\\x1b". A colour ends with its line, and so before the prompt."""
    held, is_coloured = b"", False

    def obeyed(found: re.Match[bytes]) -> bytes:
        nonlocal is_coloured
        if found["colour"]:
            is_coloured = found[0] not in _RESETS
            return found[0]
        if found["end"]:
            reset, is_coloured = _RESET if is_coloured else b"", False
            return reset + found[0]
        return found[0] if found["erasing"] else found[0].decode().encode("unicode_escape")

    for piece in pieces:
        piece = held + piece
        found = _OPEN.search(piece, max(0, len(piece) - 70))
        end = found.start() if found else len(piece)
        held = piece[end:]
        yield _CONTROL.sub(obeyed, piece[:end])
    yield _CONTROL.sub(obeyed, held)
    if is_coloured:
        yield _RESET
