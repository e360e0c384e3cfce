# SPDX-License-Identifier: Apache-2.0
"""The choice of a job's logs: those that one answer reads."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from fnmatch import fnmatchcase
from typing import NamedTuple

from oslogserve.ci.build import INVENTORY
from oslogserve.ci.reports import ZUULS
from oslogserve.errors import Incomplete
from oslogserve.jobs.ranking import likelihood, preference
from oslogserve.jobs.walk import File, Walk
from oslogserve.query import Query

#: Logs that are merged. All are open at once, and a process often has at most 1024 descriptors.
MOST_MERGED_LOGS = 300
#: Bytes of the longest name of a log, which each of its rows repeats.
LONGEST_NAME = 512
#: Bytes of the names of skipped files that an answer lists. Ten thousand names may have 40 MB.
MOST_SKIPPED = 1024 * 1024


class Limits(NamedTuple):
    """Limits of one answer."""

    #: Logs, and their stored bytes.
    logs: int
    stored: int
    #: Stored bytes of logs that a page reads before its reader asks for that.
    unasked: int


class Skipped(NamedTuple):
    """A file that was not read."""

    name: str
    why: str
    #: True where it is a log, or may be one.
    is_missed: bool = False


class Choice(NamedTuple):
    """The logs of one answer, and what it leaves out."""

    #: In the order in which they are read: for an overview the likeliest first, else by name.
    files: list[File]
    #: Files that fit the patterns and were left out, as far as they are listed.
    skipped: list[Skipped]
    #: Why logs may be missing.
    missing: list[Incomplete]
    #: The sentence of `missing` that says that the limits were reached; "" if they were not.
    rest: str
    #: The first log that is left for the next answer; None if none is known by its name.
    next_log: bytes | None
    #: Logs that an overview found.
    found: int
    #: True if an overview found Zuul's inventory, or if it is among the files.
    has_inventory: bool
    #: True if the logs are larger than Limits.unasked.
    is_large: bool
    #: False if some logs may not have been found.
    has_all: bool


def is_by_time(query: Query) -> bool:
    """True if the lines of all logs are merged by time: the default for a time range."""
    has_time = (query.selection.since, query.selection.until) != (None, None)
    is_asked = (query.order or ("time" if has_time else "log")) == "time"
    return is_asked and not query.is_overview


def chosen(
    query: Query, walk: Walk, limits: Limits, media_type: Callable[[str], str | None]
) -> Choice:
    """The choice, within the limits. media_type: of a file by its name, None for a log.

    Raises NotFound and Unavailable as Walk does.
    """
    most = min(limits.logs, MOST_MERGED_LOGS) if is_by_time(query) else limits.logs
    skipped = _SkippedFiles()
    files: list[File] = []
    likeliest: list[File] = []
    stored, rest, next_log = 0, "", None
    # A walk that ends early says what failed once it is closed.
    with closing(_found(query, walk, media_type, skipped)) as by_name:
        found: Iterable[File] = by_name
        if query.is_overview:
            found = likeliest = sorted(by_name, key=preference)
        for file in found:
            size = file.size or 0
            if len(files) < most and (stored + size <= limits.stored or not files):
                stored += size
                files.append(file)
            elif not query.is_overview:  # a smaller log may still fit
                next_log = file.name
                break
    if query.is_overview:
        files.sort(key=likelihood)
    unread = len(likeliest) - len(files)
    capped = []
    if next_log is not None or unread > 0:
        more = "more logs are there"
        if query.is_overview:
            more = (
                f"{unread:,} of {len(likeliest):,} were not read, the least likely or largest ones"
            )
        what = f"{most:,} logs, and {limits.stored >> 20:,} MiB as they are stored"
        rest = f"one answer reads at most {what}: {more}"
        capped.append(rest)
    if skipped.has_missed:
        capped.append(f"logs with names of more than {LONGEST_NAME} bytes are left out")
    if skipped.unlisted:
        capped.append(f"{skipped.unlisted:,} more files were not read, and are not listed")
    return Choice(
        files=files,
        skipped=skipped.listed,
        missing=[*(Incomplete("capped", sentence) for sentence in capped), *walk.missing],
        rest=rest,
        next_log=next_log or walk.next,
        found=len(likeliest),
        has_inventory=any(file.name == INVENTORY for file in likeliest or files),
        is_large=stored > limits.unasked,
        has_all=not walk.missing,
    )


class _SkippedFiles:
    """The files that are left out: a list up to MOST_SKIPPED, and a count of the others."""

    def __init__(self) -> None:
        self.listed: list[Skipped] = []
        self.unlisted = 0
        self.has_missed = False
        self._size = 0

    def add(self, file: File, why: str, is_missed: bool = False) -> None:
        self._size += len(file.name)
        self.has_missed = self.has_missed or is_missed
        if self._size <= MOST_SKIPPED or file.name in ZUULS:  # an overview looks for these
            self.listed.append(Skipped(file.shown, why, is_missed))
        else:
            self.unlisted += 1


def _found(
    query: Query, walk: Walk, media_type: Callable[[str], str | None], skipped: _SkippedFiles
) -> Generator[File, None, None]:
    """Yields the files that fit the patterns. Adds the unsuitable ones to `skipped`."""
    for file in walk:
        names = file.shown, file.shown.rpartition("/")[2]
        fits = any(fnmatchcase(name, one) for name in names for one in query.logs)
        if query.logs and not fits:
            continue
        kind = media_type(file.shown)
        if kind is not None:
            skipped.add(file, f"it is {kind}")
        elif len(file.name) > LONGEST_NAME:
            skipped.add(file, f"its name has more than {LONGEST_NAME} bytes", is_missed=True)
        else:
            yield file
