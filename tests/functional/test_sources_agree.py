# SPDX-License-Identifier: Apache-2.0
"""The same log gives the same answer, wherever it lies and however it is read."""

import gzip
import html
import re

import pytest

from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

ROW = re.compile(r"<li[^>]* id=L(\d+)><a href=#L\1[^>]*>#</a>(.*)\n")
TAG = re.compile(r"</?(?:a|span|b|s|i)\b[^>]*>")


def written(root, logs):
    """Each log, as it is and with its packing changed; what is no log, as it is."""
    for folder in ("plain", "packed"):
        (root / folder).mkdir()
    for path in logs:
        stored = path.read_bytes()
        text = gzip.decompress(stored) if path.suffix == ".gz" else stored
        name = path.name.removesuffix(".gz")
        (root / "plain" / name).write_bytes(text)
        if path.suffix in (".txt", ".gz"):
            (root / "packed" / f"{name}.gz").write_bytes(gzip.compress(text, 1))


@pytest.fixture(scope="module", params=["demo", "samples"])
def stored(request, swift, tmp_path_factory):
    root = tmp_path_factory.mktemp(f"sources-agree-{request.param}-")
    files = request.getfixturevalue(request.param).rglob("*.*")
    # The pages of a log of 50 MB are for test_big_logs.
    written(root, [path for path in files if path.stat().st_size < 2_000_000 and path.is_file()])
    swift.upload(root, root.name)
    return root


@pytest.fixture(
    scope="module",
    params=[
        65536,
        pytest.param(1024, marks=pytest.mark.long),
        pytest.param(1 << 20, marks=pytest.mark.long),
    ],
)
def server(request, swift, stored):
    settings = {
        "disk": {"root": stored},
        "swift": swift.settings(stored.name),
        "serve": {"chunk_size": request.param},
    }
    with Gunicorn(ini(settings), "--workers", "1", "--threads", "8") as server:
        yield server


def test_disk_and_swift_plain_and_packed_give_the_same_log(server, stored):
    for packed in sorted((stored / "packed").iterdir()):
        name = packed.name.removesuffix(".gz")
        expected = (stored / "plain" / name).read_bytes()
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
        is_shown_whole(pages.pop(), expected)


def is_shown_whole(page, expected):
    rows = ROW.findall(page.decode("utf-8", "replace"))
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    if b"\x1b" in expected:  # a page shows colours in their place
        return
    lines = "".join(html.unescape(TAG.sub("", line)) + "\n" for _, line in rows)
    end = "" if expected.endswith(b"\n") else "\n"
    assert lines == expected.decode("utf-8", "replace") + end


def test_raw_gives_the_stored_bytes_of_either_source(server, stored):
    for path in sorted(path for path in stored.rglob("*") if path.is_file()):
        address = "/" + path.relative_to(stored).as_posix()
        for source in ("disk", "swift"):
            answer = ask(server, f"{address}?source={source}&format=raw")
            assert answer.status == 200
            assert answer.body == path.read_bytes()
            assert answer.headers["Content-Length"] == str(path.stat().st_size)


def test_what_is_no_log_passes_through_from_either_source(server, stored):
    (picture,) = stored.rglob("*.png")
    for source in ("disk", "swift"):
        answer = ask(server, f"/plain/{picture.name}?source={source}", Accept="text/html")
        assert answer.body == picture.read_bytes()
        assert answer.headers["Content-Type"] == "image/png"
