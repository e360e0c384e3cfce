# SPDX-License-Identifier: Apache-2.0
"""The same log gives the same answer, wherever it lies and however it is read."""

import contextlib
import gzip
import html
import os
import re
from pathlib import Path

import pytest

from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY

CONTAINER = "test_sources_agree"
SAMPLES = Path(os.environ.get("OSLOGSERVE_SAMPLES", REPOSITORY.parent / "shared/samples"))
LOGS = (
    "screen-c-api.txt.gz",
    "screen-n-api.txt.gz",
    "console.html.gz",
    "devstacklog.txt.gz",
    "devstack@c-api.service.log.txt",
)
ORDER = ("DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR")
COUNTS = {
    "screen-c-api.txt": (2804, 486, 249, 0, 50, 0),
    "screen-n-api.txt": (11886, 2721, 271, 0, 6, 5),
}
EXPLICIT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*? (DEBUG|INFO|AUDIT|TRACE|WARNING|ERROR) ")
ROW = re.compile(r"<li[^>]* id=L(\d+)><a href=#L\1[^>]*>#</a>(.*)\n")
TAG = re.compile(r"</?(?:a|span|b|s|i)\b[^>]*>")

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no real logs in {SAMPLES}")


def content(name):
    stored = (SAMPLES / name).read_bytes()
    return gzip.decompress(stored) if name.endswith(".gz") else stored


@pytest.fixture(scope="module")
def stored(swift, tmp_path_factory):
    """Every sample, as it is and with its packing changed, on disk and in Swift."""
    root = tmp_path_factory.mktemp("logs")
    for name in LOGS:
        plain = name.removesuffix(".gz")
        (root / "packed").mkdir(exist_ok=True)
        (root / "plain").mkdir(exist_ok=True)
        (root / "packed" / f"{plain}.gz").write_bytes(gzip.compress(content(name), 1))
        (root / "plain" / plain).write_bytes(content(name))
    swift.upload(root, CONTAINER)
    return root


@pytest.fixture(scope="module", params=[1024, 65536, 1024 * 1024])
def server(request, swift, stored):
    settings = {
        "disk": {"root": stored},
        "swift": swift.settings(CONTAINER),
        "serve": {"chunk_size": request.param},
    }
    with Gunicorn(ini(settings), "--workers", "1", "--threads", "8") as server:
        yield server


@pytest.mark.parametrize("name", [name.removesuffix(".gz") for name in LOGS])
def test_disk_and_swift_plain_and_packed_give_the_same_log(server, name):
    expected = next(content(log) for log in LOGS if log.removesuffix(".gz") == name)
    pages = set()
    for source in ("disk", "swift"):
        for folder in ("plain", "packed"):
            text = ask(server, f"/{folder}/{name}?source={source}&format=text")
            assert (text.status, text.body == expected) == (200, True), (source, folder)
            page = ask(server, f"/{folder}/{name}?source={source}&format=html")
            assert page.status == 200
            lines = b"".join(re.findall(rb"<li[^>]* id=L.*\n", page.body))
            pages.add(lines.replace(b"?source=%b&amp;" % source.encode(), b"?"))
    assert len(pages) == 1
    rows = ROW.findall(pages.pop().decode("utf-8", "replace"))
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    lines = "".join(html.unescape(TAG.sub("", line)) + "\n" for _, line in rows)
    if expected:
        end = "" if expected.endswith(b"\n") else "\n"
        assert lines == expected.decode("utf-8", "replace") + end


@pytest.mark.parametrize("source", ["disk", "swift"])
@pytest.mark.parametrize("name", COUNTS)
def test_each_level_shows_the_known_number_of_lines(server, source, name):
    for folder in ("plain", "packed"):
        for floor, level in enumerate(ORDER):
            asked = f"/{folder}/{name}?source={source}&level={level}"
            expected = (0,) * floor + COUNTS[name][floor:]
            text = ask(server, f"{asked}&format=text").body.decode()
            assert explicit(text.splitlines()) == expected
            page = ask(server, f"{asked}&format=html").body.decode()
            rows = [html.unescape(TAG.sub("", line)) for _, line in ROW.findall(page)]
            assert explicit(rows) == expected


def explicit(lines):
    found = [match[1] for line in lines if (match := EXPLICIT.match(line))]
    return tuple(found.count(level) for level in ORDER)


def test_raw_gives_the_stored_bytes_of_either_source(server, stored):
    for path in sorted(path for path in stored.rglob("*") if path.is_file()):
        address = "/" + path.relative_to(stored).as_posix()
        for source in ("disk", "swift"):
            answer = ask(server, f"{address}?source={source}&format=raw")
            assert answer.status == 200
            assert answer.body == path.read_bytes()
            assert answer.headers["Content-Length"] == str(path.stat().st_size)


def test_what_is_no_log_passes_through_from_either_source(server, swift, stored):
    picture = (SAMPLES / "openstack_logo.png").read_bytes()
    (stored / "openstack_logo.png").write_bytes(picture)
    with contextlib.closing(swift.connection()) as connection:
        connection.put_object(CONTAINER, "openstack_logo.png", picture)
    for source in ("disk", "swift"):
        answer = ask(server, f"/openstack_logo.png?source={source}", Accept="text/html")
        assert answer.body == picture
        assert answer.headers["Content-Type"] == "image/png"
