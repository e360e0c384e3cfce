# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.soak [--seconds N] [--seed N] [--readers N]

Readers of many logs, while Swift's servers are restarted and tokens expire all the time. Prints what was
counted. The exit status is 1 if a body was wrong without saying so, a reader got stuck, something leaked, or
too few logs were resumed, tokens renewed and servers restarted for that to say anything.
"""

import argparse
import collections
import contextlib
import gzip
import random
import sys
import threading
import time
from dataclasses import dataclass, field

from tests.faults import logs
from tests.faults.leaks import Held, leaked, open_descriptors, resident, waiting, workers
from tests.faults.reading import COMPLETE, WRONG, Reader, verdict
from tests.faults.stage import BOUNDS
from tests.servers.client import ask, ini, sum_of
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll
from tests.servers.swift import FourProcessSwift

CONTAINER = "soak"
LOGS = 40
SMALLEST, LARGEST = 1000, 20_000_000
WORKERS, THREADS = 2, 64
TOKEN_LIFE = 3
#: Seconds between two restarts, and for which a server is down.
PAUSE, DOWN = (1.5, 5), (0, 1.5)
#: The first to be restarted: without it nothing goes on.
FIRST = "proxy"
#: Seconds of a run in which each trouble must have come about once.
SECONDS_EACH = 20
#: Seconds for one log, on processors that 64 readers and six servers share.
PATIENCE = 90
#: Connections that a worker may keep for later: to Swift, and to where tokens come from.
IDLE = THREADS + 10
#: Bytes that a worker may hold beyond what it held before. The buffers of as many readers as it
#: has threads stay with the allocator.
GROWTH = THREADS * 2 * logs.MEGABYTE
#: Seconds for which a reader that was told 503 stays away.
AWAY = 0.2
_METRICS = {
    "resumed": ("source_resumes_total", {"outcome": "resumed"}),
    "not resumed": ("source_resumes_total", {"outcome": "failed"}),
    "retries": ("source_retries_total", {}),
    "re-authentications": ("swift_authentications_total", {"outcome": "ok"}),
}


@dataclass
class Figures:
    outcomes: collections.Counter = field(default_factory=collections.Counter)
    restarts: collections.Counter = field(default_factory=collections.Counter)
    metrics: dict = field(default_factory=dict)
    read: int = 0
    grown: int = 0
    faults: list = field(default_factory=list)

    def told(self):
        counted = {
            "requests": self.outcomes.total(),
            "bytes": self.read,
            "restarts": " ".join(f"{name}={n}" for name, n in sorted(self.restarts.items())),
            **{name: f"{value:.0f}" for name, value in self.metrics.items()},
            **self.outcomes,
            "grown by": f"{self.grown / logs.MEGABYTE:.0f} MB",
        }
        lines = [f"{name:20}  {value}" for name, value in counted.items()]
        return "\n".join([*lines, *self.faults])


def run(seconds, seed, readers):
    figures = Figures()
    with FourProcessSwift(node_timeout=5) as swift:
        kept = _uploaded(swift, random.Random(seed))
        swift.reconfigure(token_life=TOKEN_LIFE)
        config = ini({"swift": swift.settings(CONTAINER) | BOUNDS})
        with Gunicorn(config, "--threads", str(THREADS), workers=WORKERS) as server:
            _warm_up(server, kept)
            before = {pid: open_descriptors(pid) for pid in workers(server)}
            memory = {pid: resident(pid) for pid in before}
            counted = _metrics(server)
            _soak(server, swift, kept, figures, time.monotonic() + seconds, seed, readers)
            figures.metrics = {
                name: value - counted[name] for name, value in _metrics(server).items()
            }
            figures.faults += [*_spared(figures, seconds), *_leaks(server, before)]
            figures.grown = max(resident(pid) - then for pid, then in memory.items())
            if figures.grown > GROWTH:
                figures.faults.append(f"leaked: {figures.grown} bytes of memory")
    return figures


def _uploaded(swift, choice):
    """Logs' names and texts, by size, evenly in their logarithm; every other is packed."""
    kept = []
    with contextlib.closing(swift.connection(retries=3)) as connection:
        connection.put_container(CONTAINER)
        for number in range(LOGS):
            size = int(SMALLEST * (LARGEST / SMALLEST) ** (number / (LOGS - 1)))
            text = logs.plain(size, seed=choice.randrange(1 << 30))
            packed = number % 2
            name = f"{number}.txt.gz" if packed else f"{number}.txt"
            stored = gzip.compress(text, 1, mtime=0) if packed else text
            connection.put_object(CONTAINER, name, stored)
            kept.append((name, text))
    return kept


def _warm_up(server, kept):
    """So that every thread and connection is there before they are counted."""
    poll(lambda: len(workers(server)) == WORKERS, lambda: AssertionError("no workers"), 20)
    readers = [_reader(server, kept[n % LOGS // 2][0]) for n in range(2 * WORKERS * THREADS)]
    for reader in readers:
        reader.result()
    _hung_up(server)


def _hung_up(server):
    poll(lambda: waiting(server.port)[0] == 0, lambda: AssertionError("not hung up"), 30)


def _reader(server, name, **options):
    return Reader(server, f"/{name}?format=text", patience=PATIENCE, **options)


def _soak(server, swift, kept, figures, deadline, seed, readers):
    lock = threading.Lock()

    def count(reading, name, text):
        found, why = verdict(reading, [text], "text", "swift")
        with lock:
            figures.outcomes[found if found in (COMPLETE, WRONG) else f"told by {why}"] += 1
            figures.read += len(reading.body)
            if found == WRONG:
                figures.faults.append(f"{found}: {name}: {why}")

    def read(number):
        choice = random.Random(f"{seed} {number}")
        while time.monotonic() < deadline:
            name, text = choice.choice(kept)
            reading = _reader(server, name).result()
            count(reading, name, text)
            if reading.status == 503:
                time.sleep(AWAY)

    @contextlib.contextmanager
    def midway():
        """A reader of the longest log has its first bytes and takes no more meanwhile."""
        reader = _reader(server, kept[-1][0], stalls=True)
        reader.stalled()
        yield
        reader.go_on()
        threads.append(threading.Thread(target=lambda: count(reader.result(), *kept[-1])))
        threads[-1].start()

    threads = [threading.Thread(target=read, args=[number]) for number in range(readers)]
    for thread in threads:
        thread.start()
    _restart_servers(swift, figures, deadline, random.Random(seed), midway)
    for thread in threads:
        thread.join()


def _restart_servers(swift, figures, deadline, choice, midway):
    name = FIRST
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, choice.uniform(*PAUSE)))
        end = choice.choice((swift.processes[name].kill, swift.processes[name].close))
        down = choice.uniform(*DOWN)
        with midway():
            end()
            time.sleep(down)
            swift.start(name)
        figures.restarts[name] += 1
        name = choice.choice(sorted(swift.processes))


def _spared(figures, seconds):
    """What came about too seldom: a run without it says nothing of it."""
    least = 1 + seconds // SECONDS_EACH
    happened = {name: figures.metrics[name] for name in ("resumed", "re-authentications")}
    happened["restarts"] = figures.restarts.total()
    return [
        f"{name}: {count:.0f}, at least {least} must be"
        for name, count in happened.items()
        if count < least
    ]


def _metrics(server):
    text = ask(server, "/metrics").body.decode()
    return {
        name: sum_of(text, f"oslogserve_{metric}", **labels)
        for name, (metric, labels) in _METRICS.items()
    }


def _leaks(server, before):
    _hung_up(server)
    for pid, then in before.items():
        held = Held(then.files + IDLE, max(then.threads, THREADS + 1))
        if more := leaked(pid, held):
            yield f"leaked: {more}"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--readers", type=int, default=64)
    given = parser.parse_args()
    figures = run(given.seconds, given.seed, given.readers)
    print(figures.told())
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())
