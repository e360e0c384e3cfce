# SPDX-License-Identifier: Apache-2.0
"""Whether folders are there, and whether what is not there can be made.

Nothing is made: whoever asks may be another user than the server.
"""

import errno
import os


def why_no_folder(path: str) -> str:
    """Why there is no folder at the path; "" if there is one."""
    if os.path.isdir(path):
        return ""
    return "this is no folder" if os.path.exists(path) else "there is no such folder"


def check_folder(path: str) -> None:
    """Raises OSError if the folder is not to be listed or, where it is missing, not to be made."""
    try:
        os.scandir(path).close()
    except FileNotFoundError:
        above = os.path.dirname(os.path.abspath(path))
        while not os.path.lexists(above):
            above = os.path.dirname(above)
        if not os.path.isdir(above):
            raise _error(errno.ENOTDIR) from None
        if not os.access(above, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, "it is not there and cannot be made") from None


def check_appending(path: str) -> None:
    """Raises OSError if nothing can be appended to the file or, where it is missing, it cannot be made."""
    try:
        # O_NONBLOCK: it does not wait for the other end of a pipe.
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC))
    except FileNotFoundError:
        folder = os.path.dirname(path)
        if not os.path.exists(folder):
            raise
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _error(errno.EACCES) from None


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
