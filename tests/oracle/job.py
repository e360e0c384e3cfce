# SPDX-License-Identifier: Apache-2.0
"""A job: a folder of generated logs, and of files that are none."""

import gzip
import os
from itertools import count

from tests.oracle.logs import WRITTEN, log_of
from tests.oracle.selection import placed

NAMES = (
    *(b"a.txt", b"b.txt.gz", b"a-b.log", b"a/b.txt.gz", b"a/b/c.txt", b"logs/n-cpu.txt.gz"),
    *("logs/\u00e9 &+.txt".encode(), b"50%.txt.gz", b"x;y=1.txt", b"#h?.log", b"q\"<b>'.txt.gz"),
    *(b"a:1:b.txt", b"\xff.txt", b"console.log", b"job-output.txt.gz", b"z", b"b.txt"),
    *(b"d.txt.zst", b"logs/e.log.zst"),
)
#: Files that are no logs.
OTHERS = {
    b"graph.png": b"\x89PNG\r\n\x1a\n",
    b"logs/all.tar.gz": gzip.compress(b"x"),
    b"report.html": b"<!DOCTYPE html><p>needle\n",
    b"zip.txt": b"PK\x03\x04needle",
}
_VERSIONS = count()


class Job:
    """Logs below a folder of the server's root."""

    def __init__(self, chance, name):
        self.name = name
        names = chance.sample(NAMES, chance.choice((1, 3, 5, 8)))
        self.logs = [log_of(chance, one) for one in sorted(names)]
        self.placed = {log.name: [*placed(log.lines)] for log in self.logs}
        others = chance.sample([*OTHERS], chance.choice((0, 0, 1, 3)))
        self.others = {other.decode() for other in others}
        self._files = {log.name: log.stored for log in self.logs} | {
            name: OTHERS[name] for name in others
        }

    def write(self, root):
        for name, stored in self._files.items():
            path = os.path.join(os.fsencode(root), self.name.encode(), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(stored)
            # A file that has the inode and the size of one before is another version.
            written = int(WRITTEN * 10**9) + next(_VERSIONS)
            os.utime(path, ns=(written, written))
