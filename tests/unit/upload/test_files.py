# SPDX-License-Identifier: Apache-2.0
import os

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources.swift import Place
from oslogserve.upload.content import Changed
from oslogserve.upload.files import Files
from tests.unit.upload.fakes import FakeReport, FakeStore, naming


@pytest.fixture
def report():
    return FakeReport()


def run(root, store, report, *paths):
    given = iter(map(os.fsencode, paths))
    Files(os.fsencode(root), given, naming(), store, report).upload_all()


def test_a_file_is_stored_once_and_left_alone_then(tmp_path, report):
    (tmp_path / "a.txt").write_bytes(b"one\n")
    store = FakeStore()
    run(tmp_path, store, report, "a.txt")
    assert [stored for _, stored in store.objects.values()] == [b"one\n"]
    assert list(store.objects) == [Place("logs", "42/7/a.txt")]
    store.on_replace = lambda: pytest.fail("it is sent again")
    run(tmp_path, store, report, "a.txt")
    assert report.summary().startswith("1 uploaded (4 B, 4 B as stored), 1 there already")


def test_a_file_that_is_written_to_while_it_is_stored_is_stored_again(tmp_path, report):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    contents = [b"one\ntwo\n"]

    def write():
        if contents:
            path.write_bytes(contents.pop())

    store = FakeStore(write)
    run(tmp_path, store, report, "a.txt")
    assert [stored for _, stored in store.objects.values()] == [b"one\ntwo\n"]
    assert (report.lines, report.is_complete) == ([], True)


def test_a_file_that_is_written_to_all_the_time_is_stored_as_it_was_and_told(tmp_path, report):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")

    def write():
        with path.open("ab") as file:
            file.write(b"more\n")

    store = FakeStore(write)
    run(tmp_path, store, report, "a.txt")
    assert [stored for _, stored in store.objects.values()] == [b"one\nmore\n"]
    assert not report.is_complete
    assert "written to all the time: stored is what was in it before" in report.lines[0]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (Changed(), "a.txt: not uploaded: it is written to all the time"),
        (SourceError("swift", "status 403", "forbidden"), "a.txt: not uploaded: Swift: status 403"),
        (OSError(28, "to be left out"), "a.txt: not uploaded: No space left on device"),
    ],
)
def test_a_file_that_is_not_stored_is_told_and_the_next_one_is_tried(tmp_path, report, error, line):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(name.encode())

    def fail():
        if not store.objects and "b" not in "".join(report.lines):
            raise error

    store = FakeStore(fail)
    run(tmp_path, store, report, "a.txt", "a.txt", "missing.txt")
    assert report.lines == [line, line, "missing.txt: not uploaded: No such file or directory"]
    store.on_replace = lambda: None
    run(tmp_path, store, report, "b.txt")
    assert list(store.objects) == [Place("logs", "42/7/b.txt")]


def test_links_are_not_followed_whenever_they_came(tmp_path, report):
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "folder").mkdir()
    store = FakeStore()
    run(tmp_path, store, report, "link.txt", "folder")
    assert report.lines == [
        "link.txt: not uploaded: Too many levels of symbolic links",
        "folder: not uploaded: it is a folder now",
    ]
    assert store.objects == {}


def test_where_swift_is_out_of_reach_the_rest_is_not_tried(tmp_path, report):
    (tmp_path / "a.txt").touch()

    def fail():
        raise SourceError("swift", "it did not answer in time", "timeout")

    store = FakeStore(fail)
    run(tmp_path, store, report, *["a.txt"] * 3)
    assert store.is_stopped
    assert len(report.lines) == 1


def test_one_object_that_fails_stops_nothing(tmp_path, report):
    (tmp_path / "a.txt").touch()

    def fail():
        store.answered = float("inf")  # another file was stored meanwhile
        raise SourceError("swift", "status 503")

    store = FakeStore(fail)
    run(tmp_path, store, report, *["a.txt"] * 3)
    assert not store.is_stopped
    assert len(report.lines) == 3
