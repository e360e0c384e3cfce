# SPDX-License-Identifier: Apache-2.0
"""Asks the sources in order: disk, then Swift."""

import heapq
from collections.abc import Iterator, Sequence

from oslogserve.errors import NotFound, SourceError, Unavailable
from oslogserve.sources import FULL_BODY, Entry, Folder, Log, OpenOptions, Source

GONE = "No source has this log. Logs expire: it may have been here before."


def open_first(
    sources: Sequence[Source], path: bytes, options: OpenOptions = FULL_BODY
) -> Log | Folder:
    """The first source that has it. A source that fails does not hide the next one's copy.

    Raises NotFound only where every source said so, else Unavailable.
    """
    failures = []
    for source in sources:
        try:
            found = source.open(path, options)
        except SourceError as error:
            failures.append(error)
            continue
        if found is not None:
            return found
    if failures:
        raise Unavailable(failures)
    raise NotFound(GONE)


class Listing:
    """A folder's entries from all sources, merged, sorted by name. Iterate once.

    failures: grows while iterating; where it is not empty the listing is not complete. notices:
    what its reader is told besides.
    """

    def __init__(self, sources: Sequence[Source], path: bytes) -> None:
        self.failures: list[SourceError] = []
        self.notices: list[str] = []
        self._parts = []
        for source in sources:
            try:
                entries = source.entries(path)
            except SourceError as error:
                self.failures.append(error)
                continue
            if entries is not None:
                self._parts.append(entries)
        if not self._parts and self.failures:
            raise Unavailable(self.failures)
        if not self._parts:
            raise NotFound(GONE)

    def __iter__(self) -> Iterator[Entry]:
        """An entry of each source that has the name, disk's first."""
        return heapq.merge(*map(self._guarded, self._parts), key=lambda entry: entry.name)

    def _guarded(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        try:
            yield from entries
        except SourceError as error:
            self.failures.append(error)
