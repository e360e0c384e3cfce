# SPDX-License-Identifier: Apache-2.0
"""Rounds of questions to the application, with and without indexes of the logs."""

import os
import random
import shutil
import tempfile
from contextlib import nullcontext
from typing import NamedTuple
from urllib.parse import quote, urljoin

from tests.kit.answers import read
from tests.kit.small import small_indexes
from tests.oracle import questions
from tests.oracle.job import Job
from tests.oracle.judge import OfFolder, OfLog, check
from tests.unit.handlers.asking import Asking

QUERIES_OF_JOB = 60
MOST_FAULTS = 400
#: Answers of one query whose links are followed.
MOST_ANSWERS = 40
#: Options of each application. Pages and chunks are small, so that they end everywhere.
APPLICATIONS = {
    "small": {"serve_page_size": "4096", "serve_chunk_size": "1024"},
    "capped": {"serve_job_logs": "2"},
    "making": {"serve_page_size": "4096"},
    "indexed": {"serve_page_size": "4096", "serve_chunk_size": "1024"},
}
#: How often each is asked.
WEIGHTS = {"small": 2, "capped": 1, "making": 1, "indexed": 2}
#: Those that keep an index of each log. One makes it with each answer, the other has it from the beginning.
INDEXED = ("making", "indexed")
#: Bytes of a block of an index, and of a piece.
BLOCK, PIECE = 600, 256
#: More bytes than the lines above the first time of a log.
WAITING = 256 * 1024


class Round(NamedTuple):
    """What a round of questions found."""

    answers: int
    faults: list[str]


class Applications:
    """The applications of one folder of jobs."""

    def __init__(self, folder, names):
        self.root = os.path.join(folder, "logs")
        self._indexes = {name: os.path.join(folder, name) for name in INDEXED}
        self._asks = {}
        for name in names:
            kept = {"index_directory": self._indexes[name]} if name in INDEXED else {}
            self._asks[name] = Asking(self.root, **APPLICATIONS[name], **kept)
        self.answers = 0

    def begin(self, job, is_searched):
        """Makes the indexes that are to be there. is_searched: with the words of all blocks."""
        for name in INDEXED:
            self._forget_indexes(name)
        if "indexed" in self._asks:
            self._answer("indexed", f"/{job.name}/?format=summary")
            if is_searched:
                self._answer("indexed", f"/{job.name}/?format=text&order=log&q=%01nowhere")

    def chosen(self, chance, needs_all):
        """The name of one. needs_all: one that reads all logs of a job for one answer."""
        names = [one for one in self._asks if not (needs_all and one == "capped")]
        return chance.choices(names, [WEIGHTS[name] for name in names])[0]

    def chain(self, name, address, view):
        """The answer of the application with this name, and those that `next` links to."""
        found = []
        while address and len(found) < MOST_ANSWERS:
            if name == "making":
                self._forget_indexes(name)
            answer = self._answer(name, address)
            self.answers += 1
            check(answer.status_int == 200, answer.status, answer.body[:200])
            found.append(read(view, answer))
            address = found[-1].next and urljoin(address, found[-1].next)
        return found

    def _answer(self, name, address):
        with small_indexes(BLOCK, PIECE, WAITING) if name in INDEXED else nullcontext():
            return self._asks[name](address)

    def _forget_indexes(self, name):
        shutil.rmtree(self._indexes[name], ignore_errors=True)


def run(answers, seed=0, names=tuple(APPLICATIONS)):
    """A round of at least so many answers. The same seed asks the same."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="oslogserve-oracle-") as folder:
        applications = Applications(folder, names)
        while applications.answers < answers and len(faults) < MOST_FAULTS:
            faults += _asked(applications, seed)
            seed += 1
        return Round(applications.answers, faults)


def _asked(applications, seed):
    """Faults of the answers about the job of this number."""
    chance = random.Random(seed)
    job = Job(chance, f"job{seed}")
    job.write(applications.root)
    applications.begin(job, is_searched=chance.random() < 0.5)
    faults = []
    for _ in range(QUERIES_OF_JOB):
        is_of_folder = chance.random() < 0.4
        name, address, query, judge = (_of_folder if is_of_folder else _of_log)(
            chance, applications, job
        )
        try:
            judge(applications.chain(name, address, query.format))
        except AssertionError as fault:
            faults.append(f"seed {seed}, {name}: {address}\n{fault}")
    shutil.rmtree(f"{applications.root}/{job.name}")
    return faults


def _of_log(chance, applications, job):
    log = chance.choice(job.logs)
    query = questions.of_log(chance, log.lines)
    name = log.name
    plain = name.removesuffix(b".gz").removesuffix(b".zst")
    if plain not in job.placed and chance.random() < 0.5:
        name = plain  # the same URL finds both
    address = f"/{job.name}/{quote(name)}?{query.text}"
    lines = job.placed[log.name]
    return applications.chosen(chance, False), address, query, OfLog(log, lines, query)


def _of_folder(chance, applications, job):
    query = questions.of_folder(chance, [log.shown for log in job.logs])
    name = applications.chosen(chance, query.by_time or query.tail is not None or query.after > 0)
    return name, f"/{job.name}/?{query.text}", query, OfFolder(job, query)
