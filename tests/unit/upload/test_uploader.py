# SPDX-License-Identifier: Apache-2.0
import gzip
import os
import shutil

import pytest

from oslogserve.errors import SourceError
from oslogserve.index import beside
from oslogserve.index.log_index import IndexFile
from oslogserve.lines.contents import learn
from oslogserve.logs.decode import FirstBytes
from oslogserve.native import Contents
from oslogserve.salt import rules_of
from oslogserve.sources.objects.location import Location
from oslogserve.sources.objects.log import ObjectLog
from oslogserve.sources.swift import SOURCE
from oslogserve.upload.indexes import IndexWriter
from oslogserve.upload.payload import Changed
from oslogserve.upload.uploader import Uploader, files_below
from oslogserve.upload.writer import Interrupted
from tests.unit.upload.fakes import FakeReport, FakeWriter, destination


@pytest.fixture
def report():
    return FakeReport()


def run(root, writer, report, *paths):
    given = iter(map(os.fsencode, paths))
    Uploader(os.fsencode(root), given, destination(), writer, report).run()


def raising(error):
    def fail():
        raise error

    return fail


def found_below(root, report):
    return sorted(files_below(os.fsencode(root), report))


def test_a_file_that_is_written_to_while_it_is_stored_is_stored_again(tmp_path, report):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    contents = [b"one\ntwo\n"]
    writer = FakeWriter(lambda: contents and path.write_bytes(contents.pop()))
    run(tmp_path, writer, report, "a.txt")
    assert writer.stored() == {"logs/42/7/a.txt": b"one\ntwo\n"}
    assert (report.lines, report.is_complete) == ([], True)


def test_a_file_that_is_written_to_all_the_time_is_stored_as_it_was_and_named(tmp_path, report):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")

    def write():
        with path.open("ab") as file:
            file.write(b"more\n")

    writer = FakeWriter(write)
    run(tmp_path, writer, report, "a.txt")
    assert writer.stored() == {"logs/42/7/a.txt": b"one\nmore\n"}
    assert not report.is_complete
    assert report.lines == ["a.txt: it is written to all the time: an earlier state is stored"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (Changed(), "a.txt: not uploaded: it is written to all the time"),
        (SourceError("swift", "status 403", "forbidden"), "a.txt: not uploaded: Swift: status 403"),
        (OSError(28, "to be left out"), "a.txt: not uploaded: No space left on device"),
    ],
)
def test_a_file_that_is_not_stored_is_named_and_the_next_one_is_tried(
    tmp_path, report, error, line
):
    (tmp_path / "a.txt").write_bytes(b"a")

    def fail():
        raise error

    run(tmp_path, FakeWriter(fail), report, "a.txt", "a.txt", "missing.txt")
    assert report.lines == [line, line, "missing.txt: not uploaded: No such file or directory"]


def test_an_unreachable_swift_ends_the_upload_but_one_failing_object_does_not(tmp_path, report):
    (tmp_path / "a.txt").touch()

    def fail():
        raise SourceError("swift", "it did not answer in time", "timeout")

    writer = FakeWriter(fail)
    run(tmp_path, writer, report, *["a.txt"] * 3)
    assert (writer.stopped.is_set(), len(report.lines)) == (True, 1)
    writer.stopped.clear()
    writer.answered = float("inf")  # another file was stored meanwhile
    run(tmp_path, writer, report, *["a.txt"] * 3)
    assert (writer.stopped.is_set(), len(report.lines)) == (False, 4)


def test_a_file_whose_upload_ends_with_anothers_says_why(tmp_path, report):
    (tmp_path / "a.txt").touch()
    (tmp_path / "b.txt").touch()
    writer = FakeWriter(raising(SourceError("swift", "status 503")))
    run(tmp_path, writer, report, "a.txt")
    writer.on_replace = raising(Interrupted(writer.stop_reason))
    writer.stopped.clear()
    run(tmp_path, writer, report, "b.txt")
    assert report.lines == [
        f"{name}: not uploaded: Swift: status 503" for name in ("a.txt", "b.txt")
    ]


def test_a_file_that_became_a_link_or_a_folder_is_not_opened(tmp_path, report):
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "folder").mkdir()
    writer = FakeWriter()
    run(tmp_path, writer, report, "link.txt", "folder")
    assert report.lines == [
        "link.txt: not uploaded: Too many levels of symbolic links",
        "folder: not uploaded: it is a folder now",
    ]
    assert writer.objects == {}


def test_a_folder_that_became_a_link_is_not_entered(tmp_path, report):
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / "b.txt").touch()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "secret.txt").touch()
    found = files_below(os.fsencode(tmp_path / "root"), report)
    assert next(found) == b"b.txt"
    shutil.rmtree(tmp_path / "root" / "a")
    (tmp_path / "root" / "a").symlink_to(tmp_path / "secret")
    assert list(found) == []
    assert not report.is_complete


def test_a_name_that_is_too_long_for_swift_is_reported(tmp_path, report):
    deep = tmp_path.joinpath(*["d" * 200] * 6)
    deep.mkdir(parents=True)
    (deep / "a.txt").touch()
    assert found_below(tmp_path, report) == []
    assert "1024 bytes" in report.lines[0]
    assert not report.is_complete


LOG = b"".join(
    b"2024-03-28 12:20:43.570 1 INFO a [-] line %d of a log\n" % n for n in range(20_000)
)


def upload_with_indexes(root, writer, report, *paths):
    given = iter(map(os.fsencode, paths))
    indexes = IndexWriter(destination().config, writer, report)
    Uploader(os.fsencode(root), given, destination(), writer, report, indexes).run()


def test_the_index_of_a_large_log_is_stored_next_to_it(tmp_path, report):
    (tmp_path / "a").mkdir()
    for name, content in (
        ("large.txt", LOG),
        ("large.gz", gzip.compress(LOG)),
        ("small.txt", LOG[:9000]),
        ("page.html", b"<!doctype html>" + LOG * 9),
        ("cut.gz", gzip.compress(LOG)[:-9]),
    ):
        (tmp_path / "a" / name).write_bytes(content)
    writer = FakeWriter()
    names = sorted(f"a/{path.name}" for path in (tmp_path / "a").iterdir())
    upload_with_indexes(tmp_path, writer, report, *names)
    stored = writer.stored()
    made = sorted(name for name in stored if "oslogserve-index" in name)
    folder = "logs/42/7/a"
    assert made == [f"{folder}/.large.{end}.oslogserve-index" for end in ("gz", "txt")]
    assert report.lines == ["a/cut.gz: its index is not uploaded: the compressed data ends early"]
    for name in ("large.gz", "large.txt"):
        found = writer.head_anew(Location("logs", f"42/7/a/{name}"))
        log = ObjectLog(SOURCE, found.headers).stored._replace(encoding="gzip")
        content = stored[f"{folder}/.{name}.oslogserve-index"]
        salt = rules_of(destination().config)
        begins = lambda: FirstBytes("gzip", LOG[:1024])
        file = beside.checked(content, salt, log, lambda log=log: beside.identity(log), begins)
        assert file.facts().lines == 20_000
        assert file.has_contents


def test_an_index_is_stored_again_only_for_another_log_or_other_rules(tmp_path, report):
    (tmp_path / "a.txt").write_bytes(LOG)
    writer = FakeWriter()
    upload_with_indexes(tmp_path, writer, report, "a.txt")
    writer.on_replace = raising(SourceError("swift", "nothing is to be stored", "refused"))
    upload_with_indexes(tmp_path, writer, report, "a.txt")
    assert report.lines == []
    assert ", 1 there already, 1 indexed, " in report.summary()
    [name] = [location for location in writer.objects if location.name.startswith("42/7/.")]
    found, content = writer.objects[name]
    writer.objects[name] = found._replace(index_of="0.9"), content
    upload_with_indexes(tmp_path, writer, report, "a.txt")
    assert report.lines == ["a.txt: its index is not uploaded: nothing is to be stored"]


def indexes_in(writer):
    stored = writer.stored()
    return [
        IndexFile(stored[name].split(b"\n", 3)[3]) for name in stored if name.endswith("-index")
    ]


def test_an_uploaded_index_has_the_words_and_ids_of_each_block(tmp_path, report, monkeypatch):
    monkeypatch.setattr("oslogserve.index.indexed_log.INTERVAL", 100_000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(LOG))
    writer, expected = FakeWriter(), Contents()
    upload_with_indexes(tmp_path, writer, report, "a.gz")
    [file] = indexes_in(writer)
    blocks = file.index().blocks
    assert len(blocks) > 3
    for at, size, _ in blocks:
        expected.feed(LOG[at : at + size])
        expected.end_block()
    assert (file.words(), file.ids()) == expected.finish()


def test_the_index_of_a_log_that_changes_meanwhile_has_the_words_of_one_version(
    tmp_path, report, monkeypatch
):
    monkeypatch.setattr("oslogserve.upload.payload.PIECE", 1000)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(LOG, 0))
    versions = [gzip.compress(LOG.swapcase(), 0)]

    def learn_later(*args):
        if versions:
            path.write_bytes(versions.pop())
        learn(*args)

    monkeypatch.setattr("oslogserve.upload.indexes.learn", learn_later)
    writer = FakeWriter()
    upload_with_indexes(tmp_path, writer, report, "a.gz")
    [file] = indexes_in(writer)
    stored = gzip.decompress(writer.stored()["logs/42/7/a.gz"])
    assert (stored, file.facts().size) == (LOG.swapcase(), len(LOG))
    assert report.is_complete


def test_the_index_beside_a_log_on_disk_is_not_uploaded(tmp_path, report):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / ".a.txt.oslogserve-index").write_bytes(b"of the log on disk")
    assert found_below(tmp_path, report) == [b"a.txt"]
    assert report.lines == []
