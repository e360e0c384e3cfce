# SPDX-License-Identifier: Apache-2.0
from datetime import datetime

import pytest

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.time_range import time_range


def micros(text):
    whole, _, fraction = text.removesuffix("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 10**6 + int(fraction[:6].ljust(6, "0"))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2013", "2013-01-01T00:00:00", "2013-12-31T23:59:59.999999"),
        ("9999", "9999-01-01T00:00:00", "9999-12-31T23:59:59.999999"),
        ("2013-09", "2013-09-01T00:00:00", "2013-09-30T23:59:59.999999"),
        ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59.999999"),
        ("2013-09-27", "2013-09-27T00:00:00", "2013-09-27T23:59:59.999999"),
        ("2013-09-27T18", "2013-09-27T18:00:00", "2013-09-27T18:59:59.999999"),
        ("2013-09-27T18:22", "2013-09-27T18:22:00", "2013-09-27T18:22:59.999999"),
        ("2013-09-27T18:22:11", "2013-09-27T18:22:11", "2013-09-27T18:22:11.999999"),
        ("2013-09-27T18:22:11.2", "2013-09-27T18:22:11.2", "2013-09-27T18:22:11.299999"),
        ("2013-09-27 18:22:11,248", "2013-09-27T18:22:11.248", "2013-09-27T18:22:11.248999"),
        ("2013-09-27T18:22:11.248123", "2013-09-27T18:22:11.248123", "2013-09-27T18:22:11.248123"),
        (
            "2013-09-27T18:22:11.248123456",
            "2013-09-27T18:22:11.248123",
            "2013-09-27T18:22:11.248123",
        ),
        ("2016-12-31T23:59:60", "2016-12-31T23:59:59.999999", "2016-12-31T23:59:59.999999"),
    ],
)
def test_a_time_stands_for_all_times_within_its_last_field(text, first, last):
    assert time_range(text) == (micros(first), micros(last), None)


@pytest.mark.parametrize(
    ("zone", "offset"),
    [
        ("Z", 0),
        ("UTC", 0),
        (" UTC", 0),
        (" GMT", 0),
        ("+02:00", 120),
        ("+0200", 120),
        ("+02", 120),
        ("-08:30", -510),
        (" +0200", 120),
        (" 02:00", 120),
        (" 0200", 120),
        (" 02", 120),
        ("+00:00", 0),
    ],
)
@pytest.mark.parametrize("begin", ["2013-09-27T18", "2013-09-27 18:22", "2013-09-27T18:22:11.248"])
def test_a_time_range_of_a_zone(begin, zone, offset):
    assert time_range(begin + zone) == time_range(begin)._replace(offset=offset)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is empty"),
        ("x", "this is neither"),
        ("18:22", "this is neither"),
        ("yesterday", "this is neither"),
        ("1709528767", "this is neither"),
        ("20130927", "this is neither"),
        ("2013-9-27", "this is neither"),
        *((half, "this is neither") for half in ("201", "2013-", "2013-1", "2013-09-2")),
        *((half, "this is neither") for half in ("2013-09-27T", "2013-09-27T1", "2013-09-27T18:2")),
        *((half, "this is neither") for half in ("2013-09-27T18:22:1", "2013-09-27T18:22:11.")),
        ("27.09.2013", "this is neither"),
        ("2013-09-27Z", "this is neither"),
        ("2013-09-27T18:22+2", "this is neither"),
        ("2013-09-27T18:22+24:00", "this is neither"),
        ("2013-09-27T18:22:11.1234567890", "this is neither"),
        ("2013-09-27T18:22\n", "this is neither"),
        ("٢٠١٣", "this is neither"),
        ("0000", "there is no year 0000"),
        ("2013-13", "there is no month 13"),
        ("2013-00", "there is no month 00"),
        ("2013-02-29", "there is no day 29 in 2013-02"),
        ("2013-09-27T24", "there is no hour 24"),
        ("2013-09-27T18:60", "there is no minute 60"),
        ("2013-09-27T18:22:61", "there is no second 61"),
    ],
)
def test_what_is_no_time_is_told_with_what_is_taken(text, told):
    with pytest.raises(
        ValueError, match=rf"ISO 8601, with or without a zone, or its beginning \({told}\)"
    ):
        time_range(text)


@pytest.mark.parametrize(
    ("asked", "line", "compared"),
    [
        ("2013-09-27T18:22", b"2013-09-27 18:21:59.999999", "before"),
        ("2013-09-27T18:22", b"2013-09-27 18:22:00", "in"),
        ("2013-09-27T18:22", b"2013-09-27 18:22:59.999999", "in"),
        ("2013-09-27T18:22", b"2013-09-27 18:23:00", "after"),
        ("2013-09-27T18:22", b"2013-09-27 18:22:30-08:00", "in"),
        ("2013-09-27T18:22Z", b"2013-09-27 18:22:30", "in"),
        ("2013-09-27T18:22Z", b"2013-09-27 18:22:30+01:00", "before"),
        ("2013-09-27T18:22+01:00", b"2013-09-27 18:22:30+01:00", "in"),
        ("2013-09-27T18:22-01:00", b"2013-09-27 19:22:30", "in"),
    ],
)
def test_since_and_until(renderer, asked, line, compared):
    def is_shown(**asked):
        return bool(b"".join(renderer([line + b" x"], Wanted("text", Selection(**asked)))))

    moment = time_range(asked)
    assert is_shown(since=moment) == (compared != "before")
    assert is_shown(until=moment) == (compared != "after")
