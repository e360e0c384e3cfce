# SPDX-License-Identifier: Apache-2.0
"""Opens logs and merges listings of several sources, in their order: disk, Swift, stores."""

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby

from oslogserve.errors import Incomplete, NotFound, SourceError, Unavailable
from oslogserve.sources import (
    ALL_ENTRIES,
    FULL_BODY,
    Entry,
    Folder,
    Log,
    OpenOptions,
    Source,
    Stored,
    WantedEntries,
)

GONE = "No source has this log. Logs expire: it may have been here before."


def open_first(
    sources: Sequence[Source], path: bytes, options: OpenOptions = FULL_BODY
) -> Log | Folder:
    """The log or folder from the first source that has it. A failing source hides no other's copy.

    Raises NotFound if every source said that it has none, else Unavailable.
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
    raise Unavailable(failures) if failures else NotFound(GONE)


def open_again(
    sources: Sequence[Source],
    path: bytes,
    stored: Stored,
    chunk_size: int,
    opened: list[Log],
    byte_range: tuple[int, int] | None = None,
) -> Log:
    """The same stored bytes again, or a range of them, from their source.

    opened: gets what is to be closed. Raises Unavailable if the log has changed, or cannot be opened now.
    """
    options = OpenOptions(True, byte_range, stored.version, chunk_size)
    source = next(source for source in sources if source.name == stored.source)
    log = open_first([source.waiting_anew()], path, options)
    if not isinstance(log, Folder):
        opened.append(log)
        if log.stored.version == stored.version:
            return log
    raise Unavailable([SourceError(stored.source, "the log changed while it was read")])


class Listing:
    """A folder's entries from all sources, merged and sorted by name. Iterate once.

    Raises NotFound or Unavailable, as open_first() does.
    """

    def __init__(
        self, sources: Sequence[Source], path: bytes, wanted: WantedEntries = ALL_ENTRIES
    ) -> None:
        """An Incomplete that `wanted.charge` raises ends the listing, and is kept."""
        #: Grows while iterating. The listing is complete if it stays empty, and `ended` stays None.
        self.failures: list[SourceError] = []
        #: Why no more entries come.
        self.ended: Incomplete | None = None
        self._listings = []
        for source in sources:
            try:
                wanted.charge()  # also for what has no entries
                entries = source.entries(path, wanted)
            except SourceError as error:
                self.failures.append(error)
                continue
            except Incomplete as error:
                self.ended = error
                continue
            if entries is not None:
                self._listings.append(entries)
        if not self._listings and not self.ended:
            raise Unavailable(self.failures) if self.failures else NotFound(GONE)

    def __iter__(self) -> Iterator[Entry]:
        """Yields, for each name, an entry from each source that has it, the disk's first."""
        return heapq.merge(*map(self._until_failure, self._listings), key=lambda entry: entry.name)

    def by_name(self) -> Iterator[tuple[Entry, ...]]:
        """Yields the same entries as tuples, one for each name."""
        return (tuple(entries) for _, entries in groupby(self, key=lambda entry: entry.name))

    def _until_failure(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        try:
            yield from entries
        except SourceError as error:
            self.failures.append(error)
        except Incomplete as error:
            self.ended = error


def dated(entries: Sequence[Entry]) -> Entry:
    """The first entry with a time, else the first. entries: all of one name."""
    return next((entry for entry in entries if entry.modified is not None), entries[0])
