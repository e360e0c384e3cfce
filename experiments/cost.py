# SPDX-License-Identifier: Apache-2.0
"""python -m experiments.cost: measures what a request costs, for experiments/costs.json.

Processor seconds are the kernel's, of all workers and of all of Swift, from /proc: another
program on the machine makes a request slower, but hardly dearer. What they cost the client and
Keystone is not in them. Swift is one process here, with one copy of each object.
"""

import argparse
import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from experiments.lab import Lab
from tests.servers.process import poll

COSTS = Path(__file__).with_name("costs.json")
LARGE, SMALL = 50_000_000, 4_000
#: Headers and query of each view.
VIEWS = {
    "page": ("text/html", "gzip", ""),
    "page, not gzipped": ("text/html", "identity", ""),
    "errors": ("text/html", "gzip", "level=ERROR"),
    "search": ("text/plain", "identity", "q=no+such+words"),
    "text": ("text/plain", "identity", ""),
    "stored gzip": ("text/plain", "gzip", ""),
}
STREAMS = 16
#: Bytes of an answer that a reader takes before it stops: more than sockets hold.
TAKEN = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.cost", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only to see that all of it runs")
    parser.add_argument("--out", type=Path, default=COSTS, metavar="FILE")
    options = parser.parse_args()
    with Lab(options.quick) as lab:
        options.out.write_text(json.dumps(measured(lab), indent=2) + "\n")


def measured(lab: Lab) -> dict[str, Any]:
    """Processor seconds and bytes by source and view, and what streams take."""
    large = lab.choose(LARGE, LARGE // 10)
    lab.write("large.txt.gz", large)
    lab.write("small.txt.gz", SMALL)
    with lab.server() as server:
        processes = {"server": server.process.pid, "swift": lab.swift.processes["swift"].pid}
        views = {
            f"{source}, {view}": _costs(lab, f"{server.url}/{{}}?source={source}&{query}", accept, large, processes)
            for source in ("disk", "swift")
            for view, (*accept, query) in VIEWS.items()
        }  # fmt: skip
        streams = _streams(lab, server)
    stored = (lab.root / "large.txt.gz").stat().st_size
    return {"stored share": round(stored / large, 4), "views": views, "streams": streams}


def _costs(
    lab: Lab, url: str, accept: list[str], large: int, processes: Mapping[str, int]
) -> dict[str, float]:
    """Processor seconds of a request for next to nothing and for each GB of log, and bytes sent."""
    small_count, large_count = lab.choose(400, 20), lab.choose(6, 2)
    small, _ = _spent(url.format("small.txt.gz"), accept, small_count, processes)
    spent, sent = _spent(url.format("large.txt.gz"), accept, large_count, processes)
    costs = {"sent share": round(sent / large_count / large, 4)}
    for name in processes:
        each = small[name] / small_count
        costs[f"{name}, request"] = round(each, 6)
        costs[f"{name}, GB"] = max(0, round((spent[name] / large_count - each) / large * 1e9, 3))
    return costs


def _spent(
    url: str, accept: list[str], count: int, processes: Mapping[str, int]
) -> tuple[dict[str, float], int]:
    """Processor seconds by process, and bytes sent, of so many requests one after the other."""
    before = {name: _processor_seconds(pid) for name, pid in processes.items()}
    sent = sum(_size(url, accept) for _ in range(count))
    spent = {name: _processor_seconds(pid) - before[name] for name, pid in processes.items()}
    return spent, sent


def _size(url: str, accept: list[str]) -> int:
    """Bytes of an answer's body."""
    headers = {"Accept": accept[0], "Accept-Encoding": accept[1]}
    with urlopen(Request(url, headers=headers), timeout=60) as answer:
        return sum(map(len, iter(partial(answer.read, 2**20), b"")))


def _streams(lab: Lab, server: Any) -> dict[str, float]:
    """Memory and connections to Swift of readers that have stopped in the middle of a page."""
    before = _memory(server.process.pid)
    port = urlsplit(lab.swift.url).port
    assert port
    with contextlib.ExitStack() as readers:
        for _ in range(STREAMS):
            readers.enter_context(_stopped_reader(server.url))
        poll(lambda: _is_still(server.process.pid), lambda: TimeoutError("no rest"), 60)
        memory, connections = _memory(server.process.pid), _connections(port)
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
    """Whether the workers have used no processor time for some system calls' time."""
    before = _processor_seconds(pid)
    for _ in range(2000):
        Path("/proc/self/stat").read_bytes()
    return _processor_seconds(pid) == before


def _connections(port: int) -> int:
    """TCP connections to a port of this machine."""
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(row.split()[2].endswith(f":{port:04X}") and row.split()[3] == "01" for row in rows)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _family(int(child))


def _processor_seconds(pid: int) -> float:
    """Of a process and all that it started, user and system."""
    fields = [
        Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in _family(pid)
    ]
    return sum(int(row[11]) + int(row[12]) for row in fields) / _TICKS


def _memory(pid: int) -> int:
    """Bytes that a process and all that it started have for themselves."""
    return sum(
        int(row.split()[1]) * 1024
        for one in _family(pid)
        for row in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        if row.startswith(("Private_Clean:", "Private_Dirty:"))
    )


if __name__ == "__main__":
    main()
