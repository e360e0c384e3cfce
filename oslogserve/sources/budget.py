# SPDX-License-Identifier: Apache-2.0
"""The time that one answer may take until its log's first bytes are here, however often and
whatever its thread asks for until then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_begun: ContextVar[float | None] = ContextVar("begun", default=None)


@contextmanager
def begin() -> Iterator[None]:
    """What is asked for in here has the time of one answer, all together."""
    before = _begun.set(time.monotonic())
    try:
        yield
    finally:
        _begun.reset(before)


def begun() -> float:
    """Of time.monotonic; now where no answer is being made."""
    at = _begun.get()
    return time.monotonic() if at is None else at
