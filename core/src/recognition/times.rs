// SPDX-License-Identifier: Apache-2.0
//! Times, read by the layouts of `core/grammar/times.toml`.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use chrono::{Datelike, NaiveDate};
use pyo3::FromPyObject;

use crate::recognition::names::Names;
use crate::recognition::patterns::{Cache, Patterns, Pool};
use crate::tables::Row;

/// In microseconds.
pub const SECOND: i64 = 1_000_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const DAY: i64 = 24 * 60 * MINUTE;
/// Minutes up to a day before the end of the year 9999: what was written later has that year too.
const LATEST: i64 = 2_932_896 * 1440 - 1;
/// So many years hold two leap years, those around 2100 too.
const YEARS: i32 = 13;

const WEEKDAYS: [&[u8; 3]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

/// Layouts of times, in the order in which they are tried.
pub struct Layouts {
    layouts: Vec<String>,
    patterns: Patterns,
    /// Offsets by words for zones; None for those that have several.
    zones: Names<Option<i16>>,
    unused_caches: Pool<Cache>,
}

impl Layouts {
    /// zones: words, and their offsets. Errors: the first row at fault, and its fault.
    pub fn new<'z>(
        rows: Vec<(String, Row)>,
        zones: impl Iterator<Item = (&'z str, &'z str)>,
    ) -> Result<Self, String> {
        Ok(Self {
            zones: Names::new(zones.map(|(word, offset)| (word, minutes_of(offset.as_bytes())))),
            patterns: Patterns::new(rows.iter().map(|(_, row)| row))?,
            layouts: rows.into_iter().map(|(layout, _)| layout).collect(),
            unused_caches: Pool::default(),
        })
    }

    /// The size of a zone of which the layouts know nothing, since a number follows it, as in ` UTC:17`.
    #[inline]
    pub fn zone_before_number(&self, text: &[u8]) -> usize {
        let [b' ', word @ ..] = text else { return 0 };
        if !word.first().is_some_and(u8::is_ascii_uppercase) {
            return 0;
        }
        let size = word.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let is_before = matches!(word[size..], [b':', b'0'..=b'9', ..]);
        if is_before && self.zones.contains(&word[..size]) { 1 + size } else { 0 }
    }

    /// A zone's minutes east of UTC; None for none, and for words that mean several.
    fn offset_of(&self, zone: &[u8]) -> Option<i16> {
        let zone = zone.trim_ascii_start();
        let letters = zone.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, offset) = zone.split_at(letters);
        match word {
            b"Z" => Some(0),
            _ => minutes_of(offset.trim_ascii_start()).or_else(|| self.zones.get(word)?),
        }
    }

    fn read<'t>(&self, cache: &mut Cache, text: &'t [u8]) -> Option<Fields<'t>> {
        text.first().filter(|&&first| first != b' ' && text.len() <= usize::from(u16::MAX))?;
        let (found, _) = self.patterns.first_at(cache, text, 0)?;
        let mut layout = self.layouts[found].bytes();
        let mut fields = Fields { text, places: [(0, 0); 64] };
        let mut at = 0;
        while let Some(byte) = layout.next() {
            if byte != b'%' {
                at += 1;
                continue;
            }
            let letter = layout.next()?;
            // Thousandths go on with those before them.
            let before = if letter == b'L' { fields.get(b'L').len() } else { 0 };
            let end = at + size_of(letter, &text[at..], layout.len());
            fields.places[usize::from(letter % 64)] = ((at - before) as u16, end as u16);
            at = end;
        }
        Some(fields)
    }
}

/// Bytes that a directive takes of a text that fits its layout. rest: of the layout behind it.
fn size_of(letter: u8, text: &[u8], rest: usize) -> usize {
    let run = |is_in: fn(&u8) -> bool| text.iter().take_while(|byte| is_in(byte)).count();
    let one_or_two = |text: &[u8]| 1 + usize::from(text.get(1).is_some_and(u8::is_ascii_digit));
    match letter {
        b'y' | b'm' | b'd' | b'H' | b'M' | b'S' => 2,
        b'j' | b'L' => 3,
        b'Y' => 4,
        b's' => 10,
        b'b' => run(u8::is_ascii_alphabetic),
        b'A' | b'g' => run(|byte| !byte.is_ascii_whitespace()) + 1,
        b'a' if text.first_chunk().is_some_and(|day| WEEKDAYS.contains(&day)) => {
            size_of(b'A', text, rest)
        }
        b'n' | b'e' | b'k' | b'I' => one_or_two(text),
        b'x' => {
            let first = one_or_two(text) + 1;
            first + one_or_two(&text[first..])
        }
        b'_' => run(|byte| !byte.is_ascii_digit()),
        b'f' if matches!(text, [b'.' | b',' | b':', ..]) => {
            1 + text[1..].iter().take_while(|byte| byte.is_ascii_digit()).count()
        }
        b'p' | b'P' => {
            let space = run(|byte| !byte.is_ascii_graphic());
            match text[space..] {
                [b'A' | b'P' | b'a' | b'p', b'M' | b'm', ..] => space + 2,
                [b'a' | b'p', b'.', b'm', b'.', ..] => space + 4,
                [b'a' | b'p', b'.', b'm', ..] => space + 3,
                _ => 0,
            }
        }
        b'a' | b'f' => 0,
        b'q' => text.iter().rposition(|&byte| byte == b'"').map_or(0, |last| last + 1),
        // A zone stands last, or before a space and a year.
        b'Z' | b'z' if rest > 0 => text.len() - 5,
        _ => text.len(), // these stand last
    }
}

/// A time's fields.
struct Fields<'t> {
    text: &'t [u8],
    /// Their beginnings and ends, by the letters of their directives; empty for none.
    places: [(u16, u16); 64],
}

impl<'t> Fields<'t> {
    fn get(&self, letter: u8) -> &'t [u8] {
        let (start, end) = self.places[usize::from(letter % 64)];
        &self.text[usize::from(start)..usize::from(end)]
    }

    fn has(&self, letter: u8) -> bool {
        !self.get(letter).is_empty()
    }

    /// The number in the first of these fields that is there; 0 for none.
    fn number(&self, letters: &[u8]) -> i64 {
        let found = letters.iter().find(|&&letter| self.has(letter));
        found.map_or(0, |&letter| number(self.get(letter)))
    }

    fn year(&self) -> Option<i32> {
        let year = self.number(b"Yy") as i32;
        let century = if year < 70 { 2000 } else { 1900 };
        self.has(b'Y').then_some(year).or_else(|| self.has(b'y').then_some(year + century))
    }

    /// The day since 1970; None if there is no such day.
    fn day_in(&self, year: i32) -> Option<i64> {
        if year < 1 {
            return None;
        }
        let date = if self.has(b'j') {
            // Without a year, the first day is 000.
            let first = u32::from(!self.has(b'Y'));
            NaiveDate::from_yo_opt(year, self.number(b"j") as u32 + first)
        } else {
            let (month, day) = self.month_and_day()?;
            NaiveDate::from_ymd_opt(year, month as u32, day as u32)
        };
        date.map(|date| i64::from(date.to_epoch_days()))
    }

    /// None if nobody knows which is which.
    fn month_and_day(&self) -> Option<(i64, i64)> {
        if let Some((month, day)) = self.month_and_day_in_any_order() {
            return match (month, day) {
                (13.., _) => Some((day, month)),
                (_, 13..) => Some((month, day)),
                _ => (month == day).then_some((month, day)),
            };
        }
        let months = b"JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC".chunks(3);
        let name = self.get(b'b').get(..3).unwrap_or_default();
        let named = (1..).zip(months).find(|(_, month)| month.eq_ignore_ascii_case(name));
        let month = named.map_or(self.number(b"mn"), |(month, _)| month);
        Some((month, self.number(b"de")))
    }

    fn month_and_day_in_any_order(&self) -> Option<(i64, i64)> {
        let mut numbers = self.get(b'x').split(|byte| !byte.is_ascii_digit()).map(number);
        numbers.next().zip(numbers.next())
    }

    /// Digits of a field of its own.
    fn fraction(&self) -> Cow<'t, [u8]> {
        if self.has(b'N') {
            let digits = self.get(b'N').rsplit(|byte| !byte.is_ascii_digit()).next();
            return format!("{:09}", number(digits.unwrap_or_default())).into_bytes().into();
        }
        let point = self.get(b'f').get(1..).unwrap_or_default();
        Cow::Borrowed(if self.has(b'L') { self.get(b'L') } else { point })
    }

    /// The stamp of a time that is a number of seconds.
    fn since_origin(&self) -> Option<Stamp<'t>> {
        let (second, fraction, origin) = if self.has(b's') {
            (self.number(b"s"), self.fraction(), Origin::Epoch)
        } else if let [first, b'.', digits @ .., b'e', b'+', b'0', b'9'] = self.get(b'E') {
            let (seconds, fraction) = digits.split_at(digits.len().min(9));
            let missing = 9 - seconds.len() as u32;
            let billions = i64::from(first - b'0') * 1_000_000_000;
            (billions + number(seconds) * 10_i64.pow(missing), fraction.into(), Origin::Epoch)
        } else {
            let uptime = self.get(b'u');
            let point = uptime.iter().position(|&byte| byte == b'.')?;
            (number(&uptime[..point]), uptime[point + 1..].into(), Origin::Boot)
        };
        let (day, second) = match origin {
            Origin::Epoch => (second / 86_400, second % 86_400),
            _ => (0, second),
        };
        let zone = if origin == Origin::Epoch { b"Z" } else { &b""[..] };
        Some(Stamp { day, second, fraction, zone, origin })
    }

    /// The second of the day, and the fraction. A leap second is the end of the one before.
    fn time_of_day(&self) -> (i64, Cow<'t, [u8]>) {
        let mut hour = self.number(b"kHI");
        let mut half = self.get(b'p').iter().chain(self.get(b'P'));
        if let Some(half) = half.find(|byte| b"AaPp".contains(byte)) {
            hour = hour % 12 + if b"Pp".contains(half) { 12 } else { 0 };
        }
        let minute = hour * 60 + self.number(b"M");
        match self.number(b"S") {
            60 => (minute * 60 + 59, b"999999".into()),
            second => (minute * 60 + second, self.fraction()),
        }
    }
}

/// The number that digits say, behind a space or not.
pub fn number(digits: &[u8]) -> i64 {
    digits.trim_ascii_start().iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))
}

/// What an instant's microseconds are counted from. Those of different origins never compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// 1970-01-01.
    Epoch,
    /// A time of day without its date.
    Midnight,
    /// When the kernel started.
    Boot,
}

/// A point on a log's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// Microseconds since the origin, the zone not applied.
    pub micros: i64,
    /// The zone's minutes east of UTC; None where the line names none.
    pub offset: Option<i16>,
    pub origin: Origin,
}

impl Instant {
    /// Microseconds to compare with a time range of this offset; None without a date.
    ///
    /// A query without a zone means the log's clock. A line without one is in UTC.
    pub fn on_clock_of(&self, offset: Option<i16>) -> Option<i64> {
        if self.origin != Origin::Epoch {
            return None;
        }
        let minutes =
            offset.map_or(0, |offset| i64::from(offset) - i64::from(self.offset.unwrap_or(0)));
        Some(self.micros + minutes * MINUTE)
    }
}

/// The TimeRange of `oslogserve/lines/time_range.py`: a query's time.
#[derive(FromPyObject)]
pub struct TimeRange {
    pub first: i64,
    pub last: i64,
    pub offset: Option<i16>,
}

/// The reader of one log's times.
pub struct Clock {
    layouts: Arc<Layouts>,
    /// None as long as nothing was read.
    cache: Option<Cache>,
    /// A time without a year is of the latest one that puts it no later than this, the end of a minute.
    limit: i64,
    /// The limit's year.
    year: i32,
    /// The last times that were read, each at the remainder of its size.
    lasts: [Last; 16],
}

/// The last time that was read of its size: the next one often differs in its seconds alone.
#[derive(Clone, Default)]
struct Last {
    text: Vec<u8>,
    /// The place of its seconds, two digits, with their fraction.
    seconds: Range<usize>,
    /// Its instant without its seconds; None for a time that has none.
    minute: Option<Instant>,
}

impl Last {
    fn keep(&mut self, text: &[u8], fields: &Fields<'_>, instant: Instant) {
        let second = fields.get(b'S');
        let start = second.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        self.seconds = start..start.wrapping_add(second.len() + fields.get(b'f').len());
        let micros = text.get(self.seconds.clone()).and_then(micros_of);
        self.minute = micros.map(|micros| Instant { micros: instant.micros - micros, ..instant });
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    /// The instant of a time that differs from the last one in its seconds alone.
    fn with_other_seconds(&self, text: &[u8]) -> Option<Instant> {
        let minute = self.minute?;
        let Range { start, end } = self.seconds;
        let (last, point) = (&self.text, start + 2..end.min(start + 3));
        if text.len() != last.len()
            || text[..start] != last[..start]
            || text[end..] != last[end..]
            || text[point.clone()] != last[point]
        {
            return None;
        }
        let micros = micros_of(&text[start..end])?;
        Some(Instant { micros: minute.micros + micros, ..minute })
    }
}

/// Microseconds that two digits of seconds and their fraction say; None if that is a leap second.
fn micros_of(seconds: &[u8]) -> Option<i64> {
    let (second, fraction) = seconds.split_at_checked(2)?;
    let digits = fraction.get(1..).unwrap_or_default();
    let is_number = second.iter().chain(digits).all(u8::is_ascii_digit);
    let second = is_number.then(|| number(second)).filter(|&second| second < 60)?;
    Some(second * SECOND + micros_of_fraction(digits))
}

pub fn micros_of_fraction(digits: &[u8]) -> i64 {
    let digits = &digits[..digits.len().min(6)];
    number(digits) * 10_i64.pow(6 - digits.len() as u32)
}

impl Clock {
    /// written: when the log was last written, in seconds since 1970.
    pub fn new(layouts: Arc<Layouts>, written: i64) -> Self {
        // The log's clock may differ by a zone.
        let limit = (written.max(0) / 60).min(LATEST) * MINUTE + DAY + MINUTE - 1;
        let year = date_of(limit / DAY).year();
        Self { layouts, cache: None, limit, year, lasts: Default::default() }
    }

    /// The instant that a time's text says; None if there is none, as for 31 February.
    pub fn read(&mut self, text: &[u8]) -> Option<Instant> {
        let place = text.len() % self.lasts.len();
        if let Some(instant) = self.lasts[place].with_other_seconds(text) {
            return Some(instant);
        }
        let fields = self.fields(text)?;
        let stamp = self.stamp(&fields)?;
        let offset = self.layouts.offset_of(stamp.zone);
        let instant = Instant { micros: stamp.micros(), offset, origin: stamp.origin };
        self.lasts[place].keep(text, &fields, instant);
        Some(instant)
    }

    /// The microseconds since 1970 of a time that shows its year.
    pub fn read_with_year(&mut self, text: &[u8]) -> Option<i64> {
        let fields = self.fields(text)?;
        let has_year = b"YysE".iter().any(|&letter| fields.has(letter));
        has_year.then(|| self.stamp(&fields))?.map(|stamp| stamp.micros())
    }

    /// The time in ISO 8601, its fraction as written; without a date, its text as it is.
    pub fn iso(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        let fields = self.fields(text)?;
        let stamp = self.stamp(&fields)?;
        Some(if stamp.origin == Origin::Epoch {
            stamp.iso(self.layouts.offset_of(stamp.zone))
        } else {
            text.to_vec()
        })
    }

    /// Gives the cache back, until another time is read.
    pub fn rest(&mut self) {
        if let Some(cache) = self.cache.take() {
            self.layouts.unused_caches.give_back(cache);
        }
    }

    fn fields<'t>(&mut self, text: &'t [u8]) -> Option<Fields<'t>> {
        let layouts = &*self.layouts;
        let new = || layouts.unused_caches.take(|| layouts.patterns.cache());
        layouts.read(self.cache.get_or_insert_with(new), text)
    }

    fn stamp<'t>(&self, fields: &Fields<'t>) -> Option<Stamp<'t>> {
        if let Some(stamp) = fields.since_origin() {
            return Some(stamp);
        }
        let (second, fraction) = fields.time_of_day();
        let zone = fields.get(if fields.has(b'Z') { b'Z' } else { b'z' });
        let stamp = Stamp { day: 0, second, fraction, zone, origin: Origin::Epoch };
        if !b"dejx".iter().any(|&letter| fields.has(letter)) {
            return Some(Stamp { zone: b"", origin: Origin::Midnight, ..stamp });
        }
        if let Some(year) = fields.year() {
            return Some(Stamp { day: fields.day_in(year)?, ..stamp });
        }
        let mut years = (self.year - YEARS + 1..=self.year).rev();
        let fits = |day: &i64| day * DAY + stamp.time_of_day() <= self.limit;
        let day = years.find_map(|year| fields.day_in(year).filter(fits))?;
        Some(Stamp { day, ..stamp })
    }
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        let (layouts, lasts) = (Arc::clone(&self.layouts), Default::default());
        Self { layouts, cache: None, lasts, ..*self }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.rest();
    }
}

/// A time's fields, as numbers.
struct Stamp<'t> {
    /// Days since 1970.
    day: i64,
    /// Seconds of the day.
    second: i64,
    /// Digits as written.
    fraction: Cow<'t, [u8]>,
    zone: &'t [u8],
    origin: Origin,
}

impl Stamp<'_> {
    fn micros(&self) -> i64 {
        self.day * DAY + self.time_of_day()
    }

    fn time_of_day(&self) -> i64 {
        self.second * SECOND + micros_of_fraction(&self.fraction)
    }

    /// offset: that of its zone.
    fn iso(&self, offset: Option<i16>) -> Vec<u8> {
        let date = date_of(self.day);
        let mut iso = b"0000-00-00T00:00:00".to_vec();
        let minute = self.second / 60;
        for (at, pair) in [
            (0, i64::from(date.year() / 100)),
            (2, i64::from(date.year() % 100)),
            (5, i64::from(date.month())),
            (8, i64::from(date.day())),
            (11, minute / 60),
            (14, minute % 60),
            (17, self.second % 60),
        ] {
            iso[at..at + 2].copy_from_slice(&two_digits(pair));
        }
        if !self.fraction.is_empty() {
            iso.push(b'.');
            iso.extend_from_slice(&self.fraction);
        }
        match offset {
            None => {}
            Some(0) if !self.zone.iter().any(u8::is_ascii_digit) => iso.push(b'Z'),
            Some(offset) => {
                let minutes = i64::from(offset.abs());
                iso.push(if offset < 0 { b'-' } else { b'+' });
                iso.extend_from_slice(&two_digits(minutes / 60));
                iso.push(b':');
                iso.extend_from_slice(&two_digits(minutes % 60));
            }
        }
        iso
    }
}

/// The date of a day since 1970.
fn date_of(day: i64) -> NaiveDate {
    NaiveDate::from_epoch_days(day as i32).unwrap_or_default()
}

fn two_digits(number: i64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

/// Minutes that a sign and digits say, such as +2, +0200 or +02:00; None for other text.
fn minutes_of(offset: &[u8]) -> Option<i16> {
    let (sign, offset) = offset.split_first().filter(|(sign, _)| b"+-".contains(sign))?;
    let size = offset.iter().position(u8::is_ascii_whitespace).unwrap_or(offset.len());
    let digits: Vec<u8> = offset[..size].iter().copied().filter(u8::is_ascii_digit).collect();
    let (hours, minutes) =
        digits.split_at(if digits.len() > 2 { digits.len() - 2 } else { digits.len() });
    let minutes = (number(hours) * 60 + number(minutes)) as i16;
    Some(if *sign == b'-' { -minutes } else { minutes })
}
