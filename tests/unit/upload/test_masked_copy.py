# SPDX-License-Identifier: Apache-2.0
import gzip
import io
import os
import struct
import tarfile
import zlib
from functools import partial

import pytest

from oslogserve.logs.decode import Decoded
from oslogserve.upload.masked_copy import Reading
from oslogserve.upload.masks import Masks
from oslogserve.upload.uploader import Uploader
from tests.kit.packing import frame, skippable, streamed
from tests.unit.upload.fakes import FakeReport, FakeWriter, destination

SECRET = b"correct horse battery staple"
LINE = b"2024-03-28 12:20:43.570 1 INFO a [-] key %d is %s, says a\n"
LOG, MASKED = (b"".join(LINE % (n, key) for n in range(20_000)) for key in (SECRET, b"***"))
gzip_of = partial(gzip.compress, mtime=0)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9


@pytest.fixture
def report():
    return FakeReport()


@pytest.fixture
def masks():
    return Masks({b"another secret": 1, SECRET: 2}, {})


@pytest.fixture
def upload(tmp_path, report, masks):
    """Uploads a file with these bytes. Returns what is stored of it."""

    def uploaded(name, content, writer=None):
        (tmp_path / name).write_bytes(content)
        writer = writer or FakeWriter()
        to = destination()._replace(masks=masks)
        Uploader(os.fsencode(tmp_path), iter([os.fsencode(name)]), to, writer, report).run()
        return writer.stored()

    return uploaded


def tar_of(content):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        info = tarfile.TarInfo("a.txt")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


def gzip_with(text, name=b"", comment=b"", extra=b""):
    """A gzip with these fields in its header."""
    flags = 4 * bool(extra) | 8 * bool(name) | 16 * bool(comment)
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\3"
    header += extra and struct.pack("<H", len(extra)) + extra
    header += b"".join(field + b"\0" for field in (name, comment) if field)
    return header + gzip_of(text)[10:]


def test_text_is_masked_before_it_is_packed(upload, report, masks):
    stored = upload("a.txt", LOG)
    assert gzip.decompress(stored["logs/42/7/a.txt"]) == MASKED
    assert (report.lines, report.is_complete) == ([], True)
    assert masks.summary() == "Masked 20,000 times: value 2 (20,000)"


@pytest.mark.parametrize("name", ["a.json", "a.html", "a.xml", "a.svg", "console"])
def test_formats_that_are_text_are_masked(upload, name):
    stored = upload(name, b"<!doctype html>\n" + SECRET)
    assert stored[f"logs/42/7/{name}"] == b"<!doctype html>\n***"


def test_a_gzip_of_text_is_masked_within(upload, report, masks):
    stored = upload("a.txt.gz", gzip_of(LOG[:9999]) + gzip_of(LOG[9999:]))
    assert gzip.decompress(stored["logs/42/7/a.txt.gz"]) == MASKED
    assert masks.summary() == "Masked 20,000 times: value 2 (20,000)"
    assert report.is_complete


def test_a_zstd_of_text_is_masked_within(upload, report, masks):
    stored = upload("a.txt.zst", frame(LOG[:9999]) + frame(LOG[9999:]))
    assert b"".join(Decoded([stored["logs/42/7/a.txt.zst"]])) == MASKED
    assert masks.summary() == "Masked 20,000 times: value 2 (20,000)"
    assert report.is_complete


def test_a_damaged_zstd_is_stored_masked_up_to_the_damage(upload, report):
    stored = upload("a.zst", frame(LOG)[:-9])["logs/42/7/a.zst"]
    text = Reading(Decoded([stored]))
    shown = b"".join(text)
    half = len(MASKED) // 2
    assert shown[:half] == MASKED[:half]
    assert SECRET not in shown
    assert text.broke_off.reason == "truncated"
    assert report.lines[-1].startswith("a.zst: what can be masked is stored, and no more: the comp")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", PNG),
        ("a.zst", frame(b"a line\n")),
        ("a.txt.gz", gzip_of(b"a line\n", 9)),
        ("a.tar.gz", gzip_of(tar_of(b"a line\n"))),
        ("a.txt", b"a line\n"),
        ("empty", b""),
        ("empty.gz", gzip_of(b"")),
        ("of no bytes.gz", b""),
        ("named.gz", gzip_with(b"a line\n", name=b"named")),
        ("a.zst", skippable(b"its size") + frame(b"a line\n")),
    ],
)
def test_a_file_without_a_secret_is_stored_byte_for_byte(upload, report, name, content):
    assert upload(name, content)[f"logs/42/7/{name}"] == content
    assert report.is_complete


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", PNG + SECRET),
        ("a.tar.zst", frame(tar_of(SECRET))),
        ("a.tar", tar_of(SECRET)),
        ("a.tar.gz", gzip_of(tar_of(SECRET))),
        ("cut.png", PNG + SECRET[:5]),
    ],
)
def test_what_is_no_text_is_left_out_if_it_has_a_secret(upload, report, masks, name, content):
    assert upload(name, content) == {}
    assert not report.is_complete
    why = "it has value 2, and it is no text, plain or compressed"
    assert report.lines == [f"{name}: not uploaded: {why}"]
    assert masks.summary() == "Masked 0 times"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gz", gzip_with(b"a line\n", name=SECRET)),
        ("a.gz", gzip_with(b"a line\n", comment=SECRET)),
        ("a.gz", gzip_with(b"a line\n", extra=SECRET)),
        ("a.gz", gzip_of(b"a ") + gzip_with(b"line\n", name=SECRET)),
        ("a.zst", skippable(SECRET) + frame(b"a line\n")),
        ("a.zst", frame(b"a line\n") + skippable(SECRET)),
    ],
)
def test_a_secret_around_a_compressed_text_is_left_out(upload, report, masks, name, content):
    stored = upload(name, content)[f"logs/42/7/{name}"]
    assert SECRET not in stored
    assert b"".join(Decoded([stored])) == b"a line\n"
    assert masks.summary() == "Masked 1 time: value 2 (1)"
    assert report.is_complete


def test_an_archive_with_a_secret_in_its_header_is_left_out(upload, report):
    assert upload("a.tar.gz", gzip_with(tar_of(b"a line\n"), comment=SECRET)) == {}
    [line] = report.lines
    assert line == "a.tar.gz: not uploaded: it has value 2, and it is no text, plain or compressed"


def test_a_secret_that_is_stored_in_a_compressed_text_as_it_is_counts_once(upload, masks):
    stored = gzip.compress(b"a " + SECRET, 0)
    assert SECRET in stored
    assert gzip.decompress(upload("a.gz", stored)["logs/42/7/a.gz"]) == b"a ***"
    assert masks.summary() == "Masked 1 time: value 2 (1)"


@pytest.mark.parametrize("outer", [gzip_of, frame])
@pytest.mark.parametrize("inner", [gzip_of, frame])
@pytest.mark.parametrize("name", ["a.txt.gz", "a.gz.zst", "a.tar.gz"])
def test_what_is_compressed_twice_is_left_out(upload, report, outer, inner, name):
    assert upload(name, outer(inner(LOG))) == {}
    [line] = report.lines
    why = "it is compressed twice, so it cannot be searched for what is masked"
    assert line == f"{name}: not uploaded: {why}"


def test_the_kind_of_a_text_is_told_behind_a_long_header(upload):
    begin = skippable(bytes(500_000))
    assert upload("a.zst", begin + frame(gzip_of(LOG))) == {}
    assert upload("a.tar", begin + frame(tar_of(SECRET))) == {}


NEEDS_MORE = streamed(MASKED, window_log=24)


@pytest.mark.parametrize("before", [b"", frame(b"a line\n")])
def test_a_sound_file_that_cannot_be_decompressed_here_is_left_out(upload, report, before):
    assert upload("a.zst", before + NEEDS_MORE) == {}
    why = "it cannot be searched for what is masked: the compressed data cannot be read: it needs"
    assert report.lines[0].startswith(f"a.zst: not uploaded: {why} a window")


@pytest.mark.parametrize("content", [gzip_of(LOG)[:10], bytes(99), frame(LOG)[:99]])
def test_a_damaged_file_that_has_no_text_is_left_out(upload, report, content):
    name = "a.zst" if content[:1] == b"\x28" else "a.gz"
    assert upload(name, content) == {}
    why = "it cannot be searched for what is masked: the compressed data "
    assert report.lines[0].startswith(f"{name}: not uploaded: {why}")


@pytest.mark.parametrize("damage", [b"", b"\xff" * 999])
@pytest.mark.parametrize("text", [LOG, MASKED], ids=["secrets", "none"])
def test_a_damaged_gzip_is_stored_masked_up_to_the_damage(upload, report, damage, text):
    whole = gzip_of(text)
    stored = upload("a.gz", whole[: len(whole) * 3 // 4] + damage)["logs/42/7/a.gz"]
    inflater = zlib.decompressobj(31)
    shown = inflater.decompress(stored)
    half = len(MASKED) // 2
    assert shown[:half] == MASKED[:half]
    assert SECRET not in shown
    assert not inflater.eof  # its readers see that it is cut
    assert not report.is_complete
    assert report.lines[-1].startswith("a.gz: what can be masked is stored, and no more: the comp")


def test_a_damaged_gzip_of_what_is_no_text_is_left_out(upload, report):
    assert upload("a.tar.gz", gzip_of(tar_of(b"a" * 9999))[:-9]) == {}
    [line] = report.lines
    why = "it cannot be searched for what is masked: the compressed data ends early"
    assert line == f"a.tar.gz: not uploaded: {why}"


def test_what_was_stored_without_a_mask_is_replaced_and_what_is_masked_stays(
    upload, report, tmp_path
):
    writer = FakeWriter()
    (tmp_path / "a.txt").write_bytes(LOG)
    Uploader(os.fsencode(tmp_path), iter([b"a.txt"]), destination(), writer, report).run()
    assert gzip.decompress(writer.stored()["logs/42/7/a.txt"]) == LOG
    for _ in range(2):
        upload("a.txt", LOG, writer)
        assert gzip.decompress(writer.stored()["logs/42/7/a.txt"]) == MASKED
    assert report.summary().startswith("2 uploaded")
    assert ", 1 there already, " in report.summary()


def test_a_file_that_grows_within_a_secret_leaks_no_part_of_it(upload, report, tmp_path):
    path = tmp_path / "a.txt"
    begun = b"a line\n" + SECRET[:9]
    contents = [b"a line\n" + SECRET + b"\n"]
    seen = []

    def write():
        seen.extend(writer.stored().values())
        if contents:
            path.write_bytes(contents.pop())

    writer = FakeWriter(write)
    upload("a.txt", begun, writer)
    assert [*seen, *writer.stored().values()] == [b"a line\n***", b"a line\n***\n"]
