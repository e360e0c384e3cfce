# SPDX-License-Identifier: Apache-2.0
"""The commands in the manual's text that are marked: `.. acceptance: NAME` stands below each block."""

import re
import textwrap
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_MARK = re.compile(r"^( *)\.\. acceptance: ([a-z-]+)$")


def marked():
    """{name: the commands}, of all pages."""
    found = {}
    for page in sorted(REPOSITORY.glob("doc/*.rst")):
        lines = page.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if mark := _MARK.match(line):
                name = mark[2]
                assert name not in found, f"{page}: {name} is marked twice"
                found[name] = _block_above(lines[:number], len(mark[1]))
    return found


def _block_above(lines, indent):
    """The lines at the end that are indented further."""
    block = []
    for line in reversed(lines):
        if line.strip() and not line.startswith(" " * (indent + 1)):
            break
        block.append(line)
    return textwrap.dedent("\n".join(reversed(block))).strip("\n") + "\n"
