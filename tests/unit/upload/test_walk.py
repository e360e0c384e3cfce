# SPDX-License-Identifier: Apache-2.0
import os
import shutil

from oslogserve.upload.walk import files_below
from tests.unit.upload.fakes import FakeReport


def test_files_of_all_folders_are_found(tmp_path):
    for name in ("b.txt", "a/x.txt", "a/b/c/y.txt", ".git/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    report = FakeReport()
    found = sorted(files_below(os.fsencode(tmp_path), report))
    assert found == [b".git/z", b"a/b/c/y.txt", b"a/x.txt", b"b.txt"]
    assert (report.lines, report.is_complete) == ([], True)


def test_links_and_what_is_no_file_are_told_and_not_opened(tmp_path):
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    report = FakeReport()
    assert list(files_below(os.fsencode(tmp_path), report)) == []
    assert report.lines == [
        "link: not uploaded: a symbolic link is not followed",
        "loop: not uploaded: a symbolic link is not followed",
        "pipe: not uploaded: neither a file nor a folder",
    ]
    assert report.is_complete


def test_a_folder_that_became_a_link_is_not_entered(tmp_path):
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / "b.txt").touch()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "secret.txt").touch()
    report = FakeReport()
    found = files_below(os.fsencode(tmp_path / "root"), report)
    assert next(found) == b"b.txt"
    shutil.rmtree(tmp_path / "root" / "a")
    (tmp_path / "root" / "a").symlink_to(tmp_path / "secret")
    assert list(found) == []
    assert not report.is_complete


def test_names_that_are_too_long_for_swift_are_told(tmp_path):
    deep = tmp_path
    for _ in range(6):
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    (deep / "a.txt").touch()
    report = FakeReport()
    assert list(files_below(os.fsencode(tmp_path), report)) == []
    assert "1024 bytes" in report.lines[0]
    assert not report.is_complete
