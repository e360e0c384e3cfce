# SPDX-License-Identifier: Apache-2.0
"""Attributes that are computed when they are first read."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class lazy(Generic[_T]):
    """A decorator for such an attribute of an instance that one thread uses.

    Before Python 3.12, functools.cached_property computes an attribute for one instance at a time: one that
    waits for a source would hold up all threads.
    """

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type) -> _T:
        value = vars(instance)[self._name] = self._compute(instance)
        return value
