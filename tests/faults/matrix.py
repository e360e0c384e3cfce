# SPDX-License-Identifier: Apache-2.0
"""Runs the rows on their stages."""

import itertools
import re
import time
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from tests.faults import disk, store, swift
from tests.faults.reading import TOLD, WRONG, verdict
from tests.faults.rows import Cell

#: (source, the context manager of the stage, its rows, why it cannot be had here)
STAGES = (
    ("disk", disk.stage, disk.ROWS, ""),
    ("disk", disk.beside_stage, disk.BESIDE_ROWS, ""),
    ("disk", disk.failing_stage, disk.FAILING_ROWS, disk.UNAVAILABLE),
    ("swift", swift.stage, swift.ROWS, ""),
    ("swift", swift.large_stage, swift.LARGE_ROWS, ""),
    ("swift", swift.keystone_stage, swift.KEYSTONE_ROWS, ""),
    ("store", store.stage, store.ROWS, ""),
)
#: A cell that was told although the log could be had.
LESS = "told!"


class Result(NamedTuple):
    source: str
    name: str
    cell: Cell
    verdict: str
    why: str
    seconds: float

    @property
    def is_bad(self):
        return self.verdict in (WRONG, LESS)

    def __str__(self):
        where = _named(self.source, self.name, self.cell)
        return f"{where}: {self.verdict} in {self.seconds:.1f} s{self.why and f' ({self.why})'}"


def _named(source, fault, cell):
    return f"{source}: {fault}, {'gzip' if cell.packed else 'plain'} {cell.view}"


class Matrix:
    """only: a pattern of cells' names. a_row: how many cells of each row are run, another choice for
    each row, and all where it is None. said: called with each result as it is there."""

    def __init__(self, only="", a_row=None, said=lambda result: None):
        self.results = []
        self.left_out = []
        self.leaks = []
        self._only = re.compile(only)
        self._a_row = a_row
        self._turns = itertools.count()
        self._said = said

    def run(self):
        for source, make_stage, rows, unavailable in STAGES:
            rows = list(self._wanted(source, rows))
            if unavailable:
                self.left_out += [f"{source}: {row.name} ({unavailable})" for row in rows]
            elif rows:
                with make_stage() as stage:
                    for row in rows:
                        self._run_row(source, stage, row)
                    stage.settle()
                    leaked = stage.leaked()
                    if leaked:
                        self.leaks.append(
                            f"{make_stage.__module__}.{make_stage.__name__}: {leaked}"
                        )
        return self

    def _wanted(self, source, rows):
        """Yields rows with cells that are wanted."""
        for row in rows:
            cells = [c for c in row.cells if self._only.search(_named(source, row.name, c))]
            if cells:
                yield replace(row, cells=cells)

    def _run_row(self, source, stage, row):
        stage.settle()
        with row.around(stage):
            for cell in self._chosen(row.cells):
                stage.settle()
                started = time.monotonic()
                reading, accepted = row.run(stage, cell)
                found, why = verdict(reading, accepted, cell.view, source, row.rotten)
                if found == TOLD and row.survives:
                    found = LESS
                seconds = time.monotonic() - started
                self.results.append(Result(source, row.name, cell, found, why, seconds))
                self._said(self.results[-1])
            stage.settle()

    def _chosen(self, cells):
        if self._a_row is None:
            return cells
        # 5 has no divisor in common with 7: the views and packings take turns.
        start = next(self._turns)
        return [cells[(start + 5 * n) % len(cells)] for n in range(self._a_row)]

    @property
    def bad(self):
        return [result for result in self.results if result.is_bad]

    def summary(self):
        """How many cells say what, and what is wrong."""
        counts = Counter(result.verdict for result in self.results)
        lines = [", ".join(f"{count} {said}" for said, count in sorted(counts.items()))]
        lines += [*map(str, self.bad), *(f"left out: {row}" for row in self.left_out)]
        lines += [f"leaked: {leak}" for leak in self.leaks] or ["nothing leaked"]
        return "\n".join(lines)
