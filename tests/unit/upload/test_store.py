# SPDX-License-Identifier: Apache-2.0
import json
import threading
import time
from contextlib import closing

import pytest
from swiftclient.exceptions import ClientException

from oslogserve.errors import SourceError
from oslogserve.sources.swift import Place
from oslogserve.upload import store as module
from oslogserve.upload.content import Changed, content_of
from oslogserve.upload.store import Interrupted, Store, StoreOptions
from tests.unit.upload.fakes import config

PLACE = Place("logs", "job/core.bin")
DAY = 86400


class FakeSwift:
    """What the session is asked for, by method and place; what is stored in it is there."""

    def __init__(self):
        self.asked = []
        self.objects = {}
        self.containers = {"logs": {"x-container-read": ".r:*", "x-storage-policy": "gold"}}
        #: Raised by the next requests, in turn.
        self.errors = []

    def request(self, call, *args, **options):
        if self.errors:
            raise self.errors.pop(0)
        name = getattr(call, "__name__", "put")
        self.asked.append((name, *args))
        return getattr(self, name)(*args, **options)

    def head_object(self, *place):
        return self.objects.get(place)

    def head_container(self, container):
        return self.containers.get(container)

    def put_container(self, container, headers):
        self.containers[container] = headers

    def put(self, *place, headers):
        headers = {name.lower(): value for name, value in headers.items()}
        headers["etag"] = place[1].rpartition("-")[2]  # a segment's name ends with it
        if "x-delete-after" in headers:
            headers["x-delete-at"] = str(int(time.time()) + int(headers["x-delete-after"]))
        self.objects[place] = headers
        return "etag"

    def get_container(self, container, prefix, delimiter=None, limit=None):
        names = [name for place, name in self.objects if place == container]
        below = [name for name in names if name.startswith(prefix)]
        rows = [
            {"subdir": name} if delimiter and delimiter in name[len(prefix) :] else {"name": name}
            for name in below
        ]
        return {}, rows[:limit]

    def delete_object(self, *place):
        del self.objects[place]

    def close(self):
        pass


@pytest.fixture
def swift(monkeypatch):
    swift = FakeSwift()
    monkeypatch.setattr(module, "SwiftSession", lambda *_: swift)
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    return swift


@pytest.fixture
def store(swift):
    with closing(Store(config(), StoreOptions(None, 2, 60))) as store:
        yield store


@pytest.fixture
def content(tmp_path):
    opened = []

    def of(stored, segment_size=10):
        (tmp_path / "core.bin").write_bytes(stored)
        with (tmp_path / "core.bin").open("rb") as file:
            opened.append(content_of(file, len(stored), "core.bin", segment_size, True))
        return opened[-1]

    yield of
    for one in opened:
        one.close()


def puts(swift):
    return [place for method, *place in swift.asked if method == "put"]


def test_a_large_object_is_of_segments_that_are_sent_once(swift, store, content):
    store.replace(PLACE, None, content(b"a" * 10 + b"b" * 10 + b"c"))
    assert len(puts(swift)) == 4
    assert puts(swift)[-1] == list(PLACE)  # when all of them are there
    swift.asked.clear()
    store.replace(PLACE, None, content(b"a" * 10 + b"B" * 10 + b"c"))
    assert len(puts(swift)) == 2
    names = [name for container, name in swift.objects if container == "logs_segments"]
    assert sorted(name.split("-")[0] for name in names) == [
        f"job/core.bin.segments/{number:04}" for number in range(3)
    ]


def test_segments_of_other_objects_stay(swift, store, content):
    below = Place("logs", f"{PLACE.name}.segments/b.bin")
    store.replace(below, None, content(b"b" * 30))
    before = len(swift.objects)
    store.replace(PLACE, None, content(b"a" * 30))
    assert len(swift.objects) == before + 4


def test_segments_go_when_a_small_object_replaces_them(swift, store, content):
    store.replace(PLACE, None, content(b"a" * 30))
    store.replace(PLACE, {"x-static-large-object": "True"}, content(b"a"))
    assert list(swift.objects) == [PLACE]


def test_a_segment_with_other_bytes_than_its_name_says_is_replaced(swift, store, content):
    store.replace(PLACE, None, content(b"a" * 30))
    swift.asked.clear()
    _, segment, *_ = sorted(swift.objects)
    swift.objects[segment]["etag"] = "another"
    store.replace(PLACE, None, content(b"a" * 30))
    assert puts(swift) == [list(segment), list(PLACE)]


@pytest.mark.parametrize("stops", [KeyboardInterrupt, Changed])
def test_nothing_reads_a_file_any_more_once_its_upload_has_failed(
    swift, store, content, monkeypatch, stops
):
    is_read = threading.Event()
    is_over = threading.Event()

    def put_segment(_, _content, number, _segment):
        if number == 0:
            assert is_read.wait(10)
            raise stops
        is_read.set()
        is_over.wait(0.2)
        ended.append(number)

    ended = []
    monkeypatch.setattr(store, "put_segment", put_segment)
    with pytest.raises(stops):
        store.replace(PLACE, None, content(b"a" * 20))
    assert ended == [1]
    assert store.is_stopped == (stops is KeyboardInterrupt)
    assert swift.objects == {}


def test_a_missing_container_is_made_and_that_of_segments_has_its_rights(swift, store, content):
    store.replace(PLACE, None, content(b"a" * 30))
    assert swift.containers["logs_segments"] == swift.containers["logs"]
    del swift.containers["logs"]
    store.replace(Place("other", "a"), None, content(b"a"))
    assert swift.containers["other"] == {}


def test_whoever_may_only_write_to_a_container_uploads_to_it(swift, store, content):
    swift.errors = [SourceError("swift", "status 403", "forbidden")]
    store.replace(PLACE, None, content(b"a"))
    assert puts(swift) == [list(PLACE)]


def test_segments_stay_longer_than_what_is_made_of_them(swift, content):
    with closing(Store(config(), StoreOptions(30 * DAY, 2, 60))) as store:
        store.replace(PLACE, None, content(b"a" * 30))
        expiries = {place: headers["x-delete-after"] for place, headers in swift.objects.items()}
        assert expiries.pop(PLACE) == str(30 * DAY)
        assert set(expiries.values()) == {str(31 * DAY)}
        store.replace(PLACE, None, content(b"a" * 30))
        assert len(puts(swift)) == 4 + 1
        for headers in swift.objects.values():  # two days later
            headers["x-delete-at"] = str(int(headers["x-delete-at"]) - 2 * DAY)
        store.replace(PLACE, None, content(b"a" * 30))
        assert len(puts(swift)) == 5 + 4


@pytest.fixture
def listing_store(swift):
    with closing(Store(config(), StoreOptions(None, 2, 60, "job/"))) as store:
        yield store


def test_what_is_not_listed_is_not_asked_for(swift, listing_store):
    swift.objects[PLACE] = {"etag": "a"}
    assert listing_store.head(PLACE) == {"etag": "a"}
    assert listing_store.head(Place("logs", "job/b")) is None
    assert [method for method, *_ in swift.asked] == ["get_container", "head_object"]


def test_each_is_asked_for_where_there_are_more_than_swift_lists(swift, listing_store, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 2)
    for name in ("job/a", "job/b", "job/c"):
        swift.objects["logs", name] = {"etag": name}
    assert listing_store.head(Place("logs", "job/c")) == {"etag": "job/c"}


def test_whoever_may_only_write_uploads_all(swift, listing_store):
    swift.errors = [SourceError("swift", "status 403", "forbidden")]
    assert listing_store.head(PLACE) is None


def test_what_passes_is_asked_again_and_what_does_not_is_raised(swift, store):
    slow = SourceError("swift", "status 408", "refused")
    slow.__cause__ = ClientException("", http_status=408)
    swift.errors = [SourceError("swift", "status 503"), slow]
    swift.objects[PLACE] = {"etag": "a"}
    assert store.head(PLACE) == {"etag": "a"}
    swift.errors = [SourceError("swift", "status 401", "denied")]
    assert store.head(PLACE) == {"etag": "a"}
    swift.errors = [SourceError("swift", "status 413", "refused")]
    with pytest.raises(SourceError, match="413"):
        store.head(PLACE)


def test_wrong_credentials_are_told_at_once(swift, store):
    swift.errors = [SourceError("swift", "status 401", "denied")]
    with pytest.raises(SourceError, match="401"):
        store.head(PLACE)


def test_patience_ends(swift):
    swift.errors = [SourceError("swift", "status 503")] * 100_000
    impatient = Store(config(), StoreOptions(None, 2, 0.05))
    with closing(impatient), pytest.raises(SourceError, match="503"):
        impatient.head(PLACE)


def test_nothing_is_asked_once_it_is_stopped(swift, store):
    store.stop()
    with pytest.raises(Interrupted):
        store.head(PLACE)


class Connection:
    class adapter:
        at = 0.0


def put_of(monkeypatch, put_object):
    """Calls of the session reach this put_object."""
    monkeypatch.setattr(module.swift_api, "put_object", put_object)
    monkeypatch.setattr(FakeSwift, "chunk_deadline", lambda _: 1234.5, raising=False)

    def request(_, call, *args, **options):
        return call("url", "token", *args, http_conn=(None, Connection), **options)

    monkeypatch.setattr(FakeSwift, "request", request)


def test_bytes_go_with_their_checksum_and_move_the_deadline_of_the_answer(
    store, content, monkeypatch
):
    sent = []

    def put_object(*_, contents, content_length, etag, **__):
        sent.append((contents.read(content_length), etag))
        return "etag"

    put_of(monkeypatch, put_object)
    store._containers["logs"] = {}
    made = content(b"abc")
    store.replace(PLACE, None, made)
    assert (sent, Connection.adapter.at) == ([(b"abc", made.etag)], 1234.5)


def test_a_container_that_goes_meanwhile_is_told(swift, store, content, monkeypatch):
    monkeypatch.setattr(swift, "put", lambda *_, **__: None)  # 404
    with pytest.raises(SourceError, match="container"):
        store.replace(PLACE, None, content(b"abc"))


def test_a_file_that_gets_shorter_or_changes_while_it_is_sent_is_told(
    store, content, monkeypatch, tmp_path
):
    made = content(b"abc")
    (tmp_path / "core.bin").write_bytes(b"")
    put_of(monkeypatch, lambda *_, contents, **__: contents.read(3))
    store._containers["logs"] = {}
    with pytest.raises(Changed):
        store.replace(PLACE, None, made)

    def refuse(*_, **__):
        raise ClientException("", http_status=422)

    put_of(monkeypatch, refuse)
    with pytest.raises(Changed):
        store.replace(PLACE, None, made)


def test_a_manifest_names_each_segment_with_its_checksum_and_size(store, content, monkeypatch):
    manifests = []
    put_of(monkeypatch, lambda *_, contents, **__: manifests.append(json.loads(contents)) or "etag")
    store._containers["logs"] = {}
    made = content(b"a" * 10 + b"b")
    store.put_manifest(PLACE, made)
    assert manifests == [
        [
            {
                "path": f"/logs_segments/job/core.bin.segments/{number:04}-{segment.md5}",
                "etag": segment.md5,
                "size_bytes": segment.size,
            }
            for number, segment in enumerate(made.segments)
        ]
    ]
