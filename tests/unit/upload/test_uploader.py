# SPDX-License-Identifier: Apache-2.0
import os
import shutil

import pytest

from oslogserve.errors import SourceError
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
