# SPDX-License-Identifier: Apache-2.0
"""Work in a thread of its own, for callers that may wait for it less long than it takes."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_T = TypeVar("_T")


def started(work: Callable[[], _T], name: str) -> "Future[_T]":
    """What the work returns or raises. Raises RuntimeError if the system allows no more threads."""
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is taken
            future.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return future
