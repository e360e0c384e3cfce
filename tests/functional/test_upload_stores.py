# SPDX-License-Identifier: Apache-2.0
"""Writers of buckets, with servers that answer as Google and Azure do, and with one that verifies S3's
signatures."""

import gzip
import os
from contextlib import ExitStack, closing

import pytest

from oslogserve.config import load
from oslogserve.sources.objects.location import Location
from oslogserve.sources.store.services import Azure, Google
from oslogserve.upload.buckets import BucketWriter
from oslogserve.upload.payload import Changed, Segment, payload_of
from oslogserve.upload.writer import Effort, Interrupted
from tests.servers.stores import S3_KEY, S3_SECRET, filled, reading, signature

pytestmark = pytest.mark.long
PART = 5 * 2**20
LINES = b"2024-03-28 12:20:43.570 1 ERROR nova.compute [-] A line like any other\n" * 4000
LARGE = os.urandom(2 * PART + 77)


def sign(service):
    """Lets its requests have a signature in their URLs, where these servers look for it."""
    answer = service.answer

    def signed(connection, method, path, *args, **given):
        if isinstance(service, Azure):
            path += ("&" if "?" in path else "?") + signature()
        elif isinstance(service, Google) and method == "PUT":
            path += "?X-Goog-Algorithm=GOOG4-RSA-SHA256"
        return answer(connection, method, path, *args, **given)

    service.answer = signed


@pytest.fixture
def takes_parts(options):
    if options["url"].startswith("gs:"):
        pytest.skip("fake-gcs-server takes no parts, and verifies no checksum")


@pytest.fixture(scope="module", params=["s3", "gs", "az"])
def options(request, tmp_path_factory):
    """The options of a store."""
    with filled(request.param, tmp_path_factory.mktemp(request.param), {}) as options:
        yield options


@pytest.fixture
def make_writer(options, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", S3_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", S3_SECRET)
    with ExitStack() as opened:

        def make(prefix=""):
            config = load(None, {}, **{f"store_{key}": text for key, text in options.items()})
            [(name, section)] = config.stores
            writer = opened.enter_context(
                closing(BucketWriter(name, section, Effort(2, 0), prefix))
            )
            sign(writer._service)
            return writer

        yield make


@pytest.fixture
def writer(make_writer):
    return make_writer()


@pytest.fixture
def payload(options, tmp_path):
    may_gzip = not options["url"].startswith("gs:")  # fake-gcs-server would inflate it
    with ExitStack() as opened:

        def make(stored, name="a.txt"):
            (tmp_path / "payload").write_bytes(stored)
            file = opened.enter_context((tmp_path / "payload").open("rb"))
            return opened.enter_context(payload_of(file, len(stored), name, PART, may_gzip))

        yield make


def begin(writer, monkeypatch, location, payload, number):
    """Uploads the segment with this number, and is interrupted then."""

    def interrupted(calls):
        calls = list(calls)
        calls[number]()
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(writer, "_at_once", interrupted)
        with pytest.raises(Interrupted):
            writer.replace(location, None, payload)


def is_there(writer, location, payload):
    found = writer.head(location)
    return payload.is_stored_as(found, writer.checksum_of(found))


def read(options, name):
    with reading(**options) as store:
        return b"".join(store.open(name.encode()))


@pytest.mark.parametrize(
    ("name", "content"), [("a b.txt", LINES), ("empty.txt", b""), ("Grüße+%41.bin", b"\0\1")]
)
def test_an_object_is_there_as_it_was_sent(options, writer, payload, name, content):
    location = Location("logs", f"f/up/{name}")
    made = payload(content, name)
    assert writer.head(location) is None
    writer.replace(location, None, made)
    assert is_there(writer, location, made)
    assert not is_there(writer, location, payload(b"another", name))
    stored = read(options, f"up/{name}")
    assert (gzip.decompress(stored) if made.encoding else stored) == content


@pytest.mark.usefixtures("takes_parts")
def test_a_large_object_goes_on_where_it_was_interrupted(
    options,
    writer,
    payload,
    monkeypatch,
):
    location = Location("logs", "f/up/large.bin")
    writer.replace(location, None, payload(b"before"))
    made = payload(LARGE)
    begin(writer, monkeypatch, location, made, 1)
    assert read(options, "up/large.bin") == b"before"
    asked, ask = [], writer.ask
    monkeypatch.setattr(
        writer,
        "ask",
        lambda *given, **named: asked.append((*given, *named.values())) or ask(*given, **named),
    )
    writer.replace(location, None, made)
    sent = {value for given in asked for value in given if isinstance(value, Segment)}
    assert sent == {made.segments[0], made.segments[2]}
    assert is_there(writer, location, made)
    assert read(options, "up/large.bin") == LARGE


@pytest.mark.usefixtures("takes_parts")
def test_a_large_object_that_changed_since_it_was_interrupted_is_stored_as_it_is(
    options, writer, payload, monkeypatch
):
    location = Location("logs", "f/up/changing.bin")
    made = payload(LARGE)
    begin(writer, monkeypatch, location, made, 0)
    changed = LARGE[:-1] + b"!"
    made = payload(changed)
    writer.replace(location, None, made)
    assert is_there(writer, location, made)
    assert read(options, "up/changing.bin") == changed


@pytest.mark.usefixtures("takes_parts")
@pytest.mark.parametrize("content", [LINES, LARGE])
def test_bytes_that_change_while_they_are_sent_are_not_stored(writer, payload, content, tmp_path):
    location = Location("logs", "f/up/never.bin")
    made = payload(content, "a.bin")
    with (tmp_path / "payload").open("r+b") as file:
        file.write(b"changed")
    with pytest.raises(Changed):
        writer.replace(location, None, made)
    assert writer.head(location) is None


def test_a_new_folder_is_told_by_one_request(make_writer, payload, monkeypatch):
    location = Location("logs", "f/new/a.txt")
    writer = make_writer("f/new/")
    requests = []
    request = writer._session.request
    monkeypatch.setattr(
        writer._session,
        "request",
        lambda *args, **given: requests.append(args) or request(*args, **given),
    )
    assert [writer.head(location), writer.head(location)] == [None, None]
    assert len(requests) == 1
    writer.replace(location, None, payload(b"a"))
    assert make_writer("f/new/").head(location) is not None
