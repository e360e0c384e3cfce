# SPDX-License-Identifier: Apache-2.0
"""Which folder is a job's: the one that has an entry of certain names."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


def has_mark(names: Iterable[bytes], marks: Sequence[str]) -> bool:
    """True if an entry of such a name marks a job's folder. marks: shell patterns, see [serve] job_marks."""
    texts = (name.decode("utf-8", "replace") for name in names)
    return any(fnmatchcase(text, mark) for text in texts for mark in marks)
