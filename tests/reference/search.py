# SPDX-License-Identifier: Apache-2.0
"""Searches by RE2."""

from collections.abc import Iterator
from typing import Any

import re2

from oslogserve.lines.search import MOST_MATCHES, Search


def compiled(search: Search) -> Any:
    """RE2's compiled pattern; its search() takes the bytes of a line."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return re2.compile(search.pattern, options)


def matches_in(pattern: Any, text: bytes, most: int = MOST_MATCHES) -> Iterator[tuple[int, int]]:
    """Yields start and end of the first `most` matches, from left to right. pattern: compiled."""
    at = 0
    for _ in range(most):
        found = pattern.search(text, at) if at <= len(text) else None
        if found is None:
            return
        start, end = found.span()
        if start < end:
            yield start, end
        at = end if start < end else end + 1
