# SPDX-License-Identifier: Apache-2.0
"""The regular files below a folder. Links are not followed and devices not opened: a job may leave
any."""

import errno
import os
from collections.abc import Iterator
from contextlib import closing

from oslogserve.sources.open_beneath import pure as open_beneath
from oslogserve.sources.swift import MAX_NAME
from oslogserve.upload.report import Report


def files_below(root: bytes, report: Report) -> Iterator[bytes]:
    """Paths relative to the root. Reports what is left out."""
    folders = [b""]
    while folders:
        folder = folders.pop()
        try:
            entries = _entries(root, folder)
        except OSError as error:
            report.failed(folder, os.strerror(error.errno or errno.EIO))
            continue
        for entry in entries:
            path = os.path.join(folder, os.fsencode(entry.name))
            if entry.is_symlink():
                report.skipped(path, "a symbolic link is not followed")
            elif len(path) > MAX_NAME:
                report.failed(path[:MAX_NAME], f"longer than Swift's {MAX_NAME} bytes of a name")
            elif entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
            else:
                report.skipped(path, "neither a file nor a folder")


def _entries(root: bytes, folder: bytes) -> "list[os.DirEntry[str]]":
    with closing(open_beneath(root, folder, 0, False)) as opened:
        if opened.descriptor is None or not opened.is_folder:
            return []  # it was one when its own folder was read
        with os.scandir(opened.descriptor) as found:
            return sorted(found, key=lambda entry: os.fsencode(entry.name))
