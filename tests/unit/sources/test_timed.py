# SPDX-License-Identifier: Apache-2.0
import re
import time

import pytest

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Folder
from oslogserve.sources.timed import TimedSource

from .fake import FakeLog, FakeSource


@pytest.fixture
def metrics():
    return Metrics()


def ignore(*_):
    pass


def value(metrics, series):
    found = re.search(rf"^{re.escape(series)} (\S+)$", metrics.exposition().decode(), re.MULTILINE)
    return float(found[1]) if found else None


@pytest.mark.parametrize(
    ("held", "outcome", "size"),
    [
        (FakeLog("disk", [b"x"]), "hit", "64KiB"),
        (FakeLog("disk", [bytes(65537)]), "hit", "1MiB"),
        (Folder(), "hit", "none"),
        (None, "miss", "none"),
        (SourceError("disk", "broken"), "error", "none"),
    ],
)
def test_asking_is_timed_by_its_outcome_and_the_logs_size(metrics, held, outcome, size):
    noted = []
    source = TimedSource(
        FakeSource("disk", {b"a": held}), metrics, lambda *note: noted.append(note)
    )
    try:
        source.open(b"a")
    except SourceError:
        assert outcome == "error"
    labels = f'outcome="{outcome}",size="{size}",source="disk"'
    series = f"oslogserve_source_open_seconds_count{{{labels}}}"
    assert value(metrics, series) == 1
    assert [note[:2] for note in noted] == [("disk", outcome)]
    assert noted[0][2] > 0


def test_reading_is_counted_once_without_the_clients_time(metrics):
    inner = FakeLog("disk", [b"abc", b"de"])
    log = TimedSource(FakeSource("disk", {b"a": inner}), metrics, ignore).open(b"a")
    came = []
    for chunk in log:
        came.append(chunk)
        time.sleep(0.05)
    log.close()
    log.close()
    assert came == [b"abc", b"de"]
    assert inner.closed == 1
    assert value(metrics, 'oslogserve_source_read_bytes_sum{source="disk"}') == 5
    assert value(metrics, 'oslogserve_source_read_seconds_count{size="64KiB",source="disk"}') == 1
    assert value(metrics, 'oslogserve_source_read_seconds_sum{size="64KiB",source="disk"}') < 0.04


def test_the_wait_for_the_source_is_counted(metrics):
    class Slow(FakeLog):
        def __iter__(self):
            for chunk in self.chunks:
                time.sleep(0.02)
                yield chunk

    log = TimedSource(FakeSource("disk", {b"a": Slow("disk", [b"1", b"2"])}), metrics, ignore).open(
        b"a"
    )
    assert b"".join(log) == b"12"
    log.close()
    assert value(metrics, 'oslogserve_source_read_seconds_sum{size="64KiB",source="disk"}') >= 0.04


def test_the_rest_is_handed_on(metrics):
    source = TimedSource(FakeSource("disk", names=[b"a"]), metrics, ignore)
    assert [entry.name for entry in source.entries(b"")] == [b"a"]
    source.check()
    with pytest.raises(SourceError):
        TimedSource(FakeSource("disk", names=SourceError("disk", "x")), metrics, ignore).check()
