# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.seen [--runs N] [--postgresql]

Measures the database of runs: the sentence on a job's page, the list of a week, and remembering a run. Some causes
are of thousands of runs, and most of one. Times are medians, in milliseconds.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path

from oslogserve.seen import Cause, Run
from oslogserve.seen.database import DAY, Database
from tests.servers.postgresql import PostgreSQL

DAYS = 21
TIMES = 20


def main(arguments=None):
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args(arguments)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder}/seen.sqlite"
        if options.postgresql:
            url = opened.enter_context(PostgreSQL()).url
        database = Database(url, DAYS)
        opened.callback(database.close)
        measure(database, options.runs)
        sizes = [path.stat().st_size for path in folder.iterdir()]
        if sizes:
            print(f"{sum(sizes) / options.runs:,.0f} bytes of files for each run")


def measure(database, number):
    rng = random.Random(1)
    now = int(time.time())
    runs = [run(rng, one, now) for one in range(number + TIMES)]
    for one in runs[:number]:
        database.remember(one)
    last = iter(runs[number:])
    rows = {
        f"the runs of cause {number}": lambda number=number: seen(database, number)
        for number in (1, 10, 100)
    }
    rows |= {
        "a new cause": lambda: seen(database, *range(-15, 0)),
        "the list of a week": lambda: database.recent(7),
        "the list of a week, of a job": lambda: database.recent(7, job="job-3"),
        "200 runs of cause 1": lambda: database.runs(digest("exact", 1), DAYS, most=200),
        "remember a run": lambda: database.remember(next(last)),
    }
    for name, ask in rows.items():
        times = []
        for _ in range(TIMES):
            began = time.perf_counter()
            ask()
            times.append(time.perf_counter() - began)
        print(f"{name:32} {1e3 * statistics.median(times):8.2f}")


def run(rng, number, now):
    has_failed = rng.random() < 0.4
    causes = []
    for place in range(rng.choice((1, 1, 2, 4)) if has_failed else rng.choice((0, 0, 1))):
        is_frequent = rng.random() < 0.5
        cause = int(rng.paretovariate(0.7)) if is_frequent else 10**6 + 5 * number + place
        text = (
            f"ERROR nova.compute [req-{cause}] the disk of node {cause} is full and cannot be used"
        )
        several = digest("exact", cause), digest("failure", cause // 3)
        told = "\n".join([text] * 4)
        log = f"controller/logs/screen-{place}.txt.gz"
        causes.append(Cause(log, rng.randrange(10**6), text, *several, told))
    job = f"job-{number % 40}"
    names = job, f"opendev.org/openstack/project-{number % 30}", "master"
    path = f"{number % 100:02}/{900_000 + number}/1/check/{job}/{number:07x}"
    ended = now - rng.randrange((DAYS - 1) * DAY)
    return Run(path, ended, has_failed, *names, f"{900_000 + number},1", tuple(causes))


def seen(database, *numbers):
    """Asks about the first of the causes; the others are other failures of its log."""
    several = tuple(Cause("a.txt", 1, "", digest("exact", number)) for number in numbers)
    database.seen(Run("a", 0, True, causes=several), several[0])


def digest(kind, cause):
    return blake2b(f"{kind} {cause}".encode(), digest_size=16).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
