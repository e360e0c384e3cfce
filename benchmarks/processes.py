# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of processes, as the kernel counts them in /proc."""

import contextlib
import os
from pathlib import Path

from tests.servers.process import descendants

_TICKS = os.sysconf("SC_CLK_TCK")


class Workers:
    """The worker processes of a server: those that started no others."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._idle: dict[int, int] = {}

    def settle(self) -> None:
        """Notes the present memory as that of an idle server."""
        self._idle = {pid: memory_of(pid, "VmRSS") for pid in self._pids()}

    def reset_peak(self) -> None:
        for pid in self._pids():
            # If the kernel refuses, the peak is that since the worker's start: never too low.
            with contextlib.suppress(OSError):
                Path(f"/proc/{pid}/clear_refs").write_text("5")

    def peak_above_idle(self) -> int:
        """The largest peak of a worker since reset_peak(), in bytes above settle()."""
        return max(memory_of(pid, "VmHWM") - self._idle[pid] for pid in self._pids())

    def _pids(self) -> list[int]:
        return [pid for pid in descendants(self._pid) if descendants(pid) == [pid]]


def processor_seconds(pid: int) -> float:
    """Processor seconds of one process, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def private_memory_of(pid: int) -> int:
    """Bytes of memory that a process shares with no other."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    private = ("Private_Clean:", "Private_Dirty:")
    return sum(int(row.split()[1]) * 1024 for row in rows if row.startswith(private))


def memory_of(pid: int, field: str) -> int:
    """Bytes of a kind of memory, such as VmRSS, or VmHWM for the most that was resident."""
    rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(row.split()[1]) * 1024 for row in rows if row.startswith(f"{field}:"))
