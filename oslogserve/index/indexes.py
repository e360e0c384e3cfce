# SPDX-License-Identifier: Apache-2.0
"""The indexes of logs: found and kept in a directory of this machine, and beside the logs."""

import math
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from oslogserve import messages
from oslogserve.errors import Error, Incomplete
from oslogserve.index import beside, word_file
from oslogserve.index.beside import Refused
from oslogserve.index.directory import IndexDirectory
from oslogserve.index.log_index import IndexFile
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import FirstBytes
from oslogserve.messages import shown
from oslogserve.metrics import Metrics
from oslogserve.native import Known
from oslogserve.sources import Log, Stored

#: Logs of which it is remembered that the index beside them does not count. Each is a short string.
_MOST_REFUSED = 10_000
#: Seconds until an index beside a log is read again that did not fit: it may have been made anew.
_PAUSE = 600
#: Seconds until one is looked for again that was not there: an overview opens many logs twice.
_PAUSE_MISSING = 60


class Indexed(Protocol):
    """An open log that may have an index."""

    stored: Stored
    #: How it is compressed, see `logs.decode.packed_as`. If nothing was read of it, as it is declared.
    packing: str
    budget: Budget

    def first_bytes(self) -> FirstBytes:
        """Its first bytes. Raises Error or Incomplete."""

    def reopened(self, byte_range: tuple[int, int]) -> Log:
        """A range of the stored bytes. Raises Error."""

    def identity(self) -> str:
        """See `beside.identity`. Raises Error or Incomplete."""

    def beside(self, most: int, head: bytes) -> bytes | None:
        """The file beside it, or its beginning; None for none.

        It is read until it is known to have more than `most` bytes, or to begin otherwise than `head`.
        """

    def write_beside(self, content: bytes) -> None:
        """Writes the file beside it, where the source takes files. Raises OSError."""


class Beside(NamedTuple):
    """Whether indexes beside logs are read, and written."""

    reads: bool = False
    writes: bool = False


NOT_BESIDE = Beside()


class Indexes:
    """The indexes for certain rules. For many threads."""

    def __init__(
        self,
        salt: str,
        metrics: Metrics,
        directory: IndexDirectory | None = None,
        beside: Beside = NOT_BESIDE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """salt: version and rules, part of every key. clock: seconds."""
        self.metrics = metrics
        self._salt = salt
        self._directory = directory
        self._beside = beside
        self._clock = clock
        #: Until when the index beside a log is not read again, by the log's key.
        self._refused: dict[str, float] = {}
        #: The same for a log without one: these are many, and would displace the others.
        self._missing: dict[str, float] = {}
        #: What was told, each once.
        self._told: set[str] = set()

    @property
    def keeps(self) -> bool:
        """True if an index that was made is kept anywhere."""
        return self._beside.writes or (self._directory is not None and self._directory.keeps)

    def find(self, log: Indexed) -> IndexFile | None:
        key = self._key(log.stored)
        found = self._directory.get(key) if self._directory else None
        if found or not self._beside.reads:
            return found
        if max(self._refused.get(key, 0), self._missing.get(key, 0)) > self._clock():
            return None
        found = self._found_beside(log)
        if found and self._directory:
            self._directory.put(key, found.content, is_new=False)
        return found

    def _found_beside(self, log: Indexed) -> IndexFile | None:
        head = beside.head_of(self._salt)
        content = log.beside(beside.most_bytes(log.stored), head)
        if content is None:
            _put(self._missing, self._key(log.stored), self._clock() + _PAUSE_MISSING)
            return None
        try:
            return beside.checked(content, self._salt, log.stored, log.identity, log.first_bytes)
        except Refused as error:
            self._remember(log, error.reason, self._clock() + _PAUSE)
            if error.reason == "rules":
                path = shown(beside.name_beside(log.stored.path))
                self._tell_once("rules", f"{path}, and indexes like it, are not used: {error}")
        except (Error, Incomplete):  # the log could not be read
            return None
        finally:
            log.budget.note()
        return None

    def keep(self, log: Indexed, content: bytes) -> None:
        """content: the file of an index."""
        if self._directory:
            self._directory.put(self._key(log.stored), content)
        if not self._beside.writes:
            return
        try:
            log.write_beside(beside.with_head(content, self._salt, log.identity()))
        except (OSError, Error, Incomplete) as error:
            self._tell_once("unwritten", f"an index was not written beside its log: {error}")
        else:
            self._refused.pop(self._key(log.stored), None)
            self._missing.pop(self._key(log.stored), None)

    def words(self, stored: Stored) -> Known | None:
        """The words of a log that others are compared with; None if they are not kept."""
        directory = self._directory
        return directory.read(self._key_of_words(stored), word_file.known_in) if directory else None

    def keep_words(self, stored: Stored, words: bytes) -> None:
        """words: a list of the core; empty for none. They are kept if they are few for such a log."""
        file = word_file.file_of(words, stored.size or 0) if self._directory else b""
        if self._directory and file:
            self._directory.put(self._key_of_words(stored), file, is_new=False)

    def refuse(self, log: Indexed, reason: str, why: str) -> None:
        """Gives up the index of a log. reason: see Refused."""
        if self._directory:
            self._directory.remove(self._key(log.stored), why)
        self._remember(log, reason, math.inf)

    def _remember(self, log: Indexed, reason: str, until: float) -> None:
        """Counts the refusal of an index. The one beside the log is not read again until then."""
        self.metrics["indexes_refused_total", reason].inc()
        _put(self._refused, self._key(log.stored), until)

    def _tell_once(self, what: str, sentence: str) -> None:
        if what not in self._told:
            self._told.add(what)
            messages.log(sentence)

    def _key(self, stored: Stored) -> str:
        """Whatever an index depends on."""
        what = (stored.source, stored.version, stored.size, stored.encoding, int(stored.modified))
        return f"{self._salt} {what}"

    def _key_of_words(self, stored: Stored) -> str:
        return f"words {self._key(stored)}"


def _put(remembered: dict[str, float], key: str, until: float) -> None:
    if len(remembered) >= _MOST_REFUSED:
        remembered.clear()
    remembered[key] = until
