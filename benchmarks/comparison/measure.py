# SPDX-License-Identifier: Apache-2.0
"""Measures logs and jobs: each case right before or right after its neighbour."""

import statistics
import subprocess
import time
from collections.abc import Collection, Sequence
from functools import partial

from benchmarks.comparison import cases
from benchmarks.comparison.cases import Case
from benchmarks.comparison.logs import Job, Log
from benchmarks.comparison.rows import Rounds, Values
from benchmarks.comparison.servers import Subject, Subjects
from benchmarks.comparison.targets import JOB, JOB_FROM_SWIFT
from benchmarks.fetch import BadAnswer, client_limited, fetched_once
from benchmarks.lab import WARM
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.samples import Request

#: For logs of fewer bytes, a round takes the median of several requests, at most so many.
SHORT, MOST_TIMES = 20_000_000, 9
#: The same for runs of a program: a short run is mostly its start, which hardly varies.
MOST_TIMES_RUN = 3

#: Bytes that a page may have around its lines.
FRAME = 100_000

#: Parameters of the URL. {id}: the id of a request.
JOB_QUERIES = {
    "summary": {"format": "summary"},
    "a request's id": {"format": "text", "q": "{id}"},
    "level=ERROR by time": {"format": "text", "level": "ERROR", "order": "time"},
    "all lines by time": {"format": "text", "order": "time"},
}
#: Connections over which a job's logs are fetched from the neighbour.
JOB_CONNECTIONS = 2


def measure_logs(
    subjects: Subjects, logs: Collection[Log], table: Sequence[Case], rounds: Rounds
) -> None:
    for log in logs:
        rounds.describe(log.name, f"A log of {log}")
    for _ in rounds.each("logs"):
        for log in logs:
            for case in table:
                ours = partial(_of_case, subjects, case, log)
                other = partial(_of_program, subjects, case.neighbour, log)
                rounds.compare(log.name, case.name, ours, case.neighbour, other)


def _of_case(subjects: Subjects, case: Case, log: Log) -> Values:
    if not case.is_ours:
        return _of_program(subjects, case.name, log)
    request = case.request(subjects.ours.url, log)
    values, size = requested([request] * _times(log), subjects.ours)
    if case.view in cases.WHOLE:
        # Compressed again, a log may be somewhat smaller than stored, but never by half. For a small
        # log, the page's frame may be larger than the log.
        most = max(log.size, FRAME)
        low, high = (log.stored // 2, most) if case.is_gzipped else (log.size, float("inf"))
        if not low <= size <= high:
            raise BadAnswer(f"{case.name}: {size} bytes for {log.name}, {log}")
    if case.view == "html" and not case.is_gzipped:
        values["markup"] = (size - log.size) / log.lines
    return values | _of_log(values["total"], log) | {"sent": size / log.stored}


def _of_program(subjects: Subjects, name: str, log: Log) -> Values:
    if name == cases.ZCAT:
        return _ran(["zcat", str(subjects.lab.root / log.file)], log)
    if name == cases.SWIFT_DOWNLOAD:
        return _ran(subjects.download(log.file), log)
    if name == cases.SWIFT_START:
        return {"total": _ran(subjects.download(WARM), log)["total"]}
    is_stored = name == cases.NGINX_AS_STORED
    subject = subjects.nginx_as_stored if is_stored else subjects.nginx
    request = Endpoint(name, subject.url, {}).request(log.unpacked_file)
    encoding = "gzip" if is_stored else "identity"
    request = request._replace(headers=(f"Accept-Encoding: {encoding}",))
    values, size = requested([request] * _times(log), subject)
    if size != (log.stored if is_stored else log.size):
        raise BadAnswer(f"{name}: {size} bytes for {log.name}, {log}")
    return values | _of_log(values["total"], log)


def requested(requests: list[Request], subject: Subject) -> tuple[Values, int]:
    """Medians of requests one after the other, and the size of an answer."""
    subject.workers.reset_peak()
    run = fetched_once(iter(requests))
    values = {
        "total": statistics.median(sample.total for sample in run.samples),
        "first_byte": statistics.median(sample.sent + sample.response for sample in run.samples),
        "memory": subject.workers.peak_above_idle(),
        "client": client_limited(run),
    }
    return values, run.samples[0].size


def _ran(command: list[str], log: Log) -> Values:
    total = statistics.median(_seconds(command) for _ in range(min(MOST_TIMES_RUN, _times(log))))
    return _of_log(total, log)


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise BadAnswer(f"{command[0]}: {done.stderr.decode(errors='replace')}")
    return time.perf_counter() - start


def _times(log: Log) -> int:
    return min(MOST_TIMES, max(1, SHORT // max(1, log.size)))


def _of_log(total: float, log: Log) -> Values:
    return {"total": total, "speed": log.size / total}


def measure_job(subjects: Subjects, job: Job, sources: Collection[str], rounds: Rounds) -> None:
    """Measures all logs of a job at once. Neighbours send each log: nginx unpacked, Swift as stored."""
    nginx = Endpoint(cases.NGINX, subjects.nginx.url, {})
    tables = {"disk": (JOB, [nginx.request(file.removesuffix(".gz")) for file in job.files])}
    if "swift" in sources:
        tables["swift"] = (JOB_FROM_SWIFT, [subjects.object_request(file) for file in job.files])
    for table, requests in tables.values():
        rounds.describe(table, f"{len(requests)} logs at once; each by {requests[0].source}")
    for _ in rounds.each("job"):
        for source, (table, requests) in tables.items():
            for name, query in JOB_QUERIES.items():
                parameters = {key: text.format(id=job.request_id) for key, text in query.items()}
                asked = Endpoint(name, subjects.ours.url, {**parameters, "source": source})
                ours = partial(_of_job, subjects.ours, asked.request("job/"))
                other = partial(one_by_one, requests)
                rounds.compare(table, name, ours, requests[0].source, other)


def _of_job(subject: Subject, request: Request) -> Values:
    return requested([request], subject)[0]


def one_by_one(requests: Sequence[Request]) -> Values:
    run = fetched_once(iter(requests), JOB_CONNECTIONS)
    return {"total": run.seconds, "client": client_limited(run)}
