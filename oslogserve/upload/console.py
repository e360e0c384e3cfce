# SPDX-License-Identifier: Apache-2.0
"""The upload of a console while it is being written.

What comes is written to a file at once, so that a Swift that is slow or gone never holds up the job
and loses no line. Now and then readers get what is there as a large object: segments that are full stay,
the last one is sent again with what has come since. In the end all of it is stored as any other file is,
gzipped where that pays, in place of the large object.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

from oslogserve.http import TEXT
from oslogserve.sources.swift import Place
from oslogserve.upload.content import Content, Segment, segment_of
from oslogserve.upload.files import FAILURES, reason_of
from oslogserve.upload.store import Store

#: Bytes of the first segments. Every so many are twice as long as those before, so that a console of
#: 800 GB has no more of them than Swift's 1000.
SEGMENT = 8 * 2**20
DOUBLED_AFTER = 100


def _segment_size(number: int) -> int:
    return SEGMENT << number // DOUBLED_AFTER


class Spool:
    """A file with all of a console that has come so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Bytes for which the disk had no room.
        self.lost = 0
        self._file = path.open("xb", buffering=0)

    def fill(self, read: Callable[[], bytes]) -> None:
        """Appends what is read, to its end. It reads on also when the disk is full, for else the
        job could not write its lines anywhere."""
        while chunk := read():
            try:
                while chunk and not self.lost:
                    chunk = chunk[self._file.write(chunk) :]
            except OSError:
                pass
            self.lost += len(chunk)

    def open(self) -> BinaryIO:
        return self.path.open("rb")

    def close(self) -> None:
        self._file.close()


class Growing:
    """The large object in which readers see a console grow."""

    def __init__(self, spool: Spool, place: Place, store: Store) -> None:
        self._place = place
        self._store = store
        self._file = spool.open()
        self._full: list[Segment] = []
        self._shown = 0

    def renew(self) -> None:
        """Uploads what has come since the last time. Raises SourceError, Interrupted."""
        size = os.fstat(self._file.fileno()).st_size
        if size == self._shown:
            return
        start = sum(segment.size for segment in self._full)
        while size - start >= _segment_size(len(self._full)):
            self._full.append(self._sent(start, _segment_size(len(self._full))))
            start += self._full[-1].size
        last = [self._sent(start, size - start)] if size > start else []
        self._store.put_manifest(self._place, self._content([*self._full, *last]))
        self._shown = size

    def _sent(self, start: int, size: int) -> Segment:
        segment = segment_of(self._file, start, size)
        content = self._content([segment])
        self._store.put_segment(self._place, content, len(self._full), segment)
        return segment

    def _content(self, segments: list[Segment]) -> Content:
        return Content(self._file, sum(s.size for s in segments), TEXT, "", segments)

    def close(self) -> None:
        self._file.close()


class Renewals:
    """A thread that renews a growing console every so many seconds."""

    def __init__(
        self, growing: Growing, store: Store, seconds: float, note: Callable[[str], None]
    ) -> None:
        """store: without patience: what fails is tried again with all that has come until then."""
        self._growing = growing
        self._store = store
        self._seconds = seconds
        self._note = note
        self._ended = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        is_failing = False
        while not self._ended.wait(self._seconds):
            try:
                self._growing.renew()
                is_failing = False
            except FAILURES as error:
                if not is_failing and not self._ended.is_set():
                    self._note(f"the console is kept on disk meanwhile: {reason_of(error)}")
                is_failing = True

    def close(self) -> None:
        self._ended.set()
        self._store.stop()
        self._thread.join()
        self._growing.close()
        self._store.close()
