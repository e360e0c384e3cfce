# SPDX-License-Identifier: Apache-2.0
"""Parallel requests of one process, timed by libcurl, and what the client itself took meanwhile."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pycurl

from oslogserve.bench.samples import Beat, Request, Sample

#: libcurl's largest: less is read at once, and counted, than a server may have sent.
BUFFER = 512 * 1024
#: Seconds between two beats.
BEAT = 0.05
#: Bytes of header lines that are kept of one answer.
MOST_HEADERS = 16384

_DURATION = re.compile(r"\s*dur=([0-9]+(?:\.[0-9]+)?)\s*")


class Client:
    """A client whose requests keep its connections, as a browser's do."""

    def __init__(
        self,
        parallel: int,
        headers: list[str],
        keeps_connections: bool = True,
        timeout: float = 300,
    ) -> None:
        """timeout: seconds without a byte after which a request has failed."""
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, 4 * parallel)
        self._idle = [_Transfer(headers, keeps_connections, timeout) for _ in range(parallel)]
        self._by_handle = {transfer.handle: transfer for transfer in self._idle}
        self.begin_run()

    def begin_run(self) -> list[Beat]:
        """Starts the clock of a run, on which all times are. Its beats, which are added to."""
        self._began = time.perf_counter()
        self._beats = [self._beat(0.0)]
        return self._beats

    def fetch(self, requests: Iterator[Request]) -> Iterator[Sample]:
        """A sample of each request, in the order in which they end."""
        longest = 0.0
        looked = time.perf_counter()
        while True:
            while self._idle and (request := next(requests, None)):
                transfer = self._idle.pop()
                transfer.begin(request, time.perf_counter() - self._began)
                self._multi.add_handle(transfer.handle)
            if len(self._idle) == len(self._by_handle):
                return
            now = time.perf_counter()
            longest = max(longest, now - looked)
            self._multi.perform()
            yield from self._ended()
            if now - self._began - self._beats[-1].at >= BEAT:
                self._beats.append(self._beat(longest))
                longest = 0.0
            looked = time.perf_counter()
            if self._multi.select(BEAT) == -1:
                time.sleep(0.001)  # there is no socket yet
            # What select() slept is no time in which an answer was left waiting.
            longest = max(longest, time.perf_counter() - looked - BEAT)
            looked = time.perf_counter()

    def _ended(self) -> Iterator[Sample]:
        _, succeeded, failed = self._multi.info_read()
        outcomes = [(handle, "") for handle in succeeded]
        outcomes += [(handle, message or "failed") for handle, _, message in failed]
        for handle, error in outcomes:
            transfer = self._by_handle[handle]
            self._multi.remove_handle(handle)
            self._idle.append(transfer)
            yield transfer.sample(error)

    def _beat(self, longest: float) -> Beat:
        return Beat(time.perf_counter() - self._began, time.process_time(), _waited(), longest)

    def close(self) -> None:
        for handle in self._by_handle:
            handle.close()
        self._multi.close()


class _Transfer:
    """A handle of libcurl, used again and again."""

    def __init__(self, headers: list[str], keeps_connections: bool, timeout: float) -> None:
        self._headers: list[bytes] = []
        self._request = Request("", "", "")
        self._started = 0.0
        self.handle: Any = pycurl.Curl()
        for option, value in (
            (pycurl.HTTPHEADER, headers),
            (pycurl.BUFFERSIZE, BUFFER),
            (pycurl.WRITEFUNCTION, len),  # counted by libcurl: here it is only dropped
            (pycurl.HEADERFUNCTION, self._header),
            (pycurl.FORBID_REUSE, not keeps_connections),
            (pycurl.FRESH_CONNECT, not keeps_connections),
            (pycurl.LOW_SPEED_LIMIT, 1),
            (pycurl.LOW_SPEED_TIME, max(1, round(timeout))),
            (pycurl.NOSIGNAL, 1),
            (pycurl.TCP_NODELAY, 1),
        ):
            self.handle.setopt(option, value)

    def begin(self, request: Request, started: float) -> None:
        self._headers = []
        self._request = request
        self._started = started
        self.handle.setopt(pycurl.URL, request.url)

    def _header(self, line: bytes) -> None:
        if sum(map(len, self._headers)) + len(line) <= MOST_HEADERS:
            self._headers.append(line)

    def sample(self, error: str) -> Sample:
        get = self.handle.getinfo
        status = get(pycurl.RESPONSE_CODE)
        sent, first, total = (
            get(moment) / 1e6
            for moment in (
                pycurl.POSTTRANSFER_TIME_T,
                pycurl.STARTTRANSFER_TIME_T,
                pycurl.TOTAL_TIME_T,
            )
        )
        if not error and status != 200:
            error = f"status {status}"
        headers = _parsed(self._headers)
        return Sample(
            source=self._request.source,
            name=self._request.name,
            started=self._started,
            sent=sent,
            response=max(0.0, first - sent),
            transfer=max(0.0, total - max(first, sent)),
            total=total,
            size=int(get(pycurl.SIZE_DOWNLOAD_T)),
            status=status,
            error=error,
            is_first=get(pycurl.NUM_CONNECTS) > 0,
            server=dict(_durations(headers.get("server-timing", ""))),
            worker=headers.get("log-worker", ""),
        )


def _parsed(lines: list[bytes]) -> dict[str, str]:
    pairs = (line.decode("latin-1").partition(":") for line in lines)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _durations(timing: str) -> Iterator[tuple[str, float]]:
    """Name and seconds of each metric in a Server-Timing header that has a duration."""
    for metric in timing.split(","):
        name, *parameters = metric.split(";")
        for found in filter(None, map(_DURATION.fullmatch, parameters)):
            yield name.strip(), float(found[1]) / 1000


def _waited() -> float:
    """Seconds that this process was ready to run and did not; 0 where the kernel does not say."""
    try:
        with open("/proc/self/schedstat", encoding="ascii") as statistics:
            return int(statistics.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
