# SPDX-License-Identifier: Apache-2.0
"""gunicorn with the settings that we ship: started either way, and its workers' metrics."""

import os
import re
import signal
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from oslogserve.query import MAX_QUERY
from tests.servers.client import ask, begin
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

REQUESTS = 40


@pytest.fixture(params=[False, True], ids=["oslogserve serve", "etc/gunicorn.conf.py"])
def server(request, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one line\n")
    config = f"[disk]\nroot = {tmp_path}\n"
    with Gunicorn(config, shipped_config=request.param) as server:
        yield server


def get(server, path):
    with urllib.request.urlopen(server.url + path, timeout=20) as answer:
        return answer.read()


def counted(server):
    text = get(server, "/metrics").decode()
    samples = re.findall(r"^oslogserve_responses_total(?:\{[^}]*\})? (\S+)$", text, re.MULTILINE)
    return sum(map(float, samples))


def load(server):
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: get(server, "/a.txt"), range(REQUESTS)))


def workers(server):
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return [int(pid) for pid in children.read_text().split()]


def test_a_query_as_long_as_one_may_be_is_answered(server):
    query = "&".join(["not=" + "x" * 507] * 8)
    assert len(query) == MAX_QUERY - 1
    assert get(server, f"/a.txt?{query}") == b"one line\n"


def test_two_workers_metrics_add_up(server):
    poll(
        lambda: len(workers(server)) == 2,
        lambda: AssertionError(server.process.tail()),
        seconds=20,
    )
    before = counted(server)
    assert all(b"one line" in body for body in load(server))
    look = 1  # the look at the metrics before may have counted as a request too
    assert counted(server) - before in (REQUESTS, REQUESTS + look)


def test_a_killed_worker_is_replaced_and_what_it_counted_stays(server):
    load(server)
    before = counted(server)
    old = workers(server)
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    poll(
        lambda: len(set(workers(server)) - set(old)) == 2,
        lambda: AssertionError(server.process.tail()),
        seconds=20,
    )
    assert counted(server) >= before
    (folder,) = server.root.glob("oslogserve-metrics-*")
    files = [path.name.partition("-")[0] for path in folder.iterdir()]
    assert files.count("0") == 1
    assert not set(files) & set(map(str, old))


def test_the_folder_of_the_metrics_goes_with_the_server(server):
    assert list(server.root.glob("oslogserve-metrics-*"))
    os.kill(server.process.pid, signal.SIGTERM)
    server.process.wait()
    assert not list(server.root.glob("oslogserve-metrics-*"))


def test_a_full_worker_leaves_connections_to_others(tmp_path):
    (tmp_path / "large.txt").write_bytes(b"a line like any other\n" * 400_000)
    config = f"[disk]\nroot = {tmp_path}\n"
    options = ("--workers", "2", "--threads", "2")
    env = {"OSLOGSERVE_THREADS": "64"}  # so that large logs may take all threads
    with (
        Gunicorn(config, *options, shipped_config=True, env=env) as server,
        ExitStack() as stack,
    ):
        for _ in range(3):  # slow readers: one worker is full, the other has a thread
            connection, answer = begin(server, "/large.txt?format=html")
            stack.callback(connection.close)
            assert (answer.status, len(answer.read(1))) == (200, 1)
        for _ in range(40):
            assert ask(server, "/healthz", timeout=5).status == 200


def test_a_hup_makes_the_changed_configuration_count_and_leaves_one_with_faults_alone(tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(f"{folder}\n")
    with Gunicorn(f"[disk]\nroot = {tmp_path}/old\n") as server:
        assert get(server, "/a.txt") == b"old\n"
        first = workers(server)

        def reload(config):
            (server.root / "oslogserve.conf").write_text(config)
            before = set(workers(server))
            os.kill(server.process.pid, signal.SIGHUP)
            poll(
                lambda: len(workers(server)) == 2 and not before & set(workers(server)),
                lambda: AssertionError(server.process.tail()),
                20,
            )

        reload(f"[disk]\nroot = {tmp_path}/new\n")
        assert get(server, "/a.txt") == b"new\n"
        reload(f"[disk]\nroots = {tmp_path}/old\n")
        assert get(server, "/a.txt") == b"new\n"
        assert not set(first) & set(workers(server))
        told = server.log.read_text()
    assert "the configuration stays as it was: " in told
    assert "[disk] roots: no such key" in told
