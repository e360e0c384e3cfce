# SPDX-License-Identifier: Apache-2.0
import gzip
import random
from contextlib import closing
from hashlib import md5

import pytest

from oslogserve.upload.content import Changed, content_of, media_type_of

LINES = b"2013-09-27 18:22:11.248 1 INFO nova a line\n" * 1000
NOISE = random.Random(1).randbytes(50_000)
#: Text that no gzip makes shorter by a tenth.
NOISY_TEXT = NOISE.translate(None, bytes([*range(32), 127]))


def digest(content):
    return md5(content, usedforsecurity=False).hexdigest()


@pytest.fixture
def content(tmp_path):
    """The content of a file with these bytes, which is closed at the end."""
    opened = []

    def of(stored, name="a.txt", size=None, segment_size=10**9, packs=True):
        path = tmp_path / "file"
        path.write_bytes(stored)
        file = path.open("rb")
        opened.append(file)
        made = content_of(file, len(stored) if size is None else size, name, segment_size, packs)
        opened.append(made)
        return made

    yield of
    for one in opened:
        one.close()


def bytes_of(content):
    content.file.seek(0)
    return content.file.read(content.size)


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("job-output.txt", LINES, "text/plain; charset=utf-8"),
        ("logs/screen-n-cpu", LINES, "text/plain; charset=utf-8"),
        ("console.html", b"<pre>\n<span>a line", "text/plain; charset=utf-8"),
        ("report.html", b"<!doctype html><title>", "text/html; charset=utf-8"),
        ("a.log.gz", gzip.compress(LINES), "application/gzip"),
        ("a.log", gzip.compress(LINES), "application/gzip"),
        ("result.json", b"{}", "application/json"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("core", b"\x7fELF\0\0", "application/octet-stream"),
    ],
)
def test_a_type_is_the_one_that_the_server_sends(name, head, media_type):
    assert media_type_of(name, head) == media_type


def test_text_is_stored_gzipped_and_always_as_the_same_bytes(content):
    first, second = content(LINES), content(LINES)
    assert (first.encoding, first.etag) == ("gzip", second.etag)
    assert gzip.decompress(bytes_of(first)) == LINES
    assert first.size == len(bytes_of(first)) < len(LINES) / 10


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        (b"short\n", "a.txt"),
        (b"", "a.txt"),
        (NOISY_TEXT, "noise.txt"),
        (gzip.compress(LINES * 100), "a.txt.gz"),
        (b"\x89PNG\r\n\x1a\n" + bytes(9999), "a.png"),
    ],
)
def test_what_a_gzip_makes_no_shorter_is_stored_as_it_is(content, stored, name):
    made = content(stored, name)
    assert (made.encoding, bytes_of(made), made.etag) == ("", stored, digest(stored))


def test_noisy_text_is_text():
    assert media_type_of("noise.txt", NOISY_TEXT) == "text/plain; charset=utf-8"


def test_nothing_is_gzipped_where_that_is_off(content):
    assert bytes_of(content(LINES, packs=False)) == LINES


def test_what_is_larger_than_a_segment_has_the_etag_of_a_large_object(content):
    made = content(NOISE, "core.bin", segment_size=20_000)
    sums = [digest(NOISE[start : start + 20_000]) for start in (0, 20_000, 40_000)]
    assert [segment.md5 for segment in made.segments] == sums
    assert [segment.size for segment in made.segments] == [20_000, 20_000, 10_000]
    assert made.etag == digest("".join(sums).encode())


def test_no_file_has_more_segments_than_swift_takes(content):
    assert len(content(NOISE, "core.bin", segment_size=1).segments) == 1000


def test_a_file_that_grows_is_stored_as_it_was(content):
    made = content(NOISE, "core.bin", size=100)
    assert (made.size, made.etag) == (100, digest(NOISE[:100]))


@pytest.mark.parametrize("packs", [True, False])
def test_a_file_that_gets_shorter_is_told(content, packs):
    with pytest.raises(Changed):
        content(LINES, size=len(LINES) + 1, packs=packs)


def test_the_file_stays_open_when_its_content_is_closed(tmp_path):
    (tmp_path / "a.bin").write_bytes(NOISE)
    with (tmp_path / "a.bin").open("rb") as file:
        with closing(content_of(file, 9, "a.bin", 10**9, True)):
            pass
        assert file.read(9) == NOISE[:9]


@pytest.mark.parametrize("header", ["etag", "content-type", "content-encoding"])
def test_an_object_is_there_only_with_the_same_bytes_type_and_encoding(content, header):
    made = content(LINES)
    headers = {
        "etag": f'"{made.etag}"',
        "content-type": made.media_type,
        "content-encoding": "gzip",
    }
    assert made.is_stored_as(headers)
    assert not made.is_stored_as(headers | {header: "another"})
