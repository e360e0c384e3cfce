# SPDX-License-Identifier: Apache-2.0
"""Writes reports as reStructuredText, into their places in a document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

#: Notes that an outcome shows.
MOST_NOTES = 6
#: Comments in a document; the figures of a name are between them.
BEGIN, END = ".. figures of {}", ".. end of figures"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a measurement."""

    #: The answer in words, with its numbers.
    sentences: Sequence[str]
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    figure: Figure | None = None
    #: Reasons to be careful with the figures.
    notes: Sequence[str] = ()
    #: One sentence that answers the question of an experiment.
    answer: str = ""

    def as_rst(self, chart: str = "", title: str = "") -> str:
        """The outcome as reStructuredText. chart: the picture's address. title: its alternative text."""
        mark = "* " if len(self.sentences) > 1 else ""
        said = "\n".join(f"{mark}{sentence}" for sentence in self.sentences)
        pieces = [said] if said else []
        if self.rows:
            pieces.append(_table([self.headings, *self.rows]))
        if self.figure:
            pieces.append(f".. image:: {chart}\n   :alt: {title}")
        shown = [f"* {note}" for note in self.notes[:MOST_NOTES]]
        if len(self.notes) > MOST_NOTES:
            shown.append(f"* And {len(self.notes) - MOST_NOTES} more of this kind.")
        if shown:
            pieces.append("To be kept in mind:\n\n" + "\n".join(shown))
        if self.answer:
            pieces.append(f"Answer: {self.answer}")
        return "\n\n".join(pieces) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def with_figures(text: str, name: str, figures: str) -> str:
    """The document `text` with new figures of this name. Raises ValueError if it has no place for them.

    Figures are in the document itself, because code hosting sites do not show included files.
    """
    begin = BEGIN.format(name)
    pattern = re.compile(rf"^{re.escape(begin)}\n.*?^{re.escape(END)}$", re.MULTILINE | re.DOTALL)
    replaced, count = pattern.subn(lambda _: f"{begin}\n\n{figures}\n{END}", text)
    if count != 1:
        raise ValueError(f"the document has {begin!r} {count} times")
    return replaced


def digits(value: float) -> str:
    """The value with three significant digits."""
    size = abs(value)
    return f"{value:.2f}" if size < 10 else f"{value:.1f}" if size < 100 else f"{value:,.0f}"


def milliseconds(seconds: float) -> str:
    return digits(seconds * 1000)


def ranged(middle: float, values: Sequence[float], scale: float = 1) -> str:
    """The middle and, in brackets, the range of the values."""
    shown = (digits(value * scale) for value in (middle, min(values), max(values)))
    return "{} ({}-{})".format(*shown)


def decimal_size(size: int) -> str:
    return _size(size, ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")))


def binary_size(size: int) -> str:
    return _size(size, ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")))


def _size(size: int, units: Sequence[tuple[int, str]]) -> str:
    unit, name = next((pair for pair in units if size >= pair[0]), (1, "B"))
    return f"{size // unit} {name}"
