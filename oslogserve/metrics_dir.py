# SPDX-License-Identifier: Apache-2.0
"""The folder in which the processes of a server share their metrics.

prometheus_client keeps one file per type of metric and process there and reads the name of the
folder when it is first imported. So this module does not import it at the top: whoever starts a
server calls `create` or `sweep` first, then the application may be imported.
"""

import os
import re
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_PID = re.compile(r"_(\d+)\.db$")


def create(directory: str) -> None:
    """Creates the folder, empties it and names it in the environment: a new server counts from 0."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for path in Path(directory).glob("*.db"):
        path.unlink(missing_ok=True)
    os.environ[VARIABLE] = directory


def sweep(directory: str) -> None:
    """Creates the folder, names it in the environment, and drops the gauges of dead processes.

    For a server without a process that outlives the others (mod_wsgi): a daemon that was killed
    cannot do it by itself, and its requests would count as running for ever.
    """
    Path(directory).mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = directory
    found = (_PID.search(path.name) for path in Path(directory).glob("*.db"))
    for pid in {int(match[1]) for match in found if match}:
        if not _is_alive(pid):
            mark_dead(pid)


def mark_dead(pid: int) -> None:
    """Drops the gauges of a process that has ended; what it counted stays in the totals."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(pid)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
