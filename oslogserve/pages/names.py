# SPDX-License-Identifier: Apache-2.0
"""Short names of a job's logs."""

from collections import Counter
from collections.abc import Sequence

#: Endings that most logs have.
_ENDINGS = (".gz", ".txt", ".log")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The shortest name of each log that no other one has, by its name.

    That is its last segments, without the usual endings if it is unique without them.
    """
    of_each = {name: _shorter(name) for name in names}
    counts = Counter(short for several in of_each.values() for short in set(several))
    return {
        name: next((short for short in several if counts[short] == 1), name)
        for name, several in of_each.items()
    }


def _shorter(name: str) -> list[str]:
    """Names that may do, from the shortest."""
    stem = name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    if not stem or stem.endswith("/"):
        stem = name
    return [*_ends_of(stem), *_ends_of(name)]


def _ends_of(name: str) -> list[str]:
    """The last segment, the last two, and so on."""
    segments = name.split("/")
    return ["/".join(segments[-count:]) for count in range(1, len(segments) + 1)]
