# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.scaling.cost: measures the costs of requests and writes costs.json.

Processor seconds are the kernel's counts in /proc, for all workers and all of Swift. They hardly
depend on other programs on the machine. The client and Keystone are not counted. Swift is one process
here, with one copy of each object.
"""

import contextlib
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import processes
from benchmarks.fetch import fetched_once
from benchmarks.lab import Lab
from oslogserve.bench.logs import Endpoint
from tests.servers.process import descendants, poll

COSTS = Path(__file__).with_name("costs.json")
#: Bytes of the two logs, and the number of requests for each.
LARGE, SMALL = 50_000_000, 4_000
LARGE_COUNT, SMALL_COUNT = 6, 400
#: Accept, Accept-Encoding and parameters of each view.
VIEWS = {
    "page": ("text/html", "gzip", {}),
    "page, not gzipped": ("text/html", "identity", {}),
    "errors": ("text/html", "gzip", {"level": "ERROR"}),
    "search": ("text/plain", "identity", {"q": "no such words"}),
    "text": ("text/plain", "identity", {}),
    "stored gzip": ("text/plain", "gzip", {}),
}
STREAMS = 16
#: Bytes of an answer that a reader reads before it stops: more than sockets buffer.
TAKEN = 1_000_000


def main() -> None:
    with Lab() as lab:
        COSTS.write_text(json.dumps(measured(lab), indent=2) + "\n")


def measured(lab: Lab) -> dict[str, Any]:
    """Processor seconds and bytes by source and view, and the costs of open answers."""
    lab.write("large.txt.gz", LARGE)
    lab.write("small.txt.gz", SMALL)
    with lab.server() as server:
        pids = {"server": server.process.pid, "swift": lab.swift.processes["swift"].pid}
        views = {}
        for name in ("disk", "swift"):
            for view, (accept, encoding, parameters) in VIEWS.items():
                source = Endpoint(view, server.url, {**parameters, "source": name})
                headers = (f"Accept: {accept}", f"Accept-Encoding: {encoding}")
                views[f"{name}, {view}"] = _costs(source, headers, pids)
        streams = _streams(lab, server)
    stored = (lab.root / "large.txt.gz").stat().st_size
    return {"stored share": round(stored / LARGE, 4), "views": views, "streams": streams}


def _costs(source: Endpoint, headers: tuple[str, str], pids: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds of a request for a tiny log, and for each GB of log, and the share sent."""
    of_small, of_large = (
        source.request(name)._replace(headers=headers) for name in ("small.txt.gz", "large.txt.gz")
    )
    small, _ = _spent([of_small] * SMALL_COUNT, pids)
    spent, sent = _spent([of_large] * LARGE_COUNT, pids)
    costs = {"sent share": round(sent / LARGE_COUNT / LARGE, 4)}
    for name in pids:
        each = small[name] / SMALL_COUNT
        costs[f"{name}, request"] = round(each, 6)
        costs[f"{name}, GB"] = max(0, round((spent[name] / LARGE_COUNT - each) / LARGE * 1e9, 3))
    return costs


def _spent(requests: list[Any], pids: Mapping[str, int]) -> tuple[dict[str, float], int]:
    """Processor seconds by process, and bytes sent, for requests one after the other."""
    before = {name: _processor_seconds(pid) for name, pid in pids.items()}
    sent = sum(sample.size for sample in fetched_once(iter(requests)).samples)
    return {name: _processor_seconds(pid) - before[name] for name, pid in pids.items()}, sent


def _streams(lab: Lab, server: Any) -> dict[str, float]:
    """Memory and connections to Swift for each reader that has stopped in the middle of a page."""
    pid = server.process.pid
    before = _memory(pid)
    port = urlsplit(lab.swift.url).port
    assert port
    with contextlib.ExitStack() as readers:
        for _ in range(STREAMS):
            readers.enter_context(_stopped_reader(server.url))
        poll(lambda: _is_still(pid), lambda: TimeoutError("no rest"), 60)
        memory, connections = _memory(pid), _connections(port)
    return {
        "memory": round((memory - before) / STREAMS),
        "idle memory": before,
        "connections": connections / STREAMS,
    }


def _stopped_reader(url: str) -> socket.socket:
    place = urlsplit(url)
    connection = socket.create_connection((place.hostname, place.port), 60)
    request = f"GET /large.txt.gz?source=swift HTTP/1.1\r\nHost: {place.netloc}\r\nAccept: text/html\r\n\r\n"
    connection.sendall(request.encode())
    left = TAKEN
    while left > 0:
        left -= len(connection.recv(left)) or left
    return connection


def _is_still(pid: int) -> bool:
    """True if the workers used no processor time for a moment."""
    before = _processor_seconds(pid)
    for _ in range(2000):
        Path("/proc/self/stat").read_bytes()
    return _processor_seconds(pid) == before


def _connections(port: int) -> int:
    """The number of open TCP connections to a port of this machine."""
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(row.split()[2].endswith(f":{port:04X}") and row.split()[3] == "01" for row in rows)


def _processor_seconds(pid: int) -> float:
    """Processor seconds of a process and of all that it started."""
    return sum(map(processes.processor_seconds, descendants(pid)))


def _memory(pid: int) -> int:
    return sum(map(processes.private_memory_of, descendants(pid)))


if __name__ == "__main__":
    main()
