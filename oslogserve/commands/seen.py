# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve seen`: remembers the runs below folders, as the first reader of each would."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from oslogserve.assembly import Assembly
from oslogserve.config import ConfigError, load
from oslogserve.errors import Error, Incomplete
from oslogserve.jobs.overview import Overview
from oslogserve.jobs.walk import MOST_DEPTH, MOST_ENTRIES, has_mark, run_above
from oslogserve.logs.budget import UNLIMITED, Budget
from oslogserve.messages import shown
from oslogserve.metrics import Metrics
from oslogserve.progress import Progress
from oslogserve.query import Query
from oslogserve.seen.database import MOST_IN_FOLDER
from oslogserve.seen.runs import ended_at
from oslogserve.sources import Context, Source, WantedEntries
from oslogserve.sources.first_of import Listing
from oslogserve.stopping import Stopping
from oslogserve.urls import path_in_argument


def seen(options: argparse.Namespace) -> int:
    """Remembers runs. The exit status is 1 if a folder could not be read, or a run not be kept; else 0.

    Raises ConfigError, BadRequest for a path that is none.
    """
    given = {"disk_root": os.path.abspath(options.root)} if options.root else {}
    assembly = Assembly(load(options.config, **given), Metrics())
    if assembly.faults:
        raise ConfigError("\n".join(assembly.faults))
    if not assembly.memory.days:
        raise ConfigError("no runs are kept: [seen] directory and database are both empty")
    if not assembly.guards:
        raise ConfigError("there is nothing to read: give --root, or --config with a source in it")
    paths = [path_in_argument(path) for path in options.paths]
    progress = Progress(_line)
    with closing(assembly.memory):
        stopped = _Reader(assembly, progress).run(paths or [b""])
    said = {
        "open": "have not ended or do not say how",
        "old": "too old",
        "unfit": "with a path that cannot be kept",
        "crowded": f"beyond {MOST_IN_FOLDER} of one folder and hour",
        "inside": "inside a run",
        "failed": "failed",
    }
    print(progress.summary(said))
    return 1 if stopped or progress.counts["failed"] else 0


class _Reader:
    """Reads the runs below folders, one after the other."""

    def __init__(self, assembly: Assembly, progress: Progress) -> None:
        self._assembly = assembly
        self._progress = progress
        self._marks = assembly.config["serve", "job_marks"].split()
        self._stopped = Stopping()

    def run(self, paths: Sequence[bytes]) -> bool:
        """True if a signal stopped it before its end."""
        self._stopped.await_signals()
        for path in self._jobs(paths):
            try:
                self._progress.count(**{self._outcome(path): 1})
            except (Error, Incomplete) as error:
                if not self._stopped.is_set():
                    self._failed(path, str(error))
        if self._stopped.is_set():
            self._progress.note("stopped: run it again, and it goes on")
        return self._stopped.is_set()

    def _sources(self) -> list[Source]:
        context = Context()
        context.answer_begins()
        return [guard.for_request(context) for guard in self._assembly.guards]

    def _jobs(self, paths: Sequence[bytes]) -> Iterator[bytes]:
        """Yields the paths of jobs: of the folders with an entry that marks one. Nothing below is read."""
        folders = [path for path in reversed(paths) if not self._is_inside(path)]
        while folders and not self._stopped.is_set():
            path = folders.pop()
            try:
                wanted = WantedEntries(at_once=MOST_ENTRIES, charge=self._stopped.charge)
                listing = Listing(self._sources(), path, wanted)
                names = [entries[0].name for entries in listing.by_name()]
            except (Error, Incomplete) as error:
                self._failed(path, str(error))
                continue
            for failure in [*listing.failures, *filter(None, [listing.ended])]:
                self._failed(path, str(failure))
            if has_mark(names, self._marks):
                yield path
            elif len(path.split(b"/")) < MOST_DEPTH:
                below = (name for name in reversed(names) if name.endswith(b"/"))
                folders += [os.path.join(path, name.rstrip(b"/")) for name in below]

    def _is_inside(self, path: bytes) -> bool:
        """True if a folder above is a run's, which is told."""
        above = run_above(self._sources(), path, self._marks, self._stopped.charge)
        if above is None:
            return False
        self._progress.count(inside=1)
        run = shown(above) or "the root"
        self._progress.note(f"{shown(path)}: not remembered: it belongs to the run in {run}")
        return True

    def _outcome(self, path: bytes) -> str:
        """The name of the count for a run. Raises Error, Incomplete."""
        assembly, memory = self._assembly, self._assembly.memory
        folder = os.fsdecode(path)
        query = Query(path=path, is_folder=True, format="seen")
        budget = Budget(UNLIMITED)
        with closing(assembly.jobs.open(query, self._sources(), budget)) as job:
            ended = ended_at(log.file for log in job.logs)
            if ended and (
                refusal := memory.ask_or("failed", lambda kept: kept.refusal(folder, ended))
            ):
                return refusal
            self._stopped.charge()
            found = Overview(query, job, assembly.config.noise).findings()
        return memory.remember(path, found)

    def _failed(self, path: bytes, why: str) -> None:
        self._progress.count(failed=1)
        self._progress.note(f"{shown(path) or 'the root'}: not remembered: {why}")


def _line(counts: Mapping[str, int]) -> str:
    runs = counts["failures"] + counts["passes"]
    return f"{runs} remembered ({counts['failures']} failed), {counts['known']} before"
