# SPDX-License-Identifier: Apache-2.0
"""A model of readers, and a simulation of the nodes that answer them.

The costs of requests are measured (benchmarks.scaling.cost). All else is assumed in the constants
below. Change them to plan for another site.
"""

import heapq
import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

#: Seconds between two logs that a reader opens.
PAUSE = 30
#: Bytes of logs' text, lognormal: half of the logs are smaller than the median; the mean is 1.5 MB.
MEDIAN_SIZE, SIGMA, LARGEST_SIZE = 100_000, 2.33, 500_000_000
#: Views that readers request, with the share of each.
VIEWS = {"page": 0.7, "errors": 0.15, "search": 0.05, "stored gzip": 0.1}
#: Processors of a node, and the largest part of the time in which they may be busy.
PROCESSORS, BUSIEST = 8, 0.6
#: Seconds by which other requests may delay an answer, as the 99th percentile.
LONGEST_DELAY = 0.1

#: Logs that are read at all. The n-th is read 1/n ** POPULARITY times as often as the first.
LIVE_LOGS, POPULARITY = 500_000, 0.8
SIMULATED = 30_000


@dataclass(frozen=True)
class Request:
    """A request for a log out of Swift."""

    view: str
    #: Bytes of the log's text.
    size: int


@dataclass(frozen=True)
class Costs:
    """The measured costs of requests. measured: the content of costs.json."""

    measured: Mapping[str, Any]

    def processor(self, request: Request, of: str = "server") -> float:
        """Processor seconds of the node, or of Swift."""
        costs = self.measured["views"][f"swift, {request.view}"]
        return float(costs[f"{of}, request"] + costs[f"{of}, GB"] * request.size / 1e9)

    def sent(self, request: Request) -> float:
        """Bytes to the reader."""
        return float(self.measured["views"][f"swift, {request.view}"]["sent share"]) * request.size

    def stored(self, request: Request) -> float:
        """Bytes from Swift, where logs are stored as gzips."""
        return float(self.measured["stored share"]) * request.size


def requests(seed: int = 1) -> Iterator[Request]:
    """Yields requests endlessly, always the same for a seed."""
    drawn = random.Random(seed)
    views, shares = list(VIEWS), list(VIEWS.values())
    while True:
        (view,) = drawn.choices(views, shares)
        size = MEDIAN_SIZE * drawn.lognormvariate(0, SIGMA)
        yield Request(view, min(int(size), LARGEST_SIZE))


@dataclass(frozen=True)
class Node:
    """The load of a simulated node."""

    #: Seconds by which others delayed a request, as the 99th percentile.
    delay: float
    #: Requests at once, as the 99th percentile.
    at_once: int


def simulated(rate: float, work: list[float], processors: int = PROCESSORS) -> Node:
    """The load of a node with random requests. rate: requests a second. work: their processor seconds.

    Requests at once share the processors, at most one for each. `progress` counts the processor
    seconds that a request has had if it ran since the start.
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
class Capacity:
    """The capacity that a number of readers needs."""

    #: Requests a second.
    rate: float
    #: Nodes, without the one that may fail.
    nodes: int
    node: Node
    #: Processors that oslogserve and Swift keep busy.
    busy: float
    busy_swift: float
    #: Bytes a second to readers, and from Swift.
    sent: float
    fetched: float


@cache
def drawn() -> tuple[Request, ...]:
    return tuple(itertools.islice(requests(), SIMULATED))


def planned(readers: int, costs: Costs) -> Capacity:
    """The capacity with the fewest nodes that are not too busy and delay no more than allowed."""
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
    return Capacity(
        rate,
        nodes,
        node,
        busy,
        each * sum(costs.processor(request, "swift") for request in asked),
        each * sum(map(costs.sent, asked)),
        each * sum(map(costs.stored, asked)),
    )


def hits(kept: float, logs: int = LIVE_LOGS) -> float:
    """The hit rate of an LRU cache that keeps `kept` answers.

    Uses Che's approximation: the cache keeps every answer for the same time.
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
    """Groups of logs, the most popular first: their count, and the probability of each to be next."""
    weights = []
    rank = 1
    while rank <= logs:
        count = min(max(rank // 50, 1), logs - rank + 1)  # their popularity hardly differs
        weights.append((count, (rank + (count - 1) / 2) ** -POPULARITY))
        rank += count
    whole = sum(count * weight for count, weight in weights)
    return [(count, weight / whole) for count, weight in weights]
