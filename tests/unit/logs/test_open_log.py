# SPDX-License-Identifier: Apache-2.0
import gzip
from contextlib import closing
from datetime import UTC, datetime

import pytest

from oslogserve.errors import Incomplete, NotFound, SourceError, Unavailable
from oslogserve.lines.selection import Wanted
from oslogserve.logs.budget import Budget
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs, OpenLog, TextFacts
from oslogserve.metrics import Metrics
from oslogserve.sources import Folder
from tests.kit.open_logs import FakeLog, FakeSource
from tests.kit.renderers import renderer

CHUNKS = [b"abc", b"de"]


@pytest.fixture
def source():
    return FakeSource("swift", {b"x": FakeLog("swift", CHUNKS)})


def opened(source, log=None, others=()):
    budget = Budget(60, 2**30)
    return OpenLog(log or FakeLog("swift", CHUNKS), b"x", [*others, source], TextFacts(), budget)


def summary_of(log):
    wanted = Wanted("summary", written=log.stored.modified)
    return renderer()(log.text(), wanted, log.blocks).summary()


@pytest.mark.parametrize("chunks", [[], [b"abc"], CHUNKS])
def test_the_first_bytes_are_in_the_content_too(source, chunks):
    log = opened(source, FakeLog("swift", chunks))
    assert log.first == b"".join(chunks[:1])
    assert b"".join(log.stored_bytes()) == b"".join(chunks)
    assert log.is_whole is (len(chunks) < 2)


def test_a_log_of_no_known_size_is_not_small(source):
    assert not opened(source, FakeLog("swift", [b"abc"], size=None)).is_whole


def test_it_is_read_again_from_the_source_that_had_it_and_closed_with_it(source):
    disk = FakeSource("disk", {b"x": FakeLog("disk", [b"other"])})
    log = opened(source, others=[disk])
    assert b"".join(log.stored_bytes()) == b"abcde"
    assert source.asked == []
    assert b"".join(log.stored_bytes()) == b"abcde"
    assert disk.asked == []
    [(path, options)] = source.asked
    assert (path, options.version, options.byte_range) == (b"x", log.stored.version, None)
    assert source.deadlines == 1  # the first one may have passed: the answer has begun
    log.close()
    assert (log.source_log.closed, source.logs[b"x"].closed) == (1, 1)


def test_a_log_that_breaks_off_before_its_first_byte_is_unavailable_and_closed(source):
    def nothing():
        raise Incomplete("truncated", "the file was cut short")
        yield

    log = FakeLog("disk", [])
    log.chunks = nothing()
    with pytest.raises(Unavailable, match="cut short"):
        opened(source, log)
    assert log.closed == 1


@pytest.mark.parametrize("now", [None, Folder(), SourceError("swift", "broken")])
def test_what_is_there_no_more_is_told(source, now):
    source.logs[b"x"] = now
    log = opened(source)
    list(log.stored_bytes())
    with pytest.raises(Incomplete, match="could not be read again") as caught:
        list(log.stored_bytes())
    assert caught.value.reason == "corrupt"
    log.close()


def test_another_version_is_not_read_but_closed(source):
    other = source.logs[b"x"] = FakeLog("swift", CHUNKS, version="2")
    log = opened(source)
    list(log.stored_bytes())
    with pytest.raises(Incomplete):
        list(log.stored_bytes())
    with pytest.raises(Unavailable, match="changed"):
        log.reopened((0, 1))
    log.close()
    assert other.closed == 2  # it was opened twice


def test_of_a_log_whose_index_is_there_only_metadata_are_requested(source, tmp_path):
    source.logs[b"x"] = FakeLog("swift", [b"2013-09-27 18:22:11 ERROR x\n" * 10_000])
    indexes = Indexes("1", Metrics(), str(tmp_path), 2**20)
    logs, budget = Logs((), indexes), Budget(60, 2**30)
    summaries = []
    for _ in range(2):
        with closing(logs.open(b"x", [source], budget, by_index=True)) as log:
            summaries.append(summary_of(log))
    assert summaries[0] == summaries[1]
    assert [options.body for _, options in source.asked] == [False, True, False]


def test_an_index_is_not_of_the_same_bytes_that_were_written_in_another_year(source, tmp_path):
    """Lines without a year are of the year of their log's last write."""
    indexes = Indexes("1", Metrics(), str(tmp_path), 2**20)
    logs, budget = Logs((), indexes), Budget(60, 2**30)
    summaries = []
    for year in (2025, 2026):
        written = datetime(year, 3, 5, tzinfo=UTC).timestamp()
        lines = b"Mar  4 18:22:11 node nova[17]: ERROR x\n" * 10_000
        source.logs[b"x"] = FakeLog("swift", [lines], modified=written)
        with closing(logs.open(b"x", [source], budget, by_index=True)) as log:
            summaries.append(summary_of(log))
    assert [summary.first_time[:4] for summary in summaries] == ["2025", "2026"]


@pytest.mark.parametrize("found", [None, Folder()])
def test_what_is_no_log_is_none_by_its_index_either(source, tmp_path, found):
    source.logs[b"x"] = found
    indexes = Indexes("1", Metrics(), str(tmp_path), 2**20)
    logs, budget = Logs((), indexes), Budget(60, 2**30)
    if found:
        assert logs.open(b"x", [source], budget, by_index=True) is None
    else:
        with pytest.raises(NotFound):
            logs.open(b"x", [source], budget, by_index=True)


def test_the_index_of_a_small_gzip_that_is_not_named_so_is_made_once(source, tmp_path):
    text = b"".join(b"2013-09-27 18:22:11 ERROR %d\n" % number**9 for number in range(5000))
    source.logs[b"x"] = FakeLog("swift", [stored := gzip.compress(text)])
    assert 64 * 1024 < len(stored) < 256 * 1024
    indexes = Indexes("1", metrics := Metrics(), str(tmp_path), 2**20)
    logs, budget = Logs((), indexes), Budget(60, 2**30)
    for _ in range(2):
        with closing(logs.open(b"x", [source], budget, by_index=True)) as log:
            summary_of(log)
    counted = metrics.exposition().decode().splitlines()
    assert {"oslogserve_indexes_made_total 1.0", "oslogserve_indexes_used_total 1.0"} <= {*counted}
