# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve seen`: remembers the runs below folders, as the first reader of each would."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from oslogserve.assembly import Assembly
from oslogserve.config import ConfigError, load
from oslogserve.errors import Error, Incomplete
from oslogserve.jobs.overview import findings, summaries
from oslogserve.jobs.walk import MOST_DEPTH, MOST_ENTRIES, is_job, run_above
from oslogserve.logs.budget import Budget
from oslogserve.metrics import Metrics
from oslogserve.progress import Work
from oslogserve.query import Query
from oslogserve.seen.database import MOST_IN_FOLDER
from oslogserve.seen.runs import ended_at
from oslogserve.sources import Context, Source, WantedEntries
from oslogserve.sources.first_of import Listing
from oslogserve.text import shown
from oslogserve.urls import path_in_argument


def seen(options: argparse.Namespace) -> int:
    """Remembers runs. The exit status is 1 if a folder could not be read, or a run not be kept; else 0.

    Raises ConfigError, BadRequest for a path that is none.
    """
    given = {"disk_root": os.path.abspath(options.root)} if options.root else {}
    assembly = Assembly(load(options.config, **given), Metrics())
    if not assembly.guards:
        raise ConfigError("there is nothing to read: give --root, or --config with a source in it")
    if assembly.faults:
        raise ConfigError("\n".join(assembly.faults))
    if not assembly.memory.days:
        raise ConfigError("no runs are kept: [seen] directory and database are both empty")
    paths = [path_in_argument(path) for path in options.paths]
    work = Work(_line)
    with closing(assembly.memory):
        _Reader(assembly, work).read(paths or [b""])
    said = {
        "open": "have not ended or do not say how",
        "old": "too old",
        "unfit": "with a path that cannot be kept",
        "crowded": f"beyond {MOST_IN_FOLDER} of one folder and hour",
        "inside": "inside a run",
        "failed": "not remembered",  # "failed" are runs
    }
    return work.finish("run it again, and it goes on", said)


class _Reader:
    """Reads the runs below folders, one after the other, until a signal stops it."""

    def __init__(self, assembly: Assembly, work: Work) -> None:
        self._work = work
        self._assembly = assembly
        self._marks = assembly.config["serve", "job_marks"].split()

    def read(self, paths: Sequence[bytes]) -> None:
        for path in self._jobs(paths):
            try:
                self._work.count(**{self._outcome(path): 1})
            except (Error, Incomplete) as error:
                if not self._work.stopped.is_set():
                    self._failed(path, str(error))

    def _sources(self) -> list[Source]:
        context = Context()
        context.answer_begins()
        return [guard.for_request(context) for guard in self._assembly.guards]

    def _jobs(self, paths: Sequence[bytes]) -> Iterator[bytes]:
        """Yields the paths of jobs. Nothing below is read."""
        folders = []
        for path in reversed(paths):
            run = run_above(self._sources(), path, self._marks, self._work.charge)
            if run is None:
                folders.append(path)
                continue
            self._work.count(inside=1)
            belongs = f"it belongs to the run in {shown(run) or 'the root'}"
            self._work.note(f"{shown(path)}: not remembered: {belongs}")
        while folders and not self._work.stopped.is_set():
            path = folders.pop()
            try:
                wanted = WantedEntries(at_once=MOST_ENTRIES, charge=self._work.charge)
                listing = Listing(self._sources(), path, wanted)
                names = [entries[0].name for entries in listing.by_name()]
            except (Error, Incomplete) as error:
                self._failed(path, str(error))
                continue
            for failure in [*listing.failures, *filter(None, [listing.ended])]:
                self._failed(path, str(failure))
            if is_job(names, self._marks):
                yield path
            elif len(path.split(b"/")) < MOST_DEPTH:
                below = (name for name in reversed(names) if name.endswith(b"/"))
                folders += [os.path.join(path, name.rstrip(b"/")) for name in below]

    def _outcome(self, path: bytes) -> str:
        """The name of the count for a run. Raises Error, Incomplete."""
        assembly, memory = self._assembly, self._assembly.memory
        query = Query(path=path, is_folder=True, format="seen")
        with closing(assembly.jobs.open(query, self._sources(), Budget())) as job:
            folder, ended = os.fsdecode(path), ended_at(job.files)
            if ended:
                refusal = memory.ask_or("failed", lambda kept: kept.refusal(folder, ended))
                if refusal:
                    return refusal
            self._work.charge()
            found = findings(job, summaries(job))
        return memory.remember(path, found)

    def _failed(self, path: bytes, why: str) -> None:
        self._work.count(failed=1)
        self._work.note(f"{shown(path) or 'the root'}: not remembered: {why}")


def _line(counts: Mapping[str, int]) -> str:
    runs = counts["failures"] + counts["passes"]
    return f"{runs} remembered ({counts['failures']} failed), {counts['known']} before"
