# SPDX-License-Identifier: Apache-2.0
"""GETs, timed by a separate process, so that neither server nor benchmark shares its GIL.

It is not the client of `oslogserve bench`: libcurl hands over its copy of each piece, for which a log
of 219 MB took 92-126 ms of a processor instead of 61-89, beside servers that need both of two
processors for their 1 GB/s; and its first byte is that of the headers, not of the body.

Run as a script it prints the Fetches as JSON. It only counts what it receives, compressed or not:
a few large ``recv_into`` a millisecond, several times faster than most servers measured here.
``fastest`` says how fast that is.
"""

import contextlib
import dataclasses
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

BUFFER = 1 << 20
"""More than loopback ever hands over at once."""

TIMEOUT = 600
"""Seconds without a byte until it is given up. A server that stops answering must not stop the benchmark for good."""


class BadAnswer(Exception):
    """The answer is not 200 or cut short: its time says nothing."""


@dataclasses.dataclass(frozen=True)
class Request:
    port: int
    target: str
    headers: dict[str, str] = dataclasses.field(default_factory=dict)

    def bytes(self) -> bytes:
        headers = {"Host": f"127.0.0.1:{self.port}", **self.headers, "Connection": "close"}
        lines = [f"GET {self.target} HTTP/1.1", *(f"{x}: {y}" for x, y in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode()


@dataclasses.dataclass(frozen=True)
class Fetch:
    first_byte: float
    """Seconds from before the connection to the first byte of the BODY: headers alone show nothing."""
    total: float
    size: int
    """Bytes of body received, as they came: compressed, and with the framing of chunks."""
    encoding: str
    """The answer's Content-Encoding."""


def fetch(request: Request, times: int = 1, seconds: float = 3600) -> list[Fetch]:
    """Fetches of a new process, each on a new connection.

    At least one, then more until there are `times` or they took `seconds`.
    """
    done = subprocess.run(
        _command(request, times, seconds), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BadAnswer(f"{request.target}: {_last_line(done.stderr)}")
    return [Fetch(**found) for found in json.loads(done.stdout)]


def fetch_each(requests: Sequence[Request], connections: int) -> float:
    """Seconds in which a new process fetches all of them, over so many connections at a time."""
    several = [dataclasses.asdict(request) for request in requests]
    command = [
        sys.executable,
        __file__,
        json.dumps({"several": several, "connections": connections}),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadAnswer(f"{requests[0].target} and others: {_last_line(done.stderr)}")
    return float(done.stdout)


@contextlib.contextmanager
def downloading(request: Request, count: int) -> Iterator[None]:
    """Context in which `count` clients download at once, each again and again."""
    clients = [
        subprocess.Popen(
            _command(request, sys.maxsize, 3600),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    try:
        yield
        if ended := [client for client in clients if client.poll() is not None]:
            raise BadAnswer(f"{request.target}: {_last_line(ended[0].communicate()[1])}")
    finally:
        for client in clients:
            client.kill()
        for client in clients:
            client.wait()
            if client.stderr:
                client.stderr.close()


def _command(request: Request, times: int, seconds: float) -> list[str]:
    options = {"request": dataclasses.asdict(request), "times": times, "seconds": seconds}
    return [sys.executable, __file__, json.dumps(options)]


def _last_line(errors: str) -> str:
    return (errors.strip().splitlines() or ["the client said nothing"])[-1]


def get(request: Request, buffer: bytearray) -> Fetch:
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", request.port), TIMEOUT) as connection:
        connection.sendall(request.bytes())
        head, received, last = _read_head(connection, buffer)
        while not received and (count := connection.recv_into(buffer)):
            received, last = count, bytes(buffer[:count][-5:])
        first_byte = time.perf_counter() - start
        while count := connection.recv_into(buffer):
            received += count
            last = (last + buffer[max(0, count - 5) : count])[-5:]
    total = time.perf_counter() - start
    return Fetch(first_byte, total, received, _checked(head, received, last))


def _read_head(connection: socket.socket, buffer: bytearray) -> tuple[bytes, int, bytes]:
    """The headers; how much of the body came along; its last bytes."""
    head = b""
    while b"\r\n\r\n" not in head:
        count = connection.recv_into(buffer)
        if not count:
            raise BadAnswer("connection closed within the headers")
        head += buffer[:count]
    head, _, body = head.partition(b"\r\n\r\n")
    return head, len(body), body[-5:]


def _checked(head: bytes, received: int, last: bytes) -> str:
    """The answer's Content-Encoding. Raises BadAnswer for one that is cut short or not 200."""
    status, *lines = head.split(b"\r\n")
    if status.split()[1] != b"200":
        raise BadAnswer(status.decode("latin-1"))
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(b":") for x in lines)}
    length = headers.get(b"content-length")
    if length is not None and int(length) != received:
        raise BadAnswer(f"{received} bytes of {int(length)}")
    if headers.get(b"transfer-encoding") == b"chunked" and last != b"0\r\n\r\n":
        raise BadAnswer(f"cut short after {received} bytes")
    return headers.get(b"content-encoding", b"").decode("latin-1")


def fastest(size: int) -> float:
    """The most bytes a second that a client takes, from a server that only sends one buffer."""
    piece = bytes(BUFFER)
    pieces = -(-size // BUFFER)

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (pieces * BUFFER))
            for _ in range(pieces):
                connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        sender = threading.Thread(target=answer)
        sender.start()
        (found,) = fetch(Request(listener.getsockname()[1], "/"))
        sender.join()
    return found.size / found.total


def _each(requests: Sequence[Request], connections: int) -> float:
    start = time.perf_counter()
    shares = [requests[number::connections] for number in range(connections)]
    with ThreadPoolExecutor(connections) as threads:
        list(threads.map(_share, shares))
    return time.perf_counter() - start


def _share(requests: Sequence[Request]) -> None:
    buffer = bytearray(BUFFER)
    for request in requests:
        get(request, buffer)


def _main(argument: str) -> None:
    options = json.loads(argument)
    if "several" in options:
        return print(_each([Request(**one) for one in options["several"]], options["connections"]))
    request = Request(**options["request"])
    buffer = bytearray(BUFFER)
    end = time.monotonic() + options["seconds"]
    found = [get(request, buffer)]
    while len(found) < options["times"] and time.monotonic() < end:
        found.append(get(request, buffer))
    print(json.dumps([dataclasses.asdict(x) for x in found]))


if __name__ == "__main__":
    _main(sys.argv[1])
