# SPDX-License-Identifier: Apache-2.0
"""Sequences of requests: which logs, of which sources, in which order."""

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

import pycurl

from oslogserve.bench.samples import BadPlan, Request

#: Names of a folder and of those below it that are read.
MOST_LOGS = 10_000
#: Bytes of a listing that are read.
MOST_LISTING = 64 * 2**20
SCHEMES = ("http://", "https://")
#: Characters of a path that stay as they are.
NO_QUOTE = "/%:@!$&'()*+,;=~"


class Source(NamedTuple):
    """One of the compared sources: a base URL, a `source=` for all URLs, or both."""

    name: str
    #: Logs are below it; "" where each log is a URL.
    base: str
    #: Parameters of each URL.
    parameters: dict[str, str]

    def request(self, log: str) -> Request:
        """The request for one of its logs. Raises BadPlan."""
        if self.base and log.startswith(SCHEMES):
            raise BadPlan(f"{log}: give a path below the URLs of --base")
        url = f"{self.base.rstrip('/')}/{log.lstrip('/')}" if self.base else log
        try:
            parts = urlsplit(url)
            path = quote(parts.path, NO_QUOTE)
            parts.netloc.encode("ascii")
        except ValueError as error:
            raise BadPlan(f"{log}: {error}") from error
        if not url.startswith(SCHEMES):
            raise BadPlan(f"{log}: give a URL that begins with http:// or https://")
        own = [pair for pair in parse_qsl(parts.query, True) if pair[0] not in self.parameters]
        query = urlencode([*own, *self.parameters.items()])
        parts = parts._replace(path=path, query=query, fragment="")
        return Request(self.name, log, urlunsplit(parts))


def alternating(sources: Sequence[Source], logs: Sequence[str]) -> Iterator[Request]:
    """An endless sequence of each log of each source in turn, so that all meet the same conditions."""
    for log in itertools.cycle(logs):
        for source in sources:
            yield source.request(log)


def limited(
    requests: Iterator[Request], count: int | None, seconds: float | None = None
) -> Iterator[Request]:
    """The first `count` requests, and none later than so many seconds after the first."""
    end = None if seconds is None else time.perf_counter() + seconds
    for request in itertools.islice(requests, count):
        if end is not None and time.perf_counter() >= end:
            return
        yield request


def listed(text: str) -> list[str]:
    """The names in a list, one a line. Empty lines, and lines that begin with #, are left out."""
    texts = map(str.strip, text.split("\n"))
    return [text for text in texts if text and not text.startswith("#")]


def below(folder: str, base: str = "") -> list[str]:
    """URLs of all logs in a folder of oslogserve and in those below it; paths below the base where there
    is one. Raises BadPlan."""
    source = Source("", base, {})
    folders = [source.request(folder).url.rstrip("/") + "/"]
    found: list[str] = []
    while folders:
        url = folders.pop()
        for is_folder, below_it in _entries(url):
            (folders if is_folder else found).append(below_it)
        if len(found) + len(folders) > MOST_LOGS:
            raise BadPlan(f"{folder}: more than {MOST_LOGS} logs; name a folder below it")
    top = source.request("").url if base else ""
    return [url.removeprefix(top) for url in found]


def _entries(url: str) -> list[tuple[bool, str]]:
    """For each entry of a folder, whether it is one itself, and its URL."""
    body = bytearray()

    def add(data: bytes) -> int | None:
        body.extend(data)
        return None if len(body) <= MOST_LISTING else -1

    handle = pycurl.Curl()
    try:
        handle.setopt(pycurl.URL, f"{url}?format=json")
        handle.setopt(pycurl.WRITEFUNCTION, add)
        handle.setopt(pycurl.TIMEOUT, 60)
        handle.perform()
        status = handle.getinfo(pycurl.RESPONSE_CODE)
    except pycurl.error as error:
        raise BadPlan(f"{url}: {error.args[1]}") from error
    finally:
        handle.close()
    try:
        if status != 200:
            raise ValueError
        entries = json.loads(bytes(body))["entries"]
        return [(entry["name"].endswith("/"), urljoin(url, entry["href"])) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadPlan(f"{url}: no listing of oslogserve, but status {status}") from error
