# SPDX-License-Identifier: Apache-2.0
"""The entries of a folder on disk, sorted by name, of which a bounded number is held at once."""

import heapq
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple, TypeVar

from oslogserve.sources import Entry, WantedEntries, within_dates
from oslogserve.sources.disk.open_beneath import OpenFile

#: Names that are read until the next charge: 0.1 ms, or 10 ms of links to deep folders.
NAMES_UNTIL_CHARGE = 100

_T = TypeVar("_T")


class Batch(NamedTuple):
    """Entries that follow on each other in the order of names."""

    entries: list[Entry]
    #: The last name that was looked at; None where there are no more.
    last: bytes | None


class Links:
    """The symbolic links in one folder, where links are followed."""

    def __init__(self, folder: bytes, open_path: Callable[[bytes], OpenFile]) -> None:
        """folder: its path. open_path: opens a path, and follows links. Raises OSError."""
        self._folder = folder
        self._open_path = open_path
        #: The identities of the folder and of those above, once a link leads to a folder.
        self._above: set[tuple[int, int]] = set()

    def entry(self, name: bytes) -> Entry | None:
        """The entry of the link's target; None for a target that is missing or a folder above.

        A walk through a link to the folder itself, or to one above, would not end.
        """
        try:
            with closing(self._open_path(os.path.join(self._folder, name))) as file:
                if file.is_folder and file.identity() in self._folders_above():
                    return None
                return _listed(name, file.is_folder, file.size, file.modified_ns / 10**9)
        except OSError:
            return None

    def _folders_above(self) -> set[tuple[int, int]]:
        if not self._above:
            found, path = set(), self._folder
            while True:
                with closing(self._open_path(path)) as folder:
                    found.add(folder.identity())
                if not path:
                    break
                path = path.rpartition(b"/")[0]
            self._above = found
        return self._above


def first_entries(descriptor: int, wanted: WantedEntries, links: Links | None) -> Batch:
    """The first entries of an open folder, at most `wanted.at_once`. links: None where links are left
    out.

    The whole folder is read for each batch, and as much is held as the batch has. Raises OSError, and
    what `wanted.charge` raises.
    """
    with os.scandir(descriptor) as names:
        candidates = _candidates(_charged(names, wanted), wanted.first, links)
        found = heapq.nsmallest(wanted.at_once, candidates)
    several = (entry or _read(descriptor, name) for name, entry in _charged(found, wanted))
    entries = [entry for entry in several if entry is not None]
    return Batch(entries, found[-1][0] if len(found) == wanted.at_once else None)


def _charged(several: Iterable[_T], wanted: WantedEntries) -> Iterator[_T]:
    for number, one in enumerate(several):
        if number % NAMES_UNTIL_CHARGE == 0:
            wanted.charge()
        yield one


def _candidates(
    names: Iterable["os.DirEntry[str]"], first: bytes, links: Links | None
) -> Iterator[tuple[bytes, Entry | None]]:
    """(name, entry of a link) of what is served. The name of a folder ends in "/", which counts in the
    order, as in Swift's listings."""
    for found in names:
        name = os.fsencode(found.name)
        if name + b"/" < first:
            continue
        entry = None
        if found.is_symlink():
            entry = links.entry(name) if links else None
            if entry is None:
                continue
            name = entry.name
        elif found.is_dir(follow_symlinks=False):
            name += b"/"
        elif not found.is_file(follow_symlinks=False):
            continue
        if name >= first:
            yield name, entry


def _read(descriptor: int, name: bytes) -> Entry | None:
    """The entry of this name; None where it is gone. It is read from the open folder: another may have
    taken its place in the path meanwhile. Of what may not be looked at, only the name is known."""
    is_folder = name.endswith(b"/")
    try:
        status = os.stat(name.rstrip(b"/"), dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return Entry(name, None, None, "disk")
    is_kind = stat.S_ISDIR if is_folder else stat.S_ISREG
    if not is_kind(status.st_mode):
        return None
    return _listed(name.rstrip(b"/"), is_folder, status.st_size, status.st_mtime)


def _listed(name: bytes, is_folder: bool, size: int, modified: float) -> Entry:
    modified = within_dates(modified)
    if is_folder:
        return Entry(name + b"/", None, modified, "disk")
    return Entry(name, size, modified, "disk")
