# SPDX-License-Identifier: Apache-2.0
"""Readers that keep a server busy while something is done to it, and see whether a request is lost."""

import http.client
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

from .process import poll


def write_logs(folder):
    """Writes what the readers read."""
    for number in range(Readers.COUNT):
        (folder / f"{number}.txt").write_text(f"log {number}\n")


class Readers:
    """Clients that read one log after another, until one gets no answer or a wrong one.

    `answers` counts the right ones, `lost` has the others.
    """

    COUNT = 8

    def __init__(self, server):
        self.server = server
        self.address = urlsplit(server.url).netloc
        self.answers = 0
        self.lost = []
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def read(self, number):
        """Every second reader keeps its connection, as a front does that has a pool of them."""
        connection = None
        while not (self._ended.is_set() or self.lost):
            connection = connection or http.client.HTTPConnection(self.address, timeout=60)
            wanted = f"log {number}\n".encode()
            try:
                connection.request("GET", f"/{number}.txt")
                answer = connection.getresponse()
                got = answer.status, answer.read()
            except OSError as error:
                got = repr(error), b""
            with self._lock:
                self.answers += got == (200, wanted)
                self.lost += [got] if got != (200, wanted) else []
            if number % 2 or answer.will_close:
                connection.close()
                connection = None
        if connection:
            connection.close()

    def wait_for(self, more):
        """Waits until so many more answers have come."""
        wanted = self.answers + more
        reached = poll(
            lambda: self.answers >= wanted or self.lost,
            lambda: AssertionError(f"{self.answers} of {wanted} answers"),
            60,
        )
        assert reached is True, self.lost

    @contextmanager
    def reading(self):
        with ThreadPoolExecutor(self.COUNT) as pool:
            done = [pool.submit(self.read, number) for number in range(self.COUNT)]
            try:
                yield self
            finally:
                self._ended.set()
        for one in done:
            one.result()
