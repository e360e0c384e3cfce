# SPDX-License-Identifier: Apache-2.0
"""Uploads regular files to where the server looks for them.

It follows no links and opens no devices, which a job may have left.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from threading import Lock
from typing import BinaryIO

from oslogserve.errors import SourceError
from oslogserve.sources.disk.open_beneath import open_beneath
from oslogserve.sources.objects.location import MAX_NAME, Location
from oslogserve.upload.destination import BadName, Destination
from oslogserve.upload.masked_copy import Copy, Unmasked, masked_copy
from oslogserve.upload.payload import Changed, payload_of
from oslogserve.upload.report import Report
from oslogserve.upload.writer import Interrupted, Writer, sentence_of

FAILURES = (BadName, Changed, Interrupted, OSError, SourceError, Unmasked)


@dataclass
class Uploader:
    """Uploads files below a root. Several threads may run() it."""

    root: bytes
    paths: Iterator[bytes]
    destination: Destination
    writer: Writer
    report: Report
    _lock: Lock = field(default_factory=Lock)

    def run(self) -> None:
        """Uploads files until none is left, in the calling thread."""
        while not self.writer.stopped.is_set():
            with self._lock:
                path = next(self.paths, None)
            if path is None:
                return
            began = time.monotonic()
            try:
                self._upload(path, self.destination.location(path))
            except FAILURES as error:
                self.report.failed(path, f"not uploaded: {reason_of(error)}")
                is_outage = isinstance(error, SourceError) and error.is_outage
                if is_outage and self.writer.answered < began:
                    # Other files would fail, too.
                    self.writer.stop_reason = reason_of(error)
                    self.writer.stopped.set()

    def _upload(self, path: bytes, location: Location) -> None:
        for is_last in (False, True):  # again if the file was written to
            with self._opened(path) as file:
                before = os.fstat(file.fileno())
                try:
                    sent, copy = self._store(Copy(file, before.st_size), path, location)
                except Changed:
                    if is_last:
                        raise
                    continue
                is_same = os.fstat(file.fileno()).st_ctime_ns == before.st_ctime_ns
                if is_same or is_last:
                    self._tell(path, before.st_size, sent, copy, is_same)
                    return

    def _tell(self, path: bytes, size: int, sent: int | None, copy: Copy, is_same: bool) -> None:
        """Reports a stored file. sent, copy: see _store. is_same: nobody wrote to it meanwhile."""
        if self.destination.masks:
            self.destination.masks.count(copy.counts)
        if not is_same:
            why = "it is written to all the time: an earlier state is stored"
            self.report.failed(path, why)
        elif copy.broke_off:
            why = f"what can be masked is stored, and no more: {copy.broke_off}"
            self.report.failed(path, why)
        elif sent is None:
            self.report.there()
        else:
            self.report.uploaded(size, sent)

    def _store(self, whole: Copy, path: bytes, location: Location) -> tuple[int | None, Copy]:
        """The bytes sent for a file, None if the store has them already, and what is stored now.

        Raises Changed, Unmasked. The copy's file may be closed.
        """
        name = path.decode("utf-8", "replace")
        options = self.destination
        with ExitStack() as opened:
            copy = whole
            if options.masks:
                copy = opened.enter_context(masked_copy(whole, name, options.masks))
            how = options.segment_size, options.may_gzip
            payload = opened.enter_context(payload_of(copy.file, copy.size, name, *how))
            found = self.writer.head(location)
            is_there = found is not None and payload.is_stored_as(
                found, self.writer.checksum_of(found)
            )
            if not is_there:
                self.writer.replace(location, found, payload)
            return None if is_there else payload.size, copy

    def _opened(self, path: bytes) -> BinaryIO:
        opened = open_beneath(self.root, path, 0, False)
        if opened.descriptor is None or opened.is_folder:
            opened.close()
            raise BadName("it is a folder now")
        return open(opened.descriptor, "rb")


def files_below(root: bytes, report: Report) -> Iterator[bytes]:
    """Yields the paths of files, relative to the root. Reports those that are left out."""
    folders = [b""]
    while folders:
        folder = folders.pop()
        try:
            entries = _entries(root, folder)
        except OSError as error:
            report.failed(folder, reason_of(error))
            continue
        for entry in entries:
            path = os.path.join(folder, os.fsencode(entry.name))
            if entry.is_symlink():
                report.skipped(path, "a symbolic link is not followed")
            elif len(path) > MAX_NAME:
                report.failed(path[:MAX_NAME], f"longer than the {MAX_NAME} bytes of a name")
            elif entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
            else:
                report.skipped(path, "neither a file nor a folder")


def _entries(root: bytes, folder: bytes) -> "list[os.DirEntry[str]]":
    with closing(open_beneath(root, folder, 0, False)) as opened:
        if opened.descriptor is None or not opened.is_folder:
            return []  # replaced by a file since its own folder was read
        with os.scandir(opened.descriptor) as found:
            return sorted(found, key=lambda entry: os.fsencode(entry.name))


def reason_of(error: BaseException) -> str:
    """Why a file was not uploaded, without a path or a secret."""
    if isinstance(error, OSError):
        return os.strerror(error.errno or errno.EIO)
    return sentence_of(error) if isinstance(error, SourceError) else str(error)
