# SPDX-License-Identifier: Apache-2.0
"""Comparison with runs that passed: how a query names them, and the words of their logs.

A log is read once: its words are kept for the next request as long as there is room, and for other
processes in the directory of indexes. Pointers name runs: small files whose text is the path of a run, or links to
its folder.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from threading import Lock
from typing import NamedTuple
from weakref import WeakSet

from oslogserve.errors import BadRequest, Error, Incomplete
from oslogserve.jobs.walk import LONGEST_NAME, Walk
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.budget import Budget
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs
from oslogserve.native import LogWords
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, METADATA_ONLY, Folder, Source, Stored
from oslogserve.sources.first_of import open_first
from oslogserve.text import visible
from oslogserve.urls import checked_path

#: What a pointer begins with in a query, and the bytes of one that are read.
MARK, _REACH = b"@", 4096
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
        return self.why if self.stored is None else str(self.stored.identity)


class Compared(NamedTuple):
    """The log of a run that passed, as others are compared with it."""

    #: Its words; None if it could not be read.
    words: LogWords | None
    #: Why lines may be called new that are not, or None.
    fault: Incomplete | None


NOT_COMPARED = Compared(None, None)


class PassedLogs:
    """Reads logs of runs that passed. For many threads."""

    def __init__(self, logs: Logs, renderer: Renderer, indexes: Indexes | None = None) -> None:
        """indexes: where words are kept; None for nowhere."""
        self._logs = logs
        self.renderer = renderer
        self._indexes = indexes
        #: The words of logs that were read last.
        self._kept: OrderedDict[Stored, LogWords] = OrderedDict()
        #: Bytes of them. Counting them anew for each that is given up would take a minute.
        self._kept_size = 0
        #: Other words that an answer holds.
        self._held: WeakSet[LogWords] = WeakSet()
        #: Logs that are being read.
        self._reading = 0
        self._lock = Lock()

    def get(self, path: bytes, sources: Sequence[Source], budget: Budget) -> Compared:
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

    def read(self, found: FoundLog, sources: Sequence[Source], budget: Budget) -> Compared:
        """The log's words. Reading them is charged to the budget."""
        stored, words, why = found.stored, None, found.why
        try:
            if stored is not None:
                with self._lock:
                    words = self._kept.get(stored.identity)
                    if words is not None:
                        self._kept.move_to_end(stored.identity)
                if words is None:
                    with self._room():
                        words, why = self._words(found.path, stored, sources, budget)
                        with self._lock:
                            self._held.add(words)
                if stored.version and not why:  # without a version it may change unseen
                    self._keep(stored.identity, words)
                if words.is_full and not why:
                    why = "it has more different words than are kept, so lines may look new that are not"
        except Error as error:
            words, why = None, error.sentence
        if not why:
            return Compared(words, None)
        how = "not compared with" if words is None else "compared with a part of"
        return Compared(words, _fault(f"it was {how}", found.path, why))

    def _words(
        self, path: bytes, stored: Stored, sources: Sequence[Source], budget: Budget
    ) -> tuple[LogWords, str]:
        """The words of a log, and why they are not all: those of the directory of indexes, else it is read."""
        if self._indexes and stored.version:
            kept = self._indexes.words(stored.identity)
            budget.note()
            if kept:
                return kept, ""
        words = self.renderer.new_words()
        log = self._logs.open(path, sources, budget)
        if log is None:
            raise Error(_IS_FOLDER)
        with closing(log):
            why = ""
            try:
                for piece in log.text():
                    words.feed(piece)
            except Incomplete as error:
                why = str(error)
            listed = words.finish()
            if self._indexes and log.stored.version and not why:
                self._indexes.keep_words(log.stored.identity, listed)
            return words, why

    def run(
        self, folder: bytes, sources: Sequence[Source], budget: Budget
    ) -> tuple["PassedRun | None", list[Incomplete]]:
        """The run that passed, None for none; and why its logs are not known, or not all of them."""
        if not folder:
            return None, []
        try:
            run = PassedRun(self, folder, sources, budget)
        except Error as error:
            return None, [_fault("these logs were not compared with", folder, error.sentence)]
        what = "these logs were compared with a part of"
        return run, [_fault(what, folder, run.ended)] if run.ended else []

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

    def _keep(self, key: Stored, words: LogWords) -> None:
        with self._lock:
            if key in self._kept:
                self._give_up(key)
            self._kept[key] = words
            self._kept_size += _size_of(words)
            self._held.discard(words)

    def _give_up(self, key: Stored) -> None:
        words = self._kept.pop(key)
        self._kept_size -= _size_of(words)
        self._held.add(words)  # as long as an answer holds it


def _size_of(words: LogWords) -> int:
    return words.size + _OVERHEAD


def _fault(what: str, path: bytes, why: object) -> Incomplete:
    """what: such as "it was not compared with", the path."""
    shown = visible(path.decode("utf-8", "replace"))
    return Incomplete("uncompared", f"{what} {shown}: {why}")


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

    def compared(self, path: bytes | None) -> Compared:
        """The words of the log at this path, see like()."""
        if path is None:
            why = "no log there is like it, so all of its lines are new"
            nothing = self._logs.renderer.new_words()
            nothing.finish()
            return Compared(nothing, _fault("it was not compared with", self._folder, why))
        sources = [source.waiting_anew() for source in self._sources]
        return self._logs.get(path, sources, self._budget)


def _kind(name: bytes) -> bytes:
    return _OF_ONE_RUN.sub(b"", name)


class Pointers:
    def __init__(self, folder: str, naming: re.Pattern[str]) -> None:
        """folder: of the pointers. naming: matches the path of a job's folder, with the group `name`; "" for none."""
        self._folder = folder.strip("/").encode()
        self._naming = naming if naming.pattern else None

    def resolved(self, query: Query, sources: Sequence[Source]) -> Query:
        """The query with a path instead of a pointer: of a run for a folder, of its log for a log.

        An overview is compared by itself with the run of the job's pointer, if there is one.
        """
        path, against = query.path, query.against
        if not against.startswith(MARK):
            if against or not query.is_folder or query.view != "overview":
                return query
            folder, name = self._job(path)
            against = MARK + name if folder == path else b""
        run = self._run(against.removeprefix(MARK), sources)
        if run is None or (query.is_folder and run == path):
            return query
        if not query.is_folder:
            folder, name = self._job(path)
            if not name:
                folder = path.rpartition(b"/")[0]
            run = b"/".join(filter(None, (run, path.removeprefix(folder).lstrip(b"/"))))
        return query._replace(against=run)

    def _job(self, path: bytes) -> tuple[bytes, bytes]:
        """The folder of the job to which a path belongs, and the name of its pointer; both empty for none."""
        text = path.decode("utf-8", "replace")
        found = self._naming.match(text) if self._naming else None
        if not (found and found["name"]):
            return b"", b""
        return text[: found.end()].rstrip("/").encode(), found["name"].encode()

    def _run(self, name: bytes, sources: Sequence[Source]) -> bytes | None:
        """The path of the run; None if no source has a pointer of this name, or it names no run.

        The name is checked here: behind its mark, ".." is a segment that the query's check has not seen.
        """
        try:
            name = checked_path(name)
            if not name:
                return None
            path = b"/".join(filter(None, (self._folder, name)))
            found = open_first(sources, path, FULL_BODY._replace(chunk_size=_REACH))
            if isinstance(found, Folder):
                return path
            with closing(found):
                text = next(iter(found), b"")[:_REACH]
            return checked_path(text.strip()).rstrip(b"/") or None
        except (BadRequest, Error, Incomplete):
            return None
