# SPDX-License-Identifier: Apache-2.0
"""The outcome of an experiment, as reStructuredText."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

#: Notes that are shown of one experiment.
MOST_NOTES = 6


@dataclass(frozen=True)
class Outcome:
    #: The answer in words, with its numbers.
    sentences: Sequence[str]
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    figure: Figure | None = None
    #: What is to be kept in mind.
    notes: Sequence[str] = field(default=())

    def as_rst(self, chart: str, title: str) -> str:
        """chart: the picture's address. title: what it shows."""
        mark = "* " if len(self.sentences) > 1 else ""
        pieces = ["\n".join(f"{mark}{sentence}" for sentence in self.sentences)]
        if self.rows:
            pieces.append(_table([self.headings, *self.rows]))
        if self.figure:
            pieces.append(f".. image:: {chart}\n   :alt: {title}")
        shown = [f"* {note}" for note in self.notes[:MOST_NOTES]]
        if len(self.notes) > MOST_NOTES:
            shown.append(f"* And {len(self.notes) - MOST_NOTES} more of this kind.")
        if shown:
            pieces.append("To be kept in mind:\n\n" + "\n".join(shown))
        return "\n\n".join(pieces) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
