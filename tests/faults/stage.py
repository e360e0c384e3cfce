# SPDX-License-Identifier: Apache-2.0
"""A server under test, and what its answers are while nothing is wrong."""

import contextlib
import socket

from tests.faults.leaks import leaked, open_descriptors, waiting, workers
from tests.faults.reading import Reader
from tests.faults.rows import RANGE
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

#: Large logs at once: half of the threads may be at them.
LARGE_LOGS = 8
THREADS = 2 * LARGE_LOGS
#: [swift] of the servers under test: every bound is short.
ANSWER_TIMEOUT = 6
READ_TIMEOUT = 2
BOUNDS = {"connect_timeout": 1, "read_timeout": READ_TIMEOUT, "answer_timeout": ANSWER_TIMEOUT}
#: Seconds after a fault until a source that was left alone is asked again.
RECOVERY = 60
#: Bytes of a range.
RANGED = 100_000
#: So many looks in a row at what a stalled reader has not taken must see the same.
LOOKS = 5


class Stage:
    """One worker of `sections`, so that its descriptors are those of one process.

    source: which one its logs are asked of. probe: the path of a small log that is always there.
    """

    def __init__(self, source, sections, probe, env=None):
        self.source = source
        self.server = Gunicorn(ini(sections), "--threads", str(THREADS), env=env)
        self._probe = f"/{probe}?source={source}"
        self._healthy = {}

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.server)
            poll(lambda: len(workers(self.server)) == 1, lambda: AssertionError("no worker"), 20)
            (self.worker,) = workers(self.server)
            self._warm_up()
            self._resources = stack.pop_all()
        return self

    def __exit__(self, *exc_info):
        self._resources.close()

    def _warm_up(self):
        """Sends requests until every thread is there, and a connection for each."""
        self.settle()  # the first token is dear
        self._start_threads()
        for _ in range(3):
            readers = [Reader(self.server, self._probe) for _ in range(2 * THREADS)]
            for reader in readers:
                reader.result()
        self._connect()
        self.hung_up()
        self.descriptors = open_descriptors(self.worker)

    def _start_threads(self):
        """Sends as many beginnings of a request as there are threads: each keeps one of them."""
        address = ("127.0.0.1", self.server.port)
        with contextlib.ExitStack() as stack:
            for _ in range(THREADS):
                client = stack.enter_context(socket.create_connection(address))
                client.sendall(b"GET / HTTP/1.1\r\n")
            poll(
                lambda: open_descriptors(self.worker).threads > THREADS,
                lambda: AssertionError("not every thread is there"),
                RECOVERY,
            )

    def _connect(self):
        pass

    def hung_up(self):
        """Waits until the server has closed the connections that its readers closed."""
        poll(
            lambda: waiting(self.server.port)[0] == 0,
            lambda: AssertionError("connections stay open"),
            RECOVERY,
        )

    def range_at(self, name):
        """Where a range of the log's text begins: behind what has come when the trouble begins."""
        return 2_900_000

    def address(self, name, view):
        return f"/{name}?source={self.source}&format={'text' if view == RANGE else view}"

    def reader(self, name, view, **options):
        if view == RANGE:
            first = self.range_at(name)
            options["headers"] = {"Range": f"bytes={first}-{first + RANGED - 1}"}
        return Reader(self.server, self.address(name, view), **options)

    def stalled(self, name, view):
        """A reader that takes no more, and the server has noticed: it sends no more either."""
        reader = self.reader(name, view, stalls=True)
        reader.stalled()
        looks = []

        def unmoved():
            looks.append(waiting(self.server.port)[1])
            return len(looks) > LOOKS and len(set(looks[-LOOKS:])) == 1

        poll(unmoved, lambda: AssertionError("it goes on without its reader"), RECOVERY)
        return reader

    def read(self, name, view, **options):
        return self.reader(name, view, **options).result()

    def healthy(self, name, view):
        """The answer while nothing is wrong, fetched once. Of a range too, all of the text is fetched:
        then its length is known.
        """
        key = (name, view)
        if key not in self._healthy:
            self._healthy[key] = self.answer(name, view)
        return self._healthy[key]

    def answer(self, name, view):
        answer = ask(self.server, self.address(name, view))
        if answer.status != 200:
            raise AssertionError(f"{self.address(name, view)}: {answer.status} {answer.body}")
        if view == RANGE:
            return answer.body[self.range_at(name) :][:RANGED]
        return answer.body

    def settle(self):
        """Waits until the source is used again after a fault."""
        poll(
            lambda: ask(self.server, self._probe).status == 200,
            lambda: AssertionError(f"{self.source} is not used again after a fault"),
            RECOVERY,
        )

    def leaked(self):
        return leaked(self.worker, self.descriptors)
