# SPDX-License-Identifier: Apache-2.0
"""Rounds of questions to real servers."""

import random
import shutil
import tempfile
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import quote, urljoin

from tests.oracle import questions
from tests.oracle.answers import read
from tests.oracle.job import Job
from tests.oracle.judge import OfFolder, OfLog, check
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

QUERIES_OF_JOB = 60
MOST_FAULTS = 400
#: Answers of one query whose links are followed.
MOST_ANSWERS = 40
#: Options by the server's name. Pages and chunks are small, so that they end everywhere.
SERVERS = {"small": {"page_size": 4096, "chunk_size": 1024}, "capped": {"job_logs": 2}}
#: How often each is asked.
WEIGHTS = {"small": 2, "capped": 1}


class Round(NamedTuple):
    """What a round of questions found."""

    answers: int
    faults: list[str]


class Servers:
    """The servers of one folder of jobs."""

    def __init__(self, names=tuple(SERVERS)):
        self._stack = ExitStack()
        self.root = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="oslogserve-oracle-")
        )
        self._names = names
        self._servers = {}
        self.answers = 0

    def __enter__(self):
        try:
            for name in self._names:
                config = ini({"disk": {"root": self.root}, "serve": SERVERS[name]})
                server = Gunicorn(config, "--workers", "1")
                self._servers[name] = self._stack.enter_context(server)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *exc_info):
        self._stack.close()

    def chosen(self, chance, needs_all):
        """The name of a server. needs_all: one that reads all logs of a job for one answer."""
        names = [one for one in self._names if not (needs_all and one == "capped")]
        return chance.choices(names, [WEIGHTS[name] for name in names])[0]

    def chain(self, name, address, view):
        """The answer of the server with this name, and those that `next` links to."""
        found = []
        while address and len(found) < MOST_ANSWERS:
            answer = ask(self._servers[name], address)
            self.answers += 1
            check(answer.status == 200, answer.status, answer.body[:200])
            found.append(read(view, answer))
            address = found[-1].next and urljoin(address, found[-1].next)
        return found


def run(answers, seed=0, names=tuple(SERVERS)):
    """A round of at least so many answers. The same seed asks the same."""
    faults = []
    with Servers(names) as servers:
        while servers.answers < answers and len(faults) < MOST_FAULTS:
            faults += _asked(servers, seed)
            seed += 1
        return Round(servers.answers, faults)


def _asked(servers, seed):
    """Faults of the answers about the job of this number."""
    chance = random.Random(seed)
    job = Job(chance, f"job{seed}")
    job.write(servers.root)
    faults = []
    for _ in range(QUERIES_OF_JOB):
        is_of_folder = chance.random() < 0.4
        name, address, query, judge = (_of_folder if is_of_folder else _of_log)(
            chance, servers, job
        )
        try:
            judge(servers.chain(name, address, query.format))
        except AssertionError as fault:
            faults.append(f"seed {seed}, {name} server: {address}\n{fault}")
    shutil.rmtree(f"{servers.root}/{job.name}")
    return faults


def _of_log(chance, servers, job):
    log = chance.choice(job.logs)
    query = questions.of_log(chance, log.lines)
    name = log.name
    if name.removesuffix(b".gz") not in job.placed and chance.random() < 0.5:
        name = name.removesuffix(b".gz")  # the same URL finds both
    address = f"/{job.name}/{quote(name)}?{query.text}"
    lines = job.placed[log.name]
    return servers.chosen(chance, False), address, query, OfLog(log, lines, query)


def _of_folder(chance, servers, job):
    query = questions.of_folder(chance, [log.shown for log in job.logs])
    name = servers.chosen(chance, query.by_time or query.tail is not None or query.after > 0)
    return name, f"/{job.name}/?{query.text}", query, OfFolder(job, query)
