# SPDX-License-Identifier: Apache-2.0
"""Which folder is a job's: the one that has an entry of certain names."""

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from oslogserve.errors import NotFound, Unavailable
from oslogserve.jobs.walk import MOST_DEPTH, MOST_ENTRIES
from oslogserve.sources import Source, WantedEntries
from oslogserve.sources.first_of import Listing


def has_mark(names: Iterable[bytes], marks: Sequence[str]) -> bool:
    """True if an entry of such a name marks a job's folder. marks: shell patterns, see [serve] job_marks."""
    texts = (name.decode("utf-8", "replace") for name in names)
    return any(fnmatchcase(text, mark) for text in texts for mark in marks)


def is_marked(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bool:
    """True if one of the folder's first entries is a mark. A folder that cannot be listed has none."""
    wanted = WantedEntries(at_once=MOST_ENTRIES, charge=charge)
    try:
        listing = Listing(sources, path, wanted)
        return has_mark((entry.name for entry in islice(listing, MOST_ENTRIES)), marks)
    except (NotFound, Unavailable):
        return False


def run_above(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bytes | None:
    """The highest of the folders above that is marked: all that is below belongs to its run. None for none."""
    names = path.split(b"/") if path else []
    several = (b"/".join(names[:depth]) for depth in range(min(len(names), MOST_DEPTH)))
    return next((one for one in several if is_marked(sources, one, marks, charge)), None)


def is_run(
    sources: Sequence[Source], path: bytes, marks: Sequence[str], charge: Callable[[], None]
) -> bool:
    """True if the folder is marked, and none above. Raises Incomplete as `charge` does."""
    found = (
        path.count(b"/") < MOST_DEPTH
        and is_marked(sources, path, marks, charge)
        and run_above(sources, path, marks, charge) is None
    )
    charge()  # it ends a listing early, which looks like one without a mark
    return found
