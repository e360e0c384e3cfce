# SPDX-License-Identifier: Apache-2.0
import errno
import os

import pytest

from oslogserve.errors import ClientLeft
from oslogserve.sources import WantedEntries
from oslogserve.sources.disk.listing import NAMES_UNTIL_CHARGE
from oslogserve.sources.disk.open_beneath import open_beneath
from oslogserve.sources.disk.source import Disk


@pytest.fixture
def disk(tmp_path):
    for name in ("b", "b-c", "b.d", "a", "z"):
        (tmp_path / name).touch()
    for name in ("b-b", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "linked").symlink_to("c")
    return Disk(str(tmp_path), 4, follows_links=True)


ALL = [b"a", b"b", b"b-b/", b"b-c", b"b.d", b"c/", b"linked/", b"z"]


def names(disk, **wanted):
    return [entry.name for entry in disk.entries(b"", WantedEntries(**wanted))]


@pytest.mark.parametrize("at_once", range(1, 10))
def test_however_few_are_held_at_once_all_come_in_order(disk, at_once):
    assert names(disk, at_once=at_once) == ALL


@pytest.mark.parametrize(
    "first", [b"", b"b", b"b-", b"b-b", b"b-b/", b"b-b/x", b"c/", b"linked/", b"zz"]
)
@pytest.mark.parametrize("at_once", [2, 100])
def test_a_listing_begins_at_a_name(disk, first, at_once):
    assert names(disk, first=first, at_once=at_once) == [name for name in ALL if name >= first]


def test_what_is_gone_when_it_is_looked_at_ends_no_listing(disk, tmp_path):
    def remove():
        for name in ("a", "b"):
            (tmp_path / name).unlink(missing_ok=True)

    assert names(disk, at_once=2, charge=remove) == ALL[2:]


def test_what_may_not_be_looked_at_is_listed_without_its_size(disk, monkeypatch):
    looked_at = os.stat

    def stat(path, **options):
        if path in (b"a", b"c"):
            raise PermissionError(errno.EACCES, "no")
        return looked_at(path, **options)

    monkeypatch.setattr(os, "stat", stat)
    assert names(disk) == ALL
    [first, *_] = disk.entries(b"", WantedEntries())
    assert first == (b"a", None, None, "disk")


def test_a_large_folder_is_charged_while_it_is_read(tmp_path):
    for number in range(5 * NAMES_UNTIL_CHARGE):
        (tmp_path / str(number)).touch()
    charged = []

    def charge():
        charged.append(1)
        if len(charged) == 3:
            raise ClientLeft

    with pytest.raises(ClientLeft):
        names(Disk(str(tmp_path), 4), at_once=1, charge=charge)
    assert len(charged) == 3


def test_the_folders_above_are_opened_once_for_all_links(tmp_path, monkeypatch):
    deep = tmp_path.joinpath(*"abcdefghij")
    deep.mkdir(parents=True)
    for number in range(50):
        (deep / f"up{number}").symlink_to("..")
    opened = []

    def counting(root, path, *size, **options):
        opened.append(path)
        return open_beneath(root, path, *size, **options)

    monkeypatch.setattr("oslogserve.sources.disk.source.open_beneath", counting)
    linking = Disk(str(tmp_path), 4, follows_links=True)
    assert list(linking.entries(os.fsencode(deep.relative_to(tmp_path)))) == []
    assert len(opened) < 50 + 15
