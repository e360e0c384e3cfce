# SPDX-License-Identifier: Apache-2.0
"""The indexes of logs for certain rules, kept in a directory of this machine."""

from oslogserve.index import word_file
from oslogserve.index.directory import IndexDirectory
from oslogserve.index.log_index import IndexFile
from oslogserve.metrics import Metrics
from oslogserve.native import Known
from oslogserve.sources import Stored


class Indexes:
    """For many threads."""

    def __init__(
        self, salt: str, metrics: Metrics, directory: IndexDirectory | None = None
    ) -> None:
        """salt: version and rules, part of every key. directory: None if no index is kept."""
        self.metrics = metrics
        self._salt = salt
        self.directory = directory

    @property
    def keeps(self) -> bool:
        """True if an index that was made is kept."""
        return self.directory is not None and self.directory.keeps

    def find(self, stored: Stored) -> IndexFile | None:
        return self.directory.get(self._key(stored)) if self.directory else None

    def keep(self, stored: Stored, content: bytes) -> None:
        """content: the file of an index."""
        if self.directory:
            self.directory.put(self._key(stored), content)

    def words(self, stored: Stored) -> Known | None:
        """The words of a log that others are compared with; None if they are not kept."""
        directory = self.directory
        return directory.read(self._key_of_words(stored), word_file.known_in) if directory else None

    def keep_words(self, stored: Stored, words: bytes) -> None:
        """words: a list of the core; empty for none. They are kept if they are few for such a log."""
        file = word_file.file_of(words, stored.size or 0) if self.directory else b""
        if self.directory and file:
            self.directory.put(self._key_of_words(stored), file, is_index=False)

    def refuse(self, stored: Stored, reason: str, why: str) -> None:
        """Gives up the index of a log. reason: a metric label, see doc/indexes.rst."""
        self.metrics["indexes_refused_total", reason].inc()
        if self.directory:
            self.directory.remove(self._key(stored), why)

    def _key(self, stored: Stored) -> str:
        """Whatever an index depends on."""
        what = (stored.source, stored.version, stored.size, stored.encoding, int(stored.modified))
        return f"{self._salt} {what}"

    def _key_of_words(self, stored: Stored) -> str:
        return f"words {self._key(stored)}"
