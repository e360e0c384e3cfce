# SPDX-License-Identifier: Apache-2.0
"""The log of requests: a line for each, when its response has ended."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from oslogserve.http import Response
from oslogserve.http.body import Ended
from oslogserve.http.server_timing import ServerTiming

#: Seconds for which a file that was moved away may still be written to.
LOOK_EVERY = 1.0
#: The most characters of a path, and of any other text of a client: a line is written to a pipe in one
#: piece if it is shorter than 4096 bytes.
LONGEST_PATH, LONGEST = 1500, 500
_STDERR = 2
#: Printable, without what begins or ends a text.
_PLAIN = "".join(char for char in map(chr, range(32, 127)) if char not in '"\\')
#: Fields that Apache's combined format has.
_APACHES = ("client", "time", "method", "path", "query", "status", "sent", "referer", "agent")

Fields = dict[str, Any]


class RequestLog:
    """The log of requests. Each line is one write, so that processes can share a file.

    A file that was moved away, or could not be opened, is opened anew. What cannot be written is dropped:
    requests go on.
    """

    def __init__(self, to: str, form: str) -> None:
        """to: "stderr" or the path of a file. form: "json" or "combined"."""
        self._path = "" if to == "stderr" else to
        try:
            self._fd = self._opened() if self._path else _STDERR
        except OSError as error:
            what = f"[request_log] to: {to}: {error.strerror}; until it is there, nothing is logged"
            print(f"oslogserve: {what}", file=sys.stderr, flush=True)
            self._fd = os.open(os.devnull, os.O_WRONLY)
        self._look_at = time.monotonic() + LOOK_EVERY
        self._line = _FORMS[form]

    def write(self, fields: Fields) -> None:
        line = self._line(fields).encode("ascii") + b"\n"
        with contextlib.suppress(OSError):
            if self._path and time.monotonic() > self._look_at:
                self._look_at = time.monotonic() + LOOK_EVERY
                self._follow()
            os.write(self._fd, line)

    def _opened(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)

    def _follow(self) -> None:
        """Opens the file where it is no longer the one that is written to."""
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(self._path), os.fstat(self._fd)):
                return
        fd = self._opened()
        os.dup2(fd, self._fd, inheritable=False)  # other threads may be writing to it
        os.close(fd)


def fields_of(
    environ: dict[str, Any], response: Response, timing: ServerTiming, ended: Ended
) -> Fields:
    """Fields of a line, all text in ASCII; times are in seconds."""
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    began = datetime.fromtimestamp(time.time() - ended.seconds, UTC)
    return {
        "time": began.isoformat(timespec="milliseconds"),
        "method": _plain(environ["REQUEST_METHOD"]),
        "path": quote(path.encode("latin-1", "replace"))[:LONGEST_PATH],
        "query": _plain(environ.get("QUERY_STRING", "")),
        "status": int(response.status[:3]),
        "source": response.source,
        "view": response.view,
        "stored": response.stored_size,
        "sent": ended.sent,
        "open": round(timing.opening, 6),
        "first_byte": None if ended.first_byte is None else round(ended.first_byte, 6),
        "total": round(ended.seconds, 6),
        "ending": ended.ending,
        "worker": os.getpid(),
        "referer": _plain(environ.get("HTTP_REFERER", "")),
        "agent": _plain(environ.get("HTTP_USER_AGENT", "")),
    }


def _plain(text: str) -> str:
    """Text from a client; characters that are not plain are escaped as in a URL."""
    return quote(text[:LONGEST].encode("latin-1", "replace"), safe=_PLAIN)[:LONGEST]


def _combined(fields: Fields) -> str:
    """Apache's combined format, and behind it the other fields by their names."""
    shown = {name: "-" if value in (None, "") else value for name, value in fields.items()}
    shown["query"] = fields["query"] and "?" + fields["query"]
    began = datetime.fromisoformat(fields["time"]).strftime("%d/%b/%Y:%H:%M:%S %z")
    others = " ".join(f"{name}={shown[name]}" for name in fields if name not in _APACHES)
    return (
        f'{shown["client"]} - - [{began}] "{shown["method"]} {shown["path"]}{shown["query"]}" '
        f'{shown["status"]} {shown["sent"]} "{shown["referer"]}" "{shown["agent"]}" {others}'
    )


_FORMS: dict[str, Callable[[Fields], str]] = {"json": json.dumps, "combined": _combined}
