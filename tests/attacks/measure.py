# SPDX-License-Identifier: Apache-2.0
"""One attack, measured: a worker's memory and other readers' latency."""

import contextlib
import re
import socket
import time
from pathlib import Path
from typing import NamedTuple

from tests.attacks.clients import Attackers
from tests.attacks.logs import MIB, SMALL
from tests.faults.leaks import workers
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import HOST, poll

#: Small answers that are timed before each attack.
CALM = 400


class Measured(NamedTuple):
    attack: str
    #: MiB, of the worker that had most.
    memory: float
    #: Seconds of small answers, without the attack and with it.
    without: list[float]
    beside: list[float]
    #: Small answers that did not come, or were no 200.
    failed: int

    @staticmethod
    def heading():
        return f"{'attack':40} {'MiB':>5} {'p50 ms':>13} {'p99 ms':>15} failed"

    def __str__(self):
        latencies = [
            f"{1000 * quantile(times, part):.1f}"
            for part in (50, 99)
            for times in (self.without, self.beside)
        ]
        p50, p99 = " / ".join(latencies[:2]), " / ".join(latencies[2:])
        return (
            f"{self.attack:40} {self.memory:5.0f} {p50:>13} {p99:>15} "
            f"{self.failed} of {len(self.beside)}"
        )


def quantile(times, percent):
    ordered = sorted(times) or [0.0]
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def measured(attack, root, seconds):
    """Costs of the attack, which goes on for so many seconds."""
    with contextlib.ExitStack() as stack:
        sections = {"disk": {"root": root, "links": "yes" if attack.follows_links else "no"}}
        if attack.has_black_hole:
            sections["swift"] = _black_hole(stack)
        gunicorn = stack.enter_context(Gunicorn(ini(sections), shipped_config=True))
        poll(lambda: len(workers(gunicorn)) == 2, lambda: AssertionError("no workers"), 20)
        front = stack.enter_context(Nginx(gunicorn)) if attack.is_behind_nginx else gunicorn
        without, _ = _latencies(front, lambda taken: taken < CALM)
        with Attackers(front.port, attack.way, attack.clients, attack.requests):
            end = time.monotonic() + seconds
            beside, failed = _latencies(front, lambda _: time.monotonic() < end)
        memory = max(_peak(pid) for pid in workers(gunicorn))
        return Measured(attack.name, memory, without, beside, failed)


def _black_hole(stack):
    """[swift] of one that accepts connections and never answers."""
    listener = stack.enter_context(socket.create_server((HOST, 0), backlog=1000))
    return {
        "auth_version": "1",
        "auth_url": f"http://{HOST}:{listener.getsockname()[1]}/auth/v1.0",
        "username": "test:tester",
        "password": "testing",
        "container": "logs",
    }


def _latencies(server, goes_on):
    """(seconds of each small answer, how many of them failed)."""
    times, failed = [], 0
    while goes_on(len(times)):
        for path, expected in (("/small.txt?source=disk", SMALL), ("/healthz", None)):
            began = time.perf_counter()
            try:
                answer = ask(server, path, timeout=20)
                failed += answer.status != 200 or (expected is not None and answer.body != expected)
            except OSError:
                failed += 1
            times.append(time.perf_counter() - began)
    return times, failed


def _peak(pid):
    """MiB of the most memory that was resident, shared libraries included."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / MIB
