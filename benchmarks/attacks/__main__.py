# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.attacks [--only PATTERN] [--seconds N]

Attacks on a real gunicorn with the settings that are shipped. Prints a row for each attack: a worker's memory,
and other readers' latency. The exit status is 1 if a worker had more memory than it may.
"""

import argparse
import contextlib
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy

from benchmarks.attacks import logs
from benchmarks.attacks.clients import Attackers
from benchmarks.attacks.logs import MIB, SMALL
from benchmarks.attacks.table import ATTACKS
from benchmarks.processes import memory_of
from tests.faults.leaks import workers
from tests.servers.client import ask, ini
from tests.servers.faulty import BLACK_HOLE, Faulty
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import poll

#: MiB that a worker may have.
MOST_MEMORY = 256

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
            f"{1000 * numpy.percentile(times, part):.1f}"
            for part in (50, 99)
            for times in (self.without, self.beside)
        ]
        p50, p99 = " / ".join(latencies[:2]), " / ".join(latencies[2:])
        return (
            f"{self.attack:40} {self.memory:5.0f} {p50:>13} {p99:>15} "
            f"{self.failed} of {len(self.beside)}"
        )


def measured(attack, root, seconds):
    """Costs of the attack, which goes on for so many seconds."""
    with contextlib.ExitStack() as stack:
        sections = {"disk": {"root": root, "links": "yes" if attack.follows_links else "no"}}
        if attack.has_black_hole:
            swift = stack.enter_context(Faulty())
            swift.behave(BLACK_HOLE)
            sections["swift"] = swift.settings()
        gunicorn = stack.enter_context(Gunicorn(ini(sections), shipped_config=True, workers=None))
        poll(lambda: len(workers(gunicorn)) == 2, lambda: AssertionError("no workers"), 20)
        front = stack.enter_context(Nginx(gunicorn)) if attack.is_behind_nginx else gunicorn
        without, _ = _latencies(front, lambda taken: taken < CALM)
        with Attackers(front.port, attack.way, attack.clients, attack.requests):
            end = time.monotonic() + seconds
            beside, failed = _latencies(front, lambda _: time.monotonic() < end)
        memory = max(memory_of(pid, "VmHWM") for pid in workers(gunicorn)) / MIB
        return Measured(attack.name, memory, without, beside, failed)


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


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of names of attacks")
    parser.add_argument("--seconds", type=float, default=15, help="of each attack")
    given = parser.parse_args()
    is_bad = False
    with tempfile.TemporaryDirectory(prefix="oslogserve-attacks-") as folder:
        logs.write(root := Path(folder))
        print(Measured.heading())
        for attack in ATTACKS:
            if re.search(given.only, attack.name):
                found = measured(attack, root, given.seconds)
                takes_too_much = found.memory > MOST_MEMORY
                print(found, f"more than {MOST_MEMORY} MiB" if takes_too_much else "", flush=True)
                is_bad = is_bad or takes_too_much
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
