# SPDX-License-Identifier: Apache-2.0
"""The log of requests: a line for each, when its response has ended."""

import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from logging.handlers import WatchedFileHandler
from typing import Any
from urllib.parse import quote

from oslogserve.http.body import Ended, ServerTiming
from oslogserve.http.response import Response

#: The most characters of a path, and of any other text of a client: a line is written to a pipe in one
#: piece if it is shorter than 4096 bytes.
LONGEST_PATH, LONGEST = 1500, 500
_STDERR = 2
#: Printable, without what begins or ends a text.
_PLAIN = "".join(char for char in map(chr, range(32, 127)) if char not in '"\\')
#: Fields that Apache's combined format has.
_APACHES = ("client", "time", "method", "path", "query", "status", "sent", "referer", "agent")

Fields = dict[str, Any]


class _File(WatchedFileHandler):
    """A file that is opened again when it was moved away. Drops lines that cannot be written."""

    def _open(self) -> Any:
        opener = partial(os.open, mode=0o640)
        return open(self.baseFilename, "a", encoding="ascii", opener=opener)

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class RequestLog:
    """The log of requests. Each line is one write, so that processes can share a file.

    What cannot be written is dropped: requests go on.
    """

    def __init__(self, to: str, form: str) -> None:
        """to: "stderr" or the path of a file. form: "json" or "combined"."""
        self._handler = _opened(to)
        self._line = _FORMS[form]

    def write(self, fields: Fields) -> None:
        with contextlib.suppress(OSError):  # of a file that cannot be opened again
            self._handler.handle(logging.makeLogRecord({"msg": self._line(fields)}))


def _opened(to: str) -> logging.Handler:
    if to == "stderr":
        # Of mod_wsgi, sys.stderr would begin each line with a time and more.
        return logging.StreamHandler(open(_STDERR, "w", encoding="ascii", closefd=False))
    try:
        return _File(to)
    except OSError as error:
        what = f"[request_log] to: {to}: {error.strerror}; until it is there, nothing is logged"
        print(f"oslogserve: {what}", file=sys.stderr, flush=True)
        return _File(to, delay=True)


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
