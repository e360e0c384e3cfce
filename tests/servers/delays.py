# SPDX-License-Identifier: Apache-2.0
"""A server whose answers take known times, and which tells how long each really took.

/fixed, /two-peaked and /heavy-tailed wait as they are named, /none does not wait; /short breaks off
midway, /503 fails, /never never answers, /waiting
answers once somebody waits for that. /truth has the seconds that each took since it was read
last, from the request's last byte to the answer's first.
"""

import asyncio
import contextlib
import json
import random
import sys
import time
import urllib.request

from .process import HOST, Server, environment, free_port

BODY = b"x" * 100
_random = random.Random(2013)
DELAYS = {
    "fixed": lambda: 0.05,
    "two-peaked": lambda: _random.choice((0.02, 0.08)),
    "heavy-tailed": lambda: min(2.0, 0.01 * _random.paretovariate(1.5)),
    "none": lambda: 0.0,
}


class Delays(Server):
    def __init__(self):
        super().__init__("delays")
        port = free_port()
        self.url = f"http://{HOST}:{port}"
        command = [sys.executable, "-m", "tests.servers.delays", str(port)]
        self.process = self._child(
            command, self.root / "log", ready=[port], env=environment(PYTHONPATH=".")
        )

    def _begin(self):
        self.process.start()

    def wait_for_a_client_of_never(self):
        with urllib.request.urlopen(f"{self.url}/waiting", timeout=60) as answer:
            answer.read()


class _Answers:
    def __init__(self):
        self._truth = {}
        self._waiting = asyncio.Event()

    async def serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split()[1].decode().partition("?")[0][1:]
                await self._answer(path, writer)
        writer.close()

    async def _answer(self, path, writer):
        came = time.perf_counter()
        status, body, size = "200 OK", BODY, len(BODY)
        if path == "truth":
            body = json.dumps(self._truth).encode()
            size = len(body)
            self._truth = {}
        elif path == "short":
            size += 1
        elif path == "503":
            status = "503 Service Unavailable"
        elif path == "never":
            self._waiting.set()
            await asyncio.Event().wait()
        elif path == "waiting":
            await self._waiting.wait()
        elif delay := DELAYS[path]():
            await asyncio.sleep(delay)
        head = f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\nLog-Worker: 17\r\n\r\n"
        writer.write(head.encode() + body)
        if path in DELAYS:
            self._truth.setdefault(path, []).append(time.perf_counter() - came)
        if size > len(body):
            raise ConnectionResetError


async def _main(port):
    server = await asyncio.start_server(_Answers().serve, HOST, port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
