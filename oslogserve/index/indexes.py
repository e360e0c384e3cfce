# SPDX-License-Identifier: Apache-2.0
"""The indexes of logs: found and kept in a directory of this machine, and beside the logs."""

from typing import NamedTuple, Protocol

from oslogserve import messages
from oslogserve.errors import Error, Incomplete
from oslogserve.index import beside, word_file
from oslogserve.index.beside import Refused
from oslogserve.index.directory import IndexDirectory
from oslogserve.index.log_index import IndexFile
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import FirstBytes
from oslogserve.metrics import Metrics
from oslogserve.native import Known
from oslogserve.sources import Log, Stored

#: Logs of which it is remembered that the index beside them has other text. Each is a short string.
_MOST_REFUSED = 10_000


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

    def beside(self, most: int) -> bytes | None:
        """The file beside it, or somewhat more than `most` bytes of it; None for none."""

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
    ) -> None:
        """salt: version and rules, part of every key."""
        self.metrics = metrics
        self._salt = salt
        self._directory = directory
        self._beside = beside
        #: Keys of logs whose index beside them is not asked for again.
        self._refused: set[str] = set()
        self._has_told = False

    @property
    def keeps(self) -> bool:
        """True if an index that was made is kept anywhere."""
        return self._beside.writes or (self._directory is not None and self._directory.keeps)

    def find(self, log: Indexed) -> IndexFile | None:
        key = self._key(log.stored)
        found = self._directory.get(key) if self._directory else None
        if found or not self._beside.reads or key in self._refused:
            return found
        found = self._found_beside(log)
        if found and self._directory:
            self._directory.put(key, found.content, is_new=False)
        return found

    def _found_beside(self, log: Indexed) -> IndexFile | None:
        content = log.beside(beside.most_bytes(log.stored))
        if content is None:
            return None
        try:
            return beside.checked(content, self._salt, log.stored, log.identity, log.first_bytes)
        except Refused as error:
            self._count_refused(error.reason)
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
            if not self._has_told:
                self._has_told = True
                messages.log(f"an index was not written beside its log: {error}")

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
        key = self._key(log.stored)
        self._count_refused(reason)
        if self._directory:
            self._directory.remove(key, why)
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        self._refused.add(key)

    def _count_refused(self, reason: str) -> None:
        self.metrics["indexes_refused_total", reason].inc()

    def _key(self, stored: Stored) -> str:
        """Whatever an index depends on."""
        what = (stored.source, stored.version, stored.size, stored.encoding, int(stored.modified))
        return f"{self._salt} {what}"

    def _key_of_words(self, stored: Stored) -> str:
        return f"words {self._key(stored)}"
