# SPDX-License-Identifier: Apache-2.0
"""Measures questions about logs that were read before.

Each is asked of a server that has just started and finds the logs' indexes, right before or right after
nginx unpacks the same logs or Swift sends them, and then of a server without indexes.
"""

import contextlib
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import requests

from benchmarks.comparison import cases
from benchmarks.comparison.known import KnownLog
from benchmarks.comparison.logs import Job
from benchmarks.comparison.measure import one_by_one, requested
from benchmarks.comparison.rows import Rounds, Values
from benchmarks.comparison.servers import Subject, Subjects, warm
from benchmarks.comparison.targets import (
    FAR_PAGE,
    FIRST,
    FIRST_SEARCH,
    FROM_SWIFT,
    JOB_AGAIN,
    TAIL,
    WORD,
)
from benchmarks.lab import CONTAINER
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.samples import Request

#: The line that a page of a large log begins with.
FAR = 1_000_000
_READ = "oslogserve_source_read_bytes_sum"
#: Seconds after an answer's last byte in which its logs are closed.
_CLOSING = 0.1


class Question(NamedTuple):
    #: Parameters of the URL. In braces: those of KnownLog.parameters.
    parameters: dict[str, str]
    accept: str = "text/html"


QUESTIONS = {
    TAIL: Question({"tail": "100"}),
    "lines= at the end": Question({"lines": "{end}-"}),
    "since= near the end": Question({"since": "{time}"}),
    "level=ERROR": Question({"format": "text", "level": "ERROR"}),
    WORD: Question({"format": "text", "q": "{word}"}),
    "q= of a request's id": Question({"format": "text", "q": "{id}"}),
    "format=summary": Question({"format": "summary"}),
    "format=brief": Question({"format": "brief"}, "*/*"),
}
#: Of logs in Swift.
SWIFT_QUESTIONS = {title: QUESTIONS[title] for title in (TAIL, WORD)}
#: What makes an index, and its neighbour.
FIRST_QUESTIONS = {
    FIRST: (Question({"format": "summary"}, "*/*"), "a summary without an index"),
    FIRST_SEARCH: (Question({"format": "text", "q": "{id}"}), "a search without an index"),
}
#: Of logs with more lines than FAR.
FAR_QUESTION = {FAR_PAGE: Question({"lines": f"{FAR}-"})}
JOB_QUESTIONS = {
    "overview": Question({"format": "overview"}),
    "a request's id": Question({"format": "text", "q": "{id}"}),
    "level=ERROR by time": Question({"format": "text", "level": "ERROR", "order": "time"}),
}


class Asked(NamedTuple):
    """The log or the job that is asked about."""

    table: str
    #: Its path below the root, and the requests by which nginx sends it.
    path: str
    others: Sequence[Request]
    parameters: dict[str, object]
    #: Bytes of its logs by the name of a size.
    sizes: dict[str, int]
    source: str = "disk"


class Again:
    """The servers that are asked again, one after the other."""

    def __init__(self, subjects: Subjects, threads: int) -> None:
        self._subjects = subjects
        self._options = ("--workers", "1", "--threads", str(threads))
        self._indexes = subjects.lab.folder / "indexes"

    def measure_logs(self, logs: Collection[KnownLog], rounds: Rounds) -> None:
        for known in logs:
            rounds.describe(known.log.name, f"A log of {known.log}, asked again")
        for _ in rounds.each("again"):
            for known in logs:
                log = known.log
                sizes = {"text": log.size, "stored": log.stored}
                others = [self._nginx_request(log.file)]
                asked = Asked(log.name, log.file, others, known.parameters, sizes)
                self._make(asked, rounds)
                far = FAR_QUESTION if log.lines > FAR else {}
                self._ask(asked, QUESTIONS | far, rounds)

    def measure_swift(self, logs: Collection[KnownLog], rounds: Rounds) -> None:
        """Measures logs in Swift, which everybody may read: no server waits for its token."""
        with contextlib.closing(self._subjects.lab.swift.connection()) as connection:
            connection.post_container(CONTAINER, {"X-Container-Read": ".r:*,.rlistings"})
        for known in logs:
            table = f"{known.log.name}{FROM_SWIFT}"
            rounds.describe(table, f"A log of {known.log} in Swift, asked again")
        for _ in rounds.each("again, from Swift"):
            for known in logs:
                log = known.log
                others = [self._subjects.object_request(log.file)]
                sizes = {"text": log.size, "stored": log.stored}
                table = f"{log.name}{FROM_SWIFT}"
                asked = Asked(table, log.file, others, known.parameters, sizes, "swift")
                self._make(asked, rounds)
                self._ask(asked, SWIFT_QUESTIONS, rounds)

    def measure_job(self, job: Job, rounds: Rounds) -> None:
        paths = [self._subjects.lab.root / file for file in job.files]
        sizes = {"stored": sum(path.stat().st_size for path in paths)}
        others = [self._nginx_request(file) for file in job.files]
        asked = Asked(JOB_AGAIN, "job/", others, {"id": job.request_id}, sizes)
        rounds.describe(JOB_AGAIN, f"{len(others)} logs at once, asked again")
        for _ in rounds.each("job again"):
            self._make(asked, rounds)
            self._ask(asked, JOB_QUESTIONS, rounds)

    def _make(self, asked: Asked, rounds: Rounds) -> None:
        """Measures a first summary and a first search, which make indexes, and their size."""
        shutil.rmtree(self._indexes, ignore_errors=True)
        for title, (question, without_title) in FIRST_QUESTIONS.items():

            def first(question: Question = question) -> Values:
                with self._server(asked.source, self._indexes) as server:
                    return _answered(server, asked, question)

            def without(question: Question = question) -> Values:
                with self._server(asked.source) as server:
                    return _answered(server, asked, question)

            rounds.compare(asked.table, title, first, without_title, without)
        size = sum(path.stat().st_size for path in self._indexes.iterdir())
        shares = {f"index_{name}": size / most for name, most in asked.sizes.items()}
        rounds.add(asked.table, FIRST, shares)

    def _ask(self, asked: Asked, questions: Mapping[str, Question], rounds: Rounds) -> None:
        """Measures each question beside nginx or Swift, and the same without an index."""
        for title, question in questions.items():

            def ours(question: Question = question) -> Values:
                with self._server(asked.source, self._indexes) as server:
                    before = _read(server)
                    values = _answered(server, asked, question)
                    read = _read(server) - before
                    return values | {"read": read / asked.sizes["stored"]}

            def others() -> Values:
                return one_by_one(asked.others)

            neighbour = asked.others[0].source
            values = rounds.compare(asked.table, title, ours, neighbour, others)
            with self._server(asked.source) as server:
                without = _answered(server, asked, question)["total"]
            rounds.add(asked.table, title, {"of_without": values["total"] / without})

    def _nginx_request(self, file: str) -> Request:
        nginx = Endpoint(cases.NGINX, self._subjects.nginx.url, {})
        return nginx.request(file.removesuffix(".gz"))

    @contextlib.contextmanager
    def _server(self, source: str, indexes: Path | None = None) -> Iterator[Subject]:
        """Context with a server that has answered for other logs only. indexes: where they are."""
        lab = self._subjects.lab
        env = {"CACHE_DIRECTORY": str(indexes)} if indexes else None
        storage_url = lab.swift.storage_url if source == "swift" else ""
        with lab.server(
            *self._options, with_swift=False, env=env, storage_url=storage_url
        ) as server:
            subject = Subject("oslogserve", server.url, server.process.pid)
            warm(subject, source)
            subject.workers.settle()
            yield subject


def _answered(server: Subject, asked: Asked, question: Question) -> Values:
    filled = {key: value.format(**asked.parameters) for key, value in question.parameters.items()}
    filled["source"] = asked.source
    request = Endpoint(server.name, server.url, filled).request(asked.path)
    headers = (f"Accept: {question.accept}", "Accept-Encoding: identity")
    return requested([request._replace(headers=headers)], server)[0]


def _read(server: Subject) -> float:
    """Stored bytes that the server has read, as it counts them when it closes a log."""
    time.sleep(_CLOSING)
    lines = requests.get(f"{server.url}/metrics", timeout=10).text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(_READ))
