# SPDX-License-Identifier: Apache-2.0
"""The matrix's rows: each a fault, and how it is brought about under a reader's hands."""

import contextlib
from dataclasses import dataclass
from typing import Any, NamedTuple

VIEWS = ("html", "text", "raw")
#: A part of a gzipped log's text, behind what has come when the trouble begins.
RANGE = "range"
#: Where the lines of a page begin.
LINES = b'<div id="log"'


class Cell(NamedTuple):
    packed: bool
    view: str


CELLS = (*(Cell(packed, view) for packed in (False, True) for view in VIEWS), Cell(True, RANGE))


@dataclass(frozen=True)
class Row:
    """run(stage, cell) -> (Reading, accepted bodies). around: a context manager of the stage in
    which all cells of the row are run.

    survives: the log can be had, so that it is a fault of ours to give less. rotten: other bytes
    come before anybody can know. cells: those that make sense.
    """

    name: str
    run: Any
    survives: bool = False
    rotten: bool = False
    around: Any = contextlib.nullcontext
    cells: tuple = CELLS


class Rows(list):
    def row(self, name, **options):
        def add(run):
            self.append(Row(name, run, **options))
            return run

        return add
