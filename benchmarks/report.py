# SPDX-License-Identifier: Apache-2.0
"""What the measured rounds come to: medians with their range, ratios round by round, targets."""

import dataclasses
import json
import statistics
from collections.abc import Iterable, Sequence

from benchmarks.client import Fetch

MIB = 1 << 20

TOTAL_AT_MOST = {"html": 7.0, "error": 5.0}
"""Times nginx's total; the other views have no target."""

FIRST_BYTE_AT_MOST = 0.010
MEMORY_AT_MOST = 30 * MIB
SMALL_AT_LEAST = 0.7


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        known = list(values)
        return cls(statistics.median(known), min(known), max(known))

    def text(self, scale: float = 1, digits: int = 2) -> str:
        median, low, high = (f"{x * scale:.{digits}f}" for x in dataclasses.astuple(self))
        return f"{median} ({low}-{high})"


@dataclasses.dataclass(frozen=True)
class Side:
    """One server in one round."""

    fetch: Fetch
    memory: int
    """Peak of the worker above idle, in bytes."""


@dataclasses.dataclass(frozen=True)
class View:
    """A log of ``size`` bytes unpacked, asked for in one way, with nginx beside it each round."""

    name: str
    size: int
    ours: Sequence[Side]
    nginx: Sequence[Side]

    def figures(self) -> dict[str, Spread]:
        pairs = zip(self.ours, self.nginx, strict=True)
        return {
            "ratio": Spread.of(ours.fetch.total / nginx.fetch.total for ours, nginx in pairs),
            **_figures("ours", self.ours),
            **_figures("nginx", self.nginx),
        }

    def lines(self) -> list[str]:
        figures = self.figures()
        ratio, first, memory = (figures[x] for x in ("ratio", "ours_first_byte", "ours_memory"))
        return [
            f"{self.name}: {self.size / 1e6:.0f} MB unpacked, {len(self.ours)} rounds",
            self._side("oslogserve", self.ours),
            self._side("nginx", self.nginx),
            f"  total / nginx        {ratio.text()}{_at_most(ratio, TOTAL_AT_MOST.get(self.name))}",
            f"  first byte      ms   {first.text(1e3)}{_at_most(first, FIRST_BYTE_AT_MOST, 1e3)}",
            f"  above idle      MiB  {memory.text(1 / MIB, 1)}"
            + _at_most(memory, MEMORY_AT_MOST, 1 / MIB),
        ]

    def _side(self, name: str, sides: Sequence[Side]) -> str:
        speed = Spread.of(self.size / side.fetch.total for side in sides)
        total, first, memory = _figures("", sides).values()
        return (
            f"  {name:<12} total s {total.text(digits=3)}  MB/s {speed.text(1e-6, 0)}"
            f"  first byte ms {first.text(1e3)}  above idle MiB {memory.text(1 / MIB, 1)}"
        )


def _figures(whose: str, sides: Sequence[Side]) -> dict[str, Spread]:
    return {
        f"{whose}_total": Spread.of(side.fetch.total for side in sides),
        f"{whose}_first_byte": Spread.of(side.fetch.first_byte for side in sides),
        f"{whose}_memory": Spread.of(side.memory for side in sides),
    }


@dataclasses.dataclass(frozen=True)
class Small:
    """Requests a second for one small log, whitenoise beside it each round."""

    size: int
    ours: Sequence[float]
    whitenoise: Sequence[float]

    def figures(self) -> dict[str, Spread]:
        pairs = zip(self.ours, self.whitenoise, strict=True)
        return {
            "ratio": Spread.of(ours / whitenoise for ours, whitenoise in pairs),
            "ours": Spread.of(self.ours),
            "whitenoise": Spread.of(self.whitenoise),
        }

    def lines(self) -> list[str]:
        ratio, ours, whitenoise = self.figures().values()
        return [
            f"small: {self.size} bytes as HTML, {len(self.ours)} rounds",
            f"  oslogserve   requests/s {ours.text(digits=0)}",
            f"  whitenoise   requests/s {whitenoise.text(digits=0)}",
            f"  of whitenoise        {ratio.text()}  target >= {SMALL_AT_LEAST:g}: "
            + _verdict(ratio.median >= SMALL_AT_LEAST),
        ]


def _at_most(spread: Spread, limit: float | None, scale: float = 1) -> str:
    if limit is None:
        return ""
    return f"  target <= {limit * scale:g}: {_verdict(spread.median <= limit)}"


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def as_json(facts: dict[str, object], results: Sequence[View | Small]) -> str:
    """Medians and ranges, and every round as it was measured."""
    measured = [
        {
            "kind": type(result).__name__.lower(),
            "figures": {name: dataclasses.asdict(x) for name, x in result.figures().items()},
            "rounds": dataclasses.asdict(result),
        }
        for result in results
    ]
    return json.dumps({"facts": facts, "results": measured}, indent=2) + "\n"
