# SPDX-License-Identifier: Apache-2.0
"""Sequences of requests for logs, made for each endpoint in turn."""

import itertools
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

import pycurl

from oslogserve.bench.samples import Request
from oslogserve.compression import plain_name
from oslogserve.config import ConfigError

#: The path of a job's console, which is no report as JSON.
_CONSOLE = re.compile(r"(?:.*/)?(?:job-output|console)[^/]*(?<!\.json)")
#: Most logs and folders of a job.
MOST_LOGS = 10_000
SCHEMES = ("http://", "https://")
#: Characters that are left as they are in a path.
NO_QUOTE = "/%:@!$&'()*+,;=~"


class Endpoint(NamedTuple):
    """One side of a comparison: a base URL, a `source=` for all URLs, or both."""

    name: str
    #: The URL above all paths of logs; "" if each log is given by its URL.
    base: str
    #: Parameters that are added to each URL.
    parameters: dict[str, str]

    def request(self, log: str) -> Request:
        """The request for a log. Raises ConfigError."""
        if self.base and log.startswith(SCHEMES):
            raise ConfigError(f"{log}: give a path below the URLs of --base")
        url = f"{self.base.rstrip('/')}/{log.lstrip('/')}" if self.base else log
        try:
            parts = urlsplit(url)
            path = quote(parts.path, NO_QUOTE)
            parts.netloc.encode("ascii")
        except ValueError as error:
            raise ConfigError(f"{log}: {error}") from error
        if not url.startswith(SCHEMES):
            raise ConfigError(f"{log}: give a URL that begins with http:// or https://")
        others = [pair for pair in parse_qsl(parts.query, True) if pair[0] not in self.parameters]
        query = urlencode([*others, *self.parameters.items()])
        parts = parts._replace(path=path, query=query, fragment="")
        return Request(self.name, log, urlunsplit(parts))


def alternating(endpoints: Sequence[Endpoint], logs: Sequence[str]) -> Iterator[Request]:
    """Yields endlessly. Each log is asked of all endpoints in turn, so that they meet the same conditions."""
    for log in itertools.cycle(logs):
        for endpoint in endpoints:
            yield endpoint.request(log)


def limited(
    requests: Iterator[Request], count: int | None, seconds: float | None = None
) -> Iterator[Request]:
    """Yields at most `count` requests, and none later than `seconds` after the call."""
    end = None if seconds is None else time.perf_counter() + seconds
    for request in itertools.islice(requests, count):
        if end is not None and time.perf_counter() >= end:
            return
        yield request


def console(logs: Sequence[str]) -> str:
    """The first of the logs that is a job's console, or ""."""
    return next((log for log in logs if _CONSOLE.fullmatch(plain_name(log.partition("?")[0]))), "")


def below(folder: str, base: str = "") -> list[str]:
    """All logs below a folder of an oslogserve server, as URLs or as paths below `base`.

    Raises ConfigError.
    """
    endpoint = Endpoint("", base, {})
    folders = [endpoint.request(folder).url.rstrip("/") + "/"]
    found: list[str] = []
    while folders:
        url = folders.pop()
        for is_folder, entry_url in _entries(url):
            (folders if is_folder else found).append(entry_url)
        if len(found) + len(folders) > MOST_LOGS:
            raise ConfigError(f"{folder}: more than {MOST_LOGS} logs; name a folder below it")
    top = endpoint.request("").url if base else ""
    return [url.removeprefix(top) for url in found]


def _entries(url: str) -> list[tuple[bool, str]]:
    """The entries of a folder: True for a folder, and the URL."""
    with closing(pycurl.Curl()) as handle:
        handle.setopt(pycurl.URL, f"{url}?format=json")
        handle.setopt(pycurl.TIMEOUT, 60)
        try:
            body = handle.perform_rb()
        except pycurl.error as error:
            raise ConfigError(f"{url}: {error.args[1]}") from error
        status = handle.getinfo(pycurl.RESPONSE_CODE)
    try:
        if status != 200:
            raise ValueError
        entries = json.loads(body)["entries"]
        return [(entry["name"].endswith("/"), urljoin(url, entry["href"])) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{url}: no listing of oslogserve, but status {status}") from error
