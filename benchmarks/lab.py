# SPDX-License-Identifier: Apache-2.0
"""The lab of the measurements: servers, and the same logs on disk and in a real Swift."""

import contextlib
import gzip
import itertools
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from benchmarks.fetch import HEADERS
from oslogserve.bench.client import Client
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Run
from oslogserve.bench.samples import Sample
from oslogserve.demo import generate_oslo
from oslogserve.gunicorn_hooks import SETTINGS
from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.keystone import Keystone
from tests.servers.process import environment
from tests.servers.swift import Swift

CONTAINER = "logs"
#: Bytes of lines that a larger log repeats, since generating lines takes longer than writing them.
BLOCK = 10_000_000
#: A log that is fetched only to warm up a server.
WARM = "warm.txt"
#: gunicorn's workers, and the threads of all, in the shipped settings.
WORKERS = SETTINGS["workers"]
THREADS = WORKERS * SETTINGS["threads"]

_T = TypeVar("_T")


class Lab:
    """Context with the servers and logs of measurements.

    is_quick: measures less, for tests. largest: most bytes of a large object, 0 for none.
    """

    def __init__(
        self, is_quick: bool = False, with_keystone: bool = True, largest: int = 0
    ) -> None:
        self.is_quick = is_quick
        self.largest = largest
        self._with_keystone = with_keystone
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> Self:
        folder = tempfile.TemporaryDirectory(prefix="oslogserve-benchmarks-")
        self.folder = Path(self._resources.enter_context(folder))
        self.folder.chmod(0o755)  # nginx's worker is another user if root starts it
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
        """A Swift that has all logs that are on disk."""
        keystone = self.keystone if self._with_keystone else None
        swift = self._resources.enter_context(Swift(self.folder / "swift", keystone))
        swift.upload(self.root, CONTAINER)
        return swift

    @contextlib.contextmanager
    def server(
        self,
        *options: str,
        with_swift: bool = True,
        root: Path | None = None,
        env: dict[str, str] | None = None,
        storage_url: str = "",
        container: str = CONTAINER,
        **serve: object,
    ) -> Iterator[Any]:
        """Context with gunicorn and its shipped settings, once all workers have a token.

        options: gunicorn's, such as another application. storage_url: to read the container without
        tokens. serve: options of the section [serve].
        """
        sections: dict[str, Any] = {"disk": {"root": root or self.root}, "serve": serve}
        if storage_url:
            sections["swift"] = {"storage_url": storage_url, "container": container}
        elif with_swift:
            sections["swift"] = self.swift.settings(container)
        with Gunicorn(
            ini(sections), *options, shipped_config=True, env=env, workers=None
        ) as server:
            if with_swift:
                _warm(server.url)
            yield server

    # Logs

    def write(self, name: str, size: int, seed: int = 0, is_large: bool = False) -> None:
        """Writes a log to disk and, if it runs, to Swift.

        name: ends in .gz for a gzip. is_large: as a large object, with all else in its folder.
        """
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_log(path, size, seed)
        if is_large:
            config = self.swift_config()
            command = ["upload", str(path.parent), "--config", config, "--no-gzip"]
            oslogserve(*command, "--prefix", str(Path(name).parent))
        elif "swift" in self.__dict__:
            with contextlib.closing(self.swift.connection()) as connection, path.open("rb") as file:
                connection.put_object(CONTAINER, name, file, path.stat().st_size)

    def swift_config(self) -> str:
        """A configuration with this Swift."""
        path = self.folder / "swift.conf"
        path.write_text(ini({"swift": self.swift.settings(CONTAINER)}))
        return str(path)

    def objects(self) -> set[Path]:
        """Paths of the object server's files; none if it keeps objects in memory."""
        return set((self.swift.root / "srv/sda/objects").rglob("*.data"))

    # Measuring

    @cached_property
    def objects_source(self) -> Endpoint:
        """Swift itself, without oslogserve. Requests need token_header()."""
        return Endpoint("Swift itself", f"{self.swift.storage_url}/{CONTAINER}", {})

    def token_header(self) -> str:
        with contextlib.closing(self.swift.connection()) as connection:
            return f"X-Auth-Token: {connection.get_auth()[1]}"

    def fetched_by_swiftclient(self, names: Iterable[str], count: int) -> Run:
        """A run of GETs by python-swiftclient, one after the other; their source is "alone"."""
        run = Run([], [])
        with contextlib.closing(self.swift.connection()) as connection:
            connection.get_object(CONTAINER, WARM)
            for name in itertools.islice(itertools.cycle(names), count):
                began = time.perf_counter()
                _, chunks = connection.get_object(CONTAINER, name, resp_chunk_size=65536)
                size = len(next(chunks, b""))
                response = time.perf_counter() - began
                size += sum(map(len, chunks))
                total = time.perf_counter() - began
                times = (response, total - response, total)
                run.samples.append(Sample("alone", name, 0.0, 0.0, *times, size, status=200))
        return run


def oslogserve(*arguments: str) -> str:
    """The output of a command. Raises CalledProcessError."""
    command = [sys.executable, "-m", "oslogserve", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment(), check=True)
    return done.stdout


def write_log(path: Path, size: int, seed: int = 0) -> None:
    with gzip.open(path, "wb", 6) if path.suffix == ".gz" else path.open("wb") as file:
        lines = b"".join(generate_oslo(min(size, BLOCK), seed))
        for written in range(0, size, len(lines)):
            file.write(lines[: size - written])


def both_sources(server: Any) -> list[Endpoint]:
    return [Endpoint(name, server.url, {"source": name}) for name in ("disk", "swift")]


def half_sent_request(url: str) -> socket.socket:
    """A connection that holds a thread of the server until it is closed."""
    place = urlsplit(url)
    connection = socket.create_connection((place.hostname, place.port), 10)
    connection.sendall(f"GET /{WARM} HTTP/1.1\r\nHost: here\r\n".encode())
    return connection


def _warm(url: str) -> None:
    """Lets each worker answer once from Swift, for which it fetches a token.

    Requests are sent one by one, since Swift verifies a new token once for each request at that time.
    Half-sent requests fill the worker that has answered, so that another one answers next.
    """
    request = Endpoint("swift", url, {"source": "swift"}).request(WARM)
    workers: set[str] = set()
    with contextlib.ExitStack() as resources:
        client = Client(1, HEADERS, keeps_connections=False)
        resources.callback(client.close)
        for _ in range(THREADS):
            workers.update(sample.worker for sample in client.fetch(iter([request])))
            if len(workers) == WORKERS:
                return
            resources.enter_context(half_sent_request(url))
