# SPDX-License-Identifier: Apache-2.0
"""What the times of lines mean."""

import gzip
from datetime import UTC, datetime

import pytest

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.lines.time_range import time_range
from oslogserve.logs.open_log import OpenLog
from oslogserve.sources import Log, Stored
from tests.kit.renderers import anchor_of, rows_of, seen_in

WRITTEN = int(datetime(2024, 3, 4, 5, 6, 7, tzinfo=UTC).timestamp())


class _Stored(Log):
    """A log on a disk."""

    is_local = True

    def __init__(self, stored, modified):
        super().__init__(Stored("", len(stored), modified, "", ""))
        self._bytes = stored

    def __iter__(self):
        return iter([self._bytes])


@pytest.fixture
def iso(renderer):
    """A time's text in ISO 8601."""
    return lambda text, written=WRITTEN: renderer.iso(text, written)


@pytest.fixture
def times_of(renderer):
    """The times by which the lines of a log are merged: in microseconds since 1970, in UTC."""

    def times_of(*lines, written=WRITTEN):
        wanted = Wanted("text", written=written, label=b"", by_time=True)
        log = b"".join(line + b" x\n" for line in lines)
        return [time for time, _ in rows_of(renderer([log], wanted))]

    return times_of


@pytest.fixture
def is_within(renderer):
    """True if a line is in a range of times."""

    def is_within(line, **asked):
        wanted = Wanted("text", Selection(**asked), WRITTEN)
        return b"".join(renderer([line], wanted)) == line

    return is_within


def micros(text):
    whole, _, fraction = text.removesuffix("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 10**6 + int(fraction[:6].ljust(6, "0"))


#: text -> (its ISO 8601 without the zone, the zone's offset, how ISO 8601 writes it)
DATES = {
    b"2013-09-27 18:22:11.248": ("2013-09-27T18:22:11.248", None, ""),
    b"2024-03-04T05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"2024-03-04T05:06:07Z": ("2024-03-04T05:06:07", 0, "Z"),
    b"2024-03-04T05:06:07.1Z": ("2024-03-04T05:06:07.1", 0, "Z"),
    b"2024-03-04 05:06:07,123": ("2024-03-04T05:06:07.123", None, ""),
    b"2024-03-04T05:06:07.120000000+01:00": ("2024-03-04T05:06:07.120000000", 60, "+01:00"),
    b"2024-03-04 05:06:07.123456789 +0530": ("2024-03-04T05:06:07.123456789", 330, "+05:30"),
    b"2024-03-04 05:06:07-08": ("2024-03-04T05:06:07", -480, "-08:00"),
    b"2024-03-04 05:06:07 -0030": ("2024-03-04T05:06:07", -30, "-00:30"),
    b"2024-03-04 05:06:07-00:00": ("2024-03-04T05:06:07", 0, "+00:00"),
    b"2024-03-04 05:06:07.5 UTC": ("2024-03-04T05:06:07.5", 0, "Z"),
    b"2024-03-04 05:06:07 GMT": ("2024-03-04T05:06:07", 0, "Z"),
    b"2024-03-04 05:06:07 CEST": ("2024-03-04T05:06:07", 120, "+02:00"),
    b"2024-03-04 05:06:07 CST": ("2024-03-04T05:06:07", None, ""),
    b"2024-03-04  5:06:07": ("2024-03-04T05:06:07", None, ""),
    b"2024/03/04 05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"2024/03/04 05:06:07.123456": ("2024-03-04T05:06:07.123456", None, ""),
    b"Mon 2024-03-04 05:06:07 UTC": ("2024-03-04T05:06:07", 0, "Z"),
    b"Mon 2024-03-04 05:06:07 CET": ("2024-03-04T05:06:07", 60, "+01:00"),
    b"Mar  4 05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"Mar 28 12:20:42.377230": ("2023-03-28T12:20:42.377230", None, ""),
    b"0304 05:06:07.123456": ("2024-03-04T05:06:07.123456", None, ""),
    b"04/Mar/2024:05:06:07 +0000": ("2024-03-04T05:06:07", 0, "+00:00"),
    b"20240304 05:06:07.123456": ("2024-03-04T05:06:07.123456", None, ""),
    b"04/Mar/2024 05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"04/Mar/2024:05:06:07.123": ("2024-03-04T05:06:07.123", None, ""),
    b"Mon Mar 04 05:06:07.123456 2024": ("2024-03-04T05:06:07.123456", None, ""),
    b"Mon Mar  4 05:06:07 2024": ("2024-03-04T05:06:07", None, ""),
    b"4-Mar-2024::05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"04-Mar-2024 05:06:07.123": ("2024-03-04T05:06:07.123", None, ""),
    b"14-Mar-2024::05:06:07": ("2024-03-14T05:06:07", None, ""),
    b"240304  5:06:07": ("2024-03-04T05:06:07", None, ""),
    b"700101 00:00:00": ("1970-01-01T00:00:00", None, ""),
    b"691231 15:06:07": ("2069-12-31T15:06:07", None, ""),
    b"063/050607": ("2024-03-04T05:06:07", None, ""),
    b"Mar 04, 2024 5:06:07 AM": ("2024-03-04T05:06:07", None, ""),
    b"Mar 4, 2024 12:06:07 AM": ("2024-03-04T00:06:07", None, ""),
    b"Mar 04, 2024 12:06:07 PM": ("2024-03-04T12:06:07", None, ""),
    b"Mar 04, 2024 11:59:60 PM": ("2024-03-04T23:59:59.999999", None, ""),
    b"Mar 04, 2024 0:06:07 AM": ("2024-03-04T00:06:07", None, ""),
    b"Mar 04, 2024 5:06:07": ("2024-03-04T05:06:07", None, ""),
    b"2024-03-04 05:06:07 PM": ("2024-03-04T17:06:07", None, ""),
    b"2024/03/04 05:06:07PM": ("2024-03-04T17:06:07", None, ""),
    b"04 Mar 2024 05:06:07 PM UTC": ("2024-03-04T17:06:07", 0, "Z"),
    b"4 Mar 2024 12:06:07.5 AM +0100": ("2024-03-04T00:06:07.5", 60, "+01:00"),
    b"04.03.2024 05:06:07": ("2024-03-04T05:06:07", None, ""),
    b"2024/03/04-05:06:07.123456": ("2024-03-04T05:06:07.123456", None, ""),
    b"1709528767": ("2024-03-04T05:06:07", 0, "Z"),
    b"1709528767.50": ("2024-03-04T05:06:07.50", 0, "Z"),
    b"1709528767123": ("2024-03-04T05:06:07.123", 0, "Z"),
    b"1709528767123456": ("2024-03-04T05:06:07.123456", 0, "Z"),
    b"1709528767123456789": ("2024-03-04T05:06:07.123456789", 0, "Z"),
    b"0000000000": ("1970-01-01T00:00:00", 0, "Z"),
    b"70/01/02 05:06:07": ("1970-01-02T05:06:07", None, ""),
    b"69/01/02 05:06:07": ("2069-01-02T05:06:07", None, ""),
    b"2016-12-31T23:59:60Z": ("2016-12-31T23:59:59.999999", 0, "Z"),
    b"2016-12-31T23:59:60.123Z": ("2016-12-31T23:59:59.999999", 0, "Z"),
    b"2024-02-29 00:00:00": ("2024-02-29T00:00:00", None, ""),
    b"0001-01-01 00:00:00": ("0001-01-01T00:00:00", None, ""),
    b"9999-12-31 23:59:59.999999": ("9999-12-31T23:59:59.999999", None, ""),
}
#: text -> its microseconds since midnight or since boot
UNDATED = {
    b"05:06:07.123": (18_367_123_000, "midnight"),
    b"05:06:07,123": (18_367_123_000, "midnight"),
    b"00:00:00": (0, "midnight"),
    b"23:59:60": (86_399_999_999, "midnight"),
    b"12.345678": (12_345_678, "boot"),
    b"0.000000": (0, "boot"),
    b"123456789.5": (123_456_789_500_000, "boot"),
}
NO_TIMES = [
    b"", b"x", b"2024-03-04", b"2024-03-04 05:06:07.", b"2024-03-04 05:06:07.1234567890",
    b"2024-03-04 05:06:07\n", b" 2024-03-04 05:06:07", b"2024-03/04 05:06:07",
    b"04-Mar-2024: 05:06:07", b"04/Mar/2024 :05:06:07",
    b"20240332 05:06:07", b"2024-13-04 05:06:07", b"2024-00-04 05:06:07",
    b"2024-02-00 05:06:07", b"2024-02-31 05:06:07", b"2023-02-29 05:06:07",
    b"1900-02-29 05:06:07", b"0000-01-01 05:06:07", b"2024-03-04 24:06:07",
    b"2024-03-04 05:60:07", b"2024-03-04 05:06:61", b"2024-03-04 05:06:07 +24:00",
    b"2024-03-04 05:06:07+01:60", b"2024-03-04 05:06:07+1",
    b"2024-03-04 05:06:07 ABCDEF", b"\xb2024-03-04 05:06:07", b"Foo  4 05:06:07",
    b"Mar  0 05:06:07", b"Feb 30 05:06:07", b"mar  4 05:06:07", b"1304 05:06:07",
    b"0004 05:06:07", b"240004 05:06:07", b"04/03/2024:05:06:07", b"Foo Mar  4 05:06:07 2024",
    b"Mon Mar  4 05:06:07 0000", b"366/050607", b"063/240607", b"24:06:07", b" 5:06:07",
    b"5:06:07", b"12", b"12.", b".5", b"12.1234567890", b"17095287671", b"1709528767123.5",
    b"17095287671234567890",
]  # fmt: skip


def test_a_date(iso):
    assert {text: iso(text) for text in DATES} == {
        text: whole + zone for text, (whole, _, zone) in DATES.items()
    }


def test_a_date_is_an_instant(times_of):
    wrong = []
    for text, (whole, offset, _) in DATES.items():
        if is_at_a_beginning(text):
            expected = micros(whole) - 60 * 10**6 * (offset or 0)
            if times_of(text) != [expected]:
                wrong.append((text, times_of(text), expected))
    assert wrong == []


def is_at_a_beginning(text):
    """True if a line may begin with this time: some stand behind a letter or in an object only."""
    return seen_in(text + b" x").anchor == anchor_of(text)


@pytest.mark.parametrize("text", UNDATED, ids=str)
def test_what_is_no_date_stays_as_it_is(iso, is_within, text):
    assert iso(text) == text.decode()
    assert not is_within(text + b" x", since=time_range("0001"))
    assert is_within(text + b" x", until=time_range("0001"))


def test_what_is_no_time(iso):
    assert [text for text in NO_TIMES if iso(text) is not None] == []


@pytest.mark.parametrize(
    ("written", "text", "year"),
    [
        ("2024-03-04T05:06:07", b"Mar  4 05:06:07", 2024),
        ("2024-03-04T05:06:07", b"Mar  5 05:06:07", 2024),
        ("2024-03-04T05:06:07", b"Mar  5 05:06:59.999999", 2024),
        ("2024-03-04T05:06:07", b"Mar  5 05:07:00", 2023),
        ("2024-03-04T05:06:07", b"Dec 31 23:59:59", 2023),
        ("2023-12-31T20:00:00", b"Jan  1 08:00:00", 2024),
        ("2023-12-31T20:00:00", b"0101 20:01:00", 2023),
        ("2023-12-31T20:00:00", b"000/080000", 2024),
        ("2024-02-28T12:00:00", b"Feb 29 12:00:00", 2024),
        ("2024-02-28T12:00:00", b"Feb 29 12:01:00", 2020),
        ("2023-06-01T00:00:00", b"Feb 29 12:00:00", 2020),
        ("2103-06-01T00:00:00", b"0229 12:00:00", 2096),
        ("2104-02-28T12:00:00", b"0229 12:01:00", 2096),
        ("2023-06-01T00:00:00", b"365/120000", 2020),
        ("2024-12-30T12:00:00", b"365/120000", 2024),
        ("2024-12-30T12:00:00", b"365/120100", 2020),
        ("1970-01-01T00:00:00", b"Jan  3 00:00:00", 1969),
        ("9999-12-31T00:00:00", b"Dec 31 23:59:59", 9999),
    ],
)
def test_a_year_that_is_not_shown_is_the_latest_that_fits(iso, times_of, written, text, year):
    written = micros(written) // 10**6
    assert iso(text, written)[:4] == str(year)
    if is_at_a_beginning(text):
        [time] = times_of(text, written=written)
        assert time // 10**6 == micros(iso(text, written)) // 10**6


@pytest.mark.parametrize(
    ("text", "zone", "seen"),
    [
        (b"2024-03-04 05:06:07", "", "2024-03-04T05:06:07"),
        (b"2024-03-04 05:06:07", "Z", "2024-03-04T05:06:07"),
        (b"2024-03-04 05:06:07", "+02:00", "2024-03-04T07:06:07"),
        (b"2024-03-04 05:06:07+02:00", "", "2024-03-04T05:06:07"),
        (b"2024-03-04 05:06:07+02:00", "Z", "2024-03-04T03:06:07"),
        (b"2024-03-04 05:06:07+02:00", "+02:00", "2024-03-04T05:06:07"),
        (b"2024-03-04 05:06:07-08:00", "+02:00", "2024-03-04T15:06:07"),
    ],
)
def test_a_line_is_seen_on_the_clock_of_the_query(is_within, text, zone, seen):
    first = time_range(f"{seen}{zone}")
    earlier, later = (
        first._replace(first=first.first + by, last=first.last + by) for by in (-(10**6), 10**6)
    )
    assert is_within(text + b" x", since=first, until=first)
    assert not is_within(text + b" x", since=later)
    assert not is_within(text + b" x", until=earlier)


@pytest.mark.parametrize("seconds", [(b"07", b"59.9999999"), (b"60", b"00")])
def test_times_of_one_minute_are_of_one_year(iso, times_of, seconds):
    """The log was written a day before, in the midst of this minute."""
    written = WRITTEN - 86_400 + 23
    times = [b"Mar  4 05:06:" + second for second in seconds]
    assert [iso(one, written)[:4] for one in times] == ["2024", "2024"]
    read = [times_of(one, written=written)[0] for one in times]
    assert abs(read[0] - read[1]) < 60 * 10**6


def test_a_time_is_read_alike_behind_one_that_differs_in_its_seconds(times_of):
    def at(*seconds):
        return times_of(*(b"2024-03-04 05:06:" + second for second in seconds))

    begin = micros("2024-03-04T05:06:00")
    assert at(b"07.5", b"08.5") == [begin + 7_500_000, begin + 8_500_000]
    assert at(b"07.123456789", b"59.999999999")[1] == begin + 59_999_999
    assert at(b"58", b"60", b"59")[1:] == [begin + 59_999_999] * 2
    assert at(b"07", b"08.5", b"09") == [begin + 7_000_000, begin + 8_500_000, begin + 9_000_000]


#: Another digit for each, the other sign, and PM for AM.
OTHERS = bytes.maketrans(b"0123456789+-AP", b"1032547698-+PA")


@pytest.mark.parametrize("text", [*DATES, b"2024-03-04 05:06:07+0200", b"3/4/2024 5:06:07 AM"])
def test_a_time_is_read_alike_behind_one_that_differs_in_one_character(times_of, text):
    for place in range(len(text)):
        other = text[:place] + text[place : place + 1].translate(OTHERS) + text[place + 1 :]
        first, last = sorted((text, other), key=lambda one: times_of(one)[0] or 0)
        assert times_of(first, last)[1] == times_of(last)[0], (first, last)


@pytest.mark.parametrize("text", [text for text, (iso, _, _) in DATES.items() if "T" in iso])
def test_a_line_is_in_the_range_of_its_own_time(iso, is_within, text):
    if is_at_a_beginning(text):
        own = time_range(iso(text))
        assert is_within(text + b" x", since=own, until=own)


def test_times_of_several_formats_in_turn(times_of):
    lines = [
        line % second
        for second in range(10, 20)
        for line in (b"2024-03-04 05:06:%d", b"2024/03/04 05:06:%d", b"2024-03-04T05:06:%d.5Z")
    ]
    assert times_of(*lines) == [
        micros(f"2024-03-04T05:06:{second}{fraction}Z")
        for second in range(10, 20)
        for fraction in ("", "", ".5")
    ]


@pytest.mark.parametrize(
    ("beginning", "written", "year"),
    [
        (b"Mar  4 05:06:07 x\n", "2026-11-28", 2026),
        (b"2023-05-01 09:59:59 x\nMar  4 05:06:07 x\n", "2026-11-28", 2023),
        (b"Jan  2 05:06:07 x\n2023-12-31 09:59:59 x\n", "2026-11-28", 2024),
        (b"Dec 31 05:06:07 x\n2024-01-01 09:59:59 x\n", "2026-11-28", 2023),
        (b"2024-01-01 09:59:59 x\n", "2023-05-01", 2023),
    ],
)
def test_a_date_at_the_beginning_tells_the_year_of_others(renderer, beginning, written, year):
    log = OpenLog(_Stored(beginning, datetime.fromisoformat(f"{written}T00:00Z").timestamp()))
    [yearless] = [line for line in beginning.split(b"\n") if line[:1].isalpha()] or [
        b"Mar  4 05:06:07 x"
    ]
    assert renderer.iso(yearless[:15], renderer.written(log))[:4] == str(year)


def test_the_year_is_that_of_the_compression_if_it_is_earlier(renderer):
    packed = gzip.compress(b"Mar  4 05:06:07 x\n", mtime=micros("2023-05-01T00:00:00") // 10**6)
    log = OpenLog(_Stored(packed, WRITTEN))
    assert renderer.iso(b"Mar  4 05:06:07", renderer.written(log)) == "2023-03-04T05:06:07"
