# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.config import load
from oslogserve.errors import Incomplete
from oslogserve.metrics import Metrics
from oslogserve.sources import Context, Stored, Trace
from oslogserve.sources.objects.log import OpenObjectLog
from oslogserve.sources.swift import Swift, SwiftService

SWIFT = dict.fromkeys(("swift_username", "swift_password", "swift_project_name"), "a")
MD5 = "900150983cd24fb0d6963f7d28e17f72"


class Part(OpenObjectLog):
    """The rest of a log of three bytes, of which one comes before it breaks off."""

    def __init__(self, first):
        self.stored = Stored("swift", 3, 0.0, "1")
        self.is_folder = False
        self.first = first
        self.md5, self.is_joined = "", False

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
        return Part(first)

    monkeypatch.setattr(Swift, "_log", get)
    context = Context(Trace())
    assert b"".join(swift.for_request(context).open(b"a")) == b"abc"
    assert len(contexts) == 3
    assert contexts[0] is context
    assert len(set(map(id, contexts))) == 3
    assert {id(one.trace) for one in contexts} == {id(context.trace)}


@pytest.mark.parametrize(
    ("headers", "checksum"),
    [
        ({"etag": MD5}, MD5),
        ({"etag": f'"{MD5}"'}, MD5),
        ({"etag": MD5, "x-static-large-object": "True"}, ""),
        ({"etag": MD5, "x-object-manifest": "c/a/"}, ""),
        ({"etag": "7"}, ""),
        ({}, ""),
    ],
)
def test_the_etag_is_a_checksum_unless_the_object_has_segments(headers, checksum):
    assert SwiftService().md5_of(headers) == checksum


@pytest.mark.parametrize(("suffix", "encoding"), [(".gz", "gzip"), (".zst", "zstd")])
@pytest.mark.parametrize("asked", ["a", "a{}"])
def test_a_name_that_ends_in_a_suffix_declares_its_encoding(
    swift, monkeypatch, asked, suffix, encoding
):
    name = f"a{suffix}"
    get = lambda _, location, __: Part(0) if location.name == name else None
    monkeypatch.setattr(Swift, "_log", get)
    assert swift.open(asked.format(suffix).encode()).stored.encoding == encoding
