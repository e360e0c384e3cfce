# SPDX-License-Identifier: Apache-2.0
import errno
import os
import socket
from contextlib import closing

import pytest

from oslogserve import native
from oslogserve.errors import BadRequest, Incomplete, SourceError
from oslogserve.logs.decode import exactly
from oslogserve.sources import LATEST, METADATA_ONLY, Folder, OpenOptions
from oslogserve.sources.disk.open_beneath import open_beneath, open_by_folder
from oslogserve.sources.disk.source import Disk
from tests.unit.handlers.asking import Asking


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def no_openat2(monkeypatch):
    """A kernel without openat2: each step of opening can be made to fail."""

    def refused(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(native, "open_beneath", refused)


@pytest.fixture(params=[True, False])
def kernel(request):
    """A kernel with openat2, and one without it."""
    if not request.param:
        request.getfixturevalue("no_openat2")


@pytest.fixture
def disk(root, kernel):
    return Disk(str(root), 4)


@pytest.fixture
def disk_by_folder(root, no_openat2):
    return Disk(str(root), 4)


def content(log):
    try:
        return b"".join(log)
    finally:
        log.close()


def closed(found):
    if found is not None and not isinstance(found, Folder):
        found.close()
    return found


def test_a_file_comes_in_chunks_with_what_is_known_of_it(disk, root):
    (root / "a.txt").write_bytes(b"0123456789")
    os.utime(root / "a.txt", (5, 1000.5))
    log = disk.open(b"a.txt")
    assert list(log) == [b"0123", b"4567", b"89"]
    log.close()
    log.close()
    stored = log.stored
    assert (stored.source, stored.size) == ("disk", 10)
    assert stored.modified == 1000.5
    assert stored.encoding == ""
    assert log.is_local


@pytest.mark.parametrize(
    ("given", "told"), [(-1, 0), (-(10**9), 0), (LATEST + 1, LATEST), (99999999999999, LATEST)]
)
def test_a_time_of_which_no_date_can_be_written_becomes_the_nearest(given, told, any_time, kernel):
    (any_time / "folder").mkdir()
    for path in (any_time / "log", any_time / "folder"):
        path.touch()
        os.utime(path, (given, given))
        assert path.stat().st_mtime == given
    disk = Disk(str(any_time), 4)
    assert closed(disk.open(b"log")).stored.modified == told
    assert [entry.modified for entry in disk.entries(b"")] == [told, told]


def test_a_version_changes_with_the_content(disk, root):
    (root / "a").write_bytes(b"1")
    before = closed(disk.open(b"a")).stored.version
    assert closed(disk.open(b"a")).stored.version == before
    (root / "a").write_bytes(b"12")
    assert closed(disk.open(b"a")).stored.version != before


def test_a_name_finds_its_zst_prefers_its_gz_and_most_itself(disk, root):
    for name in ("a.zst", "a.gz", "a"):
        (root / name).write_bytes(name.encode())
        log = disk.open(b"a")
        assert content(log) == name.encode()


@pytest.mark.parametrize(("suffix", "encoding"), [("gz", "gzip"), ("zst", "zstd")])
def test_a_name_that_ends_in_a_suffix_declares_its_encoding(disk, root, suffix, encoding):
    (root / f"x.txt.{suffix}").write_bytes(b"not packed")
    found = disk.open(b"x.txt"), disk.open(f"x.txt.{suffix}".encode())
    assert [log.stored.encoding for log in found] == [encoding] * 2


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_name_does_not_find_a_folder_that_ends_in_a_suffix(disk, root, suffix):
    folder = root / f"a.{suffix}"
    folder.mkdir()
    (folder / "x").write_bytes(b"x")
    assert disk.open(b"a") is None
    assert isinstance(disk.open(folder.name.encode()), Folder)


@pytest.mark.parametrize(
    "path", [b"none", b"none/x", b"file/x", b"a" * 300, b"x/" * 2000, b"\xff\xfe"]
)
def test_misses(disk, root, path):
    (root / "file").touch()
    assert disk.open(path) is None
    assert disk.entries(path) is disk.entries(b"file") is None


@pytest.mark.parametrize("path", [b"", b"folder"])
def test_folders(disk, root, path):
    (root / "folder").mkdir()
    assert isinstance(disk.open(path), Folder)


def test_a_linked_root_is_followed(root, tmp_path, kernel):
    (root / "a").write_bytes(b"here")
    (tmp_path / "other").symlink_to("logs")
    assert content(Disk(str(tmp_path / "other"), 4).open(b"a")) == b"here"


@pytest.fixture
def linking_disk(root, kernel):
    return Disk(str(root), 4, follows_links=True)


@pytest.mark.parametrize("link", ["to-file", "to-folder/a", "folder/up", "twice"])
def test_a_link_inside_the_root_is_followed_where_links_are(disk, linking_disk, root, link):
    (root / "a").write_bytes(b"here")
    (root / "folder").mkdir()
    (root / "folder/a").write_bytes(b"here")
    (root / "to-file").symlink_to("./folder/..//a")
    (root / "to-folder").symlink_to("folder/")
    (root / "folder/up").symlink_to("../a")
    (root / "twice").symlink_to("to-folder/up")
    assert content(linking_disk.open(link.encode())) == b"here"
    with pytest.raises(BadRequest, match="symbolic link"):
        disk.open(link.encode())


def test_a_listing_names_links_that_are_followed_alone(disk, linking_disk, root):
    (root / "folder").mkdir()
    (root / "a").write_bytes(b"here")
    for name, target in (("file", "a"), ("in", "folder"), ("out", "/etc"), ("passwd", "../../x")):
        (root / name).symlink_to(target)
    assert [entry.name for entry in disk.entries(b"")] == [b"a", b"folder/"]
    listed = {entry.name: entry.size for entry in linking_disk.entries(b"")}
    assert listed == {b"a": 4, b"file": 4, b"folder/": None, b"in/": None}


def test_a_link_to_the_folder_or_one_above_is_not_listed(linking_disk, root):
    (root / "job/logs").mkdir(parents=True)
    (root / "other").mkdir()
    for name, target in (("here", "."), ("up", ".."), ("top", "../.."), ("other", "../../other")):
        (root / "job/logs" / name).symlink_to(target)
    assert [entry.name for entry in linking_disk.entries(b"job/logs")] == [b"other/"]
    (root / "other/back").symlink_to("../job")
    assert list(linking_disk.entries(b"job/logs/other")) == []
    assert [entry.name for entry in linking_disk.entries(b"other")] == [b"back/"]


def test_a_link_to_nowhere_or_to_itself_is_a_miss_where_links_are_followed(linking_disk, root):
    (root / "nowhere").symlink_to("none")
    (root / "loop").symlink_to("loop")
    assert linking_disk.open(b"nowhere") is None
    assert linking_disk.open(b"loop") is None


@pytest.mark.parametrize("follows_links", [False, True])
def test_a_link_tells_nothing_of_what_it_leads_to(root, tmp_path, kernel, follows_links):
    """Else whoever uploads links learns what exists on the server, and what may not be read."""
    outside = tmp_path / "logs-private"  # its name begins as the root's
    outside.mkdir()
    (outside / "there").write_bytes(b"x")
    (outside / "closed").mkdir(mode=0)
    targets = ["there", "missing", "closed", "closed/x", "there/x", "there.gz", ".", ""]
    for number, target in enumerate(targets):
        (root / f"absolute{number}").symlink_to(f"{outside}/{target}")
        (root / f"relative{number}").symlink_to(f"../logs-private/{target}")
        (root / f"packed{number}.gz").symlink_to(f"../logs-private/{target}")
    (root / "folder").symlink_to(outside)
    (root / "up").symlink_to("..")
    disk = Disk(str(root), 4, follows_links)
    names = [f"{name}{n}" for name in ("absolute", "relative", "packed") for n in range(8)]
    paths = ["up", *names, *(f"folder/{target}" for target in targets if target not in (".", ""))]
    told = set()
    for path in paths:
        for ask in (disk.open, disk.entries):
            if ask == disk.entries and path.startswith("packed"):
                continue
            with pytest.raises(BadRequest) as caught:
                ask(path.encode())
            told.add(str(caught.value))
    assert len(told) == 1
    assert list(disk.entries(b"")) == []


def test_a_listing_tells_no_sizes_of_a_folder_that_took_its_place(
    disk, root, tmp_path, monkeypatch
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"longer than it was")
    (root / "folder").mkdir()
    (root / "folder/a").write_bytes(b"12")
    scandir = os.scandir

    def swapped(place):
        (root / "folder").rename(tmp_path / "moved")
        (root / "folder").symlink_to(outside)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", swapped)
    assert [entry.size for entry in disk.entries(b"folder")] == [2]


def test_pipes_and_sockets_are_never_opened(disk, root, monkeypatch):
    monkeypatch.chdir(root)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert disk.open(b"pipe") is None
        assert disk.open(b"socket") is None
    (root / "pipe.gz").write_bytes(b"packed")
    assert content(disk.open(b"pipe")) == b"packed"


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 1), b"0"),
        ((2, 9), b"2345678"),
        ((4, 8), b"4567"),
        ((9, 10), b"9"),
    ],
)
def test_byte_ranges(disk, root, span, expected):
    (root / "a").write_bytes(b"0123456789")
    log = disk.open(b"a", OpenOptions(byte_range=span))
    assert log.stored.size == 10
    assert content(log) == expected


def test_a_chunk_is_as_small_as_it_is_wanted_and_no_larger_than_configured(root, kernel):
    (root / "a").write_bytes(b"0123456789")
    disk = Disk(str(root), 4)
    assert [*disk.open(b"a", OpenOptions(chunk_size=3))] == [b"012", b"345", b"678", b"9"]
    assert [*disk.open(b"a", OpenOptions(chunk_size=5))] == [b"0123", b"4567", b"89"]


def test_a_log_of_a_certain_version_comes_from_its_first_byte(disk, root):
    (root / "a").write_bytes(b"0123456789")
    assert content(disk.open(b"a", OpenOptions(version="1"))) == b"0123456789"


@pytest.mark.parametrize("stored", [b"", b"0123"])
def test_what_is_read_at_once_leaves_nothing_open(disk, root, stored):
    before = os.listdir("/proc/self/fd")
    (root / "a").write_bytes(stored)
    log = disk.open(b"a")
    assert len(os.listdir("/proc/self/fd")) == len(before) + (not stored)
    assert content(log) == stored
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_file_that_says_that_it_is_empty_is_read_all_the_same(kernel):
    with open("/proc/self/cmdline", "rb") as file:
        expected = file.read()
    log = Disk("/proc", 4).open(b"%d/cmdline" % os.getpid())
    assert log.stored.size == 0
    assert content(log) == expected


def test_both_ways_to_open_say_the_same(root):
    (root / "a").write_bytes(b"0123456789")
    (root / "folder").mkdir()
    os.utime(root / "a", ns=(5, -1))
    place = os.fsencode(root)
    for path, most in ((b"a", 0), (b"a", 4), (b"a", 10), (b"a", 100), (b"folder", 9), (b"", 9)):
        ways = (open_by_folder, open_beneath)
        one, other = (way(place, path, most, False) for way in ways)
        assert one._replace(descriptor=None) == other._replace(descriptor=None)
        assert (one.descriptor is None) == (other.descriptor is None) == (most >= 10)
        for file in (one, other):
            if file.descriptor is not None:
                assert not os.get_inheritable(file.descriptor)
                os.close(file.descriptor)


def test_a_file_cut_short_while_it_is_read_is_incomplete(disk, root):
    (root / "a").write_bytes(b"0123456789")
    log = disk.open(b"a")
    chunks = iter(log)
    assert next(chunks) == b"0123"
    os.truncate(root / "a", 5)
    assert next(chunks) == b"4"
    with pytest.raises(Incomplete, match="5 bytes are missing") as raised:
        next(chunks)
    assert raised.value.reason == "truncated"
    log.close()


def test_a_file_written_anew_while_it_is_read_is_incomplete(disk, root):
    (root / "a").write_bytes(b"0123456789")
    os.utime(root / "a", (5, 1000.5))
    log = disk.open(b"a")
    chunks = iter(log)
    assert next(chunks) == b"0123"
    (root / "a").write_bytes(b"abcdefghij")
    with pytest.raises(Incomplete, match="rewritten"):
        next(chunks)
    log.close()


OLD = bytes(range(256)) * 40


def next_tick(root, file):
    """Returns once the kernel's clock gives changes another time than the file's last one."""
    probe = root / "probe"
    probe.touch()
    while probe.stat().st_ctime_ns == file.stat().st_ctime_ns:
        probe.touch()


@pytest.mark.parametrize("age", [0, 7200])
@pytest.mark.parametrize("place", [0, 4095, 4096, 5000, 5999])
@pytest.mark.parametrize("more", [b"", b"appended too"])
@pytest.mark.parametrize("byte_range", [None, (0, 9000), (0, len(OLD))])
def test_a_file_rewritten_in_place_behind_its_beginning_is_told(
    root, kernel, age, place, more, byte_range
):
    """Its time is set back, so that only the kernel's own time of the change tells."""
    file = root / "a"
    file.write_bytes(OLD)
    then = file.stat().st_mtime - age
    os.utime(file, (then, then))
    log = Disk(str(root), 6000).open(b"a", OpenOptions(byte_range=byte_range))
    chunks = iter(log)
    assert next(chunks) == OLD[:6000]
    next_tick(root, file)
    with file.open("r+b") as writer:
        writer.seek(place)
        writer.write(b"x")
        writer.seek(0, os.SEEK_END)
        writer.write(more)
    os.utime(file, (then, then))
    with pytest.raises(Incomplete, match="rewritten"):
        b"".join(chunks)
    log.close()


def test_a_rewritten_file_is_told_to_a_reader_that_counts(root, kernel):
    """What was appended behind the size that he knows he does not read."""
    (root / "a").write_bytes(OLD)
    with closing(Disk(str(root), 3000).open(b"a")) as log:
        chunks = exactly(len(OLD), log)
        next(chunks)
        next_tick(root, root / "a")
        (root / "a").write_bytes(b"x" + OLD[1:] + b"more" * 9000)
        with pytest.raises(Incomplete, match="rewritten"):
            list(chunks)


@pytest.mark.parametrize("byte_range", [None, (5, len(OLD) + 4)])
def test_a_file_that_is_only_touched_or_appended_to_is_not_told(root, kernel, byte_range):
    (root / "a").write_bytes(OLD)
    options = OpenOptions(byte_range=byte_range)
    with closing(Disk(str(root), 6000).open(b"a", options)) as log:
        chunks = iter(log)
        came = next(chunks)
        os.utime(root / "a", (5, 1000.5))
        (root / "a").chmod(0o600)
        came += next(chunks)
        with (root / "a").open("ab") as file:
            file.write(b"more")
        first, end = byte_range or (0, None)
        assert came + b"".join(chunks) == (OLD + b"more")[first:end]


def test_what_is_appended_while_it_is_read_is_read_too(disk, root):
    (root / "a").write_bytes(b"0123456789")
    log = disk.open(b"a")
    chunks = iter(log)
    assert next(chunks) == b"0123"
    with (root / "a").open("ab") as file:
        file.write(b"more")
    assert b"".join(chunks) == b"456789more"
    log.close()


def test_what_is_only_looked_at_is_not_read(disk_by_folder, root, monkeypatch):
    (root / "a").write_bytes(b"0123456789")

    def read(*_):
        raise AssertionError("read")

    monkeypatch.setattr(os, "read", read)
    monkeypatch.setattr(os, "pread", read)
    assert closed(disk_by_folder.open(b"a", METADATA_ONLY)).stored.size == 10


def test_a_file_that_may_not_be_read_is_a_failure(disk_by_folder, root, monkeypatch):
    (root / "a").write_bytes(b"x")

    def denied(path, *rest, **more):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(SourceError, match="Permission denied") as caught:
        disk_by_folder.open(b"a")
    assert caught.value.source == "disk"
    assert not caught.value.is_outage  # the others can be read
    assert str(root) not in str(caught.value)


def test_a_first_read_that_fails_is_a_failure_and_leaves_nothing_open(
    disk_by_folder, root, monkeypatch
):
    (root / "a").write_bytes(b"x")

    def read(file, size):
        raise OSError(errno.EIO, "I/O")

    before = os.listdir("/proc/self/fd")
    monkeypatch.setattr(os, "read", read)
    with pytest.raises(SourceError, match="Input/output"):
        disk_by_folder.open(b"a")
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_later_read_that_fails_leaves_the_log_incomplete(disk, root, monkeypatch):
    (root / "a").write_bytes(b"0123456789")
    log = disk.open(b"a")

    def pread(file, size, offset):
        raise OSError(errno.EIO, "I/O")

    monkeypatch.setattr(os, "pread", pread)
    chunks = iter(log)
    assert next(chunks) == b"0123"
    with pytest.raises(Incomplete, match="Input/output") as caught:
        next(chunks)
    assert caught.value.reason == "failed"
    log.close()


def test_a_missing_root_is_a_failure_not_a_miss(tmp_path, kernel):
    disk = Disk(str(tmp_path / "none"), 4)
    with pytest.raises(SourceError):
        disk.open(b"a")
    with pytest.raises(SourceError):
        disk.check()


def test_a_root_that_is_not_mounted_any_more_is_a_failure_not_a_miss(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"x")
    disk = Disk(str(tmp_path), 10)
    assert disk.open(b"b") is None
    (tmp_path / "a").unlink()
    assert disk.open(b"b") is None  # its logs have expired
    on_another_device(monkeypatch, tmp_path)
    for asked in (disk.open, disk.entries):
        for path in (b"b", b"b/c"):
            with pytest.raises(SourceError, match="not mounted"):
                asked(path)
    with pytest.raises(SourceError, match="not mounted"):
        disk.entries(b"")
    with pytest.raises(SourceError, match="not mounted"):
        disk.check()
    (tmp_path / "a").write_bytes(b"x")
    disk.check()
    assert disk.open(b"b") is None


def test_a_root_that_was_always_empty_is_no_failure(tmp_path, monkeypatch):
    disk = Disk(str(tmp_path), 10)
    on_another_device(monkeypatch, tmp_path)
    disk.check()
    assert disk.open(b"a") is None
    assert list(disk.entries(b"")) == []


def on_another_device(monkeypatch, root):
    stat = os.stat

    def elsewhere(path, **options):
        found = stat(path, **options)
        if path != os.fsencode(root):
            return found
        return os.stat_result([*found[:2], found.st_dev + 1, *found[3:10]])

    monkeypatch.setattr(os, "stat", elsewhere)


def test_a_log_that_is_rotated_while_it_is_read_goes_on(disk, root):
    (root / "a").write_bytes(b"0123456789")
    log = disk.open(b"a")
    (root / "a").rename(root / "a.1")
    (root / "a").write_bytes(b"new")
    assert content(log) == b"0123456789"


def test_entries_are_sorted_as_swift_sorts_them(disk, root):
    for name in ("b", "a-b", "a.txt", "\udcff"):
        (root / name).write_bytes(b"xyz")
    (root / "a").mkdir()
    os.mkfifo(root / "pipe")
    (root / "nowhere").symlink_to("none")
    entries = list(disk.entries(b""))
    assert [entry.name for entry in entries] == [b"a-b", b"a.txt", b"a/", b"b", b"\xff"]
    assert [entry.size for entry in entries] == [3, 3, None, 3, 3]
    assert {entry.source for entry in entries} == {"disk"}
    assert all(entry.modified > 1e9 for entry in entries)


def test_no_link_is_served_unless_the_configuration_says_so(root):
    (root / "target.txt").write_bytes(b"line\n")
    (root / "link.txt").symlink_to("target.txt")
    assert Asking(root)("/link.txt").status_int == 400
    assert "link.txt" not in Asking(root)("/?format=text").text
    assert Asking(root, disk_links="yes")("/link.txt").body == b"line\n"
