# SPDX-License-Identifier: Apache-2.0
"""The figures of a benchmark: a row for each case, with values of each metric by round."""

import dataclasses
import statistics
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.report import Outcome, ranged

MIB = 2**20

#: Values of one round by metric, and a function that measures them.
Values = dict[str, float]
Measure = Callable[[], Values]


class Metric(NamedTuple):
    heading: str
    #: Factor for values that are shown.
    scale: float = 1
    #: True if more is better.
    is_rate: bool = False

    def shown(self, values: list[float]) -> str:
        """The median and the range of the rounds."""
        return ranged(statistics.median(values), values, self.scale)


METRICS = {
    "total": Metric("total, ms", 1e3),
    "first_byte": Metric("first byte, ms", 1e3),
    "speed": Metric("MB/s of log", 1e-6, is_rate=True),
    "ratio": Metric("of its neighbour"),
    "of_without": Metric("of the same without an index"),
    "read": Metric("% of stored bytes read", 100),
    "index_stored": Metric("index, % of stored", 100),
    "index_text": Metric("% of text", 100),
    "memory": Metric("MiB above idle", 1 / MIB),
    "sent": Metric("sent/gzip"),
    "markup": Metric("markup/line"),
    "client": Metric("client-limited"),
}


@dataclasses.dataclass
class Row:
    """A case in all rounds."""

    table: str
    name: str
    #: The neighbour that `ratio` compares it with, in each round.
    neighbour: str = ""
    #: By metric, a value for each round.
    values: dict[str, list[float]] = dataclasses.field(default_factory=dict)

    def median(self, metric: str) -> float:
        return statistics.median(self.values[metric])

    def cells(self, metrics: list[str]) -> list[str]:
        values = self.values
        shown = [METRICS[name].shown(values[name]) if name in values else "" for name in metrics]
        return [self.name, *shown, self.neighbour]


class Rounds:
    """The rows of a run, by table and name, and the round that is being measured."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._number = 0
        self._rows: dict[tuple[str, str], Row] = {}
        self._said: dict[str, str] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def of(self, table: str) -> list[Row]:
        return [row for row in self if row.table == table]

    def find(self, table: str, name: str, metric: str) -> list[float] | None:
        """The values of a metric; None where it was not measured."""
        row = self._rows.get((table, name))
        return row.values.get(metric) if row else None

    def describe(self, table: str, sentence: str) -> None:
        """Sets the sentence above a table."""
        self._said[table] = sentence

    def each(self, part: str) -> Iterator[int]:
        """Yields the numbers of the rounds, with progress on standard error."""
        for number in range(self.count):
            self._number = number
            yield number
            print(f"{part}: round {number + 1} of {self.count}", file=sys.stderr, flush=True)

    def add(self, table: str, name: str, values: Values, neighbour: str = "") -> None:
        """Adds the values of one round."""
        row = self._rows.setdefault((table, name), Row(table, name, neighbour))
        for metric, value in values.items():
            row.values.setdefault(metric, []).append(value)

    def compare(
        self, table: str, name: str, ours: Measure, neighbour: str, other: Measure
    ) -> Values:
        """Measures a case and its neighbour. In every second round, the neighbour is first.

        Returns the values of the case.
        """
        if self._number % 2:
            second, first = other(), ours()
        else:
            first, second = ours(), other()
        self.add(table, neighbour, second)
        self.add(table, name, first | {"ratio": first["total"] / second["total"]}, neighbour)
        return first

    def outcomes(self) -> Iterator[Outcome]:
        """Yields the tables in the order in which they were measured."""
        for table in dict.fromkeys(row.table for row in self):
            rows = self.of(table)
            shown = [name for name in METRICS if any(name in row.values for row in rows)]
            headings = [table, *(METRICS[name].heading for name in shown), "neighbour"]
            said = f"{self._said.get(table, table)}; rounds: {self.count}; median (range)."
            yield Outcome([said], headings, [row.cells(shown) for row in rows])
