# SPDX-License-Identifier: Apache-2.0
"""The end of a command at a signal: what it has begun ends, and the next run goes on from there."""

import signal
from threading import Event
from typing import Any

from oslogserve.errors import Incomplete


class Stopping(Event):
    """An event that the first SIGINT or SIGTERM sets. The second one ends the command at once."""

    def await_signals(self) -> None:
        at_signals(self._stop)

    def _stop(self, *_: object) -> None:
        at_signals(signal.SIG_DFL)
        self.set()

    def charge(self) -> None:
        """Raises Incomplete once it is set, which ends the reading of a log."""
        if self.is_set():
            raise Incomplete("failed", "stopped")


def at_signals(handler: Any) -> None:
    """Sets the handler of SIGINT and SIGTERM."""
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)
