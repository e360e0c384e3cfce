# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.scaling.capacity: writes the tables of doc/scaling.rst by costs.json and the model."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Outcome, with_figures
from benchmarks.scaling.cost import COSTS
from benchmarks.scaling.model import (
    BUSIEST,
    LIVE_LOGS,
    PAUSE,
    PROCESSORS,
    Costs,
    drawn,
    hits,
    planned,
)

DOC = Path(__file__).resolve().parents[2] / "doc/scaling.rst"

READERS = (10, 1_000, 100_000)
#: Sizes of a cache in front, in bytes.
CACHES = (0, 1e9, 10e9, 50e9)

LOGS, COPIES = 1_000_000_000, 3
#: Random reads that a hard disk does a second, and that a cold log needs.
READS_OF_DISK, READS_OF_LOG = 100, 2
DISK_SIZE, DISK_FULL = 10e12, 0.7


def tables(costs: Costs) -> dict[str, str]:
    """The figures of doc/scaling.rst, by name."""
    outcomes = {
        "costs": _costs(costs),
        "readers": _readers(costs),
        "caches": _caches(costs),
        "disks": _disks(costs),
    }
    return {name: outcome.as_rst() for name, outcome in outcomes.items()}


def _costs(costs: Costs) -> Outcome:
    rows = [
        (
            name,
            f"{found['server, request'] * 1000:.1f}",
            f"{found['server, GB']:.1f}",
            f"{found['swift, request'] * 1000:.1f}" if "swift" in name else "",
            f"{found['swift, GB']:.1f}" if "swift" in name else "",
            f"{found['sent share']:.3f}",
        )
        for name, found in costs.measured["views"].items()
    ]
    streams = costs.measured["streams"]
    stored = costs.measured["stored share"]
    said = [
        f"A page whose reader has stopped reading takes {streams['memory'] / 2**20:.1f} MiB of memory.",
        f"It holds {streams['connections']:.2f} connections to Swift.",
        f"Two idle workers and their master take {streams['idle memory'] / 2**20:.0f} MiB of memory.",
        f"A stored gzip has {stored:.3f} of its log's bytes.",
    ]
    headings = ("Source, view", "ms each", "s per GB", "Swift: ms each", "s per GB", "sent/log")
    return Outcome(said, headings, rows)


def _by_heading(said: Sequence[str], rows: Sequence[dict[str, str]]) -> Outcome:
    """The outcome of rows whose cells are given by heading."""
    return Outcome(said, list(rows[0]), [list(row.values()) for row in rows])


def _readers(costs: Costs) -> Outcome:
    rows = []
    for readers in READERS:
        plan = planned(readers, costs)
        rows.append(
            {
                "Readers": f"{readers:,}",
                "requests/s": f"{plan.rate:,.1f}",
                "busy processors": f"{plan.busy:.2f}",
                "nodes": f"{plan.nodes} + 1",
                "delay, ms": f"{plan.node.delay * 1000:.0f}",
                "at once, of each": f"{plan.node.at_once}",
                "of all": f"{plan.node.at_once * plan.nodes:,}",
                "to readers": _bits(plan.sent),
                "from Swift": _bits(plan.fetched),
                "Swift's processors": f"{plan.busy_swift:.2f}",
            }
        )
    said = [
        f"Nodes have {PROCESSORS} processors, which may be busy {BUSIEST:.0%} of the time.",
        "One more node is there in case that one fails.",
        "The delay is the time that a request waits because of others, as the 99th percentile.",
    ]
    return _by_heading(said, rows)


def _caches(costs: Costs) -> Outcome:
    whole = planned(READERS[-1], costs)
    answer = sum(map(costs.sent, drawn())) / len(drawn())
    rows = []
    for size in CACHES:
        share = hits(size / answer)
        left = planned(round(READERS[-1] * (1 - share)), costs)
        rows.append(
            {
                "Cache": f"{size / 1e9:.0f} GB",
                "it answers": f"{share:.0%}",
                "nodes": f"{left.nodes} + 1",
                "requests/s to Swift": f"{left.rate:,.0f}",
                "from Swift": _bits(left.fetched),
                "Swift's processors": f"{left.busy_swift:.1f}",
            }
        )
    said = [
        f"{READERS[-1]:,} readers ask {whole.rate:,.0f} times a second for one of {LIVE_LOGS:,} logs.",
        f"The mean answer has {answer / 1000:.0f} KB.",
    ]
    return _by_heading(said, rows)


def _disks(costs: Costs) -> Outcome:
    mean = sum(map(costs.stored, drawn())) / len(drawn())
    held = LOGS * mean * COPIES
    rows = [
        {
            "Readers": f"{readers:,}",
            "cold logs/s": f"{readers / PAUSE:,.1f}",
            "disks for these reads": f"{readers / PAUSE * READS_OF_LOG / READS_OF_DISK:,.1f}",
            "disks to hold all": f"{held / (DISK_SIZE * DISK_FULL):.0f}",
        }
        for readers in READERS
    ]
    said = [
        f"{LOGS:,} stored logs have {mean / 1000:.0f} KB each, in the mean.",
        f"{COPIES} copies of them are {held / 1e12:.0f} TB and {LOGS * COPIES:,} files.",
    ]
    return _by_heading(said, rows)


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
