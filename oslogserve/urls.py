# SPDX-License-Identifier: Apache-2.0
"""Paths of requests and commands, and the links of answers."""

import os
from collections.abc import Container, Iterable
from urllib.parse import quote, unquote_to_bytes, urlencode

from oslogserve.errors import BadRequest

#: Bytes of a path, as in Linux; Swift's object names have at most 1024.
MAX_PATH = 4096


def checked_path(path: bytes) -> bytes:
    """The path below the mount, without its leading slash. Raises BadRequest."""
    path = path.removeprefix(b"/")
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


def path_in_argument(given: str) -> bytes:
    """The path of a command's argument, as in a URL, without slashes at its ends. Raises BadRequest."""
    path = unquote_to_bytes(os.fsencode(given))
    if given.startswith("./"):
        path = os.path.normpath(path)
    return b"" if path == b"." else checked_path(path).strip(b"/")


def page_of(mount: str, path: bytes) -> str:
    """The address of a log or a folder. mount: SCRIPT_NAME."""
    return f"{mount}/{quote(path)}"


def address(
    parameters: Iterable[tuple[str, str]] = (),
    without: Container[str] = (),
    **added: str | bytes | int,
) -> str:
    """A relative URL of the same path, to be escaped: the parameters without those of `without`, then
    those that are added. Empty parameters are left out.
    """
    pairs = [(name, value) for name, value in parameters if value and name not in without]
    return "?" + urlencode([*pairs, *((name, value) for name, value in added.items() if value)])
