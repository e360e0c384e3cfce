# SPDX-License-Identifier: Apache-2.0
"""Logs whose indexes `oslogserve index --source` made, and what is then read of their store."""

import contextlib
import random
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.servers.client import ask, ini, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, as_installed
from tests.servers.s3 import ENVIRONMENT, S3

pytestmark = pytest.mark.long

SCRIPT = str(Path(sys.executable).with_name("oslogserve"))
NAME = "job-output.txt"
LINES = 1_650_000


class Counter:
    """A proxy that counts the bytes of all answers."""

    def __init__(self, port):
        self.bytes = 0
        self._port = port
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection((HOST, self._port))
                threading.Thread(target=self._join, args=(client, server), daemon=True).start()

    def _join(self, client, server):
        with client, server:
            requests = threading.Thread(target=self._copy, args=(client, server, False))
            requests.start()
            self._copy(server, client, True)
            requests.join()

    def _copy(self, source, target, counts):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                if counts:
                    self.bytes += len(piece)
                target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def lines():
    chance = random.Random(5)
    line = "2024-03-28 12:%02d:%02d.%03d 7 %s nova.compute.manager [req-%08x] the request %d took its time\n"
    return [
        line
        % (
            *(number // 30_000, number // 500 % 60, number % 1000),
            "ERROR" if number == 700_000 else "INFO",
            *(chance.getrandbits(32), number),
        )
        for number in range(LINES)
    ]


def command(*words, **environment):
    return subprocess.run(
        [SCRIPT, *map(str, words)],
        capture_output=True,
        text=True,
        env=as_installed() | environment,
        check=False,
    )


@pytest.fixture(scope="module")
def indexed(swift, lines, tmp_path_factory):
    """The settings of Swift, the directory of indexes, the stored size of the log, and that of its index."""
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "job").mkdir()
    (folder / "job" / NAME).write_text("".join(lines))
    settings = swift.settings() | {"container": "indexed"}
    config = folder / "oslogserve.conf"
    config.write_text(ini({"swift": settings, "index": {"directory": str(folder / "index")}}))
    done = command("upload", folder / "job", "--prefix", "42", "--config", config)
    assert done.stdout.startswith("1 uploaded ("), done.stderr
    for made in ("1 indexed (", "0 indexed ("):
        done = command("index", "--source", "swift", "42", "--config", config)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(made)
    with contextlib.closing(swift.connection()) as connection:
        log = connection.head_object("indexed", f"42/{NAME}")
    [index] = (folder / "index").iterdir()
    return settings, folder / "index", int(log["content-length"]), index.stat().st_size


@pytest.fixture
def served(indexed):
    """A server that has never seen the log, the counting proxy before its Swift, and its sizes."""
    settings, directory, *sizes = indexed
    port = int(settings["auth_url"].split(":")[2].split("/")[0])
    with Counter(port) as counter:
        through = settings | {
            "auth_url": settings["auth_url"].replace(f":{port}/", f":{counter.port}/")
        }
        index = {"directory": str(directory)}
        with Gunicorn(ini({"swift": through, "index": index}), workers=2) as server:
            yield server, counter, *sizes


def test_the_end_of_a_large_log_is_read_by_its_index(served, lines):
    server, counter, size, index_size = served
    assert size > 19_000_000
    assert index_size < 0.06 * size
    before = counter.bytes
    answer = ask(server, f"/42/{NAME}?format=text&tail=100")
    assert answer.body.decode() == "".join(lines[-100:])
    assert counter.bytes - before < 0.03 * size
    assert metric(server, "oslogserve_indexes_used_total") == 1
    assert metric(server, "oslogserve_indexes_made_total") == 0


def test_a_summary_reads_nothing_and_few_errors_their_blocks(served, lines):
    server, counter, size, _ = served
    summary = ask(server, f"/42/{NAME}?format=summary")
    assert b'"ERROR": {"count": 1, "first_line": 700001}' in summary.body
    assert metric(server, "oslogserve_source_read_bytes_sum") == 0
    before = counter.bytes
    errors = ask(server, f"/42/{NAME}?format=text&level=ERROR")
    assert errors.body.decode() == lines[700_000]
    assert counter.bytes - before < 0.04 * size


def test_the_first_search_for_a_rare_word_reads_its_block_alone(served, lines):
    server, counter, size, _ = served
    before = counter.bytes
    found = ask(server, f"/42/{NAME}?format=text&q=error")
    assert found.body.decode() == lines[700_000]
    assert counter.bytes - before < 0.04 * size


def test_an_overview_reads_only_its_excerpts(served):
    server, _, size, _ = served
    overview = ask(server, "/42/?format=overview")
    assert b"the request 700000 took its time" in overview.body
    assert metric(server, "oslogserve_source_read_bytes_sum") < 0.04 * size
    assert metric(server, "oslogserve_indexes_made_total") == 0


def test_no_file_next_to_a_log_is_taken_for_its_index_nor_shown(indexed, served, swift):
    hidden = f".{NAME}.oslogserve-index"
    swift.put("indexed", {f"42/{hidden}": b"of an earlier release"})
    server, *_ = served
    assert ask(server, f"/42/{hidden}").status == 404
    assert b"oslogserve-index" not in ask(server, "/42/").body


@pytest.fixture
def s3(tmp_path):
    """A bucket of two logs, and a configuration."""
    (tmp_path / "s3").mkdir()
    with S3(tmp_path / "s3") as s3:
        s3.client.create_bucket(Bucket="logs")
        log = b"".join(b"2026-03-04 18:22:11 ERROR request %d\n" % n for n in range(20_000))
        for name in ("42/a.txt", "42/deep/b.log", "42/.hidden.log"):
            s3.put("logs", name, log)
        s3.put("logs", "42/small.txt", log[:100])
        config = tmp_path / "oslogserve.conf"
        directory = {"directory": str(tmp_path / "index")}
        config.write_text(ini({"store": s3.settings("logs"), "index": directory}))
        yield s3, config


def test_the_first_summary_of_a_job_in_a_bucket_reads_no_log(s3):
    _, config = s3
    done = command("index", "--source", "store", "42/", "--config", config, **ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 indexed (")
    assert ", 0 before, 1 too small to need one, " in done.stdout
    with Gunicorn(config.read_text(), env=ENVIRONMENT) as server:
        assert b'"lines": 20000' in ask(server, "/42/a.txt?format=summary").body
        assert metric(server, "oslogserve_source_read_bytes_sum") == 0
        assert ask(server, "/42/?format=summary").status == 200
        assert metric(server, "oslogserve_source_read_bytes_sum") < 1000  # the small log
        assert metric(server, "oslogserve_indexes_made_total") == 0


def test_what_is_not_there_and_a_store_that_is_gone_are_told_in_a_sentence(s3):
    store, config = s3
    index = lambda: command("index", "--source", "store", "42/c", "--config", config, **ENVIRONMENT)
    done = index()
    assert (done.returncode, done.stderr) == (2, "oslogserve: store has no log or folder 42/c\n")
    store.__exit__(None, None, None)
    done = index()
    assert done.returncode == 2
    assert done.stderr.startswith("oslogserve: The log may be there, but a source could not be")
    assert done.stderr.count("\n") == 1
