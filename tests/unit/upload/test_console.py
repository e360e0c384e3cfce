# SPDX-License-Identifier: Apache-2.0
import errno
import threading
from contextlib import closing

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources.objects.location import Location
from oslogserve.upload.console import LiveConsole, keep
from oslogserve.upload.writer import Interrupted
from tests.unit.upload.fakes import FakeReport, FakeWriter

LOCATION = Location("logs", "job-output.txt")
NEVER = 3600


@pytest.fixture
def file(tmp_path):
    with (tmp_path / "job-output.txt").open("x+b", buffering=0) as file:
        yield file


def test_a_full_disk_never_stops_the_job_and_is_reported():
    class Full:
        def write(self, chunk):
            if len(chunk) > 2:
                return 2
            raise OSError(errno.ENOSPC, "full")

    report = FakeReport()
    keep([b"1234", b"567"], Full(), report)
    assert report.lines == ["the disk is full: 5 bytes of the console are lost"]
    assert not report.is_complete


def test_a_failing_swift_is_reported_once_and_asked_again(file, monkeypatch):
    renewed = threading.Event()
    failures = [SourceError("swift", "status 503")] * 3

    def fail(_):
        if failures:
            raise failures.pop()
        renewed.set()

    monkeypatch.setattr(LiveConsole, "renew", fail)
    report = FakeReport()
    with closing(LiveConsole(file, LOCATION, FakeWriter(), 0.001, report)):
        assert renewed.wait(10)
    assert report.lines == ["the console is kept on disk meanwhile: Swift: status 503"]


def test_an_end_during_a_renewal_is_no_failure(file, monkeypatch):
    begun = threading.Event()

    def wait(live):
        begun.set()
        live.writer.stopped.wait()
        raise Interrupted

    monkeypatch.setattr(LiveConsole, "renew", wait)
    report = FakeReport()
    with closing(LiveConsole(file, LOCATION, FakeWriter(), 0.001, report)):
        assert begun.wait(10)
    assert report.lines == []
