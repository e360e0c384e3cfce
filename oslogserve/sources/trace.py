# SPDX-License-Identifier: Apache-2.0
"""What joins a request with those that it causes at Swift: W3C's traceparent, which goes there, and the
id of Swift's transaction, which comes back."""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

#: Version 00, without the ids that are all zeros.
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_TRANSACTION = re.compile(r"[0-9A-Za-z_-]{1,100}")


class Trace:
    def __init__(self, traceparent: str = "") -> None:
        """traceparent: the request's header, which may be anything."""
        self.headers: dict[str, str] = {}
        if _TRACEPARENT.fullmatch(traceparent):
            self.headers["traceparent"] = traceparent
        #: Of the last response from Swift; "" where there was none.
        self.transaction = ""
        #: The span of OpenTelemetry, where that is used.
        self.span: Any = None


_current: ContextVar[Trace] = ContextVar("trace")


def begin(traceparent: str) -> Trace:
    """The trace of a new request: from now on, that of this thread and of those that it starts."""
    trace = Trace(traceparent)
    _current.set(trace)
    return trace


def current() -> Trace:
    return _current.get(None) or Trace()


def transaction_of(headers: Mapping[str, str]) -> str:
    """The transaction's id in a response's headers, "" for none."""
    transaction = headers.get("x-trans-id") or ""
    return transaction if _TRANSACTION.fullmatch(transaction) else ""
