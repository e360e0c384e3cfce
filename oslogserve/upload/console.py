# SPDX-License-Identifier: Apache-2.0
"""Uploads a console while it is being written.

Its lines go to a file at once, so a slow Swift never delays the job. From time to time, the file is
stored as a large object for readers. Full segments stay; the last one is sent again with new lines.
"""

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import BinaryIO

from oslogserve.http import TEXT
from oslogserve.sources.objects.location import Location
from oslogserve.upload.payload import Payload, Segment, segment_of
from oslogserve.upload.report import Report
from oslogserve.upload.swift_writer import SwiftWriter
from oslogserve.upload.uploader import FAILURES, reason_of

#: Bytes of the first segments. The size doubles after each DOUBLED_AFTER segments, so that 1000, Swift's
#: limit, hold 800 GB.
SEGMENT = 8 * 2**20
DOUBLED_AFTER = 100


def segment_size(number: int) -> int:
    return SEGMENT << number // DOUBLED_AFTER


def keep(chunks: Iterable[bytes], file: BinaryIO, report: Report) -> None:
    """Writes chunks to a file.

    If the disk is full, it reads on, since a job that cannot write would stop.
    """
    lost = 0
    try:
        for chunk in chunks:
            left = chunk
            with contextlib.suppress(OSError):
                while left and not lost:
                    left = left[file.write(left) :]
            lost += len(left)
    finally:
        if lost:
            report.incomplete(f"the disk is full: {lost} bytes of the console are lost")


@dataclass
class LiveConsole:
    """The large object in which readers see a console grow, and the thread that updates it.

    writer: without patience, since the next update repeats a failed one, with more lines.
    """

    file: BinaryIO
    location: Location
    writer: SwiftWriter
    #: Seconds between two updates.
    seconds: float
    report: Report
    _full: list[Segment] = field(default_factory=list)
    _shown: int = 0
    _ended: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self.writer.stopped.set()
        self._thread.join()
        self.writer.close()

    def _run(self) -> None:
        is_failing = False
        while not self._ended.wait(self.seconds):
            try:
                self.renew()
                is_failing = False
            except FAILURES as error:
                if not is_failing and not self._ended.is_set():
                    self.report.note(f"the console is kept on disk meanwhile: {reason_of(error)}")
                is_failing = True

    def renew(self) -> None:
        """Uploads the new lines. Raises SourceError, Interrupted."""
        size = os.fstat(self.file.fileno()).st_size
        if size == self._shown:
            return
        start = sum(segment.size for segment in self._full)
        while size - start >= segment_size(len(self._full)):
            self._full.append(self._sent(start, segment_size(len(self._full))))
            start += self._full[-1].size
        last = [self._sent(start, size - start)] if size > start else []
        self.writer.put_manifest(self.location, self._payload([*self._full, *last]))
        self._shown = size

    def _sent(self, start: int, size: int) -> Segment:
        segment = segment_of(self.file, start, size)
        self.writer.put_segment(self.location, self._payload([segment]), len(self._full), segment)
        return segment

    def _payload(self, segments: list[Segment]) -> Payload:
        return Payload(self.file, sum(s.size for s in segments), TEXT, "", segments)
