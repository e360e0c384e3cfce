# SPDX-License-Identifier: Apache-2.0
"""The servers and the logs of the experiments: the same logs on disk and in a real Swift."""

import contextlib
import gzip
import itertools
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

from experiments.plan import HEADERS, Plan, fetched
from oslogserve.bench.client import Client
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result
from oslogserve.demo import generate_oslo
from oslogserve.gunicorn_hooks import SETTINGS
from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.keystone import Keystone
from tests.servers.swift import Swift

CONTAINER = "logs"
#: Bytes of lines that a larger log repeats: generating them takes longer than writing them.
BLOCK = 10_000_000
#: A log that no experiment measures.
WARM = "warm.txt"
#: gunicorn's workers and the threads of all, as they are shipped.
WORKERS = SETTINGS["workers"]
THREADS = WORKERS * SETTINGS["threads"]

_T = TypeVar("_T")


class RawTimes(NamedTuple):
    """Durations of GETs, in seconds."""

    response: list[float]
    transfer: list[float]

    def __add__(self, other: "RawTimes") -> "RawTimes":  # type: ignore[override]
        return RawTimes(self.response + other.response, self.transfer + other.transfer)


class Lab:
    """The servers and logs that experiments measure. They end with its `with`."""

    def __init__(self, is_quick: bool) -> None:
        self.is_quick = is_quick
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> Self:
        folder = tempfile.TemporaryDirectory(prefix="oslogserve-experiments-")
        self.folder = Path(self._resources.enter_context(folder))
        self.root = self.folder / "logs"
        self.root.mkdir()
        self.write(WARM, 1000)
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def choose(self, thorough: _T, quick: _T) -> _T:
        return quick if self.is_quick else thorough

    # Servers

    @cached_property
    def keystone(self) -> Any:
        return self._resources.enter_context(Keystone(self.folder / "keystone"))

    @cached_property
    def swift(self) -> Any:
        """A Swift that holds all that is on disk."""
        keystone = self.keystone
        swift = self._resources.enter_context(Swift(self.folder / "swift", keystone))
        swift.upload(self.root, CONTAINER)
        return swift

    @contextlib.contextmanager
    def server(
        self, *options: str, with_swift: bool = True, root: Path | None = None, **serve: object
    ) -> Iterator[Any]:
        """gunicorn with the shipped settings, whose workers all have their token.

        options: gunicorn's, among them an application in place of oslogserve.wsgi's. serve: options of oslogserve's section of that name.
        """
        sections: dict[str, Any] = {"disk": {"root": root or self.root}, "serve": serve}
        if with_swift:
            sections["swift"] = self.swift.settings(CONTAINER)
        with Gunicorn(ini(sections), *options, shipped_config=True) as server:
            if with_swift:
                _warm(server.url)
            yield server

    # Logs

    def write(self, name: str, size: int, seed: int = 0) -> None:
        """Writes a log to disk and, once it runs, to Swift. name: ends in .gz for a packed one."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_log(path, size, seed)
        if "swift" in self.__dict__:
            with contextlib.closing(self.swift.connection()) as connection, path.open("rb") as file:
                connection.put_object(CONTAINER, name, file, path.stat().st_size)

    def objects(self) -> set[Path]:
        """Paths of the object server's files; none where it keeps objects in memory."""
        return set((self.swift.root / "srv/sda/objects").rglob("*.data"))

    # Measuring

    def disk_and_swift(self, server: Any, plan: Plan, *names: str, **parameters: str) -> Result:
        """The same logs from disk and from Swift, in turn."""
        return fetched(plan, both_sources(server, **parameters), names)

    def raw(self, names: Iterable[str], count: int) -> RawTimes:
        """GETs by swiftclient, one after the other, with nothing beside them."""
        times = RawTimes([], [])
        with contextlib.closing(self.swift.connection()) as connection:
            connection.get_object(CONTAINER, WARM)
            for name in itertools.islice(itertools.cycle(names), count):
                began = time.perf_counter()
                _, chunks = connection.get_object(CONTAINER, name, resp_chunk_size=65536)
                next(chunks, None)
                first = time.perf_counter()
                for _ in chunks:
                    pass
                times.response.append(first - began)
                times.transfer.append(time.perf_counter() - first)
        return times


def write_log(path: Path, size: int, seed: int = 0) -> None:
    with gzip.open(path, "wb", 6) if path.suffix == ".gz" else path.open("wb") as file:
        lines = b"".join(generate_oslo(min(size, BLOCK), seed))
        for written in range(0, size, len(lines)):
            file.write(lines[: size - written])


def both_sources(server: Any, **parameters: str) -> list[Source]:
    return [Source(name, server.url, {**parameters, "source": name}) for name in ("disk", "swift")]


def half_sent_request(url: str) -> socket.socket:
    """A connection that takes a thread until it is closed."""
    place = urlsplit(url)
    connection = socket.create_connection((place.hostname, place.port), 10)
    connection.sendall(f"GET /{WARM} HTTP/1.1\r\nHost: here\r\n".encode())
    return connection


def _warm(url: str) -> None:
    """Lets each worker answer once out of Swift, for which it fetches a token.

    One request at a time: Swift asks Keystone about a new token in each that it has at once. A
    worker that has answered is filled, so that another does.
    """
    request = Source("swift", url, {"source": "swift"}).request(WARM)
    workers: set[str] = set()
    with contextlib.ExitStack() as resources:
        client = Client(1, HEADERS, keeps_connections=False)
        resources.callback(client.close)
        for _ in range(THREADS):
            workers.update(sample.worker for sample in client.fetch(iter([request])))
            if len(workers) == WORKERS:
                return
            resources.enter_context(half_sent_request(url))
