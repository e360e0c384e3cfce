# SPDX-License-Identifier: Apache-2.0
"""The tables of core/grammar, read in Python."""

import re
import tomllib
from pathlib import Path
from typing import Any

from oslogserve.native import SEVERITIES

FOLDER = Path(__file__).resolve().parents[2] / "core/grammar"
RANKS = {name: rank for rank, name in enumerate(SEVERITIES)}


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text())


def expanded(pattern: str, pieces: dict[str, str]) -> str:
    """The pattern in one line, with the pieces, within each other too, for their names in braces."""
    pattern = re.sub(r"\n *", "", pattern)
    return re.sub(r"\{([A-Za-z_]+)\}", lambda name: expanded(pieces[name[1]], pieces), pattern)


def compiled(pattern: str, pieces: dict[str, str]) -> re.Pattern[bytes]:
    return re.compile(expanded(pattern, pieces | {"end": r"\Z"}).encode())


_SEVERITIES = table("severities.toml")


def _ranks(name: str) -> dict[str, int]:
    """Ranks by words, letters or numbers of a table."""
    rows = (
        (word, RANKS[severity]) for severity, words in _SEVERITIES[name] for word in words.split()
    )
    return dict(rows)


def _as_bytes(ranks: dict[str, int]) -> dict[bytes, int]:
    return {word.encode(): rank for word, rank in ranks.items()}


_BY_STRICTNESS = {name: _ranks(name) for name in ("plain", "cut", "said", "placed")}
#: Ranks by words in upper case, by letters, and by numbers of bunyan.
WORDS = _as_bytes({word: rank for ranks in _BY_STRICTNESS.values() for word, rank in ranks.items()})
LETTERS = _as_bytes(_ranks("letters"))
BUNYAN = _as_bytes(_ranks("numbers"))
#: Ranks by numbers.
SYSLOG = [RANKS[name] for name in _SEVERITIES["syslog"]]
NUMBERED = [RANKS[name] for name in _SEVERITIES["numbered"]]
KEYS = {name: frozenset(names.encode().split()) for name, names in _SEVERITIES["keys"].items()}
#: What severities.toml gives to the patterns of tokens.
PIECES = {
    form(name): "|".join(map(form, words))
    for name, words in _BY_STRICTNESS.items()
    for form in (str.upper, str.lower, str.capitalize)
} | {"LETTERS": "".join(_ranks("letters"))}
