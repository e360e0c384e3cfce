# SPDX-License-Identifier: Apache-2.0
"""Parallel requests of one process, timed by libcurl, and the delays that the client itself caused."""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

import pycurl

from oslogserve.bench.samples import Beat, Request, Sample

#: libcurl's largest: less is read at once, and counted, than a server may have sent.
BUFFER = 512 * 1024
#: Statuses of what succeeded.
SUCCESS = {"GET": 200, "PUT": 201, "DELETE": 204}
#: Seconds between two beats.
BEAT = 0.05
#: Seconds that an answer may wait for the client.
LATE = 0.001
#: Headers of an answer that are kept, in lower case, and how many bytes of them.
KEPT_HEADERS = (b"server-timing:", b"log-worker:")
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
        ca_file: str = "",
    ) -> None:
        """timeout: seconds without a byte after which a request has failed. ca_file: of the
        certificates that are trusted, in place of the system's.
        """
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, 4 * parallel)
        self._idle = [_Transfer(headers, keeps_connections, timeout) for _ in range(parallel)]
        for transfer in self._idle:
            if ca_file:
                transfer.handle.setopt(pycurl.CAINFO, ca_file)
        self._by_handle = {transfer.handle: transfer for transfer in self._idle}
        self._scheduling = _Scheduling()
        self._is_interrupted = False
        self.begin_run()

    def begin_run(self) -> list[Beat]:
        """Starts the clock of a run. Returns the run's beats, to which fetch() adds."""
        self._watch = Watch(self._scheduling)
        for transfer in self._idle:
            transfer.forget()
        return self._watch.beats

    def fetch(self, requests: Iterator[Request]) -> Iterator[Sample]:
        """Samples of the requests, in the order in which they end.

        Raises KeyboardInterrupt after interrupt().
        """
        while True:
            if self._is_interrupted:
                raise KeyboardInterrupt
            self._begin(requests)
            if len(self._idle) == len(self._by_handle):
                self._watch.beat()
                return
            self._watch.look()
            self._multi.perform()
            ended = list(self._ended())
            yield from ended
            if not ended:  # else the next requests come first
                self._watch.wait(self._multi)

    def interrupt(self) -> None:
        """Ends fetch(), for signal handlers: pycurl 7.45 loses what they raise in a callback."""
        self._is_interrupted = True

    def _begin(self, requests: Iterator[Request]) -> None:
        while self._idle and (request := next(requests, None)):
            transfer = self._idle.pop()
            started = self._watch.now()
            self._watch.idle += transfer.idle(started) / len(self._by_handle)
            transfer.begin(request, started)
            self._multi.add_handle(transfer.handle)

    def _ended(self) -> Iterator[Sample]:
        _, succeeded, failed = self._multi.info_read()
        outcomes = [(handle, "") for handle in succeeded]
        outcomes += [(handle, message or "failed") for handle, _, message in failed]
        for handle, error in outcomes:
            transfer = self._by_handle[handle]
            self._multi.remove_handle(handle)
            self._idle.append(transfer)
            yield transfer.sample(error)

    def close(self) -> None:
        for handle in self._by_handle:
            handle.close()
        self._multi.close()
        self._scheduling.close()


class Watch:
    """The clock of a run, and how late the client was on it."""

    def __init__(self, scheduling: "_Scheduling") -> None:
        self._scheduling = scheduling
        self._began = self._looked = time.perf_counter()
        self._slept = self._awake = self._late = self._longest = 0.0
        #: As in a beat.
        self.idle = 0.0
        self.beats: list[Beat] = []
        self.beat()

    def now(self) -> float:
        return time.perf_counter() - self._began

    def beat(self) -> None:
        scheduled = time.process_time(), self._scheduling.waited()
        watched = self._awake, self.idle, self._late, self._longest
        self.beats.append(Beat(self.now(), *scheduled, *watched))
        self._longest = 0.0

    def look(self) -> None:
        """Notes that the client looks for answers now."""
        now = time.perf_counter()
        gap = now - self._looked - self._slept
        self._looked, self._slept = now, 0.0
        self._awake += gap
        self._longest = max(self._longest, gap)
        if gap > LATE:
            self._late += gap
        if now - self._began - self.beats[-1].at >= BEAT:
            self.beat()

    def wait(self, multi: Any) -> None:
        """Sleeps until an answer may be there. Time from then on counts as a delay."""
        began, waited = time.perf_counter(), self._scheduling.waited()
        if multi.select(BEAT) == -1:
            time.sleep(0.001)  # there is no socket yet
        woken = self._scheduling.waited() - waited
        self._slept = time.perf_counter() - began - woken


class _Scheduling:
    """A reader of how long the kernel let this process wait for a processor."""

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        with contextlib.suppress(OSError):  # not Linux
            self._file = open("/proc/self/schedstat", "rb", buffering=0)  # noqa: SIM115

    def waited(self) -> float:
        """Seconds that this process was ready to run and did not; 0 where the kernel does not say."""
        if self._file is None:
            return 0.0
        with contextlib.suppress(OSError, IndexError, ValueError):
            return int(os.pread(self._file.fileno(), 100, 0).split()[1]) / 1e9
        return 0.0

    def close(self) -> None:
        if self._file:
            self._file.close()


class _Transfer:
    """A handle of libcurl, used again and again."""

    def __init__(self, headers: list[str], keeps_connections: bool, timeout: float) -> None:
        self._headers: list[bytes] = []
        self._request = Request("", "", "")
        self._started = 0.0
        self._ended: float | None = None
        self.handle: Any = pycurl.Curl()
        for option, value in (
            (pycurl.HTTPHEADER, headers),
            (pycurl.BUFFERSIZE, BUFFER),
            (pycurl.UPLOAD_BUFFERSIZE, BUFFER),
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

    def forget(self) -> None:
        """Forgets the last request: the times of the next run are on another clock."""
        self._ended = None

    def idle(self, now: float) -> float:
        """Seconds since the handle's last request of this run ended."""
        return 0.0 if self._ended is None else max(0.0, now - self._ended)

    def begin(self, request: Request, started: float) -> None:
        self._headers = []
        self._request = request
        self._started = started
        set_option = self.handle.setopt
        set_option(pycurl.URL, request.url)
        if request.headers:
            set_option(pycurl.HTTPHEADER, list(request.headers))
        if request.body:
            set_option(pycurl.UPLOAD, 1)
            set_option(pycurl.INFILESIZE_LARGE, request.body.size)
            set_option(pycurl.READFUNCTION, request.body.read)
            set_option(pycurl.SEEKFUNCTION, request.body.seek)
        elif request.method != "GET":
            set_option(pycurl.CUSTOMREQUEST, request.method)

    def _header(self, line: bytes) -> None:
        is_kept = line[:14].lower().startswith(KEPT_HEADERS)
        if is_kept and sum(map(len, self._headers)) + len(line) <= MOST_HEADERS:
            self._headers.append(line)

    def sample(self, error: str) -> Sample:
        get = self.handle.getinfo
        status = get(pycurl.RESPONSE_CODE)
        # What libcurl says of the moment in which a request was sent is later than that, where the
        # answer's server got the client's processor: the answer would seem faster than it was.
        is_upload = self._request.body is not None
        moments = (pycurl.CONNECT_TIME_T, pycurl.APPCONNECT_TIME_T)
        sent = max(map(get, [pycurl.POSTTRANSFER_TIME_T] if is_upload else moments)) / 1e6
        first = get(pycurl.STARTTRANSFER_TIME_T) / 1e6
        total = get(pycurl.TOTAL_TIME_T) / 1e6
        if not error and status != SUCCESS[self._request.method]:
            error = f"status {status}"
        headers = _parsed(self._headers)
        self._ended = self._started + total
        return Sample(
            source=self._request.source,
            name=self._request.name,
            started=self._started,
            sent=sent,
            response=max(0.0, first - sent),
            transfer=max(0.0, total - max(first, sent)),
            total=total,
            size=int(get(pycurl.SIZE_UPLOAD_T if is_upload else pycurl.SIZE_DOWNLOAD_T)),
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
    """Seconds by name, of the metrics in a Server-Timing header that have a duration."""
    for metric in timing.split(","):
        name, *parameters = metric.split(";")
        for found in filter(None, map(_DURATION.fullmatch, parameters)):
            yield name.strip(), float(found[1]) / 1000
