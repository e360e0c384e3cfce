# SPDX-License-Identifier: Apache-2.0
from hashlib import md5
from types import SimpleNamespace

import pytest

from oslogserve.config import load
from oslogserve.errors import Incomplete
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Context, Stored, Trace
from oslogserve.sources.objects.log import OpenObjectLog
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
    assert swift.open(asked.format(suffix).encode()).stored.encoding == encoding
