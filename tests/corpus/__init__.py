# SPDX-License-Identifier: Apache-2.0
"""Lines as real software prints them, each with the severity and the time that a reader sees in it.

A file a family, a line a line: the severity, the time stamp or "-", the line, with tabs between.
What is not printable is written as in a Python literal (\\t \\r \\x1b), a backslash as two. A line
that begins with "#" names the software, or says why it is labelled so.

Each line is labelled by itself, as if no other stood above it. The severity is the line's own: one
that stands in its message is not. The time is the text that stands there, without the escape
sequences of colours that may lie in it.
"""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


#: Begins a block of STEPS, and a line that a reader labelled.
BLOCK, LABEL = "=== ", "\xbb"
STEPS = FOLDER / "github_steps.txt"


class Steps(NamedTuple):
    """Steps of a job of GitHub Actions, one of which failed."""

    name: str
    text: str
    #: The lines that tell why, as a reader would label them.
    labelled: list[str]


class Labelled(NamedTuple):
    file: str
    number: int
    severity: str
    time: bytes
    line: bytes

    @property
    def where(self) -> str:
        return f"{self.file}:{self.number}"


def steps() -> list[Steps]:
    """The blocks of STEPS."""
    blocks = STEPS.read_text(encoding="utf-8").split(f"\n{BLOCK}")
    return [_steps(block.removesuffix("\n")) for block in blocks[1:]]


def _steps(block: str) -> Steps:
    name, _, text = block.partition("\n")
    lines = text.replace("\\x1b", "\x1b").replace("\\\\", "\\").split("\n")
    labelled = [line.removeprefix(LABEL) for line in lines if line.startswith(LABEL)]
    return Steps(name, "\n".join(line.removeprefix(LABEL) for line in lines), labelled)


def families() -> list[str]:
    return sorted(path.name for path in FOLDER.glob("*.tsv"))


def family(name: str) -> list[Labelled]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [
        labelled(name, number, row)
        for number, row in enumerate(text.split("\n"), 1)
        if row and not row.startswith("#")
    ]


def labelled(name: str, number: int, row: str) -> Labelled:
    severity, time, line = row.split("\t")
    return Labelled(
        name, number, severity, b"" if time == "-" else unescaped(time), unescaped(line)
    )


def unescaped(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode("latin-1")


def everything() -> list[Labelled]:
    return [each for name in families() for each in family(name)]
