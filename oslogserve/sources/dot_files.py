# SPDX-License-Identifier: Apache-2.0
"""A source without files and folders whose names begin with a dot, such as .git and .env."""

from collections.abc import Iterator

from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source


class WithoutDotFiles:
    """Wrapper of a source that is not even asked for such names, so that no answer tells of one."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._source = source

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        return None if _has_dot_file(path) else self._source.open(path, options)

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        entries = None if _has_dot_file(path) else self._source.entries(path)
        if entries is None:
            return None
        return (entry for entry in entries if not entry.name.startswith(b"."))

    def check(self) -> None:
        self._source.check()


def _has_dot_file(path: bytes) -> bool:
    return (b"/" + path).find(b"/.") >= 0
