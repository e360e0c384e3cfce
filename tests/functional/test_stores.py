# SPDX-License-Identifier: Apache-2.0
"""`[store]` with servers that answer as Google and Azure do, and with one that verifies S3's signatures."""

import contextlib
import gzip
import hashlib

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources import METADATA_ONLY, Folder, OpenOptions
from tests.servers.stores import S3_KEY, S3_SECRET, filled, reading

pytestmark = pytest.mark.long
LOG = b"2024-03-28 12:20:43.570 1 ERROR nova.compute [-] A line like any other\n" * 4000
FILES = {
    "f/a b.txt": LOG,
    "f/packed.txt.gz": gzip.compress(LOG),
    "f/deep/1": b"1",
    "f/deep/x/2": b"2",
    "f/Grüße+%41.txt": b"odd",
    "f/empty.txt": b"",
}
NAMES = ["a b.txt", "deep/", "empty.txt", "packed.txt.gz", "Grüße+%41.txt"]


@pytest.fixture(scope="module", params=["s3", "gs", "az"])
def options(request, tmp_path_factory):
    """The options of a store that is filled with FILES."""
    with filled(request.param, tmp_path_factory.mktemp(request.param), FILES) as options:
        yield options


@pytest.fixture
def store(options, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", S3_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", S3_SECRET)
    with reading(**options) as store:
        yield store


def test_logs_are_read_and_verified(store):
    store.check()
    assert b"".join(store.open(b"a b.txt")) == LOG
    assert gzip.decompress(b"".join(store.open(b"packed.txt"))) == LOG
    assert b"".join(store.open("Grüße+%41.txt".encode())) == b"odd"
    assert b"".join(store.open(b"empty.txt")) == b""
    stored = store.open(b"a b.txt", METADATA_ONLY).stored
    assert (stored.size, stored.version != "") == (len(LOG), True)
    with contextlib.closing(store._found(b"a b.txt", OpenOptions())) as log:
        assert log.md5 == hashlib.md5(LOG).hexdigest()


def test_a_range_is_of_the_version_that_was_asked_for(store):
    version = store.open(b"a b.txt", METADATA_ONLY).stored.version
    part = OpenOptions(byte_range=(71, 142), version=version)
    assert b"".join(store.open(b"a b.txt", part)) == LOG[:71]
    with pytest.raises(SourceError, match="the object changed"):
        store.open(b"a b.txt", part._replace(version="another"))


def test_folders_are_listed_and_what_is_missing_is_not_found(store):
    assert isinstance(store.open(b"deep"), Folder)
    names = sorted(name.encode() for name in NAMES)
    assert [entry.name for entry in store.entries(b"")] == names
    assert [entry.name for entry in store.entries(b"deep")] == [b"1", b"x/"]
    assert store.open(b"none.txt") is None
    assert store.entries(b"none") is None


def test_another_bucket_is_told(options, store):
    with (
        reading(**options | {"url": options["url"].replace("logs", "others")}) as other,
        pytest.raises(SourceError, match=r"no such bucket|the bucket is not there"),
    ):
        other.check()


def test_a_wrong_key_is_told(options, monkeypatch):
    if "anonymous" in options:
        pytest.skip("it asks for no key")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", S3_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with (
        reading(**options) as store,
        pytest.raises(SourceError, match="status 403, SignatureDoesNotMatch") as failed,
    ):
        store.check()
    assert failed.value.reason == "denied"
