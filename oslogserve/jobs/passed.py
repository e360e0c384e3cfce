# SPDX-License-Identifier: Apache-2.0
"""Runs that passed, and their logs, which those of other runs are compared with.

A log is read once: its words are kept for the next request as long as there is room, and for other
processes in the directory of indexes.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from threading import Lock
from typing import NamedTuple
from weakref import WeakSet

from oslogserve.errors import Error, Incomplete
from oslogserve.jobs.choice import LONGEST_NAME
from oslogserve.jobs.walk import Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import Reading
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs
from oslogserve.messages import visible
from oslogserve.native import Known
from oslogserve.sources import METADATA_ONLY, Folder, Source, Stored
from oslogserve.sources.first_of import open_first

#: Bytes of all words that a process holds, for answers and for the next requests; those of one log.
MOST_HELD, LARGEST = 64 * 1024 * 1024, 8 * 1024 * 1024
#: Bytes that each log takes next to its words.
_OVERHEAD = 1024
_IS_FOLDER = "It is a folder."
#: What a name has of one run only: rotations, hashes, suffixes of compression.
_OF_ONE_RUN = re.compile(rb"(?:[._-]|(?<![0-9a-f]))[a-f]*+[0-9][0-9a-f]*+|\.(?:gz|bz2|xz|zst)$")


class FoundLog(NamedTuple):
    """A log of a run that passed, as a source has it."""

    path: bytes
    #: None if no source has it, or one failed.
    stored: Stored | None
    #: The sentence that says why; "" if it was found.
    why: str = ""

    @property
    def version(self) -> str:
        """The log's part of an ETag. It differs once the log has changed."""
        return self.why if self.stored is None else str(_key(self.stored))


class Passed(NamedTuple):
    """What is known of a log of a run that passed."""

    #: Its words; None if it could not be read.
    known: Known | None
    #: Why lines may be called new that are not, or None.
    fault: Incomplete | None


NOT_COMPARED = Passed(None, None)


class PassedLogs:
    """Reads logs of runs that passed. For many threads."""

    def __init__(self, logs: Logs, renderer: Renderer, indexes: Indexes | None = None) -> None:
        """indexes: where words are kept; None for nowhere."""
        self._logs = logs
        self._renderer = renderer
        self._indexes = indexes
        #: The words of logs that were read last.
        self._kept: OrderedDict[Stored, Known] = OrderedDict()
        #: Bytes of them. Counting them anew for each that is given up would take a minute.
        self._kept_size = 0
        #: Other words that an answer holds.
        self._held: WeakSet[Known] = WeakSet()
        #: Logs that are being read.
        self._reading = 0
        self._lock = Lock()

    def get(self, path: bytes, sources: Sequence[Source], budget: Budget) -> Passed:
        """The words of the log at this path."""
        return self.read(self.find(path, sources), sources, budget)

    def find(self, path: bytes, sources: Sequence[Source]) -> FoundLog:
        """The log, without reading it."""
        try:
            found = open_first(sources, path, METADATA_ONLY)
        except Error as error:
            return FoundLog(path, None, error.sentence)
        if isinstance(found, Folder):
            return FoundLog(path, None, _IS_FOLDER)
        found.close()
        return FoundLog(path, found.stored)

    def read(self, found: FoundLog, sources: Sequence[Source], budget: Budget) -> Passed:
        """The log's words. Reading them is charged to the budget."""
        shown = visible(found.path.decode("utf-8", "replace"))
        stored = found.stored
        if stored is None:
            return Passed(None, _fault(f"it was not compared with {shown}", found.why))
        known, missing = self._kept_of(stored), None
        try:
            if known is None:
                with self._room():
                    known = self._stored(stored, budget)
                    if known is None:
                        known, missing = self._read(found.path, sources, budget)
        except Error as error:
            return Passed(None, _fault(f"it was not compared with {shown}", error.sentence))
        if missing:
            return Passed(known, _fault(f"it was compared with a part of {shown}", str(missing)))
        if stored.version:  # else it may change unseen
            self._keep(_key(stored), known)
        if known.is_full:
            why = "it has more different words than are kept, so lines may look new that are not"
            return Passed(known, _fault(f"it was compared with a part of {shown}", why))
        return Passed(known, None)

    def nothing(self) -> Known:
        """No words: all lines are new."""
        known = self._renderer.new_known()
        known.finish()
        return known

    def _stored(self, stored: Stored, budget: Budget) -> Known | None:
        """The log's words, if the directory of indexes has them."""
        if not self._indexes or not stored.version:
            return None
        known = self._indexes.words(_key(stored))
        if known:
            self._hold(known)
        budget.note()
        return known

    def _hold(self, known: Known) -> None:
        with self._lock:
            self._held.add(known)

    def _read(
        self, path: bytes, sources: Sequence[Source], budget: Budget
    ) -> tuple[Known, Incomplete | None]:
        """The words of a log, and why they are not all."""
        known = self._renderer.new_known()
        log = self._logs.open(path, sources, budget)
        if log is None:
            raise Error(_IS_FOLDER)
        with closing(log):
            reading = Reading(log.text())
            for piece in reading:
                known.feed(piece)
            words = known.finish()
            self._hold(known)
            if self._indexes and log.stored.version and not reading.broke_off:
                self._indexes.keep_words(_key(log.stored), words)
            return known, reading.broke_off

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Context in which a log may be read. Raises Error if there is no room for its words."""
        with self._lock:
            while self._size() > MOST_HELD - LARGEST and self._kept:
                self._give_up(next(iter(self._kept)))
            if self._size() > MOST_HELD - LARGEST:
                raise Error(f"The words of other logs fill all {MOST_HELD >> 20} MiB.")
            self._reading += 1
        try:
            yield
        finally:
            with self._lock:
                self._reading -= 1

    def _size(self) -> int:
        """Bytes of all words that are held, with room for those that are being read."""
        return self._kept_size + sum(map(_size_of, self._held)) + self._reading * LARGEST

    def _keep(self, key: Stored, known: Known) -> None:
        with self._lock:
            if key in self._kept:
                self._give_up(key)
            self._kept[key] = known
            self._kept_size += _size_of(known)
            self._held.discard(known)

    def _give_up(self, key: Stored) -> None:
        known = self._kept.pop(key)
        self._kept_size -= _size_of(known)
        self._held.add(known)  # as long as an answer holds it

    def _kept_of(self, stored: Stored) -> Known | None:
        with self._lock:
            key = _key(stored)
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


def _size_of(known: Known) -> int:
    return known.size + _OVERHEAD


def _key(stored: Stored) -> Stored:
    return stored._replace(modified=0.0)


def _fault(what: str, why: str) -> Incomplete:
    return Incomplete("uncompared", f"{what}: {why}")


class PassedRun:
    """The logs of a run that passed. For many threads."""

    def __init__(
        self, logs: PassedLogs, folder: bytes, sources: Sequence[Source], budget: Budget
    ) -> None:
        """Lists the folder. Raises Error."""
        self._logs = logs
        self._folder = folder
        self._sources = sources
        self._budget = budget
        self._names: set[bytes] = set()
        #: The first name of each kind.
        self._by_kind: dict[bytes, bytes] = {}
        self._by_short_kind: dict[bytes, bytes] = {}
        walk = Walk(sources, folder, charge=budget.charge)
        for file in walk:
            if len(file.name) <= LONGEST_NAME:  # no log of a longer name is compared
                self._names.add(file.name)
                kind = _kind(file.name)
                self._by_kind.setdefault(kind, file.name)
                self._by_short_kind.setdefault(kind.rpartition(b"/")[2], file.name)
        #: Why some of its logs are not known; None if all are.
        self.ended = next(iter(walk.missing), None)

    def like(self, name: bytes) -> bytes | None:
        """The path of the log that is like another run's log of this name; None for none.

        That is the log of the same name, else one whose name differs in numbers, hashes and compression,
        else one in another folder.
        """
        kind = _kind(name)
        found = self._by_kind.get(kind) or self._by_short_kind.get(kind.rpartition(b"/")[2])
        found = name if name in self._names else found
        return None if found is None else b"/".join(filter(None, (self._folder, found)))

    def compared(self, name: bytes) -> Passed:
        """The words of the log that is like another run's log of this name."""
        path = self.like(name)
        if path is None:
            shown = visible(self._folder.decode("utf-8", "replace"))
            why = "no log there is like it, so all of its lines are new"
            return Passed(self._logs.nothing(), _fault(f"it was not compared with {shown}", why))
        sources = [source.waiting_anew() for source in self._sources]
        return self._logs.get(path, sources, self._budget)


def _kind(name: bytes) -> bytes:
    return _OF_ONE_RUN.sub(b"", name)
