# SPDX-License-Identifier: Apache-2.0
"""Parts of a log's text over HTTP, as bots ask for them: gunicorn, mod_wsgi and Swift."""

import contextlib
import gzip
import subprocess
import zlib

import pytest

from tests.kit.packing import frame
from tests.servers.apache import Apache, public_folder
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

CONTAINER = "test_ranges"
LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] line %d\n"
LOG = b"".join(LINE % n for n in range(60_000))
MORE = b"".join(LINE % n for n in range(60_000, 60_100))
SIZE = len(LOG)
GZIP = {"Accept_Encoding": "gzip, deflate, br"}
FILES = {
    "plain.txt": LOG,
    "packed.txt.gz": gzip.compress(LOG),
    "members.txt.gz": gzip.compress(LOG[:1000]) + gzip.compress(LOG[1000:]),
    "frame.txt.zst": frame(LOG),
}
#: Objects whose name says nothing of it: Content-Encoding, content.
DECLARED = {
    "declared.txt": ("gzip", gzip.compress(LOG)),
    "deflated.txt": ("deflate", zlib.compress(LOG)),
}


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        for name, content in FILES.items():
            (folder / name).write_bytes(content)
        # What lies under its bare name is found by its content.
        (folder / "declared.txt").write_bytes(FILES["packed.txt.gz"])
        yield folder


@pytest.fixture(scope="module")
def filled(swift):
    with contextlib.closing(swift.connection(retries=0)) as connection:
        connection.put_container(CONTAINER)
        for name, content in FILES.items():
            connection.put_object(CONTAINER, name, content)
        for name, (encoding, content) in DECLARED.items():
            connection.put_object(CONTAINER, name, content, headers={"Content-Encoding": encoding})
        yield swift.settings(CONTAINER)


@pytest.fixture(scope="module")
def gunicorn(logs, filled):
    with Gunicorn(ini({"disk": {"root": logs}, "swift": filled})) as server:
        yield server


@pytest.fixture(scope="module")
def apache(logs, filled):
    with Apache(logs, ini({"disk": {"root": logs}, "swift": filled})) as server:
        yield server


@pytest.fixture(scope="module", params=["gunicorn", pytest.param("apache", marks=pytest.mark.long)])
def server(request):
    return request.getfixturevalue(request.param)


TEXTS = [
    *(
        f"/{name}.txt?source={source}"
        for name in ("plain", "packed", "members", "frame", "declared")
        for source in ("disk", "swift")
    ),
    "/deflated.txt",
]


def curl(server, path, *options):
    return subprocess.run(
        ["curl", "--silent", "--show-error", "--fail", *options, server.url + path],
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("path", TEXTS)
@pytest.mark.parametrize("options", [[], ["--compressed"]], ids=["identity", "compressed"])
def test_curl_goes_on_with_what_it_has(server, tmp_path, path, options):
    file = tmp_path / "log"
    for had in (0, 1, 1_000_000, SIZE - 1):
        file.write_bytes(LOG[:had])
        ended = curl(server, path, "--continue-at", "-", "--output", file, *options)
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert file.read_bytes() == LOG


def test_what_was_appended_is_what_a_bot_lacks(gunicorn, logs, tmp_path):
    file = tmp_path / "log"
    for name, packed in (("grows.txt", lambda log: log), ("growz.txt.gz", gzip.compress)):
        (logs / name).write_bytes(packed(LOG))
        path = f"/{name.removesuffix('.gz')}"
        whole = curl(gunicorn, path, "--output", file)
        assert whole.returncode == 0
        with (logs / name).open("ab") as log:
            log.write(packed(MORE))
        assert curl(gunicorn, path, "-C", "-", "--output", file).returncode == 0
        assert file.read_bytes() == LOG + MORE
        beyond = ask(gunicorn, path, Range=f"bytes={len(LOG + MORE)}-")
        assert beyond.headers["Content-Range"] == f"bytes */{len(LOG + MORE)}"
