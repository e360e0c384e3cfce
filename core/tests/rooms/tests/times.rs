// SPDX-License-Identifier: Apache-2.0
//! What times mean. All their layouts are tested with the lines in which they stand.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;

use crate::recognition::grammar::Grammar;
use crate::recognition::times::{Clock, DAY, MINUTE, SECOND};
use crate::tables::Tables;

static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&[], &Tables::new(HashMap::new())).unwrap());

fn clock(written: i64) -> Clock {
    Clock::new(Arc::clone(&GRAMMAR.times.readable), written)
}

/// A time in ISO 8601; "" for none.
fn iso(text: &[u8], written: i64) -> String {
    String::from_utf8(clock(written).iso(text).unwrap_or_default()).unwrap()
}

fn seconds(iso: &str) -> i64 {
    iso.parse::<NaiveDateTime>().unwrap().and_utc().timestamp()
}

#[test]
fn a_year_that_is_not_shown_is_the_latest_that_fits() {
    let cases = [
        ("2024-03-04T05:06:07", "Mar  4 05:06:07", 2024),
        ("2024-03-04T05:06:07", "Mar  5 05:06:07", 2024),
        ("2024-03-04T05:06:07", "Mar  5 05:06:59.999999", 2024),
        ("2024-03-04T05:06:07", "Mar  5 05:07:00", 2023),
        ("2024-03-04T05:06:07", "Dec 31 23:59:59", 2023),
        ("2023-12-31T20:00:00", "Jan  1 08:00:00", 2024),
        ("2023-12-31T20:00:00", "0101 20:01:00", 2023),
        ("2023-12-31T20:00:00", "000/080000", 2024),
        ("2024-02-28T12:00:00", "Feb 29 12:00:00", 2024),
        ("2024-02-28T12:00:00", "Feb 29 12:01:00", 2020),
        ("2023-06-01T00:00:00", "Feb 29 12:00:00", 2020),
        ("2103-06-01T00:00:00", "0229 12:00:00", 2096),
        ("2104-02-28T12:00:00", "0229 12:01:00", 2096),
        ("2023-06-01T00:00:00", "365/120000", 2020),
        ("2024-12-30T12:00:00", "365/120000", 2024),
        ("2024-12-30T12:00:00", "365/120100", 2020),
        ("1970-01-01T00:00:00", "Jan  3 00:00:00", 1969),
        ("9999-12-31T00:00:00", "Dec 31 23:59:59", 9999),
    ];
    for (written, text, year) in cases {
        let found = iso(text.as_bytes(), seconds(written));
        assert!(found.starts_with(&year.to_string()), "{text} in {written}: {found}");
    }
}

#[test]
fn any_time_of_writing_will_do() {
    for written in [i64::MIN, -1, 0, i64::MAX] {
        assert_ne!(iso(b"Feb 29 05:06:07", written), "");
    }
}

#[test]
fn a_zone_counts() {
    let read = |text: &[u8]| clock(0).read(text).unwrap().on_clock_of(Some(0)).unwrap();
    let utc = read(b"2024-03-04T05:06:07Z");
    assert_eq!(utc, seconds("2024-03-04T05:06:07") * SECOND);
    assert_eq!(read(b"2024-03-04T05:06:07+02:00"), utc - 120 * MINUTE);
    assert_eq!(read(b"2024-03-04T05:06:07-02:30"), utc + 150 * MINUTE);
    assert_eq!(read(b"2024-03-05T05:06:07Z") - utc, DAY);
}

#[test]
fn a_year_of_two_digits_is_one_from_1970_on() {
    assert_eq!(iso(b"69/03/04 05:06:07", 0), "2069-03-04T05:06:07");
    assert_eq!(iso(b"70/03/04 05:06:07", 0), "1970-03-04T05:06:07");
}

#[test]
fn hours_of_both_halves_of_a_day_are_from_12_to_11() {
    for (hour, half, expected) in
        [(12, "AM", "00"), (1, "AM", "01"), (11, "AM", "11"), (12, "PM", "12"), (1, "PM", "13")]
    {
        let text = format!("2024-03-04 {hour:02}:06:07 {half}");
        assert_eq!(iso(text.as_bytes(), 0), format!("2024-03-04T{expected}:06:07"));
    }
}

#[test]
fn a_zone_is_shown_with_its_sign() {
    for zone in ["+02:30", "-02:30"] {
        let text = format!("2024-03-04T05:06:07{zone}");
        assert_eq!(iso(text.as_bytes(), 0), text);
    }
}

#[test]
fn a_time_like_the_last_one_has_its_point() {
    let mut clock = clock(0);
    let first = clock.read(b"2024-03-04T05:06:07.123").unwrap();
    let other = clock.read(b"2024-03-04T05:06:08.124").unwrap();
    assert_eq!(other.micros - first.micros, SECOND + 1000);
    assert_eq!(clock.read(b"2024-03-04T05:06:08x124"), None);
}

#[test]
fn hostile_texts_take_no_time() {
    for begin in ["", "2024-03-04T05:06:07", "Mar  4 ", "05:06:07."] {
        for unit in ["1", "0.", " ", "Mar ", "2024-03-04 ", ":00", "+00", "Z"] {
            let text = begin.to_owned() + &unit.repeat(200_000);
            let started = Instant::now();
            assert_eq!(iso(text.as_bytes(), 0), "");
            assert!(started.elapsed() < Duration::from_secs(1));
        }
    }
}
