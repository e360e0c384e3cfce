# SPDX-License-Identifier: Apache-2.0
"""python -m experiments.capacity: the tables of doc/scaling.rst, by simulation from measured costs.

experiments/costs.json has what was measured (`python -m experiments.cost`); all else is assumed,
and stands as a constant below. Change one and run it again to plan for another site.
"""

import heapq
import itertools
import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.cost import COSTS
from experiments.document import with_figures
from experiments.outcome import Outcome

DOC = Path(__file__).resolve().parents[1] / "doc/scaling.rst"

#: Seconds from one log that a reader opens to the next.
PAUSE = 30
#: Bytes of logs' text: half of them are smaller than the first, the mean is some 1.5 MB.
MEDIAN_SIZE, SIGMA, LARGEST_SIZE = 100_000, 2.33, 500_000_000
#: What readers ask for, by its share.
VIEWS = {"page": 0.7, "errors": 0.15, "search": 0.05, "stored gzip": 0.1}
#: Processors of a node, and the share of their time that is planned for.
PROCESSORS, BUSIEST = 8, 0.6
#: Seconds by which others may delay one answer of a hundred.
LONGEST_DELAY = 0.1
READERS = (10, 1_000, 100_000)

#: Logs that are read at all, of which the n-th is read 1/n ** POPULARITY as often as the first.
LIVE_LOGS, POPULARITY = 500_000, 0.8
CACHES = (0, 1e9, 10e9, 50e9)

LOGS, COPIES = 1_000_000_000, 3
#: Random reads that a hard disk does in a second, and that a log takes which is in no memory.
READS_OF_DISK, READS_OF_LOG = 100, 2
DISK_SIZE, DISK_FULL = 10e12, 0.7

SIMULATED = 30_000


@dataclass(frozen=True)
class Request:
    """A request for a log out of Swift."""

    view: str
    #: Of the log's text, bytes.
    size: int


@dataclass(frozen=True)
class Costs:
    """What requests cost, as it was measured."""

    measured: Mapping[str, Any]

    def processor(self, request: Request, of: str = "server") -> float:
        """Processor seconds of the node, or of Swift."""
        costs = self.measured["views"][f"swift, {request.view}"]
        return float(costs[f"{of}, request"] + costs[f"{of}, GB"] * request.size / 1e9)

    def sent(self, request: Request) -> float:
        """Bytes to the reader."""
        return float(self.measured["views"][f"swift, {request.view}"]["sent share"]) * request.size

    def stored(self, request: Request) -> float:
        """Bytes from Swift: logs are stored gzipped."""
        return float(self.measured["stored share"]) * request.size


def requests(seed: int = 1) -> Iterator[Request]:
    """Requests without end, always the same."""
    drawn = random.Random(seed)
    views, shares = list(VIEWS), list(VIEWS.values())
    while True:
        (view,) = drawn.choices(views, shares)
        size = MEDIAN_SIZE * drawn.lognormvariate(0, SIGMA)
        yield Request(view, min(int(size), LARGEST_SIZE))


@dataclass(frozen=True)
class Node:
    """What a simulated node had to do."""

    #: By which others delayed the slowest of a hundred requests, seconds.
    delay: float
    #: Requests at once, at most times (99 %).
    at_once: int


def simulated(rate: float, work: list[float], processors: int = PROCESSORS) -> Node:
    """A node that is given requests of so much work at random, so many a second.

    All that it has at once share its processors, one each at most. The clock of `progress` is that
    of a request: it goes slower where there are more requests than processors, and each ends when
    it has gone by the request's work.
    """
    drawn = random.Random(2)
    now = progress = 0.0
    running: list[tuple[float, float, float]] = []  # progress at the end, start, work
    delays, at_once = [], []
    for seconds in (*work, None):
        arrival = math.inf if seconds is None else now + drawn.expovariate(rate)
        while running:
            pace = min(1.0, processors / len(running))
            end = now + (running[0][0] - progress) / pace
            if end > arrival:
                progress += (arrival - now) * pace
                break
            progress, began, own = heapq.heappop(running)
            delays.append(end - began - own)
            now = end
        if seconds is None:
            break
        now = arrival
        heapq.heappush(running, (progress + seconds, now, seconds))
        at_once.append(len(running))
    return Node(_of_hundred(delays), int(_of_hundred(at_once)))


def _of_hundred(values: list[Any]) -> Any:
    """The 99th percentile."""
    return sorted(values)[int(len(values) * 0.99)]


@dataclass(frozen=True)
class Plan:
    """What so many readers take."""

    rate: float
    #: Without the one that may fail.
    nodes: int
    node: Node
    #: Processors that oslogserve and Swift keep busy.
    busy: float
    busy_swift: float
    #: Bytes a second.
    sent: float
    fetched: float


@cache
def drawn() -> tuple[Request, ...]:
    return tuple(itertools.islice(requests(), SIMULATED))


def planned(readers: int, costs: Costs) -> Plan:
    """The fewest nodes that are not too busy and do not delay."""
    asked = drawn()
    rate = readers / PAUSE
    work = [costs.processor(request) for request in asked]
    busy = rate * sum(work) / len(work)
    for nodes in itertools.count(1):
        if busy <= nodes * PROCESSORS * BUSIEST:
            node = simulated(rate / nodes, work)
            if node.delay <= LONGEST_DELAY:
                break
    each = rate / len(asked)
    return Plan(
        rate,
        nodes,
        node,
        busy,
        each * sum(costs.processor(request, "swift") for request in asked),
        each * sum(map(costs.sent, asked)),
        each * sum(map(costs.stored, asked)),
    )


def hits(kept: float, logs: int = LIVE_LOGS) -> float:
    """The share of requests that a cache answers which keeps so many answers, the last asked for.

    By Che's approximation: such a cache keeps what was asked for within one time, the same for all.
    """
    groups = _popularity(logs)
    if kept >= logs:
        return 1.0
    shortest, longest = 0.0, 1e3 * logs / groups[-1][1]
    for _ in range(100):
        time = (shortest + longest) / 2
        held = sum(count * -math.expm1(-chance * time) for count, chance in groups)
        shortest, longest = (time, longest) if held < kept else (shortest, time)
    return sum(count * chance * -math.expm1(-chance * time) for count, chance in groups)


@cache
def _popularity(logs: int) -> list[tuple[int, float]]:
    """(how many logs, the chance of each to be the next that is asked for); the most popular first."""
    weights = []
    rank = 1
    while rank <= logs:
        count = min(max(rank // 50, 1), logs - rank + 1)  # alike enough to be taken together
        weights.append((count, (rank + (count - 1) / 2) ** -POPULARITY))
        rank += count
    whole = sum(count * weight for count, weight in weights)
    return [(count, weight / whole) for count, weight in weights]


def tables(costs: Costs) -> dict[str, str]:
    """The figures of doc/scaling.rst by their names."""
    rows = {
        "costs": _costs(costs),
        "readers": _readers(costs),
        "caches": _caches(costs),
        "disks": _disks(costs),
    }
    return {name: outcome.as_rst("", "") for name, outcome in rows.items()}


def _costs(costs: Costs) -> Outcome:
    views = costs.measured["views"]
    rows = [
        (
            name,
            f"{found['server, request'] * 1000:.1f}",
            f"{found['server, GB']:.1f}",
            f"{found['swift, request'] * 1000:.1f}" if "swift" in name else "",
            f"{found['swift, GB']:.1f}" if "swift" in name else "",
            f"{found['sent share']:.3f}",
        )
        for name, found in views.items()
    ]
    streams = costs.measured["streams"]
    stored = costs.measured["stored share"]
    said = [
        f"A page that its reader has stopped taking has {streams['memory'] / 2**20:.1f} MiB.",
        f"It has {streams['connections']:.2f} connections to Swift.",
        f"Two idle workers and their master have {streams['idle memory'] / 2**20:.0f} MiB.",
        f"A gzip as stored has {stored:.3f} of its log's bytes.",
    ]
    headings = ("Source, view", "ms each", "s per GB", "Swift: ms each", "s per GB", "sent/log")
    return Outcome(said, headings, rows)


def _readers(costs: Costs) -> Outcome:
    rows = []
    for readers in READERS:
        plan = planned(readers, costs)
        streams = plan.node.at_once * plan.nodes
        rows.append(
            (
                f"{readers:,}",
                f"{plan.rate:,.1f}",
                f"{plan.busy:.2f}",
                f"{plan.nodes} + 1",
                f"{plan.node.delay * 1000:.0f}",
                f"{plan.node.at_once}",
                f"{streams:,}",
                _bits(plan.sent),
                _bits(plan.fetched),
                f"{plan.busy_swift:.2f}",
            )
        )
    headings = (
        "Readers",
        "requests/s",
        "busy processors",
        "nodes",
        "delay, ms",
        "at once, of each",
        "of all",
        "to readers",
        "from Swift",
        "Swift's processors",
    )
    said = [
        f"Nodes have {PROCESSORS} processors, {BUSIEST:.0%} of their time planned for.",
        "One node more is there to fail.",
        "The delay is by other requests, that of the slowest request of a hundred.",
    ]
    return Outcome(said, headings, rows)


def _caches(costs: Costs) -> Outcome:
    whole = planned(READERS[-1], costs)
    answer = sum(map(costs.sent, drawn())) / len(drawn())
    rows = []
    for size in CACHES:
        share = hits(size / answer)
        left = planned(round(READERS[-1] * (1 - share)), costs)
        rows.append(
            (
                f"{size / 1e9:.0f} GB",
                f"{share:.0%}",
                f"{left.nodes} + 1",
                f"{left.rate:,.0f}",
                _bits(left.fetched),
                f"{left.busy_swift:.1f}",
            )
        )
    headings = (
        "Cache",
        "it answers",
        "nodes",
        "requests/s to Swift",
        "from Swift",
        "Swift's processors",
    )
    said = [
        f"{READERS[-1]:,} readers ask {whole.rate:,.0f} times a second for one of {LIVE_LOGS:,} logs.",
        f"The mean answer has {answer / 1000:.0f} KB.",
    ]
    return Outcome(said, headings, rows)


def _disks(costs: Costs) -> Outcome:
    mean = sum(map(costs.stored, drawn())) / len(drawn())
    held = LOGS * mean * COPIES
    to_hold = held / (DISK_SIZE * DISK_FULL)
    rows = [
        (
            f"{readers:,}",
            f"{readers / PAUSE:,.1f}",
            f"{readers / PAUSE * READS_OF_LOG / READS_OF_DISK:,.1f}",
            f"{to_hold:.0f}",
        )
        for readers in READERS
    ]
    headings = ("Readers", "cold logs/s", "disks for these reads", "disks to hold all")
    said = [
        f"{LOGS:,} logs have {mean / 1000:.0f} KB each as stored, in the mean.",
        f"{COPIES} copies of them are {held / 1e12:.0f} TB and {LOGS * COPIES:,} files.",
    ]
    return Outcome(said, headings, rows)


def _bits(per_second: float) -> str:
    megabits = per_second * 8 / 1e6
    return f"{megabits:.1f} Mbit/s" if megabits < 1000 else f"{megabits / 1000:.1f} Gbit/s"


def main() -> None:
    text = DOC.read_text("utf-8")
    for name, figures in tables(Costs(json.loads(COSTS.read_text()))).items():
        text = with_figures(text, name, figures)
        print(f"{name}\n\n{figures}")
    DOC.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
