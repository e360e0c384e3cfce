# SPDX-License-Identifier: Apache-2.0
"""One attack, measured: a worker's memory, one request's processor time, other readers' latency."""

import contextlib
import os
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
#: Seconds for which one request is waited for when its cost is measured.
ALONE = 150
_TICK = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    attack: str
    #: MiB, of the worker that had most.
    memory: float
    #: Seconds of the processors, of the request that took most; 0 where that was not measured.
    worst: float
    #: Seconds of small answers, without the attack and with it.
    without: list[float]
    beside: list[float]
    #: Small answers that did not come, or were no 200.
    failed: int

    @staticmethod
    def heading():
        return f"{'attack':40} {'MiB':>5} {'CPU s':>6} {'p50 ms':>13} {'p99 ms':>15} failed"

    def __str__(self):
        latencies = [
            f"{1000 * quantile(times, part):.1f}"
            for part in (50, 99)
            for times in (self.without, self.beside)
        ]
        p50, p99 = " / ".join(latencies[:2]), " / ".join(latencies[2:])
        return (
            f"{self.attack:40} {self.memory:5.0f} {self.worst:6.2f} {p50:>13} {p99:>15} "
            f"{self.failed} of {len(self.beside)}"
        )


def quantile(times, percent):
    ordered = sorted(times) or [0.0]
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def measured(attack, root, seconds, has_costs):
    """What the attack costs, as it goes on for so many seconds. has_costs: each request by itself
    too, which may take a minute."""
    with contextlib.ExitStack() as stack:
        sections = {"disk": {"root": root}}
        if attack.has_black_hole:
            sections["swift"] = _black_hole(stack)
        gunicorn = stack.enter_context(Gunicorn(ini(sections), shipped_config=True))
        poll(lambda: len(workers(gunicorn)) == 2, lambda: AssertionError("no workers"), 20)
        front = stack.enter_context(Nginx(gunicorn)) if attack.is_behind_nginx else gunicorn
        without, _ = _latencies(front, lambda taken: taken < CALM)
        worst = max(_alone(gunicorn, attack)) if has_costs and attack.way != "waits" else 0.0
        with Attackers(front.port, attack.way, attack.clients, attack.requests):
            end = time.monotonic() + seconds
            beside, failed = _latencies(front, lambda _: time.monotonic() < end)
        memory = max(_peak(pid) for pid in workers(gunicorn))
        return Measured(attack.name, memory, worst, without, beside, failed)


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


def _alone(server, attack):
    """Seconds of the processors that each of the requests takes by itself."""
    for request in sorted(set(attack.requests)):
        before = _processor_time(server)
        with (
            contextlib.suppress(OSError),
            socket.create_connection((HOST, server.port), ALONE) as it,
        ):
            it.sendall(request)
            while it.recv(1 << 20):
                pass
        yield _processor_time(server) - before


def _processor_time(server):
    fields = [
        Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in workers(server)
    ]
    return sum(int(found[11]) + int(found[12]) for found in fields) / _TICK


def _peak(pid):
    """MiB of the most memory that was resident, shared libraries included."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / MIB
