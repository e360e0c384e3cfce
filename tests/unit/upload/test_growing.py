# SPDX-License-Identifier: Apache-2.0
"""What Swift's segments show is in test_console."""

import pytest

from oslogserve.sources.objects.location import Location
from oslogserve.upload import growing
from oslogserve.upload.growing import AsAWhole
from tests.unit.upload.fakes import FakeWriter

LOCATION = Location("logs", "job-output.txt")


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(growing.time, "monotonic", lambda: now[0])
    return now


def test_a_large_console_is_sent_seldom_and_its_last_lines_come_in_time(
    tmp_path, clock, monkeypatch
):
    monkeypatch.setattr(growing, "WHOLE", 10)
    writer = FakeWriter()
    sent = []
    writer.on_replace = lambda: sent.append(clock[0] - 1000)
    with (tmp_path / "a").open("x+b", buffering=0) as file:
        console = AsAWhole(writer, LOCATION, file, 5)
        console.renew(0)
        for size in (*range(1, 41), *[41] * 60):
            file.write(b"x" * (size - file.tell()))
            console.renew(size)
            clock[0] += 1
    # Up to 10 bytes each time; then after half a second for each byte; never without new lines.
    assert sent == [*range(10), 14, 22, 34, 52]
    assert writer.stored() == {"logs/job-output.txt": b"x" * 41}
