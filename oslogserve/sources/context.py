# SPDX-License-Identifier: Apache-2.0
"""The context of calls to a source: since when they are waited for, and the trace of their request."""

import re
import time
from collections.abc import Mapping
from typing import Any

#: Version 00, without the ids that are all zeros.
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_TRANSACTION = re.compile(r"[0-9A-Za-z_-]{1,100}")


class Trace:
    """The trace of a request: W3C's traceparent goes to Swift, Swift's transaction id comes back."""

    def __init__(self, traceparent: str = "") -> None:
        """traceparent: the request's header, which may be anything."""
        self.headers: dict[str, str] = {}
        if _TRACEPARENT.fullmatch(traceparent):
            self.headers["traceparent"] = traceparent
        #: Of the last response from Swift; "" where there was none.
        self.transaction = ""
        #: The span of OpenTelemetry, where that is used.
        self.span: Any = None


def transaction_of(headers: Mapping[str, str]) -> str:
    """The transaction's id in a response's headers, "" for none."""
    transaction = headers.get("x-trans-id") or ""
    return transaction if _TRANSACTION.fullmatch(transaction) else ""


class Context:
    """The context of the calls that one request makes.

    Until its answer begins they share one deadline, counted from the context's creation. Each later
    call has its own: the client takes the answer as slowly as it likes.
    """

    def __init__(self, trace: Trace | None = None) -> None:
        self.trace = trace or Trace()
        self._started: float | None = time.monotonic()

    def deadline(self, seconds: float) -> float:
        """The time, by time.monotonic(), by which a call must have its first bytes."""
        return (time.monotonic() if self._started is None else self._started) + seconds

    def answer_begins(self) -> None:
        self._started = None

    def anew(self) -> "Context":
        """A context of the same trace that begins now."""
        return Context(self.trace)
