# SPDX-License-Identifier: Apache-2.0
import gzip
import random
from contextlib import ExitStack
from hashlib import md5

import pytest

from oslogserve.upload.payload import Changed, media_type_of, payload_of
from tests.kit.packing import frame, frames

LINES = b"2013-09-27 18:22:11.248 1 INFO nova a line\n" * 1000
NOISE = random.Random(1).randbytes(50_000)
#: Text that no gzip makes shorter by a tenth.
NOISY_TEXT = NOISE.translate(None, bytes([*range(32), 127]))


def digest(content):
    return md5(content, usedforsecurity=False).hexdigest()


@pytest.fixture
def payload(tmp_path):
    """Makes the payload of a file with these bytes."""
    with ExitStack() as opened:

        def make(stored, name="a.txt", size=None, segment_size=10**9, may_gzip=True):
            path = tmp_path / "file"
            path.write_bytes(stored)
            file = opened.enter_context(path.open("rb"))
            size = len(stored) if size is None else size
            return opened.enter_context(payload_of(file, size, name, segment_size, may_gzip))

        yield make


def bytes_of(payload):
    file = payload.segments[0].file
    file.seek(0)
    return file.read(payload.size)


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("logs/screen-n-cpu", LINES, "text/plain; charset=utf-8"),
        ("noise.txt", NOISY_TEXT, "text/plain; charset=utf-8"),
        ("console.html", b"<pre>\n<span>a line", "text/plain; charset=utf-8"),
        ("report.html", b"<!doctype html><title>", "text/html; charset=utf-8"),
        ("a.log", gzip.compress(LINES), "application/gzip"),
        ("a.log.zst", frame(LINES), "application/zstd"),
        ("a.log", frames(LINES, 100), "application/zstd"),
        ("core", b"\x7fELF\0\0", "application/octet-stream"),
    ],
)
def test_a_type_is_the_one_that_the_server_sends(name, head, media_type):
    assert media_type_of(name, head) == media_type


def test_text_is_stored_gzipped_and_always_as_the_same_bytes(payload):
    first, second = payload(LINES), payload(LINES)
    assert (first.encoding, first.etag) == ("gzip", second.etag)
    assert gzip.decompress(bytes_of(first)) == LINES
    assert first.size == len(bytes_of(first)) < len(LINES) / 10


@pytest.mark.parametrize(
    ("stored", "name", "may_gzip"),
    [
        (b"a short log\n" * 80, "a.txt", True),
        (b"", "a.txt", True),
        (NOISY_TEXT, "noise.txt", True),
        (gzip.compress(LINES * 100), "a.txt.gz", True),
        (frame(LINES * 100), "a.txt.zst", True),
        (b"\x89PNG\r\n\x1a\n" + bytes(9999), "a.png", True),
        (LINES, "a.txt", False),
    ],
)
def test_bytes_that_gzip_makes_no_shorter_are_stored_as_they_are(payload, stored, name, may_gzip):
    made = payload(stored, name, may_gzip=may_gzip)
    assert (made.encoding, bytes_of(made), made.etag) == ("", stored, digest(stored))


def test_no_file_has_more_segments_than_swift_takes(payload):
    assert len(payload(NOISE, "core.bin", segment_size=1).segments) == 1000


def test_a_file_that_grows_is_stored_as_it_was(payload):
    made = payload(NOISE, "core.bin", size=100)
    assert (made.size, made.etag) == (100, digest(NOISE[:100]))


@pytest.mark.parametrize("may_gzip", [True, False])
def test_a_file_that_gets_shorter_is_found(payload, may_gzip):
    with pytest.raises(Changed):
        payload(LINES, size=len(LINES) + 1, may_gzip=may_gzip)


@pytest.mark.parametrize("header", ["content-type", "content-encoding"])
def test_an_object_is_there_only_with_the_same_bytes_type_and_encoding(payload, header):
    made = payload(LINES)
    headers = {"content-type": made.media_type, "content-encoding": "gzip"}
    assert made.is_stored_as(headers, made.etag)
    assert not made.is_stored_as(headers, "another")
    assert not made.is_stored_as(headers | {header: "another"}, made.etag)
