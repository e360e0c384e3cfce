# SPDX-License-Identifier: Apache-2.0
"""The upload of a job's files, in parallel. What Swift has already is left alone."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import closing
from threading import Lock
from typing import BinaryIO

from oslogserve.errors import SourceError
from oslogserve.sources.open_beneath import pure as open_beneath
from oslogserve.sources.swift import Place
from oslogserve.upload.content import Changed
from oslogserve.upload.naming import Naming, Unstorable
from oslogserve.upload.report import Report
from oslogserve.upload.store import Interrupted, Store

FAILURES = (Changed, Interrupted, OSError, SourceError, Unstorable)


class Files:
    """The files below a root, which many threads upload."""

    def __init__(
        self, root: bytes, paths: Iterator[bytes], naming: Naming, store: Store, report: Report
    ) -> None:
        self._root = root
        self._paths = paths
        self._lock = Lock()
        self._naming = naming
        self._store = store
        self._report = report

    def upload_all(self) -> None:
        """Uploads what no other thread has taken, until there is no more."""
        while not self._store.is_stopped:
            with self._lock:
                path = next(self._paths, None)
            if path is None:
                return
            began = time.monotonic()
            try:
                self._upload(path, self._naming.place(path))
            except FAILURES as error:
                self._report.failed(path, f"not uploaded: {reason_of(error)}")
                is_outage = isinstance(error, SourceError) and error.is_outage
                if is_outage and self._store.answered < began:
                    self._store.stop()  # other files would fare no better

    def _upload(self, path: bytes, place: Place) -> None:
        for is_last in (False, True):  # once more what was written to meanwhile
            with self._opened(path) as file:
                before = _times(file)
                try:
                    with closing(self._naming.content(file, path)) as content:
                        found = self._store.head(place)
                        is_there = found is not None and content.is_stored_as(found)
                        if not is_there:
                            self._store.replace(place, found, content)
                except Changed:
                    if is_last:
                        raise
                    continue
                if _times(file) != before:
                    continue
                if is_there:
                    self._report.there()
                else:
                    self._report.uploaded(os.fstat(file.fileno()).st_size, content.size)
                return
        self._report.failed(path, "it is written to all the time: stored is what was in it before")

    def _opened(self, path: bytes) -> BinaryIO:
        opened = open_beneath(self._root, path, 0, False)
        if opened.descriptor is None or opened.is_folder:
            opened.close()
            raise Unstorable("it is a folder now")
        return open(opened.descriptor, "rb")


def reason_of(error: BaseException) -> str:
    """The reason why a file was not uploaded, without a path or a secret."""
    if isinstance(error, Changed):
        return "it is written to all the time"
    if isinstance(error, OSError):
        return os.strerror(error.errno or errno.EIO)
    return f"Swift: {error}" if isinstance(error, SourceError) else str(error)


def _times(file: BinaryIO) -> tuple[int, int]:
    """The times of a file that change when it is written to."""
    status = os.fstat(file.fileno())
    return status.st_mtime_ns, status.st_ctime_ns
