# SPDX-License-Identifier: Apache-2.0
"""The request log: a JSON object in a line for each request, once its response has body."""

import contextlib
import json
import logging
import os
import time
from datetime import UTC, datetime
from functools import partial
from logging.handlers import WatchedFileHandler
from typing import Any
from urllib.parse import quote

from oslogserve.folders import check_appending
from oslogserve.http.answer import Body

#: Characters of a path, and of any other text from a client. They keep a line below 4096 bytes, which
#: a pipe takes in one piece.
LONGEST_PATH, LONGEST = 1500, 500
_STDERR = 2
#: Printable characters but for the quote and the backslash.
_PLAIN = "".join(char for char in map(chr, range(32, 127)) if char not in '"\\')
Fields = dict[str, Any]


class _File(WatchedFileHandler):
    """A file that is opened again after it was moved away. Drops lines that cannot be written."""

    def _open(self) -> Any:
        opener = partial(os.open, mode=0o640)
        return open(self.baseFilename, "a", encoding="ascii", opener=opener)

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class RequestLog:
    """The request log. Each line is one write, so that processes can share a file.

    A line that cannot be written is dropped, and requests go on.
    """

    def __init__(self, to: str) -> None:
        """to: "stderr" or the path of a file."""
        #: Why it cannot be opened; "" if it can. A file is made by its first line, and tried again with each.
        self.fault = ""
        self._handler: logging.Handler = logging.NullHandler()
        try:
            if to == "stderr":
                self._handler = _of_stderr()
            else:
                self._handler = _File(to, delay=True)
                check_appending(to)
        except OSError as error:
            self.fault = f"{to}: {error.strerror}; until it can be opened, nothing is logged"

    def write(self, fields: Fields) -> None:
        with contextlib.suppress(OSError):  # if the file cannot be opened again
            self._handler.handle(logging.makeLogRecord({"msg": json.dumps(fields)}))


def _of_stderr() -> logging.Handler:
    """Not of sys.stderr: mod_wsgi's adds a time and more to each line."""
    return logging.StreamHandler(open(_STDERR, "w", encoding="ascii", closefd=False))


def fields_of(environ: dict[str, Any], body: Body, opening: float) -> Fields:
    """The fields of a line: text in ASCII, durations in seconds. opening: what all sources took."""
    answer = body.answer
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    began = datetime.fromtimestamp(time.time() - body.seconds, UTC)
    return {
        "time": began.isoformat(timespec="milliseconds"),
        "method": plain(environ["REQUEST_METHOD"]),
        "path": quote(path.encode("latin-1", "replace"))[:LONGEST_PATH],
        "query": plain(environ.get("QUERY_STRING", "")),
        "status": int(answer.status[:3]),
        "source": answer.source,
        "view": answer.view,
        "stored": answer.stored_size,
        "sent": body.sent,
        "open": round(opening, 6),
        "first_byte": None if body.first_byte is None else round(body.first_byte, 6),
        "total": round(body.seconds, 6),
        "ending": body.ending,
        "worker": os.getpid(),
        "referer": plain(environ.get("HTTP_REFERER", "")),
        "agent": plain(environ.get("HTTP_USER_AGENT", "")),
    }


def plain(text: str) -> str:
    """A client's text, shortened; characters other than _PLAIN are escaped as in a URL."""
    return quote(text[:LONGEST].encode("latin-1", "replace"), safe=_PLAIN)[:LONGEST]
