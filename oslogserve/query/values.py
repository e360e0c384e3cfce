# SPDX-License-Identifier: Apache-2.0
"""Values of a query: each function parses one, or raises ValueError that says what is expected.

A second argument of that error says what is wrong. Paths are checked here too.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote_to_bytes

from oslogserve.config.values import one_of
from oslogserve.errors import BadRequest
from oslogserve.native import SEVERITIES
from oslogserve.search import LONGEST, Search

#: Bytes of a path, as in Linux; Swift's object names have at most 1024.
MAX_PATH = 4096
#: The largest line number; no log has so many lines.
MAX_NUMBER = 10**12 - 1
#: Lines around a hit, and at a log's end, which are held in memory.
MAX_CONTEXT = 1000
MAX_TAIL = 100_000


def checked_path(path_info: str) -> bytes:
    """The path below the mount, as bytes, without its leading slash. Raises BadRequest."""
    return _checked(path_info.encode("latin-1").removeprefix(b"/"))


def path_in_argument(given: str) -> bytes:
    """The path of a command's argument, as in a URL, without slashes at its ends. Raises BadRequest."""
    path = unquote_to_bytes(os.fsencode(given))
    if given.startswith("./"):
        path = os.path.normpath(path)
    return b"" if path == b"." else checked_path(path.decode("latin-1")).strip(b"/")


def _checked(path: bytes) -> bytes:
    if len(path) > MAX_PATH:
        raise BadRequest(f"The path is longer than {MAX_PATH} bytes.")
    if b"\0" in path:
        raise BadRequest("The path holds a NUL byte.")
    segments = path.removesuffix(b"/").split(b"/")
    if b"." in segments or b".." in segments:
        raise BadRequest('The path has a "." or ".." segment: name the log itself.')
    if path and b"" in segments:
        raise BadRequest('The path has an empty segment ("//").')
    return path


def number(value: str, least: int = 1, most: int = MAX_NUMBER) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) < 16
    if not (is_number and least <= int(value) <= most):
        raise ValueError(f"a whole number from {least} to {most}")
    return int(value)


def lines(value: str) -> tuple[int, int | None]:
    first, dash, last = value.partition("-")
    try:
        start = number(first) if first or not last else 1
        end = start if not dash else number(last) if last else None
    except ValueError:
        raise ValueError("numbers of lines: A-B, A- or -B") from None
    if end is not None and end < start:
        raise ValueError(f"numbers of lines, the lower one first: {end}-{start}")
    return start, end


def source(value: str) -> str:
    """The name of a source, which a server may have or not."""
    if not re.fullmatch("[a-z][a-z0-9_-]{0,30}", value):
        raise ValueError("all, disk, swift or the name of a store")
    return value


def level(value: str) -> str | None:
    level = one_of(*SEVERITIES, fold=str.upper)(value)
    return None if level == SEVERITIES[0] else level  # NONE includes all lines


def _of_length(value: str) -> str:
    if len(value) > LONGEST:
        raise ValueError(f"at most {LONGEST} characters")
    return value


def text(value: str) -> Search:
    return Search.of_text(_of_length(value))


def pattern(value: str) -> Search:
    value = _of_length(value)
    try:
        return Search.of_pattern(value)
    except ValueError as error:
        raise ValueError("a regular expression of RE2's syntax", str(error)) from None


def fragment(value: str) -> bytes:
    value = value.replace(" ", "+")  # an unescaped plus of a URL; no fragment has a space
    if not re.fullmatch(r"L[1-9][0-9]{0,11}(-L[1-9][0-9]{0,11})?|_[0-9A-Za-z_+/-]{1,64}", value):
        raise ValueError("the fragment of a line's address")
    return value.encode()


def name(value: str, longest: int = LONGEST) -> str:
    if not 0 < len(value) <= longest:
        raise ValueError(f"1 to {longest} characters")
    return value


def path(value: str) -> bytes:
    try:
        return _checked(value.encode().removeprefix(b"/")).rstrip(b"/")
    except BadRequest as error:
        raise ValueError(
            "the path of a log or a folder on this server", error.sentence.rstrip(".")
        ) from None


def value_of(choices: Mapping[str, Any]) -> Callable[[str], Any]:
    """A parser that takes one of the keys, in any case, and returns its value."""
    parse = choice(*choices)
    return lambda text: choices[parse(text)]


choice = partial(one_of, fold=str.lower)
yes_or_no = value_of({"yes": True, "no": False})
