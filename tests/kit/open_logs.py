# SPDX-License-Identifier: Apache-2.0
"""Logs that hold what a test gives them, their source, and such a log once it is open."""

from oslogserve.errors import SourceError
from oslogserve.logs.open_log import OpenLog
from oslogserve.sources import ALL_ENTRIES, FULL_BODY, Entry, Log, Stored


class FakeLog(Log):
    """Breaks off behind its chunks where there is an error. stored: fields of Stored."""

    def __init__(self, source, chunks, error=None, **stored):
        size = sum(map(len, chunks))
        super().__init__(Stored(source, size, 0.0, "1")._replace(**stored))
        self.chunks = chunks
        self.error = error
        self.taken = self.closed = 0

    def __iter__(self):
        for chunk in self.chunks:
            self.taken += 1
            yield chunk
        if self.error:
            raise self.error

    def close(self):
        self.closed += 1


class FakeSource:
    """logs: path -> Log, Folder or SourceError. names: None for no folder, or a SourceError;
    a SourceError among them is raised midway."""

    location = "container logs"

    def __init__(self, name, logs=None, names=None):
        self.name = name
        self.logs = logs or {}
        self.names = names
        self.asked = []
        self.deadlines = 0

    def for_request(self, *_):
        self.deadlines += 1
        return self

    def waiting_anew(self):
        self.deadlines += 1
        return self

    def open(self, path, options=FULL_BODY):
        self.asked.append((path, options))
        found = self.logs.get(path)
        if isinstance(found, SourceError):
            raise found
        if isinstance(found, FakeLog) and not options.body:
            return Log(found.stored)
        return found

    def entries(self, path, wanted=ALL_ENTRIES):
        if isinstance(self.names, SourceError):
            raise self.names
        return None if self.names is None else self._entries()

    def _entries(self):
        for name in self.names:
            if isinstance(name, SourceError):
                raise name
            yield Entry(name, 1, 0.0, self.name)

    def check(self):
        if isinstance(self.names, SourceError):
            raise self.names


def open_log(*chunks, error=None, **stored):
    """An open log of these chunks, which can be read again."""
    log = FakeLog("disk", chunks, error, **stored)
    return OpenLog(log, b"a.txt", [FakeSource("disk", {b"a.txt": log})])
