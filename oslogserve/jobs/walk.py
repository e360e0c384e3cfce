# SPDX-License-Identifier: Apache-2.0
"""Walks the files below a folder, in all sources, in the order of their names."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from oslogserve.errors import Incomplete, NotFound, SourceError, Unavailable
from oslogserve.logs.media_type import passed_through_as
from oslogserve.sources import Source, WantedEntries
from oslogserve.sources.first_of import Listing, dated

#: Files and folders that a walk visits, and levels of folders.
MOST_ENTRIES = 10_000
MOST_DEPTH = 16
#: Failures of a walk that are kept with their folders' names.
MOST_FAILURES = 20
#: Bytes of the longest name of a log, which each of its rows repeats.
LONGEST_NAME = 512
#: Names of the job's own log. Prow's, Taskcluster's and GitLab's name those of its steps like it, in folders below.
CONSOLES = re.compile(
    r"(?:^|/)(?:job-output|console)[^/]*$|^(?:build-log|live_backing|job|trace)(?:\.(?:log|txt))?(?:\.(?:gz|zst))?$"
)
#: Path segments that an object's name may have, but no URL.
_NAMELESS = (b"/", b".", b"..", b"./", b"../")


class File(NamedTuple):
    """A file below a folder. Size and time are from the first source that lists a time."""

    #: Relative to the folder.
    name: bytes
    #: Stored bytes; None where unknown.
    size: int | None
    #: Seconds since 1970; None where unknown.
    modified: float | None
    #: The first source that lists it.
    source: str

    @property
    def shown(self) -> str:
        return self.name.decode("utf-8", "replace")

    @property
    def is_console(self) -> bool:
        return CONSOLES.search(self.shown) is not None


class Walk:
    """Iterable of the files below a folder; iterate once.

    Raises NotFound and Unavailable as Listing does.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        folder: bytes,
        first: bytes = b"",
        charge: Callable[[], None] = lambda: None,
    ) -> None:
        """first: the first name. charge: called for each entry; an Incomplete that it raises ends the walk."""
        #: The first folders that a source could not list to their ends: names below the walk's folder, with a
        #: slash at their ends, empty for that folder. Grows while iterating.
        self.failures: list[tuple[bytes, SourceError]] = []
        #: How many more there are.
        self.more_failures = 0
        #: Why not all files were looked at; None if they were.
        self.ended: Incomplete | None = None
        #: The first name beyond MOST_ENTRIES, for the next walk.
        self.next: bytes | None = None
        self._sources = sources
        self._folder = folder
        self._first = first
        self._charge = charge
        self._entries = 0

    def __iter__(self) -> Iterator[File]:
        return self._below(b"", 0)

    @property
    def missing(self) -> list[Incomplete]:
        """Why files may be missing, as far as the walk went. Names the folders that were not listed."""
        folders: dict[str, list[str]] = {}
        for name, error in self.failures:
            reason = f"{error.source} failed: {error}"
            folders.setdefault(reason, []).append(name.decode("utf-8", "replace"))
        failed = []
        for reason, names in folders.items():
            named = ", ".join(dict.fromkeys(filter(None, names)))
            if "" in names:
                failed.append(f"some logs may be missing, {reason}")
            if named:
                failed.append(f"some logs may be missing below {named}: {reason}")
        if self.more_failures:
            failed.append(f"{self.more_failures:,} more folders could not be listed")
        ended = [self.ended] if self.ended else []
        return ended + [Incomplete("failed", sentence) for sentence in failed]

    def _below(self, prefix: bytes, depth: int) -> Iterator[File]:
        path = b"/".join(filter(None, (self._folder, prefix.rstrip(b"/"))))
        first = b""
        if self._first.startswith(prefix):
            segment, slash, _ = self._first.removeprefix(prefix).partition(b"/")
            first = segment + slash
        wanted = WantedEntries(first, MOST_ENTRIES + 1, self._charge)
        try:
            listing = Listing(self._sources, path, wanted)
        except (NotFound, Unavailable) as error:
            if not prefix:
                raise
            if isinstance(error, Unavailable):
                self._note(prefix, error.failures)
            else:
                self._leave_out("a folder was removed after it was listed")
            return
        try:
            for entries in listing.by_name():
                try:
                    self._charge()  # also for what was done with the files
                except Incomplete as error:
                    self.ended = error
                if self.ended and self.ended.reason == "budget":  # nothing more is opened
                    break
                name = prefix + entries[0].name
                is_folder = name.endswith(b"/")
                if name < self._first and not (is_folder and self._first.startswith(name)):
                    continue
                self._entries += 1
                if self._entries > MOST_ENTRIES:
                    self._leave_out(f"more than {MOST_ENTRIES:,} files and folders are there")
                    self.next = self.next or name
                    break
                if entries[0].name in _NAMELESS:
                    self._leave_out('names have an empty, "." or ".." segment')
                elif not is_folder:
                    entry = dated(entries)
                    yield File(name, entry.size, entry.modified, entries[0].source)
                elif depth == MOST_DEPTH:
                    self._leave_out(f"folders are nested more than {MOST_DEPTH} deep")
                else:
                    yield from self._below(name, depth + 1)
        finally:  # also if no more files are taken
            self._note(prefix, listing.failures)
            self.ended = listing.ended or self.ended

    def _leave_out(self, why: str) -> None:
        self.ended = Incomplete("capped", f"{why}: some were not read")

    def _note(self, folder: bytes, failures: Sequence[SourceError]) -> None:
        kept = failures[: MOST_FAILURES - len(self.failures)]
        self.failures += [(folder, error) for error in kept]
        self.more_failures += len(failures) - len(kept)


def has_mark(names: Iterable[bytes], marks: Sequence[str]) -> bool:
    """True if an entry of such a name marks a job's folder. marks: shell patterns, see [serve] job_marks."""
    texts = (name.decode("utf-8", "replace") for name in names)
    return any(fnmatchcase(text, mark) for text in texts for mark in marks)


def is_job(names: Sequence[bytes], marks: Sequence[str]) -> bool:
    """True if a folder with these entries is a job's: one is a mark, or a log stands alone in it.

    Beside that log there are no folders, and only files whose names say that they are no logs.
    """
    if has_mark(names, marks):
        return True
    if any(name.endswith(b"/") for name in names):
        return False
    texts = (name.decode("utf-8", "replace") for name in names)
    logs = (text for text in texts if passed_through_as(text, b"", ()) is None)
    return len([*islice(logs, 2)]) == 1


def names_in(sources: Sequence[Source], path: bytes, charge: Callable[[], None]) -> Iterator[bytes]:
    """Yields the names of the folder's first entries; none of one that cannot be listed."""
    wanted = WantedEntries(at_once=MOST_ENTRIES, charge=charge)
    with suppress(NotFound, Unavailable):
        yield from (entry.name for entry in islice(Listing(sources, path, wanted), MOST_ENTRIES))


def is_marked(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bool:
    """True if one of the folder's first entries is a mark."""
    return has_mark(names_in(sources, path, charge), marks)


def run_above(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bytes | None:
    """The highest of the folders above that is marked: all that is below belongs to its run. None for none."""
    names = path.split(b"/") if path else []
    several = (b"/".join(names[:depth]) for depth in range(min(len(names), MOST_DEPTH)))
    return next((one for one in several if is_marked(sources, one, marks, charge)), None)


def is_run(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bool:
    """True if the folder is a job's, and none above is marked. Raises Incomplete as `charge` does."""
    found = (
        path.count(b"/") < MOST_DEPTH
        and is_job([*names_in(sources, path, charge)], marks)
        and run_above(sources, path, marks, charge) is None
    )
    charge()  # it ends a listing early, which looks like one without a mark
    return found
