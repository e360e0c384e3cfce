# SPDX-License-Identifier: Apache-2.0
"""Compressed answers, and files that the server sends by itself."""

import contextlib
import os
import zlib
from pathlib import Path

import pytest

from tests.servers.client import ask, begin, counted, ini, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import descendants, poll

GZIP = {"Accept_Encoding": "gzip, deflate, br"}
LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] line %d\n"
LOG = b"".join(LINE % n for n in range(60_000))
#: More than all the buffers between the server and a client that does not read can hold.
LARGE = 110 * 1024 * 1024


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "log.txt").write_bytes(LOG)
    return root


def serving(root, *, threads=4, env=None, **sections):
    """In one worker, so that its figures are those of one process."""
    config = ini({"disk": {"root": root}} | sections)
    return Gunicorn(config, "--threads", str(threads), env=env)


@pytest.fixture(scope="module")
def server(root):
    with serving(root) as server:
        yield server


def test_lines_can_be_read_while_the_log_still_comes(server, root):
    (root / "large.txt").write_bytes(LOG * (LARGE // len(LOG)))
    connection, response = begin(server, "/large.txt?format=html", **GZIP)
    with contextlib.closing(connection):
        seen = zlib.decompressobj(31).decompress(response.read1(65536))
    assert b"<!DOCTYPE html>" in seen


def test_a_file_is_sent_as_it_is_and_counted(root):
    with serving(root) as server:
        answer = ask(server, "/log.txt?format=text")
        assert answer.body == LOG
        assert answer.headers["Content-Length"] == str(len(LOG))
        part = ask(server, "/log.txt?format=raw", Range="bytes=100000-1999999", **GZIP)
        assert (part.status, part.body) == (206, LOG[100_000:2_000_000])
        ended = {"source": "disk", "ending": "complete"}
        counted(server, 1, "oslogserve_response_seconds_count", view="text", **ended)
        counted(server, 1, "oslogserve_response_seconds_count", view="raw", **ended)
        counted(server, len(LOG), "oslogserve_sent_bytes_total", view="text")
        counted(server, 1_900_000, "oslogserve_sent_bytes_total", view="raw")


@pytest.fixture
def large(tmp_path):
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(LARGE)
    return tmp_path / "large.txt"


def holders(server, path):
    """How many descriptors of the server's processes are of this file."""
    count = 0
    for pid in descendants(server.process.pid):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                count += os.readlink(link) == str(path)
    return count


def nobody_holds(server, path):
    poll(
        lambda: holders(server, path) == 0,
        lambda: AssertionError("the file is still open"),
        20,
    )


@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=1000-"}], ids=["whole", "range"])
def test_a_reader_that_leaves_is_aborted_and_the_file_closed(large, headers):
    with serving(large.parent, threads=2) as server:
        connection, response = begin(server, "/large.txt?format=raw", **headers)
        assert len(response.read(1000)) == 1000
        assert holders(server, large) == 1
        response.close()
        connection.close()
        labels = {"source": "disk", "view": "raw", "ending": "aborted"}
        counted(server, 1, "oslogserve_response_seconds_count", **labels)
        nobody_holds(server, large)
        assert 1000 <= metric(server, "oslogserve_sent_bytes_total", view="raw") < LARGE
        counted(server, 1, "oslogserve_requests_in_progress")  # the look at it
