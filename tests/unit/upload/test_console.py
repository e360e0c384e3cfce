# SPDX-License-Identifier: Apache-2.0
import errno
import threading
import time
from contextlib import closing

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources.swift import Place
from oslogserve.upload import console
from oslogserve.upload.console import Growing, Renewals, Spool
from oslogserve.upload.store import Interrupted
from tests.unit.upload.fakes import FakeStore

PLACE = Place("logs", "job-output.txt")


@pytest.fixture
def spool(tmp_path):
    with closing(Spool(tmp_path / "job-output.txt")) as spool:
        yield spool


def fill(spool, *chunks):
    remaining = [*chunks, b""]
    spool.fill(lambda: remaining.pop(0))


def test_what_is_read_is_on_disk_at_once(spool):
    seen = []

    def read():
        seen.append(spool.path.read_bytes())
        return [b"one\n", b"two\n", b""][len(seen) - 1]

    spool.fill(read)
    assert seen == [b"", b"one\n", b"one\ntwo\n"]


def test_a_full_disk_never_stops_the_job_and_is_counted(spool, monkeypatch):
    class Full:
        def write(self, chunk):
            if len(chunk) > 2:
                return 2
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(spool, "_file", Full())
    fill(spool, b"1234", b"567")
    assert spool.lost == 2 + 3


def test_readers_see_all_that_has_come(spool, monkeypatch):
    monkeypatch.setattr(console, "SEGMENT", 10)
    store = FakeStore()
    with closing(Growing(spool, PLACE, store)) as growing:
        growing.renew()
        assert store.manifests == []  # an empty one would hide what is there
        for chunk in (b"12345", b"67890", b"", b"a" * 25, b"b"):
            fill(spool, chunk)
            growing.renew()
    whole = b"1234567890" + b"a" * 25 + b"b"
    assert store.manifests == [whole[:5], whole[:10], whole[:35], whole]


def test_full_segments_are_sent_once(spool, monkeypatch):
    monkeypatch.setattr(console, "SEGMENT", 10)
    store = FakeStore()
    with closing(Growing(spool, PLACE, store)) as growing:
        fill(spool, b"1234567890abc")
        growing.renew()
        store.segments = {key: piece for key, piece in store.segments.items() if key[0] == 0}
        sent = dict(store.segments)
        fill(spool, b"d")
        growing.renew()
    assert [piece for key, piece in store.segments.items() if key not in sent] == [b"abcd"]


def test_segments_grow_so_that_a_manifest_holds_any_console():
    sizes = [console._segment_size(number) for number in range(1000)]
    assert sizes[0] == 8 * 2**20
    assert max(sizes) <= 5 * 2**30
    assert sum(sizes) > 800 * 10**9


def test_a_failing_store_is_told_once_and_asked_again(spool):
    renewed = threading.Event()
    failures = [SourceError("swift", "status 503")] * 3

    def fail():
        if failures:
            raise failures.pop()
        renewed.set()

    class Failing:
        renew = staticmethod(fail)

        def close(self):
            pass

    notes = []
    with closing(Renewals(Failing(), FakeStore(), 0.001, notes.append)):
        assert renewed.wait(10)
    assert notes == ["the console is kept on disk meanwhile: Swift: status 503"]


def test_an_end_in_the_midst_of_a_renewal_is_no_failure():
    begun = threading.Event()
    store = FakeStore()

    class Endless:
        def renew(self):
            begun.set()
            while not store.is_stopped:
                time.sleep(0.001)
            raise Interrupted

        def close(self):
            pass

    notes = []
    with closing(Renewals(Endless(), store, 0.001, notes.append)):
        assert begun.wait(10)
    assert notes == []
