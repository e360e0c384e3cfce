# SPDX-License-Identifier: Apache-2.0
"""Generated jobs: what a folder says is what its logs say one by one, sorted by (time, log, number)."""

import gzip
import json
import os
import random
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest

from oslogserve.jobs import job_log, merge
from oslogserve.lines.selection import NO_TIME, UNTIMED
from oslogserve.lines.time_range import time_range
from tests.unit.handlers.asking import Asking

#: Of jobs: some, and more.
SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 25))]
START = datetime(2026, 3, 4, 18, 22)
WRITTEN = 1_772_700_000
#: How the programs of a job write a time; that of the second is two hours ahead of UTC.
TIMES = ["%Y-%m-%d %H:%M:%S.%f ", "%Y-%m-%dT%H:%M:%S+02:00 ", "%b %d %H:%M:%S ", "%H:%M:%S ", ""]
FILTERS = [
    *("", "", "&level=ERROR", "&q=two", "&not=one", "&level=ERROR&context=3", "&q=two&context=1"),
    *("&since=2026-03-04T18:22:05", "&since=2026-03-04T18:22:02Z&until=2026-03-04T18:22:20Z"),
]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    for name in ("READ", "LEAST_READ", "MERGED", "PASSED_ON"):
        monkeypatch.setattr(job_log, name, 64)
    monkeypatch.setattr(merge, "MOST_MERGED", 200)


def a_log(chance):
    """Some lines without a time, and steps backwards."""
    layout = chance.choice(TIMES)
    time = START + timedelta(seconds=chance.randrange(5))
    lines = []
    for _ in range(chance.choice((0, 1, 5, 40))):
        time += timedelta(milliseconds=chance.choice((0, 1, 10, 900, 900, -2000)))
        shown = time + timedelta(hours=2 * ("+02" in layout))
        stamp = shown.strftime(layout) if chance.random() < 0.7 else ""
        level, word = chance.choice(("INFO ", "ERROR ", "")), chance.choice(("one", "two", " <b>"))
        lines.append(f"{stamp}{level}{word}\n")
    return "".join(lines).encode()


def write_job(chance, folder):
    """Writes logs, some of them packed, or cut short. Returns their names in their order."""
    names = chance.sample(["a.txt", "a/b.txt", "a-b.log", "a/b/c.txt", "\u00e9 &+.txt", "z.txt"], 4)
    for number, name in enumerate(names):
        content = a_log(chance)
        if chance.random() < 0.4:
            content = gzip.compress(content)[: -4 if chance.random() < 0.3 else None]
            names[number] = name = name + ".gz"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (WRITTEN, WRITTEN))
    return sorted(names, key=str.encode)


def objects(ask, address):
    *rows, end = map(json.loads, ask(address).body.splitlines())
    return rows, end


def times_of(rows):
    """By number, the latest time of each line and all above it."""
    latest, times = NO_TIME, {}
    for row in rows:
        if row["time"] and "T" in row["time"]:
            latest = max(latest, time_range(row["time"]).first_in_utc)
        times[row["line"]] = latest
    return times


def expected(ask, names, query, order):
    """(log, number) of each line."""
    found = []
    for place, name in enumerate(names):
        times = times_of(objects(ask, f"/job/{quote(name)}?format=jsonl")[0])
        hits, _ = objects(ask, f"/job/{quote(name)}?format=jsonl{query}")
        timed = [time for row in hits if (time := times[row["line"]]) != NO_TIME]
        first = timed[0] if timed else UNTIMED
        found += [(max(first, times[row["line"]]), place, row["line"], name) for row in hits]
    return [(name, line) for *_, line, name in (sorted(found) if order == "time" else found)]


def followed(ask, address):
    """(log, number) of each line of an answer, and of all that its `next` lead to."""
    found = []
    while address:
        rows, end = objects(ask, f"/job/{address}")
        found += [(row["log"], row["line"]) for row in rows]
        address = end["next"]
    return found


@pytest.mark.parametrize("order", ["log", "time"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_line_comes_once_and_in_its_order_however_it_is_asked_for(tmp_path, seed, order):
    chance = random.Random(seed)
    names = write_job(chance, tmp_path / "job")
    chosen = chance.choice(FILTERS)
    query = f"order={order}{chosen}"
    limit, tail = chance.choice((1, 2, 7)), chance.choice((1, 9, 60))
    most_logs = chance.choice(("1", "2", "9")) if order == "log" else "9"
    ask = Asking(tmp_path)
    whole = expected(ask, names, chosen, order)
    in_parts = Asking(tmp_path, serve_job_logs=most_logs)
    assert followed(in_parts, f"?format=jsonl&{query}&limit={limit}") == whole
    assert followed(ask, f"?format=jsonl&{query}&limit={limit}&tail={tail}") == whole[-tail:]
