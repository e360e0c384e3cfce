# SPDX-License-Identifier: Apache-2.0
from hashlib import md5
from types import SimpleNamespace

import pytest
from swiftclient.exceptions import ClientException

from oslogserve.config import load
from oslogserve.errors import Incomplete
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Context, OpenOptions, Stored, Trace
from oslogserve.sources.objects.errors import source_error
from oslogserve.sources.objects.log import OpenObjectLog, check_beginning
from oslogserve.sources.swift import source as module
from oslogserve.sources.swift.source import Swift

SWIFT = dict.fromkeys(("swift_username", "swift_password", "swift_project_name"), "a")


class Part(OpenObjectLog):
    """The rest of a log of three bytes, of which one comes before it breaks off."""

    def __init__(self, first, checksums):
        self.stored = Stored("swift", 3, 0.0, "1")
        self.is_folder = False
        self.first = first
        self.checksums = checksums

    def __iter__(self):
        yield b"abc"[self.first : self.first + 1]
        if self.first < 2:
            raise Incomplete("failed", "the connection broke")

    def close(self):
        pass


@pytest.fixture
def swift():
    options = {"swift_container": "c", "swift_auth_url": "http://127.0.0.1:1/v3"}
    return Swift(load(None, {}, **SWIFT, **options), Metrics())


def test_a_log_that_breaks_off_has_the_time_of_an_answer_once_more(swift, monkeypatch):
    """The first bytes may have come long ago."""
    contexts = []

    def get(view, location, options):
        contexts.append(view._context)
        first, _ = options.byte_range or (0, 3)
        return Part(first, list)

    monkeypatch.setattr(Swift, "_log", get)
    context = Context(Trace())
    assert b"".join(swift.for_request(context).open(b"a")) == b"abc"
    assert len(contexts) == 3
    assert contexts[0] is context
    assert len(set(map(id, contexts))) == 3
    assert {id(one.trace) for one in contexts} == {id(context.trace)}


def test_its_checksums_have_the_time_of_an_answer_once_more(swift, monkeypatch):
    headers = {"x-static-large-object": "True", "etag": md5(b"").hexdigest()}
    headers |= {"last-modified": "Fri, 27 Sep 2013 18:22:11 GMT", "content-length": "3"}

    def get_object(*_, response_dict, **__):
        response_dict["status"] = 200
        return headers, iter([b"abc"])

    contexts = []
    monkeypatch.setattr(module.swift_api, "get_object", get_object)
    request = lambda *_, context: contexts.append(context)
    monkeypatch.setattr(swift._session, "request", request)
    context = Context(Trace())
    connection = None, SimpleNamespace(adapter=None)
    location = "http://127.0.0.1:1/v1/a", "token", "c", "a"
    log = swift.for_request(context)._get(FULL_BODY, *location, http_conn=connection)
    assert log.checksums() == []
    assert contexts[0] is not context
    assert contexts[0].trace is context.trace


@pytest.mark.parametrize(("suffix", "encoding"), [(".gz", "gzip"), (".zst", "zstd")])
@pytest.mark.parametrize("asked", ["a", "a{}"])
def test_a_name_that_ends_in_a_suffix_declares_its_encoding(
    swift, monkeypatch, asked, suffix, encoding
):
    name = f"a{suffix}"
    get = lambda _, location, __: Part(0, list) if location.name == name else None
    monkeypatch.setattr(Swift, "_log", get)
    stored = swift.open(asked.format(suffix).encode()).stored
    assert (stored.encoding, stored.path) == (encoding, name.encode())


BEGINS = OpenOptions(begins=True)
OBJECT = bytes(range(256)) * 1000


class Served:
    """An object behind swiftclient, and the headers of its requests."""

    def __init__(self, swift, monkeypatch, content=OBJECT, ranges=True):
        self.content = content
        self.asked = []
        self._ranges = ranges
        monkeypatch.setattr(module.swift_api, "get_object", self._get_object)
        monkeypatch.setattr(swift._session, "request", self._request)
        monkeypatch.setattr(swift._session, "release", lambda connection: None)

    def _request(self, call, *args, **_):
        connection = SimpleNamespace(adapter=SimpleNamespace(at=0), close=lambda: None)
        try:
            return call("url", "token", *args, http_conn=(None, connection))
        except ClientException as error:
            raise source_error("swift", error) from error

    def _get_object(self, *_, headers, resp_chunk_size, response_dict, **__):
        self.asked.append(headers)
        etag = md5(self.content).hexdigest()
        found = {"etag": etag, "last-modified": "Fri, 27 Sep 2013 18:22:11 GMT"}
        content, size = self.content, len(self.content)
        response_dict["status"] = 200
        if headers.get("If-Match", f'"{etag}"') != f'"{etag}"':
            raise ClientException("", http_status=412)
        if "Range" in headers and self._ranges:
            first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
            if first >= size:
                raise ClientException("", http_status=416)
            content = content[first : last + 1]
            response_dict["status"] = 206
            found["content-range"] = f"bytes {first}-{first + len(content) - 1}/{size}"
        found["content-length"] = str(len(content))
        pieces = range(0, len(content), resp_chunk_size)
        return found, iter([content[at : at + resp_chunk_size] for at in pieces])


def test_the_rest_of_a_log_is_requested_once_its_beginning_was_read(swift, monkeypatch):
    served = Served(swift, monkeypatch)
    log = swift.open(b"a", BEGINS)
    assert log.stored.size == len(OBJECT)
    chunks = iter(log)
    assert next(chunks) == OBJECT[:65536]
    assert [headers["Range"] for headers in served.asked] == ["bytes=0-65535"]
    assert b"".join(chunks) == OBJECT[65536:]
    assert served.asked[1:] == [
        {"Range": f"bytes=65536-{len(OBJECT) - 1}", "If-Match": f'"{log.stored.version}"'}
    ]


@pytest.mark.parametrize("size", [1, 65535, 65536])
def test_a_small_log_is_one_request(swift, monkeypatch, size):
    served = Served(swift, monkeypatch, OBJECT[:size])
    log = swift.open(b"a", BEGINS)
    assert (log.stored.size, b"".join(log)) == (size, OBJECT[:size])
    assert len(served.asked) == 1


@pytest.mark.parametrize("served", [{"content": b""}, {"ranges": False}])
def test_what_has_no_beginning_is_requested_as_a_whole(swift, monkeypatch, served):
    served = Served(swift, monkeypatch, **served)
    log = swift.open(b"a", BEGINS)
    assert (log.stored.size, b"".join(log)) == (len(served.content), served.content)


def test_a_log_that_changes_behind_its_beginning_breaks_off(swift, monkeypatch):
    served = Served(swift, monkeypatch)
    chunks = iter(swift.open(b"a", BEGINS))
    assert next(chunks) == OBJECT[:65536]
    served.content = OBJECT[::-1]
    with pytest.raises(Incomplete, match="the object changed"):
        next(chunks)


@pytest.mark.parametrize(
    "told",
    ["bytes 1-65536/256000", "bytes 0-65534/256000", "bytes 0-65535/9", "bytes 0-65535/*", ""],
)
def test_a_beginning_of_another_length_is_not_from_swift(told):
    headers = {"content-range": told, "content-length": "65536"}
    with pytest.raises(ValueError, match=r"range|beginning"):
        check_beginning(headers, 65536)
