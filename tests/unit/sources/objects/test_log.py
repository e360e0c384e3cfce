# SPDX-License-Identifier: Apache-2.0
import hashlib
import re

import pytest

from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, Folder, Log, OpenOptions, Stored
from oslogserve.sources.objects import log as log_module
from oslogserve.sources.objects.log import Attempts, ResumingLog

LOG = bytes(range(256)) * 40
SIZE = len(LOG)
MD5 = hashlib.md5(LOG).hexdigest()


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(log_module, "PAUSE", 0.0)
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)


class Part(Log):
    def __init__(self, stored, content, broken):
        super().__init__(stored)
        self.content = content
        self.broken = broken
        self.closed = 0

    def __iter__(self):
        for at in range(0, len(self.content), 100):
            yield self.content[at : at + 100]
        if self.broken is not None:
            raise self.broken

    def close(self):
        self.closed += 1


class Breaking:
    """Each answer has so many bytes and then breaks; an exception instead fails to open."""

    def __init__(self, *answers, size=SIZE, version=MD5, md5=MD5, content=LOG):
        self.answers = list(answers)
        self.content = content
        self.wanted = []
        self.parts = []
        self.stored = Stored("swift", size, 0.0, version)
        self.md5 = md5

    def open(self, options):
        self.wanted.append(options)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, SourceError):
            raise answer
        if isinstance(answer, Folder):
            return answer
        if isinstance(answer, Stored):
            return self.part(Part(answer, b"", None))
        first, end = options.byte_range or (0, None)
        rest = self.content[first:end]
        broken = Incomplete("failed", "the connection broke")
        return self.part(
            Part(self.stored, rest, None)
            if answer is None
            else Part(self.stored, rest[:answer], broken)
        )

    def part(self, part):
        self.parts.append(part)
        return part


def had(source, resumes=3, options=FULL_BODY, is_joined=False):
    """(what came, why no more did, resumes counted by outcome)"""
    metrics = Metrics()
    attempts = Attempts(resumes, 20.0, metrics)
    opened = source.open(options)
    opened.md5, opened.is_joined = source.md5, is_joined
    log = ResumingLog(opened, options, source.open, attempts)
    came = []
    missing = ""
    try:
        came.extend(log)
    except Incomplete as error:
        missing = f"{error.reason}: {error}"
    log.close()
    log.close()
    told = metrics.exposition().decode()
    counted = dict(re.findall(r'resumes_total\{outcome="(\w+)",source="swift"\} (\d)', told))
    assert all(came)
    assert all(part.closed for part in source.parts)
    return b"".join(came), missing, counted


@pytest.mark.parametrize("broken", [(0,), (1,), (99, 100, 101), (5000, 1, 0), (len(LOG) - 1,)])
def test_what_breaks_off_goes_on_where_it_broke(broken):
    source = Breaking(*broken)
    assert had(source) == (LOG, "", {"resumed": str(len(broken))})
    position = 0
    for came, options in zip(broken, source.wanted[1:], strict=True):
        position += came
        assert options == OpenOptions(byte_range=(position, len(LOG)), version=MD5)


def test_what_goes_on_comes_in_chunks_as_small_as_before():
    source = Breaking(1)
    assert had(source, options=OpenOptions(chunk_size=64))[0] == LOG
    assert [options.chunk_size for options in source.wanted] == [64, 64]


@pytest.mark.parametrize("broken", [(0,), (1,), (300,), (99, 250, len(LOG)), (200, 100, 150)])
def test_a_log_without_a_length_is_read_again_and_goes_on_to_its_end(broken):
    """Swift sends no part of it. One that breaks off before the byte to go on at has failed."""
    source = Breaking(*broken, size=None, md5="")
    came, missing, counted = had(source)
    assert (came, missing) == (LOG, "")
    assert sum(map(int, counted.values())) == len(broken)
    assert set(source.wanted) == {FULL_BODY}


@pytest.mark.parametrize("size", [None, SIZE])
def test_a_log_of_segments_that_begins_otherwise_does_not_go_on(size):
    """Its version is that of the manifest. A segment was damaged, and is not any more."""
    source = Breaking(300, size=size, md5="")
    opens = source.open

    def changed(options):
        source.content = LOG if not source.wanted else b"x" + LOG[1:]
        return opens(options)

    source.open = changed
    came, missing, counted = had(source, is_joined=True)
    assert (came, counted) == (LOG[:300], {"changed": "1"})
    of = f" of {size}" if size else ""
    why = "the connection broke, and the log changed"
    assert missing == f"failed: {why}, 300{of} stored bytes came"


@pytest.mark.parametrize("part", [FULL_BODY, OpenOptions(byte_range=(1000, 2000), version=MD5)])
def test_a_joined_log_is_read_again_since_what_came_before_may_be_damaged(part):
    expected = LOG[1000:2000] if part.byte_range else LOG
    source = Breaking(300, 500, 700, md5="")
    assert had(source, options=part, is_joined=True)[:2] == (expected, "")
    assert set(source.wanted) == {part}


@pytest.mark.parametrize("part", [FULL_BODY, OpenOptions(byte_range=(1000, 2000), version=MD5)])
def test_a_joined_log_that_breaks_off_anywhere_goes_on_where_it_broke(part):
    """No damaged segment is at the place where it broke off: read again, it did before that."""
    first, end = part.byte_range or (0, SIZE)
    source = Breaking(300, 200, 400, md5="")
    assert had(source, options=part, is_joined=True)[:2] == (LOG[first:end], "")
    places = [options.byte_range for options in source.wanted]
    assert places == [part.byte_range] * 2 + [(first + came, end) for came in (300, 700)]


@pytest.mark.parametrize("first", [0, 1000])
def test_a_part_goes_on_within_itself_and_has_no_checksum(first):
    source = Breaking(200, size=1000)  # as its own answer says
    part = OpenOptions(byte_range=(first, first + 1000), version=MD5)
    assert had(source, options=part)[:2] == (LOG[first : first + 1000], "")
    assert source.wanted[1].byte_range == (first + 200, first + 1000)


@pytest.mark.parametrize("byte_range", [None, (1000, 2000)])
def test_what_breaks_off_too_often_says_how_much_came(byte_range):
    options = OpenOptions(byte_range=byte_range, version=MD5)
    came, missing, counted = had(Breaking(100, 100, 100, 100, 100), resumes=3, options=options)
    first, end = byte_range or (0, len(LOG))
    assert came == LOG[first : first + 400]
    assert missing == f"failed: the connection broke, 400 of {end - first} stored bytes came"
    assert counted == {"resumed": "3"}


def test_a_source_that_is_gone_for_a_moment_is_asked_again():
    gone = SourceError("swift", "ConnectionError")
    assert had(Breaking(100, gone, gone)) == (LOG, "", {"failed": "2", "resumed": "1"})
    came, missing, counted = had(Breaking(100, gone, gone, gone))
    assert (came, counted) == (LOG[:100], {"failed": "3"})
    assert "100 of" in missing


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (SourceError("swift", "the object changed", "changed"), "the object changed"),
        (Stored("swift", 7, 0.0, "another"), "the log changed"),
        (Folder(), "the log is gone"),
    ],
)
def test_a_log_that_changed_meanwhile_does_not_go_on_and_says_so(answer, what):
    came, missing, counted = had(Breaking(100, answer))
    assert (came, counted) == (LOG[:100], {"changed": "1"})
    assert f"the connection broke, and {what}, 100 of" in missing


def test_a_log_without_a_version_does_not_go_on():
    came, missing, counted = had(Breaking(100, version="", md5=""))
    assert (came, counted) == (LOG[:100], {})
    assert missing


def test_a_log_whose_checksum_does_not_fit_says_so_behind_its_last_byte():
    rotten = LOG[:500] + b"\0" + LOG[501:]
    came, missing, _ = had(Breaking(content=rotten))
    assert came == rotten
    assert missing.startswith("corrupt: ")
