# SPDX-License-Identifier: Apache-2.0
"""Logs that `oslogserve upload` has stored with their indexes, and what is then read of Swift."""

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


@pytest.fixture(scope="module")
def uploaded(swift, lines, tmp_path_factory):
    """The settings of Swift, the stored size of the log, and that of its index."""
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "job").mkdir()
    (folder / "job" / NAME).write_text("".join(lines))
    settings = swift.settings() | {"container": "indexed"}
    config = folder / "upload.conf"
    config.write_text(ini({"swift": settings}))
    words = [SCRIPT, "upload", str(folder / "job"), "--prefix", "42", "--config", str(config)]
    done = subprocess.run(
        [*words, "--expire", "30d"], check=True, capture_output=True, env=as_installed()
    )
    assert b"1 uploaded (" in done.stdout
    assert b", 1 indexed, " in done.stdout
    again = subprocess.run(words, check=True, capture_output=True, env=as_installed())
    assert again.stdout.startswith(b"0 uploaded (")
    assert b"indexed" not in again.stdout
    with contextlib.closing(swift.connection()) as connection:
        log = connection.head_object("indexed", f"42/{NAME}")
        index = connection.head_object("indexed", f"42/.{NAME}.oslogserve-index")
    assert index["x-delete-at"] >= log["x-delete-at"]
    return settings, int(log["content-length"]), int(index["content-length"])


@pytest.fixture
def served(uploaded, swift, tmp_path):
    """A server that has never seen the log, the counting proxy before its Swift, and its sizes."""
    settings, *sizes = uploaded
    port = int(settings["auth_url"].split(":")[2].split("/")[0])
    with Counter(port) as counter:
        through = settings | {
            "auth_url": settings["auth_url"].replace(f":{port}/", f":{counter.port}/")
        }
        index = {"directory": str(tmp_path / "index")}
        with Gunicorn(ini({"swift": through, "index": index}), workers=2) as server:
            yield server, counter, *sizes


def test_the_end_of_a_large_log_is_read_by_the_index_beside_it(served, lines):
    server, counter, size, index_size = served
    assert size > 19_000_000
    assert index_size < 0.06 * size
    before = counter.bytes
    answer = ask(server, f"/42/{NAME}?format=text&tail=100")
    assert answer.body.decode() == "".join(lines[-100:])
    first = counter.bytes - before
    assert first < 0.03 * size + index_size
    before = counter.bytes
    answer = ask(server, f"/42/{NAME}?format=text&tail=50")
    assert answer.body.decode() == "".join(lines[-50:])
    assert counter.bytes - before < 0.03 * size  # the index is in the directory now
    assert metric(server, "oslogserve_indexes_used_total") == 2
    assert metric(server, "oslogserve_indexes_made_total") == 0


def test_a_summary_and_few_errors_are_read_by_it_too(served, lines):
    server, counter, size, index_size = served
    before = counter.bytes
    summary = ask(server, f"/42/{NAME}?format=summary")
    assert b'"ERROR": {"count": 1, "first_line": 700001}' in summary.body
    assert counter.bytes - before < 0.01 * size + index_size
    before = counter.bytes
    errors = ask(server, f"/42/{NAME}?format=text&level=ERROR")
    assert errors.body.decode() == lines[700_000]
    assert counter.bytes - before < 0.04 * size


def test_the_first_search_for_a_rare_word_reads_its_block_alone(served, lines):
    server, counter, size, index_size = served
    before = counter.bytes
    found = ask(server, f"/42/{NAME}?format=text&q=error")
    assert found.body.decode() == lines[700_000]
    assert counter.bytes - before < 0.04 * size + index_size


def test_the_index_is_hidden_from_readers(served):
    server, *_ = served
    assert ask(server, f"/42/.{NAME}.oslogserve-index").status == 404
    assert b"oslogserve-index" not in ask(server, "/42/").body
