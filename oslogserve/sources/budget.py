# SPDX-License-Identifier: Apache-2.0
"""The time that one answer may take until its log's first bytes are here, however often and
whatever its thread asks for until then."""

import time
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token

_begun: ContextVar[float | None] = ContextVar("begun", default=None)


class _Begun:
    __slots__ = ("_before",)
    _before: Token[float | None]

    def __enter__(self) -> None:
        self._before = _begun.set(time.monotonic())

    def __exit__(self, *_raised: object) -> None:
        _begun.reset(self._before)


def begin() -> AbstractContextManager[None]:
    """What is asked for in here has the time of one answer, all together."""
    return _Begun()


def begun() -> float:
    """Of time.monotonic; now where no answer is being made."""
    at = _begun.get()
    return time.monotonic() if at is None else at
