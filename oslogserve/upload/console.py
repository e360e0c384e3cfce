# SPDX-License-Identifier: Apache-2.0
"""Uploads a console while it is being written.

Its lines go to a file at once, so a slow store never delays the job. From time to time, the file is
stored for readers.
"""

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import BinaryIO

from oslogserve.sources.objects.location import Location
from oslogserve.upload.report import Report
from oslogserve.upload.uploader import FAILURES, reason_of
from oslogserve.upload.writer import Writer


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
    """The object in which readers see a console grow, and the thread that updates it.

    writer: without patience, since the next update repeats a failed one, with more lines.
    """

    file: BinaryIO
    location: Location
    writer: Writer
    #: Seconds between two updates.
    seconds: float
    report: Report
    _ended: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self._renew = self.writer.console(self.location, self.file, self.seconds)
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
        """Uploads the new lines. Raises SourceError, Interrupted, Changed."""
        self._renew(os.fstat(self.file.fileno()).st_size)
