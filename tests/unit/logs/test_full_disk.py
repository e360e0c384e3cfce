# SPDX-License-Identifier: Apache-2.0
"""A directory of indexes on a full disk: that is said once, all questions are answered, and no part is used."""

import gzip
import resource
import subprocess
from contextlib import contextmanager, suppress

import pytest

from oslogserve.cli import main
from tests.unit.handlers.asking import Asking

LOG = b"".join(
    b"2013-09-27 18:%02d:%02d.248 %s nova.api [-] request %d took %d ms\n"
    % (*divmod(number // 20, 60), b"ERROR" if number == 500 else b"INFO", number, number**3)
    for number in range(30_000)
)
PASSED = b"2013-09-26 18:00:00.000 INFO nova.api [-] it starts\n" * 20_000
URLS = [
    "/logs/a.txt?format=summary",
    "/logs/a.txt?tail=3",
    "/logs/b.txt?format=summary",
    "/logs/a.txt?q=request+250",
    "/logs/a.txt?against=passed.txt&format=summary",
    "/logs/?format=overview",
    "/logs/b.txt?level=ERROR",
]


class Disk:
    """The folder of a disk, which can be full."""

    def __init__(self, folder):
        self.folder = folder


class SmallDisk(Disk):
    """A file system of its own."""

    @contextmanager
    def full(self):
        """Context in which the disk has no room for an index."""
        filler = self.folder / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        try:
            yield
        finally:
            filler.unlink()


class LimitedDisk(Disk):
    """A folder with a limit of the size of files."""

    @contextmanager
    def full(self):
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture(params=["tmpfs", "limit"])
def disk(request, tmp_path):
    folder = tmp_path / "indexes"
    folder.mkdir()
    if request.param == "limit":
        yield LimitedDisk(folder)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    with suppress(FileNotFoundError):
        if not subprocess.run(mount, capture_output=True, check=False).returncode:
            yield SmallDisk(folder)
            subprocess.run(["umount", str(folder)], check=True)
            return
    pytest.skip("no file system may be mounted here")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root" / "logs").mkdir(parents=True)
    (tmp_path / "root" / "logs" / "a.txt.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "root" / "logs" / "b.txt").write_bytes(LOG)
    (tmp_path / "root" / "passed.txt").write_bytes(PASSED)
    return tmp_path / "root"


def answers(root, **options):
    ask = Asking(root, **options)
    return [ask(url).body for url in URLS], ask


def test_a_full_disk_is_said_once_and_no_part_of_an_index_is_used_later(root, disk, capfd):
    expected, _ = answers(root)
    with disk.full():
        before = sorted(disk.folder.iterdir())
        found, ask = answers(root, index_directory=str(disk.folder))
        assert found == expected
        assert [ask(url).body for url in URLS] == expected
        assert sorted(disk.folder.iterdir()) == before
        assert ask.counted("indexes_made_total") == ask.counted("indexes_used_total") == {}
    assert capfd.readouterr().err.count("indexes are not kept in ") == 1
    found, ask = answers(root, index_directory=str(disk.folder))
    assert found == expected
    assert ask.counted("indexes_made_total") == {"": 3}
    assert ask.counted("indexes_refused_total") == {}


def test_indexes_that_were_made_before_are_used_on_a_full_disk(root, disk, capfd):
    expected, _ = answers(root)
    Asking(root, index_directory=str(disk.folder))(URLS[0])
    with disk.full():
        found, ask = answers(root, index_directory=str(disk.folder))
        assert found == expected
        assert sum(ask.counted("indexes_used_total").values()) >= 3
        assert ask.counted("indexes_refused_total") == {}
    assert "indexes are not kept in " in capfd.readouterr().err


def test_the_command_says_that_the_disk_is_full_and_goes_on_when_it_is_not(
    root, disk, capfd, monkeypatch
):
    monkeypatch.setattr("oslogserve.progress.at_signals", lambda _handler: None)
    command = ["index", str(root / "logs"), "--directory", str(disk.folder), "--jobs", "1"]
    with disk.full():
        assert main(command) == 1
    out, err = capfd.readouterr()
    assert out.startswith("0 indexed")
    assert "indexes are not kept in " in err
    assert main(command) == 0
    assert capfd.readouterr().out.startswith("2 indexed")
