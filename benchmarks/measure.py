# SPDX-License-Identifier: Apache-2.0
"""Rounds: each case and, right before or right after it, what it is compared with.

The order changes from round to round, so that whatever else the machine does falls on both.
"""

import contextlib
import dataclasses
import functools
import pathlib
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks import cases, client, servers, swift
from benchmarks.cases import Case
from benchmarks.client import BadAnswer, Fetch, Request
from benchmarks.logs import SMALL_COUNT, WARM, Log, small_name
from benchmarks.report import Busy, JobCase, Pair, Result, Sample, Small

SHORT = 20_000_000
"""Bytes of a log below which a round takes the median of several GETs, at most MOST_TIMES."""
MOST_TIMES = 9
MOST_TIMES_RUN = 3
"""The same for runs of a program: its start is most of a short one, and hardly varies."""

WARM_UP = 8
"""Requests at once until a server counts as idle: each of 2 workers starts its 4 threads."""

CONNECTIONS = servers.WORKERS * servers.THREADS
"""Connections of wrk, kept alive: as many as there are threads. A worker of ours whose threads are all taken accepts none,
and wrk gives up one that waits for two seconds. The worker that wakes first may accept most of whitenoise's: such a round is repeated."""

JOB_QUERIES = {
    "summary": "format=summary",
    "a request's id": "format=text&q=req-6921f4be-0f5b-8e2c-7390-7cfccfe330cd",
    "level=ERROR by time": "format=text&level=ERROR&order=time",
    "all lines by time": "format=text&order=time",
}

IN_TURN = pathlib.Path(__file__).with_name("in_turn.lua")
"""wrk's script: each request is for the next of the small logs."""

EVEN = 0.35
"""A round counts where each of two workers did so much of the work, for all servers alike."""
MOST_TRIES = 20
"""Rounds until one counts. On a busy machine every second one is uneven."""

DOWNLOADS = 8
PROBES = 200
PROBE_SECONDS = 6
"""A round of probes ends then, though fewer than PROBES were answered."""

LOADED = 1.0
"""Seconds from the start of the downloads to the first probe: all are under way by then."""

Say = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Running:
    """The servers, each with the same logs."""

    root: pathlib.Path
    ours: dict[str, servers.Server]
    """By the name of the renderer."""
    nginx: servers.Server
    nginx_as_stored: servers.Server
    whitenoise: servers.Server | None
    swift: swift.Uploaded | None


@contextlib.contextmanager
def running(
    root: pathlib.Path, renderers: Sequence[str], *, with_swift: bool, with_whitenoise: bool
) -> Iterator[Running]:
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        uploaded = enter(swift.running(root)) if with_swift else None
        config = uploaded.config if uploaded else None
        found = Running(
            root,
            {name: enter(servers.oslogserve(root, name, config)) for name in renderers},
            enter(servers.nginx(root)),
            enter(servers.nginx(root, servers.AS_STORED)),
            enter(servers.whitenoise(root)) if with_whitenoise else None,
            uploaded,
        )
        for name, server in found.ours.items():
            _check_renderer(server, name)
            for source in ("disk", "swift") if uploaded else ("disk",):
                for encoding in cases.ENCODINGS:
                    case = Case("", "", source, "html", encoding, name)
                    _warm(Request(server.port, f"/{WARM}?{case.query(0)}", case.headers))
        for server in (found.nginx, found.nginx_as_stored):
            _warm(Request(server.port, f"/{WARM}", {"Accept-Encoding": "gzip"}))
        for server in (*found.ours.values(), found.nginx, found.nginx_as_stored):
            server.settle()
        yield found


def _check_renderer(server: servers.Server, expected: str) -> None:
    """Raises Failed where a server names another renderer; an older one names none."""
    renderer = servers.renderer_of(server.port)
    if renderer is not None and renderer != expected:
        raise servers.Failed(f"{server.name}: it says that its renderer is {renderer}")


def _warm(request: Request) -> None:
    """Sends so many requests that each worker has imported, started threads and allocated."""
    client.fetch(request)  # it gets a token, for which few others may wait
    with ThreadPoolExecutor(WARM_UP) as pool:
        list(pool.map(lambda _: client.fetch(request, 8), range(WARM_UP)))


def logs(
    running: Running, logs: Sequence[Log], table: Sequence[Case], rounds: int, say: Say
) -> list[Result]:
    results = [Result(log, case, []) for log in logs for case in table]
    for number in range(rounds):
        for result in results:
            result.rounds.append(_pair(running, result, other_first=number % 2 == 1))
            if number == 0:
                _check_size(result)
        say(f"round {number + 1} of {rounds}")
    return results


def _pair(running: Running, result: Result, *, other_first: bool) -> Pair:
    case, log = result.case, result.log
    one = functools.partial(_sample, running, case, log)
    other = functools.partial(_other, running, case.beside, log)
    if other_first:
        beside = other()
        return Pair(one(), beside)
    return Pair(one(), other())


def _sample(running: Running, case: Case, log: Log) -> Sample:
    if not case.renderer:
        return _other(running, case.name, log)
    server = running.ours[case.renderer]
    target = f"/{log.file}?{case.query(log.lines)}"
    return _got(Request(server.port, target, case.headers), log, server)


def _other(running: Running, name: str, log: Log) -> Sample:
    uploaded = running.swift
    if name == cases.NGINX:
        request = Request(running.nginx.port, f"/{log.unpacked_name}")
        return _got(request, log, running.nginx)
    if name == cases.NGINX_AS_STORED:
        server, headers = running.nginx_as_stored, {"Accept-Encoding": "gzip"}
        return _got(Request(server.port, f"/{log.unpacked_name}", headers), log, server)
    if name == cases.ZCAT:
        return _ran(["zcat", str(running.root / log.file)], log)
    assert uploaded is not None, name
    if name == cases.SWIFT_DOWNLOAD:
        return _ran(uploaded.download(log.file), log)
    return _got(uploaded.get(log.file), log)


def _got(request: Request, log: Log, server: servers.Server | None = None) -> Sample:
    if server:
        server.reset_peak()
    fetches = client.fetch(request, _times(log))
    return Sample(
        statistics.median(x.total for x in fetches),
        statistics.median(x.first_byte for x in fetches),
        fetches[0].size,
        fetches[0].encoding,
        server.peak_above_idle() if server else None,
    )


def _ran(command: list[str], log: Log) -> Sample:
    times = min(MOST_TIMES_RUN, _times(log))
    return Sample(statistics.median(_seconds(command) for _ in range(times)))


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise BadAnswer(f"{command[0]}: {done.stderr.decode(errors='replace')}")
    return time.perf_counter() - start


def _times(log: Log) -> int:
    return min(MOST_TIMES, max(1, SHORT // max(1, log.size)))


def _check_size(result: Result) -> None:
    """Raises BadAnswer for an answer too short to be the log: its time says nothing."""
    log, case = result.log, result.case
    sample = result.rounds[0].ours
    if sample.received is None or (case.view and case.view not in cases.UNFILTERED):
        return
    # Compressed anew, a log may come out somewhat smaller than it is stored, never by half.
    least = log.stored // 2 if sample.encoding or not case.renderer else log.size
    if sample.received < least:
        raise BadAnswer(f"{case.name}: {sample.received} bytes for {log}")


def small(running: Running, rounds: int, seconds: int, say: Say) -> Small:
    """Requests a second for the small logs in turn, with the best of the renderers."""
    ours, whitenoise = next(iter(running.ours.values())), running.whitenoise
    assert whitenoise is not None
    found: dict[str, list[float]] = {ours.name: [], whitenoise.name: []}
    for server in (ours, whitenoise):
        _requests_a_second(server, 1)
    for number in range(rounds):
        turns = [ours, whitenoise]
        for server in turns if number % 2 == 0 else reversed(turns):
            found[server.name].append(_by_all_workers(server, seconds, say))
        say(f"small: round {number + 1} of {rounds}")
    sizes = [path.stat().st_size for path in (running.root / "small").iterdir()]
    size = round(statistics.mean(sizes))
    return Small(len(sizes), size, found[ours.name], found[whitenoise.name])


def _by_all_workers(server: servers.Server, seconds: int, say: Say) -> float:
    for _ in range(MOST_TRIES):
        before = server.processor_seconds()
        found = _requests_a_second(server, seconds)
        spent = [b - a for a, b in zip(before, server.processor_seconds(), strict=True)]
        if min(spent) >= EVEN * sum(spent):
            return found
        say(f"{server.name}: once more, its workers had {', '.join(f'{x:.1f} s' for x in spent)}")
    raise servers.Failed(f"{server.name}: its workers never shared the connections evenly")


def _requests_a_second(server: servers.Server, seconds: int) -> float:
    command = [servers.needed("wrk", "wrk"), "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s"]
    command += ["-H", "Accept: text/html", "-s", str(IN_TURN)]
    command += [f"http://127.0.0.1:{server.port}/", "--", str(SMALL_COUNT)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if trouble := re.search(r"Non-2xx.*|Socket errors.*", output):
        raise BadAnswer(f"{server.name}: {trouble[0]}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    if not rate:
        raise BadAnswer(f"{server.name}: wrk said {output!r}")
    return float(rate[1])


def busy(running: Running, log: Log, rounds: int, say: Say) -> list[Busy]:
    """First bytes of a small log: while nothing else is asked for, and beside big downloads."""
    ours = next(iter(running.ours.values()))
    html = {"Accept": "text/html"}
    threads = servers.WORKERS * servers.THREADS
    found = [
        Busy(server.name, log.name, DOWNLOADS, threads, [], []) for server in (ours, running.nginx)
    ]
    small = small_name(0)
    requests = [
        (Request(ours.port, f"/{small}", html), Request(ours.port, f"/{log.file}", html)),
        (
            Request(running.nginx.port, f"/{small}"),
            Request(running.nginx.port, f"/{log.unpacked_name}"),
        ),
    ]
    for number in range(rounds):
        turns = list(zip(found, requests, strict=True))
        for result, (probe, download) in turns if number % 2 == 0 else reversed(turns):
            result.idle.append(_first_bytes(probe))
            with client.downloading(download, DOWNLOADS):
                time.sleep(LOADED)
                result.loaded.append(_first_bytes(probe))
        say(f"busy: round {number + 1} of {rounds}")
    return found


def job(running: Running, names: Sequence[str], rounds: int, say: Say) -> list[JobCase]:
    """All logs of a job at once, beside all of them fetched over two connections: unpacked by nginx, or
    from Swift as they are stored."""
    ours = next(iter(running.ours.values()))
    fetched = {
        "disk": [Request(running.nginx.port, f"/{name.removesuffix('.gz')}") for name in names]
    }
    if running.swift:
        fetched["swift"] = [running.swift.get(name) for name in names]
    found = [JobCase(name, source, [], [], [], []) for source in fetched for name in JOB_QUERIES]
    for number in range(rounds):
        for case in found if number % 2 == 0 else reversed(found):
            _job_round(ours, case)
            case.beside.append(client.fetch_each(fetched[case.source], 2))
        say(f"job: round {number + 1} of {rounds}")
    return found


def _job_round(ours: servers.Server, case: JobCase) -> None:
    ours.reset_peak()
    target = f"/job/?source={case.source}&{JOB_QUERIES[case.name]}"
    [answer] = client.fetch(Request(ours.port, target))
    case.memory.append(ours.peak_above_idle())
    case.ours.append(answer.total)
    case.first_bytes.append(answer.first_byte)


def _first_bytes(probe: Request) -> list[float]:
    fetches: list[Fetch] = client.fetch(probe, PROBES, PROBE_SECONDS)
    return [x.first_byte for x in fetches]
