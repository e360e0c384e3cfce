# SPDX-License-Identifier: Apache-2.0
"""One GET, timed by a process of its own, so that neither server nor benchmark shares its GIL.

Run as a script it prints the Fetch as JSON. It only counts what it receives: a few large
``recv_into`` a millisecond, several times faster than any server measured here (``own_speed``).
"""

import dataclasses
import json
import socket
import subprocess
import sys
import threading
import time

BUFFER = 1 << 20
"""More than loopback ever hands over at once."""

TIMEOUT = 600
"""Seconds without a byte. A server that stops answering must not stop the benchmark for good."""


class BadAnswer(Exception):
    """Not 200, or cut short: its time says nothing."""


@dataclasses.dataclass(frozen=True)
class Fetch:
    first_byte: float
    """Seconds from before the connection to the first byte of the BODY: headers alone show nothing."""
    total: float
    size: int
    """Bytes of body received, the framing of chunks included."""


def fetch(port: int, target: str, accept: str) -> Fetch:
    """GET ``target`` in a new process."""
    command = [sys.executable, __file__, str(port), target, accept]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadAnswer(f"{target}: {done.stderr.strip().splitlines()[-1]}")
    return Fetch(**json.loads(done.stdout))


def get(port: int, target: str, accept: str) -> Fetch:
    buffer = bytearray(BUFFER)
    request = (
        f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Accept: {accept}\r\nConnection: close\r\n\r\n"
    )
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
        connection.sendall(request.encode())
        head, received, last = _read_head(connection, buffer)
        while not received and (count := connection.recv_into(buffer)):
            received, last = count, bytes(buffer[:count][-5:])
        first_byte = time.perf_counter() - start
        while count := connection.recv_into(buffer):
            received += count
            last = (last + buffer[max(0, count - 5) : count])[-5:]
    total = time.perf_counter() - start
    _check(head, received, last)
    return Fetch(first_byte, total, received)


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


def _check(head: bytes, received: int, last: bytes) -> None:
    status, *lines = head.split(b"\r\n")
    if status.split()[1] != b"200":
        raise BadAnswer(status.decode("latin-1"))
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(b":") for x in lines)}
    length = headers.get(b"content-length")
    if length is not None and int(length) != received:
        raise BadAnswer(f"{received} bytes of {int(length)}")
    if headers.get(b"transfer-encoding") == b"chunked" and last != b"0\r\n\r\n":
        raise BadAnswer(f"cut short after {received} bytes")


def own_speed(size: int) -> float:
    """Bytes a second when the other end does nothing but send the same buffer again and again."""
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
        found = fetch(listener.getsockname()[1], "/", "*/*")
        sender.join()
    return found.size / found.total


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(get(int(sys.argv[1]), sys.argv[2], sys.argv[3]))))
