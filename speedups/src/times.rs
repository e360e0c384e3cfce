// SPDX-License-Identifier: Apache-2.0
//! What times say, as `oslogserve/lines/times.py` defines it. The layouts come from there.

use std::sync::Arc;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * 60 * MINUTE;
/// A day before the end of the year 9999: what was written later has that year too.
const LATEST: i64 = 2_932_896 * 86_400 - 1;
/// So many years hold two leap years, those around 2100 too.
const YEARS: i64 = 13;
/// Layouts of times, in the order in which they are tried.
pub struct Layouts {
    layouts: Vec<String>,
    patterns: Regex,
}

impl Layouts {
    /// Of strptime's strings, and the patterns of all of each.
    pub fn new(layouts: &[(String, String)]) -> Result<Self, String> {
        let patterns: Vec<_> = layouts.iter().map(|(_, pattern)| pattern).collect();
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        let config = Regex::config().utf8_empty(false);
        let built = Regex::builder().configure(config).syntax(syntax).build_many(&patterns);
        Ok(Self {
            layouts: layouts.iter().map(|(layout, _)| layout.clone()).collect(),
            patterns: built.map_err(|error| error.to_string())?,
        })
    }

    fn read<'t>(&self, text: &'t [u8]) -> Option<Fields<'t>> {
        text.first().filter(|&&first| first != b' ')?;
        let found = self.patterns.search_half(&Input::new(text).anchored(Anchored::Yes))?;
        let mut steps = self.layouts[found.pattern()].bytes();
        let mut fields = Fields::default();
        let mut at = 0;
        while let Some(byte) = steps.next() {
            if byte != b'%' {
                at += 1;
                continue;
            }
            let letter = steps.next()?;
            let size = size_of(letter, &text[at..]);
            // Thousandths go on with those before them.
            let before = if letter == b'L' { fields.fraction.len() } else { 0 };
            fields.take(letter, &text[at - before..at + size]);
            at += size;
        }
        Some(fields)
    }
}

/// What a time shows.
#[derive(Default)]
struct Fields<'t> {
    year: Option<i64>,
    month: i64,
    /// Of the month.
    day: Option<i64>,
    /// Of the year; the first is 0.
    day_of_year: Option<i64>,
    /// Day and month are there, and nobody knows which is which.
    is_ambiguous: bool,
    hour: i64,
    minute: i64,
    second: i64,
    is_afternoon: Option<bool>,
    fraction: &'t [u8],
    zone: &'t [u8],
    since_epoch: Option<i64>,
    since_boot: Option<i64>,
}

impl<'t> Fields<'t> {
    /// text: what the directive takes.
    fn take(&mut self, letter: u8, text: &'t [u8]) {
        let number = || value_of(text.trim_ascii_start());
        match letter {
            b'Y' => self.year = Some(number()),
            b'y' => self.year = Some(number() + if number() < 70 { 2000 } else { 1900 }),
            b'm' => self.month = number(),
            b'b' => self.month = month_named(text),
            b'd' | b'e' => self.day = Some(number()),
            b'j' => self.day_of_year = Some(number()),
            b'x' => self.is_ambiguous = true,
            b'k' | b'H' | b'I' => self.hour = number(),
            b'M' => self.minute = number(),
            b'S' => self.second = number(),
            b'p' => self.is_afternoon = Some(text[0] == b'P'),
            b'f' => self.fraction = text.get(1..).unwrap_or_default(),
            b'L' => self.fraction = text,
            b'z' => self.zone = text,
            b's' => self.since_epoch = Some(number()),
            b'u' => self.uptime(text),
            b'E' => self.float(text),
            _ => {}
        }
    }

    fn uptime(&mut self, text: &'t [u8]) {
        let (whole, fraction) = text.split_at(leading_digits(text));
        self.since_boot = Some(value_of(whole));
        self.fraction = &fraction[1..];
    }

    /// As in `1.7095287671234567e+09`; its digits do not stand in one piece.
    fn float(&mut self, text: &'t [u8]) {
        let digits = &text[2..text.len() - 4];
        let (whole, fraction) = digits.split_at(digits.len().min(9));
        let missing = 9 - whole.len() as u32;
        let billions = i64::from(text[0] - b'0') * 1_000_000_000;
        self.since_epoch = Some(billions + value_of(whole) * 10_i64.pow(missing));
        self.fraction = fraction;
    }
}

/// How many bytes the directive takes of a text that fits its layout.
fn size_of(letter: u8, text: &[u8]) -> usize {
    match letter {
        b'y' | b'm' | b'd' | b'H' | b'M' | b'S' | b'p' => 2,
        b'b' | b'a' | b'j' | b'L' => 3,
        b'Y' => 4,
        b'x' => 5,
        b's' => 10,
        b'e' | b'k' | b'I' => 1 + usize::from(text.get(1).is_some_and(u8::is_ascii_digit)),
        b'f' if matches!(text, [b'.' | b',', ..]) => 1 + leading_digits(&text[1..]),
        b'f' => 0,
        b'Z' => text.iter().take_while(|byte| byte.is_ascii_uppercase()).count(),
        _ => text.len(), // zones and seconds since boot stand last
    }
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The number of a month by its name, from 1.
fn month_named(name: &[u8]) -> i64 {
    let months = b"JanFebMarAprMayJunJulAugSepOctNovDec".chunks(3);
    (1..).zip(months).find_map(|(number, month)| (month == name).then_some(number)).unwrap_or(0)
}

fn two_digits(text: &[u8]) -> Option<i64> {
    match text {
        [b'0'..=b'9', b'0'..=b'9', ..] => Some(value_of(&text[..2])),
        _ => None,
    }
}

fn value_of(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))
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

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Self::Epoch => "epoch",
            Self::Midnight => "midnight",
            Self::Boot => "boot",
        }
    }
}

/// A point on the line's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// The zone is not applied.
    pub micros: i64,
    /// Of the zone, in minutes east of UTC; None where the line names none.
    pub offset: Option<i16>,
    pub origin: Origin,
}

impl Instant {
    /// To be compared with a span of this offset; None for what is no date.
    ///
    /// Without a zone the query means the line's own clock. A line without one is in UTC.
    pub fn on_clock_of(&self, offset: Option<i16>) -> Option<i64> {
        if self.origin != Origin::Epoch {
            return None;
        }
        let ahead =
            offset.map_or(0, |asked| i64::from(asked) - i64::from(self.offset.unwrap_or_default()));
        Some(self.micros + ahead * MINUTE)
    }
}

/// The times of one log.
#[derive(Clone)]
pub struct Clock {
    layouts: Arc<Layouts>,
    /// A stamp without a year is of the latest one that puts it no later than this.
    limit: i64,
    /// Of the limit.
    year: i64,
}

impl Clock {
    /// layouts: all that are read. written: when the log was last written, in seconds since 1970.
    pub fn new(layouts: Arc<Layouts>, written: i64) -> Self {
        // The line's clock may be ahead by a zone.
        let limit = written.clamp(0, LATEST) + 86_400;
        Self { layouts, limit: limit * SECOND, year: civil(limit / 86_400).0 }
    }

    /// None where it is not a time, such as one of 31 February.
    pub fn read(&self, text: &[u8]) -> Option<Instant> {
        let stamp = self.stamp(text)?;
        Some(Instant {
            micros: stamp.micros(),
            offset: offset_of(stamp.zone),
            origin: stamp.origin,
        })
    }

    /// With the digits of the fraction as written; what is no date as it is.
    pub fn iso(&self, text: &[u8]) -> Option<Iso> {
        let stamp = self.stamp(text)?;
        let mut iso = Iso { buffer: [0; LONGEST_ISO], end: 0 };
        if stamp.origin == Origin::Epoch {
            iso.put_stamp(&stamp);
        } else {
            iso.put(text);
        }
        Some(iso)
    }

    fn stamp<'t>(&self, text: &'t [u8]) -> Option<Stamp<'t>> {
        let fields = self.layouts.read(text)?;
        let mut stamp = Stamp {
            origin: Origin::Epoch,
            day: 0,
            second: (fields.hour * 60 + fields.minute) * 60 + fields.second,
            fraction: fields.fraction,
            zone: fields.zone,
        };
        if let Some(second) = fields.since_epoch {
            return Some(Stamp {
                day: second / 86_400,
                second: second % 86_400,
                zone: b"Z",
                ..stamp
            });
        }
        if let Some(second) = fields.since_boot {
            return Some(Stamp { origin: Origin::Boot, second, ..stamp });
        }
        // A leap second is the end of the one before: few programs know of 61.
        if fields.second == 60 {
            (stamp.second, stamp.fraction) = (stamp.second - 1, b"999999");
        }
        if let Some(is_afternoon) = fields.is_afternoon {
            let half = 12 * 60 * 60;
            stamp.second = stamp.second % half + if is_afternoon { half } else { 0 };
        }
        if fields.is_ambiguous {
            return None;
        }
        if fields.day.is_none() && fields.day_of_year.is_none() {
            return Some(Stamp { origin: Origin::Midnight, zone: b"", ..stamp });
        }
        if let Some(year) = fields.year {
            return Some(Stamp { day: fields.day_in(year)?, ..stamp });
        }
        let years = (self.year - YEARS + 1..=self.year).rev();
        let mut stamps =
            years.filter_map(|year| Some(Stamp { day: fields.day_in(year)?, ..stamp }));
        stamps.find(|stamp| stamp.micros() <= self.limit)
    }
}

impl Fields<'_> {
    /// Days since 1970; None where there is no such day.
    fn day_in(&self, year: i64) -> Option<i64> {
        match (self.day_of_year, self.day) {
            (Some(day), _) => {
                let last = if is_leap(year) { 365 } else { 364 };
                (year >= 1 && day <= last).then(|| days_before(year) + day)
            }
            (_, day) => day_of(year, self.month, day?),
        }
    }
}

/// A time taken apart.
#[derive(Clone, Copy)]
struct Stamp<'t> {
    origin: Origin,
    /// Since 1970.
    day: i64,
    /// Of the day.
    second: i64,
    /// Its digits as written.
    fraction: &'t [u8],
    zone: &'t [u8],
}

impl Stamp<'_> {
    fn micros(&self) -> i64 {
        let size = self.fraction.len().min(6);
        let fraction = value_of(&self.fraction[..size]) * UNITS[size];
        self.day * DAY + self.second * SECOND + fraction
    }
}

/// Microseconds of the last digit of a fraction, by the count of its digits.
const UNITS: [i64; 7] = [0, 100_000, 10_000, 1_000, 100, 10, 1];

/// The zone's minutes east of UTC; None for none, and for words that may mean several.
fn offset_of(zone: &[u8]) -> Option<i16> {
    match zone.strip_prefix(b" ").unwrap_or(zone) {
        b"Z" | b"UTC" | b"GMT" => Some(0),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let hours = two_digits(rest)?;
            let minutes = rest[2..].strip_prefix(b":").unwrap_or(&rest[2..]);
            let offset = (hours * 60 + two_digits(minutes).unwrap_or(0)) as i16;
            Some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

/// Days in the months before each of a common year, and in the year.
const BEFORE_MONTH: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
/// Days from the year 1 to 1970.
const BEFORE_EPOCH: i64 = 719_162;

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970 to the first of January; the year is at least 1.
fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400 - BEFORE_EPOCH
}

/// The first day after this many months of the year, counted from the first of January.
fn before_month(year: i64, months: usize) -> i64 {
    BEFORE_MONTH[months] + i64::from(months > 1 && is_leap(year))
}

/// Days since 1970; None where there is no such day.
fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if year < 1 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let before = before_month(year, month as usize - 1);
    let found = before + day - 1;
    (found < before_month(year, month as usize)).then(|| days_before(year) + found)
}

/// Year, month and day of these days since 1970.
pub fn civil(days: i64) -> (i64, i64, i64) {
    // Leap days are not spread evenly: year and month are estimated, then put right by one.
    let mut year = (days + BEFORE_EPOCH) * 400 / 146_097 + 2;
    while days_before(year) > days {
        year -= 1;
    }
    let day = days - days_before(year);
    let mut month = day as usize / 32;
    if before_month(year, month + 1) <= day {
        month += 1;
    }
    (year, month as i64 + 1, day - before_month(year, month) + 1)
}

/// As in `2024-03-04T05:06:07.123456789+00:00`.
const LONGEST_ISO: usize = 35;

/// A text of ISO 8601.
pub struct Iso {
    buffer: [u8; LONGEST_ISO],
    end: usize,
}

impl Iso {
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[..self.end]
    }

    fn put(&mut self, text: &[u8]) {
        self.buffer[self.end..self.end + text.len()].copy_from_slice(text);
        self.end += text.len();
    }

    fn put_stamp(&mut self, stamp: &Stamp) {
        let (year, month, day) = civil(stamp.day);
        let (second, fraction) = (stamp.second, stamp.fraction);
        let mut whole = *b"0000-00-00T00:00:00";
        [whole[0], whole[1]] = two_figures(year / 100);
        [whole[2], whole[3]] = two_figures(year % 100);
        [whole[5], whole[6]] = two_figures(month);
        [whole[8], whole[9]] = two_figures(day);
        [whole[11], whole[12]] = two_figures(second / 3600);
        [whole[14], whole[15]] = two_figures(second / 60 % 60);
        [whole[17], whole[18]] = two_figures(second % 60);
        self.put(&whole);
        if !fraction.is_empty() {
            self.put(b".");
            self.put(fraction);
        }
        match offset_of(stamp.zone) {
            None => {}
            Some(0) if !stamp.zone.ends_with(b"0") => self.put(b"Z"),
            Some(offset) => {
                let [hours, minutes] = [offset / 60, offset % 60].map(i64::from);
                self.put(if offset < 0 { b"-" } else { b"+" });
                self.put(&two_figures(hours.abs()));
                self.put(b":");
                self.put(&two_figures(minutes.abs()));
            }
        }
    }
}

fn two_figures(number: i64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}
