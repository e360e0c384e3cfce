# SPDX-License-Identifier: Apache-2.0
"""Three instances behind nginx over one real Swift: they share nothing, and each may go at any time."""

import contextlib
import gzip
import http.client
import itertools
import os
import signal
import threading
from collections import Counter

import pytest

from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import HOST, poll

LINE = b"2026-03-04 18:22:%02d.%03d %d %b nova.compute [-] line %d of a log like any other\n"
LEVELS = (b"INFO", b"DEBUG", b"INFO", b"ERROR", b"WARNING")
SMALL, LARGE = 200, 120_000
HTML = {"Accept": "text/html"}
#: Path and headers of what readers ask for.
REQUESTS = [
    ("/small.txt", HTML),
    ("/small.txt.gz?level=ERROR", {}),
    ("/small.txt?format=jsonl", {}),
    ("/large.txt.gz", {}),
    ("/large.txt?q=119999", HTML),
    ("/large.txt", HTML),
    ("/large.txt", {"Range": "bytes=5000000-6000000"}),
    ("/", HTML),
    ("/none.txt", {}),
]
READERS = 6
#: Answers of each instance before one of them goes, and of all after it has gone.
ENOUGH = 5
PATIENCE = 120


def log(count):
    return b"".join(
        LINE % (n % 60, n % 1000, n, LEVELS[n % len(LEVELS)], n) for n in range(1, count + 1)
    )


class Nodes(list):
    """The instances."""

    def find(self, address):
        """The instance that nginx named: the last one, behind those that did not answer."""
        port = int(address.rpartition(":")[2])
        return next(place for place, node in enumerate(self) if node.port == port)


@pytest.fixture
def nodes(swift, tmp_path):
    for name, count in {"small.txt": SMALL, "large.txt": LARGE}.items():
        (tmp_path / name).write_bytes(log(count))
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(log(count), 1))
    swift.upload(tmp_path, "scaled")
    config = ini({"swift": swift.settings("scaled")})
    with contextlib.ExitStack() as running:
        yield Nodes(running.enter_context(Gunicorn(config)) for _ in range(3))


@pytest.fixture
def front(nodes):
    with Nginx(*nodes) as nginx:
        yield nginx


def asked(port, path, headers):
    """(status, headers, body). Raises OSError or HTTPException where the answer is not complete."""
    with contextlib.closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        try:
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            error.node = answer.headers["Test-Node"]
            raise


class Readers:
    """Threads that ask for everything again and again, and compare what comes."""

    def __init__(self, front, nodes, expected):
        self.front, self.nodes, self.expected = front, nodes, expected
        self.answers, self.lost, self.wrong = Counter(), Counter(), []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(n,)) for n in range(READERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _read(self, first):
        for place in itertools.count(first):
            if self._stop.is_set():
                return
            path, headers = REQUESTS[place % len(REQUESTS)]
            try:
                status, found, body = asked(self.front.port, path, headers)
            except (OSError, http.client.HTTPException) as error:
                node = getattr(error, "node", None)
                self.lost[self.nodes.find(node) if node else None] += 1
                continue
            if (status, body) != self.expected[place % len(REQUESTS)]:
                self.wrong.append((path, status, found["Test-Node"], body[:200]))
            self.answers[self.nodes.find(found["Test-Node"])] += 1

    def until(self, condition):
        """Waits; ends at once where an answer was wrong."""
        poll(
            lambda: self.wrong or condition(),
            lambda: AssertionError((self.answers, self.lost)),
            PATIENCE,
        )
        assert self.wrong == []

    def until_more(self, *places):
        """Waits for some more answers of each of these instances."""
        before = self.answers.copy()
        self.until(lambda: all(self.answers[n] - before[n] >= ENOUGH for n in places))


@pytest.fixture
def expected(nodes):
    """Status and body of each request: the same of every instance, with the same validators."""
    answers = []
    for path, headers in REQUESTS:
        found = [asked(node.port, path, headers) for node in nodes]
        assert len({(status, body) for status, _, body in found}) == 1, path
        assert len({headers["ETag"] for _, headers, _ in found}) == 1, path
        answers.append((found[0][0], found[0][2]))
    assert [status for status, _ in answers] == [200] * 6 + [206, 200, 404]
    assert answers[3][1] == log(LARGE)
    return answers


@pytest.mark.long
def test_instances_come_and_go_under_load(front, nodes, expected):
    gone, drained, kept = range(3)
    with Readers(front, nodes, expected) as readers:
        readers.until_more(gone, drained, kept)

        nodes[gone].process.kill_family()
        readers.until_more(drained, kept)

        # Half of an answer is out when it is told to end.
        slow = http.client.HTTPConnection(HOST, nodes[drained].port, timeout=PATIENCE)
        slow.request("GET", "/large.txt.gz")
        answer = slow.getresponse()
        half = answer.read(100_000)
        os.kill(nodes[drained].process.pid, signal.SIGTERM)
        readers.until_more(kept)
        assert half + answer.read() == log(LARGE)
        slow.close()
        nodes[drained].process.wait()
        readers.until_more(kept)

        nodes[gone].process.start()
        readers.until_more(gone, kept)
    assert readers.wrong == []
    assert set(readers.lost) <= {gone}
    assert readers.lost[gone] <= READERS


def test_what_one_instance_said_holds_at_another(nodes):
    """A reader's next request may reach any of them."""
    one, other, _ = nodes
    _, headers, whole = asked(one.port, "/large.txt", {})
    tag = headers["ETag"]
    assert asked(other.port, "/large.txt", {"If-None-Match": tag})[0] == 304
    rest = {"Range": "bytes=100000-", "If-Range": tag}
    status, _, body = asked(other.port, "/large.txt", rest)
    assert (status, body) == (206, whole[100_000:])
