# SPDX-License-Identifier: Apache-2.0
"""The readers, the one who restarts the servers, and what they counted."""

import collections
import contextlib
import gzip
import hashlib
import random
import threading
import time
from dataclasses import dataclass, field

from tests.faults import logs
from tests.faults.leaks import Held, leaked, open_descriptors, resident, waiting, workers
from tests.faults.reading import NOTICE, Reader
from tests.faults.stage import BOUNDS
from tests.servers.client import ask, ini, sum_of
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll
from tests.servers.swift import FourProcessSwift

MOST_SECONDS = 600
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
#: A broken off log's last line is the only one that is not the log's.
_END = b"\n[" + NOTICE

WHOLE, TOLD, UNAVAILABLE, BROKEN = "whole", "told incomplete", "told 503", "broken off"
WRONG, STUCK = "wrong", "stuck"


@dataclass
class Figures:
    outcomes: collections.Counter = field(default_factory=collections.Counter)
    restarts: collections.Counter = field(default_factory=collections.Counter)
    metrics: dict = field(default_factory=dict)
    read: int = 0
    seconds: float = 0
    grown: int = 0
    faults: list = field(default_factory=list)

    @property
    def bad(self):
        return bool(self.faults)

    def told(self):
        counted = {
            "seconds": f"{self.seconds:.0f}",
            "requests": self.outcomes.total(),
            "bytes": self.read,
            "restarts": " ".join(f"{name}={n}" for name, n in sorted(self.restarts.items())),
            **{name: f"{value:.0f}" for name, value in self.metrics.items()},
            **{
                name: self.outcomes[name]
                for name in (WHOLE, TOLD, UNAVAILABLE, BROKEN, WRONG, STUCK)
            },
            "grown by": f"{self.grown / logs.MEGABYTE:.0f} MB",
        }
        width = max(map(len, counted))
        lines = [f"{name:{width}}  {value}" for name, value in counted.items()]
        return "\n".join([*lines, *self.faults]) + "\n"


@dataclass(frozen=True)
class Kept:
    """An uploaded log: the digest of its text, and the text itself for what comes incomplete."""

    name: str
    text: bytes
    digest: bytes


def run(seconds, seed, readers):
    figures = Figures()
    with FourProcessSwift(node_timeout=5) as swift:
        kept = _uploaded(swift, random.Random(seed))
        swift.reconfigure(token_life=TOKEN_LIFE)
        config = ini({"swift": swift.settings(CONTAINER) | BOUNDS})
        options = ("--workers", str(WORKERS), "--threads", str(THREADS))
        with Gunicorn(config, *options) as server:
            _warm_up(server, kept)
            before = {pid: open_descriptors(pid) for pid in workers(server)}
            memory = {pid: resident(pid) for pid in before}
            counted = _metrics(server)
            started = time.monotonic()
            _soak(server, swift, kept, figures, started + seconds, seed, readers)
            figures.seconds = time.monotonic() - started
            figures.metrics = {
                name: value - counted[name] for name, value in _metrics(server).items()
            }
            figures.faults += _spared(figures, seconds)
            figures.faults += _leaks(server, before)
            figures.grown = max(resident(pid) - then for pid, then in memory.items())
            if figures.grown > GROWTH:
                figures.faults.append(f"leaked: {figures.grown} bytes of memory")
    return figures


def _uploaded(swift, choice):
    """Sizes from the smallest to the largest, evenly in their logarithm; every other packed."""
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
            kept.append(Kept(name, text, hashlib.sha256(text).digest()))
    return kept


def _warm_up(server, kept):
    """So that every thread and connection is there before they are counted."""
    poll(lambda: len(workers(server)) == WORKERS, lambda: AssertionError("no workers"), 20)
    readers = [_reader(server, kept[n % LOGS // 2]) for n in range(2 * WORKERS * THREADS)]
    for reader in readers:
        reader.result()
    _hung_up(server)


def _hung_up(server):
    poll(lambda: waiting(server.port)[0] == 0, lambda: AssertionError("not hung up"), 30)


def _reader(server, log, **options):
    return Reader(server, f"/{log.name}?format=text", patience=PATIENCE, **options)


def _soak(server, swift, kept, figures, deadline, seed, readers):
    lock = threading.Lock()

    def count(reading, log):
        outcome, why = judged(reading, log)
        with lock:
            figures.outcomes[outcome] += 1
            figures.read += len(reading.body)
            if outcome in (WRONG, STUCK):
                figures.faults.append(f"{outcome}: {log.name}: {why}")
        return outcome

    def read(number):
        choice = random.Random(f"{seed} {number}")
        while time.monotonic() < deadline:
            log = choice.choice(kept)
            if count(_reader(server, log).result(), log) == UNAVAILABLE:
                time.sleep(AWAY)

    @contextlib.contextmanager
    def midway():
        """A reader of the longest log has its first bytes and takes no more meanwhile."""
        reader = _reader(server, kept[-1], stalls=True)
        reader.stalled()
        yield
        reader.go_on()
        threads.append(threading.Thread(target=lambda: count(reader.result(), kept[-1])))
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
    happened = {
        "resumed": figures.metrics["resumed"],
        "re-authentications": figures.metrics["re-authentications"],
        "restarts": figures.restarts.total(),
    }
    return [
        f"{name}: {count:.0f}, at least {least} must be"
        for name, count in happened.items()
        if count < least
    ]


def judged(reading, log):
    """(outcome, why)."""
    if reading.stuck:
        return STUCK, f"after {len(reading.body)} of {len(log.text)} bytes"
    if reading.status == 503:
        return UNAVAILABLE, ""
    if reading.status != 200:
        return WRONG, f"status {reading.status}, broken: {reading.broken}"
    if reading.broken:
        is_part = log.text.startswith(reading.body)
        return (BROKEN, "") if is_part else (WRONG, "other bytes before it broke off")
    if hashlib.sha256(reading.body).digest() == log.digest:
        return WHOLE, ""
    part, end, _ = (b"\n" + reading.body).rpartition(_END)
    # The line before may be cut; then its end is ours.
    if end and (log.text.startswith(part[1:]) or log.text.startswith(part[1:].rstrip(b"\n"))):
        return TOLD, ""
    return WRONG, f"{len(reading.body)} of {len(log.text)} bytes, and no word"


def _metrics(server):
    text = ask(server, "/metrics").body.decode()
    return {
        "resumed": sum_of(text, "oslogserve_source_resumes_total", outcome="resumed"),
        "not resumed": sum_of(text, "oslogserve_source_resumes_total", outcome="failed"),
        "retries": sum_of(text, "oslogserve_source_retries_total"),
        "re-authentications": sum_of(text, "oslogserve_swift_authentications_total", outcome="ok"),
    }


def _leaks(server, before):
    _hung_up(server)
    told = []
    for pid, then in before.items():
        more = leaked(pid, Held(then.files + IDLE, max(then.threads, THREADS + 1)))
        if more:
            told.append(f"leaked: {more}")
    return told
