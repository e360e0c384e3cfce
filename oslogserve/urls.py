# SPDX-License-Identifier: Apache-2.0
"""Paths of URLs."""

import os
from urllib.parse import unquote_to_bytes

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
