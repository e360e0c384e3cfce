# SPDX-License-Identifier: Apache-2.0
import os

import pytest

from oslogserve.folders import check_appending, check_folder


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """A folder in which nothing can be made."""
    may = os.access
    refuses = lambda where, mode: str(where) != str(tmp_path) and may(where, mode)
    monkeypatch.setattr("os.access", refuses)
    return tmp_path


def test_what_can_be_made_is_not_made(tmp_path):
    check_folder(f"{tmp_path}/new/er")
    check_appending(f"{tmp_path}/file")
    assert not [*tmp_path.iterdir()]


def test_what_is_there_is_left_as_it_is(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    check_folder(str(tmp_path))
    check_appending(str(file))
    assert file.read_text() == "x"


def test_a_folder_that_cannot_be_made_is_told(closed):
    with pytest.raises(OSError, match="it is not there and cannot be made"):
        check_folder(f"{closed}/new/er")


def test_a_file_that_cannot_be_made_is_told(closed):
    with pytest.raises(PermissionError):
        check_appending(f"{closed}/file")


@pytest.mark.parametrize("name", ["file", "file/er", "link/er"])
def test_no_folder_is_made_of_or_below_a_file(tmp_path, name):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("none")
    with pytest.raises(NotADirectoryError):
        check_folder(f"{tmp_path}/{name}")


def test_a_pipe_that_nobody_reads_is_told_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device or address"):
        check_appending(f"{tmp_path}/pipe")
