# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.humanize import duration, iso_moment, moment, size_shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (1234, "1.23 kB"),
        (12_345, "12.3 kB"),
        (99_999, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (50_000_000, "50.0 MB"),
        (2_000_000_000, "2.00 GB"),
        (10**16, "10000 TB"),
    ],
)
def test_a_size_has_three_digits(size, shown):
    assert size_shown(size) == shown


def test_a_time_is_utc():
    assert moment(3600.9) == "1970-01-01 01:00:00"
    assert iso_moment(0.0) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (1, "0.001 ms"),
        (500, "0.5 ms"),
        (39_000, "39 ms"),
        (999_400, "999 ms"),
        (999_600, "1 s"),
        (1_500_000, "1.5 s"),
        (59_400_000, "59 s"),
        (59_600_000, "1 min"),
        (90 * 60 * 10**6, "1.5 h"),
        (23 * 3600 * 10**6, "23 h"),
        (86_400 * 10**6, "1 day"),
        (3 * 86_400 * 10**6, "3 days"),
        (1200 * 86_400 * 10**6, "1,200 days"),
    ],
)
def test_a_duration_has_the_unit_that_makes_it_short(micros, shown):
    assert duration(micros) == shown
