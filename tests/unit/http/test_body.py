# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import time
from wsgiref.util import FileWrapper

import pytest

from oslogserve.errors import Incomplete
from oslogserve.http import ByteRange, FileRange, Response
from oslogserve.http.body import Body, FileBody
from oslogserve.metrics import Metrics


class Made:
    def __init__(self, pieces, missing=()):
        self.metrics = Metrics()
        self.metrics["requests_in_progress"].inc()
        self.closed = 0
        response = Response("200 OK", [], pieces, "text", "disk", list(missing), self.close)
        self.body = Body(response, self.metrics, time.perf_counter())

    def close(self):
        self.closed += 1

    def endings(self):
        told = self.metrics.exposition().decode()
        return re.findall(r'response_seconds_count\{ending="(\w+)"\S+ 1\.0', told)

    def sent(self):
        return float(re.search(r"sent_bytes_total\S+ (\S+)", self.metrics.exposition().decode())[1])


def failing(error):
    yield b"abc"
    raise error


def test_a_whole_answer_is_complete_and_closed_once():
    made = Made([b"abc", b"de"])
    assert b"".join(made.body) == b"abcde"
    made.body.close()
    made.body.close()
    assert made.closed == 1
    assert made.endings() == ["complete"]
    assert made.sent() == 5
    assert b"requests_in_progress 0.0" in made.metrics.exposition()


@pytest.mark.parametrize("read", [0, 1])
def test_a_client_that_left_is_aborted(read):
    made = Made([b"abc", b"de"])
    for _ in range(read):
        next(made.body)
    made.body.close()
    assert made.closed == 1
    assert made.endings() == ["aborted"]
    assert made.sent() == 3 * read


@pytest.mark.parametrize("error", [ValueError("x"), Incomplete("timeout", "x")])
def test_a_failure_is_failed_and_breaks_the_answer(error):
    made = Made(failing(error))
    assert next(made.body) == b"abc"
    with pytest.raises(type(error)):
        next(made.body)
    made.body.close()
    assert made.endings() == ["failed"]
    counted = b'incomplete_logs_total{reason="timeout",source="disk"} 1.0'
    assert (counted in made.metrics.exposition()) is isinstance(error, Incomplete)


def test_what_was_told_as_missing_is_failed_and_counted():
    made = Made([b"abc"], [Incomplete("corrupt", "x")])
    assert b"".join(made.body) == b"abc"
    made.body.close()
    assert made.endings() == ["failed"]
    assert b'incomplete_logs_total{reason="corrupt",source="disk"} 1.0' in made.metrics.exposition()


def test_an_answer_that_never_began_is_failed():
    made = Made([b"abc"])
    made.body.fail()
    assert made.endings() == ["failed"]
    assert made.sent() == 0
    assert b"requests_in_progress 0.0" in made.metrics.exposition()


# A file


class MadeFile(Made):
    """Its bytes from `first`, `size` of them, as an answer that a server may send by itself."""

    def __init__(self, path, first=0, size=None):
        self.path = path
        self.metrics = Metrics()
        self.metrics["requests_in_progress"].inc()
        self.closed = 0
        self.told = []
        self.descriptor = os.open(path, os.O_RDONLY)
        os.read(self.descriptor, 3)  # as the source did, that looked at its beginning
        size = len(CONTENT) - first if size is None else size
        file = FileRange([], self.descriptor, ByteRange(first, first + size), self.told.append)
        response = Response("200 OK", [], file, "raw", "disk", close=self.close)
        self.body = FileBody(response, self.metrics, time.perf_counter(), file)

    def close(self):
        os.close(self.descriptor)
        self.closed += 1

    def counted(self):
        assert self.closed == 1
        assert b"requests_in_progress 0.0" in self.metrics.exposition()
        return self.endings(), self.sent(), self.told


CONTENT = bytes(range(256)) * 40


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a").write_bytes(CONTENT)
    return tmp_path / "a"


@pytest.mark.parametrize(("first", "size"), [(0, None), (0, 1), (100, 5000), (10_000, None)])
@pytest.mark.parametrize("block", [1, 7, 4096, 10**6, -1])
def test_who_reads_gets_the_part_and_no_more(path, first, size, block):
    made = MadeFile(path, first, size)
    expected = CONTENT[first:] if size is None else CONTENT[first : first + size]
    assert b"".join(iter(lambda: made.body.read(block), b"")) == expected
    made.body.close()
    made.body.close()
    assert made.counted() == (["complete"], len(expected), [len(expected)])


@pytest.mark.parametrize(("first", "size"), [(0, None), (100, 5000)])
@pytest.mark.parametrize("wrapper", [FileWrapper, lambda body, size: body])
def test_servers_of_all_kinds_send_the_part(path, first, size, wrapper):
    """wsgiref's, which reads, and socket.sendfile(), which gunicorn calls."""
    made = MadeFile(path, first, size)
    expected = CONTENT[first:] if size is None else CONTENT[first : first + size]
    given = wrapper(made.body, 1000)
    if given is made.body:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            offset = os.lseek(given.fileno(), 0, os.SEEK_CUR)
            ours.sendfile(given, offset=offset, count=len(expected))
            ours.close()
            came = b"".join(iter(lambda: theirs.recv(65536), b""))
    else:
        came = b"".join(given)
    given.close()
    assert came == expected
    assert made.counted() == (["complete"], len(expected), [len(expected)])


def test_a_file_has_a_place_as_files_have(path):
    """waitress looks for the end before it reads."""
    made = MadeFile(path, 100, 50)
    assert made.body.tell() == 100
    made.body.seek(0, os.SEEK_END)
    assert made.body.tell() == 150
    made.body.seek(110)
    assert made.body.tell() == 110
    assert made.body.read() == CONTENT[110:150]
    made.body.close()
    assert made.counted()[0] == ["complete"]


def test_a_file_that_nobody_sent_is_aborted(path):
    made = MadeFile(path)
    made.body.fileno()
    made.body.close()
    assert made.counted() == (["aborted"], 0, [0])


def test_a_file_of_an_answer_that_never_began_is_failed(path):
    made = MadeFile(path)
    made.body.fail()
    assert made.counted() == (["failed"], 0, [0])


@pytest.mark.parametrize("ends", [lambda body: body.read(10), lambda body: body.seek(110)])
def test_a_file_that_was_sent_in_part_is_aborted(path, ends):
    made = MadeFile(path, 100)
    ends(made.body)
    made.body.close()
    assert made.counted() == (["aborted"], 10, [10])


@pytest.mark.parametrize(
    ("ends", "sent"),
    [
        (lambda body: [body.read(300) for _ in range(9)], 200),
        (lambda body: body.seek(300), 200),
        (lambda body: body.fileno(), 0),
    ],
    ids=["read", "sendfile", "sendfile of nothing"],
)
def test_a_file_that_was_cut_short_breaks_the_connection_and_is_failed(path, ends, sent):
    made = MadeFile(path, 100)
    os.truncate(path, 300)
    ends(made.body)
    with pytest.raises(Incomplete, match="cut short"):
        made.body.close()
    made.body.close()
    assert made.counted() == (["failed"], sent, [sent])
    counted = b'incomplete_logs_total{reason="truncated",source="disk"} 1.0'
    assert counted in made.metrics.exposition()


def test_a_file_that_was_cut_short_after_it_was_sent_is_complete(path):
    made = MadeFile(path)
    made.body.read()
    os.truncate(path, 0)
    made.body.close()
    assert made.counted()[0] == ["complete"]


def test_a_file_that_grows_is_sent_as_it_was_announced(path):
    made = MadeFile(path)
    with path.open("ab") as file:
        file.write(b"more")
    assert made.body.read() == CONTENT
    assert made.body.read() == b""
    made.body.close()
    assert made.counted()[0] == ["complete"]
