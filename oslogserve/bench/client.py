# SPDX-License-Identifier: Apache-2.0
"""Sends parallel requests, timed by libcurl, and measures delays that the client itself causes."""

import math
import os
import re
import time
from collections.abc import Iterator
from typing import Any

import pycurl

from oslogserve.bench.samples import Beat, Request, Sample

#: Bytes of libcurl's buffer, its largest. With a smaller one, libcurl would count bytes too late.
BUFFER = 512 * 1024
#: Statuses of success.
SUCCESS = {"GET": 200, "PUT": 201, "DELETE": 204}
#: Seconds between two beats.
BEAT = 0.05
#: Seconds for which an answer may wait for the client.
LATE = 0.001
#: Headers of an answer that are kept.
KEPT_HEADERS = (b"server-timing:", b"log-worker:")

_DURATION = re.compile(r"\s*dur=([0-9]+(?:\.[0-9]+)?)\s*")


class Client:
    """A client with keep-alive connections, as a browser has."""

    def __init__(
        self,
        parallel: int,
        headers: list[str],
        keeps_connections: bool = True,
        timeout: float = 300,
        ca_file: str = "",
    ) -> None:
        """timeout: seconds without a byte after which a request has failed. ca_file: trusted
        certificates, instead of the system's.
        """
        options = {
            pycurl.HTTPHEADER: headers,
            pycurl.FORBID_REUSE: not keeps_connections,
            pycurl.FRESH_CONNECT: not keeps_connections,
            pycurl.LOW_SPEED_LIMIT: 1,
            pycurl.LOW_SPEED_TIME: max(1, round(timeout)),
            **({pycurl.CAINFO: ca_file} if ca_file else {}),
        }
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, 4 * parallel)
        self._idle = [_Transfer(options) for _ in range(parallel)]
        self._by_handle = {transfer.handle: transfer for transfer in self._idle}
        self._scheduling = _Scheduling()
        self._is_interrupted = False
        self.begin_run()

    def begin_run(self) -> list[Beat]:
        """Starts the clock of a run. Returns the list of its beats, to which fetch() appends."""
        self._watch = Watch(self._scheduling)
        for transfer in self._idle:
            transfer.ended = math.inf  # the last run had another clock
        return self._watch.beats

    def fetch(self, requests: Iterator[Request]) -> Iterator[Sample]:
        """Yields the samples of requests, in the order in which these end.

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
        """Ends fetch(). For signal handlers: pycurl 7.45 loses what they raise in a callback."""
        self._is_interrupted = True

    def _begin(self, requests: Iterator[Request]) -> None:
        while self._idle and (request := next(requests, None)):
            transfer = self._idle.pop()
            started = self._watch.now()
            self._watch.idle += max(0.0, started - transfer.ended) / len(self._by_handle)
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
            sample = transfer.sample(error)
            if transfer.request.ended:
                transfer.request.ended(sample)
            yield sample

    def close(self) -> None:
        for handle in self._by_handle:
            handle.close()
        self._multi.close()
        self._scheduling.close()


class Watch:
    """The clock of a run. It measures how long answers may have waited for the client."""

    def __init__(self, scheduling: "_Scheduling") -> None:
        self._scheduling = scheduling
        self._began = self._looked = time.perf_counter()
        self._slept = self._awake = self._late = self._longest = 0.0
        #: As in Beat.
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
        """Notes that the client polls for answers now."""
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
        """Sleeps until an answer may be there. An answer that comes waits from then on."""
        began, waited = time.perf_counter(), self._scheduling.waited()
        if multi.select(BEAT) == -1:
            time.sleep(0.001)  # there is no socket yet
        woken = self._scheduling.waited() - waited
        self._slept = time.perf_counter() - began - woken


class _Scheduling:
    """Reads how long the kernel let this process wait for a processor."""

    def __init__(self) -> None:
        path = "/proc/self/schedstat"
        # Only Linux has it.
        self._file = open(path if os.path.exists(path) else os.devnull, "rb")  # noqa: SIM115

    def waited(self) -> float:
        """Seconds in which this process was ready to run, but did not; 0 if the kernel does not say."""
        fields = os.pread(self._file.fileno(), 100, 0).split()
        return int(fields[1]) / 1e9 if fields else 0.0

    def close(self) -> None:
        self._file.close()


class _Transfer:
    """A handle of libcurl, used again and again."""

    def __init__(self, options: dict[int, Any]) -> None:
        self._headers: dict[str, str] = {}
        self.request = Request("", "", "")
        self._started = 0.0
        #: When its last request of this run ended; inf before.
        self.ended = math.inf
        self.handle: Any = pycurl.Curl()
        for option, value in {
            pycurl.BUFFERSIZE: BUFFER,
            pycurl.UPLOAD_BUFFERSIZE: BUFFER,
            pycurl.WRITEFUNCTION: len,  # libcurl counts the bytes
            pycurl.HEADERFUNCTION: self._header,
            pycurl.NOSIGNAL: 1,
            pycurl.TCP_NODELAY: 1,
            **options,
        }.items():
            self.handle.setopt(option, value)

    def begin(self, request: Request, started: float) -> None:
        self._headers = {}
        set_option = self.handle.setopt
        if request.method != self.request.method:
            set_option(pycurl.HTTPGET, 1)  # ends an upload
            self.handle.unsetopt(pycurl.CUSTOMREQUEST)
        self.request = request
        self._started = started
        set_option(pycurl.URL, request.url)
        if request.headers:
            set_option(pycurl.HTTPHEADER, list(request.headers))
        if request.data:
            set_option(pycurl.UPLOAD, 1)
            set_option(pycurl.INFILESIZE_LARGE, request.data.size)
            set_option(pycurl.READFUNCTION, request.data.read)
            set_option(pycurl.SEEKFUNCTION, request.data.seek)
        elif request.method != "GET":
            set_option(pycurl.CUSTOMREQUEST, request.method)

    def _header(self, line: bytes) -> None:
        if line[:14].lower().startswith(KEPT_HEADERS):
            name, _, value = line.decode("latin-1").partition(":")
            self._headers[name.lower()] = value.strip()

    def sample(self, error: str) -> Sample:
        get = self.handle.getinfo
        status = get(pycurl.RESPONSE_CODE)
        # For a GET, libcurl notes the end of sending too late if the server takes the processor: the
        # answer would seem faster than it was.
        is_upload = self.request.data is not None
        moments = (pycurl.CONNECT_TIME_T, pycurl.APPCONNECT_TIME_T)
        sent = max(map(get, [pycurl.POSTTRANSFER_TIME_T] if is_upload else moments)) / 1e6
        first = get(pycurl.STARTTRANSFER_TIME_T) / 1e6
        total = get(pycurl.TOTAL_TIME_T) / 1e6
        if not error and status != SUCCESS[self.request.method]:
            error = f"status {status}"
        self.ended = self._started + total
        return Sample(
            source=self.request.source,
            name=self.request.name,
            started=self._started,
            sent=sent,
            response=max(0.0, first - sent),
            transfer=max(0.0, total - max(first, sent)),
            total=total,
            size=int(get(pycurl.SIZE_UPLOAD_T if is_upload else pycurl.SIZE_DOWNLOAD_T)),
            status=status,
            error=error,
            is_first=get(pycurl.NUM_CONNECTS) > 0,
            server=dict(_durations(self._headers.get("server-timing", ""))),
            worker=self._headers.get("log-worker", ""),
        )


def _durations(timing: str) -> Iterator[tuple[str, float]]:
    """The metrics of a Server-Timing header that have a duration, in seconds."""
    for metric in timing.split(","):
        name, *parameters = metric.split(";")
        for found in filter(None, map(_DURATION.fullmatch, parameters)):
            yield name.strip(), float(found[1]) / 1000
