# SPDX-License-Identifier: Apache-2.0
"""Measures small logs in turn, compared with whitenoise."""

import re
import subprocess
from functools import partial
from pathlib import Path

from benchmarks.comparison import servers
from benchmarks.comparison.logs import SMALL_COUNT, write_small
from benchmarks.comparison.rows import Rounds, Values
from benchmarks.comparison.servers import WORKERS, Subject, Subjects
from benchmarks.fetch import BadAnswer

#: The name of their table.
SMALL = "small logs"

#: wrk's script: each request is for the next of the small logs.
IN_TURN = Path(__file__).with_name("in_turn.lua")
#: Seconds of wrk in a round.
SECONDS = 3
#: The least share of a worker in a round that counts, for all servers. The first worker to wake may
#: accept most of the connections.
EVEN = 0.35
#: Tries for a round that counts. On a busy machine, every second one is uneven.
MOST_TRIES = 20


def measure_small_logs(subjects: Subjects, rounds: Rounds) -> None:
    """Requests a second for the small logs in turn, compared with whitenoise.

    wrk is the client. The client of `oslogserve bench` takes 30 microseconds of a processor for a
    request, an eighth of whitenoise's time, and they share the processors.
    """
    lab, ours = subjects.lab, subjects.first
    write_small(lab.root)
    # As many as threads, since our workers accept none without a free thread.
    connections = WORKERS * subjects.threads
    rounds.describe(
        SMALL, f"{SMALL_COUNT:,} logs of 4 KB in turn as HTML, {connections} connections"
    )
    with servers.whitenoise(lab, subjects.threads) as whitenoise:
        pair = (ours, whitenoise)
        for subject in pair:
            _rate(subject, connections)  # warms it up
        one, other = (partial(_rate_of_all_workers, subject, connections) for subject in pair)
        for _ in rounds.each("small"):
            rounds.compare(SMALL, ours.name, one, whitenoise.name, other)


def _rate_of_all_workers(subject: Subject, connections: int) -> Values:
    """Requests a second of a run in which the workers shared the connections evenly."""
    for _ in range(MOST_TRIES):
        before = subject.workers.processor_seconds()
        rate = _rate(subject, connections)
        spent = [b - a for a, b in zip(before, subject.workers.processor_seconds(), strict=True)]
        if min(spent) >= EVEN * sum(spent):
            return {"rate": rate}
    raise BadAnswer(f"{subject.name}: its workers never shared the connections evenly")


def _rate(subject: Subject, connections: int) -> float:
    command = [servers.program("wrk", "wrk"), "-t", "1", "-c", str(connections)]
    command += ["-d", f"{SECONDS}s", "-H", "Accept: text/html", "-s", str(IN_TURN)]
    command += [f"{subject.url}/", "--", str(SMALL_COUNT)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    trouble = re.search(r"Non-2xx.*|Socket errors.*", output)
    if trouble or not rate:
        raise BadAnswer(f"{subject.name}: {trouble[0] if trouble else output}")
    return float(rate[1])
