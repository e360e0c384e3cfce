# SPDX-License-Identifier: Apache-2.0
"""What a real Swift does with uploads is in functional/test_upload."""

import threading
import time
from contextlib import ExitStack, closing

import pytest
from swiftclient.exceptions import ClientException

from oslogserve.errors import SourceError
from oslogserve.sources.objects.location import Location
from oslogserve.upload import swift_writer
from oslogserve.upload import writer as writers
from oslogserve.upload.payload import Changed
from oslogserve.upload.swift_writer import SwiftWriter
from oslogserve.upload.writer import Effort
from tests.unit.upload.fakes import config

LOCATION = Location("logs", "job/core.bin")
DAY = 86400
FORBIDDEN = SourceError("swift", "status 403", "forbidden")


class FakeSwift:
    """A session that keeps the headers of what is put."""

    def __init__(self):
        self.asked = []
        self.objects = {}
        self.containers = {"logs": {"x-container-read": ".r:*", "x-storage-policy": "gold"}}
        #: Raised by the next requests, in turn.
        self.errors = []

    def request(self, call, *args, **options):
        if self.errors:
            raise self.errors.pop(0)
        self.asked.append((call.__name__, *args))
        return getattr(self, call.__name__)(*args, **options)

    def head_object(self, *location):
        return self.objects.get(location)

    def head_container(self, container):
        return self.containers.get(container)

    def put_container(self, container, headers):
        self.containers[container] = headers

    def put(self, *location, headers):
        headers = {name.lower(): value for name, value in headers.items()}
        headers["etag"] = location[1].rpartition("-")[2]  # a segment's name ends with it
        if "x-delete-after" in headers:
            headers["x-delete-at"] = str(int(time.time()) + int(headers["x-delete-after"]))
        self.objects[location] = headers
        return "etag"

    def get_container(self, container, prefix, delimiter=None, limit=None):
        names = [name for location, name in self.objects if location == container]
        below = [name for name in names if name.startswith(prefix)]
        rows = [
            {"subdir": name} if delimiter and delimiter in name[len(prefix) :] else {"name": name}
            for name in below
        ]
        return {}, rows[:limit]

    def delete_object(self, *location):
        del self.objects[location]

    def chunk_deadline(self):
        return 1234.5

    def close(self):
        pass

    def puts(self):
        return [location for method, *location in self.asked if method == "put"]


@pytest.fixture
def swift(monkeypatch):
    swift = FakeSwift()
    monkeypatch.setattr(swift_writer, "SwiftSession", lambda *_: swift)
    return swift


@pytest.fixture
def make_writer(swift):
    with ExitStack() as opened:
        yield lambda expire=None, patience=60, prefix="": opened.enter_context(
            closing(SwiftWriter(config(), expire, Effort(2, patience), prefix))
        )


@pytest.fixture
def writer(make_writer):
    return make_writer()


def test_segments_of_other_objects_stay(swift, writer, payload):
    below = Location("logs", f"{LOCATION.name}.segments/b.bin")
    writer.replace(below, None, payload(b"b" * 30))
    before = len(swift.objects)
    writer.replace(LOCATION, None, payload(b"a" * 30))
    assert len(swift.objects) == before + 4
    assert swift.puts()[-1] == list(LOCATION)  # after all of its segments


def test_a_segment_with_other_bytes_than_its_name_says_is_replaced(swift, writer, payload):
    writer.replace(LOCATION, None, payload(b"a" * 30))
    swift.asked.clear()
    _, segment, *_ = sorted(swift.objects)
    swift.objects[segment]["etag"] = "another"
    writer.replace(LOCATION, None, payload(b"a" * 30))
    assert swift.puts() == [list(segment), list(LOCATION)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, Changed])
def test_nothing_reads_a_file_after_its_upload_has_failed(
    swift, writer, payload, monkeypatch, error
):
    is_read = threading.Event()
    is_over = threading.Event()
    ended = []

    def put_segment(_, _payload, number, _segment):
        if number == 0:
            assert is_read.wait(10)
            raise error
        is_read.set()
        is_over.wait(0.2)
        ended.append(number)

    monkeypatch.setattr(writer, "put_segment", put_segment)
    with pytest.raises(error):
        writer.replace(LOCATION, None, payload(b"a" * 20))
    assert ended == [1]
    assert writer.stopped.is_set() == (error is KeyboardInterrupt)
    assert swift.objects == {}


def test_missing_containers_are_made_those_of_segments_with_the_same_rights(swift, writer, payload):
    writer.replace(LOCATION, None, payload(b"a" * 30))
    assert swift.containers["logs_segments"] == swift.containers["logs"]
    writer.replace(Location("other", "a"), None, payload(b"a"))
    assert swift.containers["other"] == {}


DENIED = SourceError("swift", "status 401", "denied")
OUTAGE = SourceError("swift", "status 503")


@pytest.fixture
def impatient(monkeypatch):
    """Requests are repeated at once."""
    monkeypatch.setattr(writers, "FIRST_PAUSE", 0)
    monkeypatch.setattr(writers, "LONGEST_PAUSE", 0)


def test_a_wrong_password_is_told_at_once_however_much_patience_there_is(swift, impatient):
    notes = []
    swift.errors = [DENIED, DENIED]
    with closing(SwiftWriter(config(), None, Effort(2, 3600, notes.append))) as writer:
        with pytest.raises(SourceError, match="status 401"):
            writer.head(LOCATION)
        assert (len(swift.errors), notes) == (1, [])


def test_a_wrong_password_after_an_outage_is_told_at_once(swift, make_writer, impatient):
    swift.errors = [OUTAGE, DENIED, DENIED]
    with pytest.raises(SourceError, match="status 401"):
        make_writer(patience=3600).head(LOCATION)
    assert len(swift.errors) == 1


def test_what_is_denied_once_the_password_was_right_is_an_outage(swift, make_writer, impatient):
    writer = make_writer(patience=3600)
    assert writer.head(LOCATION) is None
    swift.errors = [DENIED, OUTAGE, DENIED]
    assert writer.head(LOCATION) is None
    assert swift.errors == []


def test_a_user_who_may_only_write_uploads_all(swift, make_writer, payload):
    swift.errors = [FORBIDDEN, FORBIDDEN]
    writer = make_writer(prefix="job/")
    assert writer.head(LOCATION) is None
    writer.replace(LOCATION, None, payload(b"a"))
    assert swift.puts() == [list(LOCATION)]


def test_segments_outlive_their_object(swift, make_writer, payload):
    writer = make_writer(expire=30 * DAY)
    writer.replace(LOCATION, None, payload(b"a" * 30))
    expiries = {location: headers["x-delete-after"] for location, headers in swift.objects.items()}
    assert expiries.pop(LOCATION) == str(30 * DAY)
    assert set(expiries.values()) == {str(31 * DAY)}
    writer.replace(LOCATION, None, payload(b"a" * 30))
    assert len(swift.puts()) == 4 + 1
    for headers in swift.objects.values():  # two days later
        headers["x-delete-at"] = str(int(headers["x-delete-at"]) - 2 * DAY)
    writer.replace(LOCATION, None, payload(b"a" * 30))
    assert len(swift.puts()) == 5 + 4


def test_objects_are_asked_for_one_by_one_if_swift_cannot_list_all(swift, make_writer, monkeypatch):
    monkeypatch.setattr(swift_writer, "PAGE", 2)
    for name in ("job/a", "job/b", "job/c"):
        swift.objects["logs", name] = {"etag": name}
    assert make_writer(prefix="job/").head(Location("logs", "job/c")).checksum == "job/c"


def test_a_container_that_disappears_is_reported(swift, writer, payload, monkeypatch):
    monkeypatch.setattr(FakeSwift, "put", lambda *_, **__: None)  # 404
    with pytest.raises(SourceError, match="container"):
        writer.replace(LOCATION, None, payload(b"abc"))


class Connection:
    class adapter:
        at = 0.0


@pytest.fixture
def put_object(swift, writer, monkeypatch):
    """Sets the function that sends an object."""
    writer._containers["logs"] = {}
    monkeypatch.setattr(
        swift,
        "request",
        lambda call, *args, **options: call(
            "url", "token", *args, http_conn=(None, Connection), **options
        ),
    )
    return lambda function: monkeypatch.setattr(swift_writer.swift_api, "put_object", function)


def test_bytes_go_with_their_checksum_and_move_the_deadline_of_the_answer(
    writer, payload, put_object
):
    sent = []

    def send(*_, contents, content_length, etag, **__):
        sent.append((contents.read(content_length), etag))
        return "etag"

    put_object(send)
    made = payload(b"abc")
    writer.replace(LOCATION, None, made)
    assert (sent, Connection.adapter.at) == ([(b"abc", made.etag)], 1234.5)


def test_a_file_that_gets_shorter_or_changes_while_it_is_sent_is_found(
    writer, payload, put_object, tmp_path
):
    made = payload(b"abc")
    (tmp_path / "core.bin").write_bytes(b"")
    put_object(lambda *_, contents, **__: contents.read(3))
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)

    def refuse(*_, **__):
        raise ClientException("", http_status=422)

    put_object(refuse)
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)


def test_requests_that_are_repeated_are_announced_once_a_minute(swift, writer, monkeypatch):
    monkeypatch.setattr(writers, "FIRST_PAUSE", 0.0)
    notes = []
    writer._effort = writer._effort._replace(note=notes.append)
    for _ in range(2):
        swift.errors = [SourceError("swift", "status 503") for _ in range(3)]
        writer.head(LOCATION)
    assert notes == ["Swift: status 503: trying again for 60 s at most"]
    writer._noted_at -= writers.NOTE_PAUSE
    swift.errors = [SourceError("swift", "status 503")]
    writer.head(LOCATION)
    assert len(notes) == 2


def test_a_request_that_is_not_repeated_is_not_announced(swift, make_writer):
    writer = make_writer(patience=0)
    writer._effort = writer._effort._replace(note=pytest.fail)
    swift.errors = [SourceError("swift", "status 503")]
    with pytest.raises(SourceError):
        writer.head(LOCATION)
