# SPDX-License-Identifier: Apache-2.0
"""Messages to the server's log about a source that begins and stops failing."""

import os
import time
from threading import Lock

from oslogserve import messages

#: Seconds between the beginnings of two outages that are logged: a source may fail now and then.
PAUSE = 60.0


class Outages:
    """The outages of a source, as one process sees them. One is logged, not each failure in it."""

    def __init__(self, source: str, location: str) -> None:
        """source: its name. location: its folder or container."""
        self._source = source
        self._location = location
        self._lock = Lock()
        self._began: float | None = None
        self._is_logged = False
        self._quiet_until = 0.0

    def failed(self, reason: str) -> None:
        """Notes a failure."""
        with self._lock:
            now = time.monotonic()
            if self._began is None:
                self._began = now
            if self._is_logged or now < self._quiet_until:
                return
            self._is_logged, self._quiet_until = True, now + PAUSE
        where = f"[{self._location}]"
        messages.log(f"{self._source} fails in process {os.getpid()}: {reason} {where}")

    def answered(self) -> None:
        """Notes an answer."""
        if self._began is None:  # the usual case needs no lock
            return
        with self._lock:
            if self._began is None:
                return
            seconds = time.monotonic() - self._began
            was_logged, self._began, self._is_logged = self._is_logged, None, False
        if not was_logged:
            return
        messages.log(f"{self._source} answers process {os.getpid()} again, after {seconds:.0f} s")
