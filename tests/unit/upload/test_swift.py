# SPDX-License-Identifier: Apache-2.0
"""What a real Swift does with uploads is in functional/test_upload."""

import json
import threading
import time
from contextlib import ExitStack, closing
from hashlib import md5
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.location import Location
from oslogserve.sources.swift import SwiftSession
from oslogserve.upload import swift as swift_module
from oslogserve.upload import writer as writers
from oslogserve.upload.payload import Changed
from oslogserve.upload.swift import SwiftWriter
from oslogserve.upload.writer import Effort
from tests.unit.upload.fakes import config

LOCATION = Location("logs", "job/core.bin")
DAY = 86400
FORBIDDEN = SourceError("swift", "status 403", "forbidden")


class FakeSwift:
    """A connection to a Swift that keeps the headers of what is put, and the bytes of manifests."""

    access = Access("http://swift/v1", "token")

    def __init__(self):
        #: Method, container and name of each request.
        self.asked = []
        self.objects = {}
        self.bodies = {}
        self.containers = {"logs": {"x-container-read": ".r:*", "x-storage-policy": "gold"}}
        #: Raised by the next requests, in turn.
        self.errors = []
        #: The statuses of the next objects that are put, in turn.
        self.refusals = []

    def wait_until(self, deadline):
        self.deadline = deadline

    def end(self):
        pass

    def answer(self, method, url, headers, body):
        url = urlsplit(url)
        where = tuple(map(unquote, url.path.split("/", 3)[2:]))
        sent = b""
        if hasattr(body, "read"):
            while piece := body.read(4):
                sent += piece
        self.asked.append((method, *where))
        headers = {name.lower(): text for name, text in headers.items()}
        query = dict(parse_qsl(url.query))
        return getattr(self, f"_{method.lower()}")(where, headers, sent or body, query)

    def close(self):
        pass

    def _head(self, where, *_):
        kept = self.containers.get(where[0]) if len(where) == 1 else self.objects.get(where)
        return Answer(404) if kept is None else Answer(200, kept)

    def _put(self, where, headers, body, query):
        if len(where) == 1:
            kept = {name: text for name, text in headers.items() if name.startswith("x-container")}
            kept |= {name: text for name, text in headers.items() if name == "x-storage-policy"}
            self.containers[where[0]] = kept
            return Answer(201)
        if self.refusals:
            return Answer(self.refusals.pop(0))
        if query:
            assert query == {"multipart-manifest": "put"}
            assert "etag" not in headers
            rows = [tuple(row["path"][1:].split("/", 1)) for row in json.loads(body)]
            body = b"".join(self.bodies[row] for row in rows)
        else:
            assert headers["etag"] == md5(body).hexdigest()
        if "x-delete-after" in headers:
            headers["x-delete-at"] = str(int(time.time()) + int(headers["x-delete-after"]))
        self.objects[where] = headers
        self.bodies[where] = body
        return Answer(201)

    def _get(self, where, _headers, _body, query):
        prefix = query["prefix"]
        names = [name for location, name in self.objects if location == where[0]]
        below = sorted(name[len(prefix) :] for name in names if name.startswith(prefix))
        folders = {name.partition("/")[0] + "/" for name in below if "/" in name}
        files = [{"name": prefix + name} | ROW for name in below if "/" not in name]
        rows = [*files, *({"subdir": prefix + name} for name in folders)]
        return Answer(200, {}, json.dumps(rows[: int(query["limit"])]).encode())

    def _delete(self, where, *_):
        del self.objects[where]
        return Answer(204)

    def puts(self):
        return [location for method, *location in self.asked if method == "PUT" and location[1:]]


ROW = {"bytes": 1, "last_modified": "2024-03-28T12:20:43.570000"}


class Answer:
    def __init__(self, status, headers=None, body=b""):
        self.status = status
        self.headers = headers or {}
        self.read = lambda: body


@pytest.fixture
def swift(monkeypatch):
    swift = FakeSwift()

    def made(*given):
        session = SwiftSession(*given)
        request = session.request

        def checked(*args, **options):
            if swift.errors:
                raise swift.errors.pop(0)
            return request(*args, **options)

        monkeypatch.setattr(session._tokens, "current", lambda *_: swift.access)
        monkeypatch.setattr(session, "_connection", lambda *_: swift)
        monkeypatch.setattr(session, "request", checked)
        monkeypatch.setattr(session, "chunk_deadline", lambda: 1234.5)
        return session

    monkeypatch.setattr(swift_module, "SwiftSession", made)
    return swift


@pytest.fixture
def make_writer(swift):
    with ExitStack() as opened:
        yield lambda expire=None, patience=60, prefix="": opened.enter_context(
            closing(SwiftWriter(config(), Effort(2, patience), expire, prefix))
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

    def put_segment(_, number, _segment):
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
    with closing(SwiftWriter(config(), Effort(2, 3600, notes.append), None)) as writer:
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


def test_a_new_folder_is_told_by_one_request(swift, make_writer, payload):
    writer = make_writer(prefix="job/")
    assert [writer.head(LOCATION), writer.head(LOCATION)] == [None, None]
    assert swift.asked == [("GET", "logs")]
    writer.replace(LOCATION, None, payload(b"a"))
    assert make_writer(prefix="job/").head(LOCATION)["etag"] == md5(b"a").hexdigest()


def test_a_container_that_disappears_is_reported(swift, writer, payload):
    swift.refusals = [404]
    with pytest.raises(SourceError, match="container"):
        writer.replace(LOCATION, None, payload(b"abc"))


def test_bytes_move_the_deadline_of_the_answer(swift, writer, payload):
    writer.replace(LOCATION, None, payload(b"abc"))
    assert swift.deadline == 1234.5


def test_a_file_that_gets_shorter_or_changes_while_it_is_sent_is_found(
    swift, make_writer, payload, tmp_path
):
    writer = make_writer(patience=0)
    made = payload(b"abc")
    swift.refusals = [422, 422]
    with pytest.raises(SourceError, match="status 422"):
        writer.replace(LOCATION, None, made)
    (tmp_path / "core.bin").write_bytes(b"xyz")
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)
    (tmp_path / "core.bin").write_bytes(b"")
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)


def test_bytes_that_are_damaged_on_their_way_are_sent_again(swift, writer, payload, impatient):
    swift.refusals = [422, 422]
    writer.replace(LOCATION, None, payload(b"abc"))
    assert swift.bodies[LOCATION] == b"abc"


def test_readers_see_all_lines_and_full_segments_are_sent_once(
    swift, writer, tmp_path, monkeypatch
):
    monkeypatch.setattr(swift_module, "SEGMENT", 10)
    shown = []
    with (tmp_path / "a").open("x+b", buffering=0) as file:
        renew = writer.console(LOCATION, file, 10)
        renew(0)
        assert swift.asked == []  # an empty one would hide an earlier console
        for chunk in (b"12345", b"67890", b"", b"a" * 25, b"b", b"c"):
            file.write(chunk)
            swift.asked.clear()
            renew(file.tell())
            shown.append(swift.bodies[LOCATION])
    whole = b"1234567890" + b"a" * 25 + b"bc"
    assert shown == [whole[:size] for size in (5, 10, 10, 35, 36, 37)]
    assert [swift.bodies[tuple(where)] for where in swift.puts()] == [b"aaaaabc", whole]


def test_segments_grow_so_that_a_manifest_holds_any_console():
    sizes = [swift_module.segment_size(number) for number in range(1000)]
    assert sizes[0] == 8 * 2**20
    assert max(sizes) <= 5 * 2**30
    assert sum(sizes) > 800 * 10**9


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
