# SPDX-License-Identifier: Apache-2.0
"""What a server process holds: descriptors, threads, memory."""

import contextlib
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.servers.process import poll

#: Seconds that a server has to let go, also of threads that hang in a time-out.
SECONDS = 20
#: Connections to Keystone and Swift that are kept alive come and go; what leaks, leaks in each cell.
KEPT = 2
_ESTABLISHED, _CLOSE_WAIT = "01", "08"


class Held(NamedTuple):
    files: int
    threads: int


def workers(server):
    """The pids of gunicorn's workers."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return [int(pid) for pid in children.read_text().split()]


def open_descriptors(pid):
    return Held(len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")))


def resident(pid):
    """Bytes of memory that the process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def waiting(port):
    """(connections that clients have to this port of loopback, bytes on their way to them)."""
    open_ones = [
        int(row[4].partition(":")[0], 16)
        for row in _sockets()
        if row[1].endswith(f":{port:04X}") and row[3] in (_ESTABLISHED, _CLOSE_WAIT)
    ]
    return len(open_ones), sum(open_ones)


def unread(port):
    """Bytes that a server's connections hold unread, and connections that it has not accepted."""
    rows = (row for row in _sockets() if row[1].endswith(f":{port:04X}"))
    return sum(int(row[4].partition(":")[2], 16) for row in rows)


def _sockets():
    """The rows of all sockets, see proc_pid_net(5)."""
    return [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]


def _described(pid):
    """How many descriptors a process has open: sockets by state and peer, and others."""
    peers = ((row[9], row[3], int(row[2].partition(":")[2], 16)) for row in _sockets())
    sockets = {f"socket:[{inode}]": (state, peer) for inode, state, peer in peers}
    kinds = Counter()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            state, peer = sockets.get(os.readlink(descriptor), (None, None))
            kinds[f"TCP to {peer} in state {state}" if peer else "others"] += 1
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())


def leaked(pid, before, seconds=SECONDS):
    """What a process still has open beyond `before`, some time later; '' for nothing."""
    more = f"process {pid} is gone"

    def clean():
        nonlocal more
        now = open_descriptors(pid)
        surplus = (now.files - before.files, now.threads - before.threads)
        more = f"{surplus[0]} descriptors, {surplus[1]} threads; it has {_described(pid)}"
        return surplus[0] <= KEPT and surplus[1] <= 0

    try:
        poll(clean, lambda: TimeoutError(), seconds)
    except (OSError, TimeoutError):
        return more
    return ""
