// SPDX-License-Identifier: Apache-2.0
//! What the text of a recognised time says: an instant, and its ISO 8601 text.

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * 60 * MINUTE;
/// A day before the end of the year 9999: what was written later has that year too.
const LATEST: i64 = 2_932_896 * 86_400 - 1;
/// So many years hold two leap years, those around 2100 too.
const YEARS: i64 = 13;

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
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// A stamp without a year is of the latest one that puts it no later than this.
    limit: i64,
    /// Of the limit.
    year: i64,
}

impl Clock {
    /// written: when the log was last written to, in seconds since 1970.
    pub fn new(written: i64) -> Self {
        // The line's clock may be ahead by a zone.
        let limit = written.clamp(0, LATEST) + 86_400;
        Self { limit: limit * SECOND, year: civil(limit / 86_400).0 }
    }

    /// None where it is not a time, such as one of 31 February.
    pub fn read(&self, text: &[u8]) -> Option<Instant> {
        let stamp = self.taken_apart(text)?;
        let offset = stamp.zone.offset();
        Some(Instant { micros: stamp.micros(), offset, origin: stamp.origin })
    }

    /// With the digits of the fraction as written; what is no date as it is.
    pub fn iso(&self, text: &[u8]) -> Option<Iso> {
        let stamp = self.taken_apart(text)?;
        let mut iso = Iso { buffer: [0; LONGEST_ISO], end: 0 };
        if stamp.origin == Origin::Epoch {
            iso.put_stamp(&stamp);
        } else {
            iso.put(text);
        }
        Some(iso)
    }

    /// No text fits two forms: the length of its first number and what stands behind it decide.
    #[inline(always)] // else half the time goes into copying stamps
    fn taken_apart<'a>(&self, text: &'a [u8]) -> Option<Stamp<'a>> {
        let mut rest = Rest(text);
        let stamp = match text {
            [_, _, _, _, b'-' | b'/', ..] => rest.iso(),
            _ => self.rarer(&mut rest),
        }?;
        rest.0.is_empty().then_some(stamp)
    }

    fn rarer<'a>(&self, rest: &mut Rest<'a>) -> Option<Stamp<'a>> {
        let digits = rest.leading_digits();
        match (digits, rest.0.get(digits)) {
            (0, _) => self.named(rest),
            (4, Some(b' ')) => self.klog(rest),
            (2, Some(b'/')) => rest.access_log(),
            (2, Some(b':')) => rest.time_of_day(),
            (6, Some(b' ')) => rest.two_digit_year(),
            (8, Some(b' ')) => rest.whole_date(),
            (1 | 2, Some(b'-')) => rest.erlang(),
            (3, Some(b'/')) => self.day_of_year(rest),
            (10, Some(b'.')) | (10 | 13 | 16 | 19, None) => rest.since_epoch(),
            (1..=9, Some(b'.')) => rest.since_boot(digits),
            _ => None,
        }
    }

    /// Begins with the name of a day or of a month.
    fn named<'a>(&self, rest: &mut Rest<'a>) -> Option<Stamp<'a>> {
        if rest.weekday().is_some() {
            return if rest.0.first()?.is_ascii_digit() { rest.iso() } else { rest.ctime() };
        }
        let month = rest.month()?;
        rest.byte(b' ')?;
        if rest.0.iter().take(3).any(|&byte| byte == b',') {
            return rest.half_day(month);
        }
        let day = rest.padded()?;
        rest.byte(b' ')?;
        let time = rest.time()?;
        self.latest(time, |year| day_of(year, month, day))
    }

    /// 0304 05:06:07.123456
    fn klog<'a>(&self, rest: &mut Rest<'a>) -> Option<Stamp<'a>> {
        let (month, day) = (rest.number(2)?, rest.number(2)?);
        rest.byte(b' ')?;
        let time = rest.time()?;
        self.latest(time, |year| day_of(year, month, day))
    }

    /// 063/050607, where 000 is the first of January.
    fn day_of_year<'a>(&self, rest: &mut Rest<'a>) -> Option<Stamp<'a>> {
        let day = rest.number(3)?;
        rest.byte(b'/')?;
        let (hour, minute, second) = (rest.number(2)?, rest.number(2)?, rest.number(2)?);
        let time = Time::new(hour, minute, second, b"")?;
        let last = |year| if is_leap(year) { 365 } else { 364 };
        self.latest(time, |year| (day <= last(year)).then(|| days_before(year) + day))
    }

    fn latest<'a>(&self, time: Time<'a>, day: impl Fn(i64) -> Option<i64>) -> Option<Stamp<'a>> {
        let years = (self.year - YEARS + 1..=self.year).rev();
        let mut stamps = years.filter_map(|year| Some(time.on(day(year)?, Zone::None)));
        stamps.find(|stamp| stamp.micros() <= self.limit)
    }
}

#[derive(Clone, Copy)]
enum Zone {
    None,
    Utc,
    Offset(i16),
}

impl Zone {
    fn offset(self) -> Option<i16> {
        match self {
            Self::None => None,
            Self::Utc => Some(0),
            Self::Offset(minutes) => Some(minutes),
        }
    }
}

/// Microseconds of the last digit of a fraction, by the count of its digits.
const UNITS: [i64; 7] = [0, 100_000, 10_000, 1_000, 100, 10, 1];

#[derive(Clone, Copy)]
struct Time<'a> {
    /// Of the day.
    second: i64,
    /// Its digits as written.
    fraction: &'a [u8],
}

impl<'a> Time<'a> {
    /// A leap second is the end of the one before: few programs know of 61.
    fn new(hour: i64, minute: i64, second: i64, fraction: &'a [u8]) -> Option<Self> {
        let (second, fraction) =
            if second == 60 { (59, &b"999999"[..]) } else { (second, fraction) };
        let right = hour < 24 && minute < 60 && second < 60;
        right.then_some(Self { second: (hour * 60 + minute) * 60 + second, fraction })
    }

    fn micros(self) -> i64 {
        let size = self.fraction.len().min(6);
        let digits = self.fraction[..size].iter();
        digits.fold(0, |number, digit| number * 10 + i64::from(digit - b'0')) * UNITS[size]
    }

    fn on(self, day: i64, zone: Zone) -> Stamp<'a> {
        Stamp { origin: Origin::Epoch, day, time: self, zone }
    }

    fn since(self, origin: Origin) -> Stamp<'a> {
        Stamp { origin, day: 0, time: self, zone: Zone::None }
    }
}

struct Stamp<'a> {
    origin: Origin,
    /// Since 1970.
    day: i64,
    time: Time<'a>,
    zone: Zone,
}

impl Stamp<'_> {
    fn micros(&self) -> i64 {
        self.day * DAY + self.time.second * SECOND + self.time.micros()
    }
}

/// What is left of a text: each step takes what it knows, or tells that this does not fit.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn leading_digits(&self) -> usize {
        self.0.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    /// Of so many digits.
    fn number(&mut self, size: usize) -> Option<i64> {
        number(self.take(size)?)
    }

    /// Of two digits, or a space and a digit.
    fn padded(&mut self) -> Option<i64> {
        match self.0.first()? {
            b' ' => self.take(2).and_then(|taken| number(&taken[1..])),
            _ => self.number(2),
        }
    }

    fn one_or_two_digits(&mut self) -> Option<i64> {
        let two = self.0.get(1).is_some_and(u8::is_ascii_digit);
        self.number(if two { 2 } else { 1 })
    }

    fn month(&mut self) -> Option<i64> {
        let name = self.take(3)?;
        (1..).zip(MONTHS).find_map(|(number, month)| (month == name).then_some(number))
    }

    fn weekday(&mut self) -> Option<()> {
        let (name, rest) = self.0.split_at_checked(4)?;
        WEEKDAYS.iter().find(|&weekday| *weekday == name)?;
        self.0 = rest;
        Some(())
    }

    /// 05:06:07.123
    fn time(&mut self) -> Option<Time<'a>> {
        let hour = self.padded()?;
        self.time_from(hour)
    }

    fn time_from(&mut self, hour: i64) -> Option<Time<'a>> {
        self.byte(b':')?;
        let minute = self.number(2)?;
        self.byte(b':')?;
        let second = self.number(2)?;
        Time::new(hour, minute, second, self.fraction()?)
    }

    fn fraction(&mut self) -> Option<&'a [u8]> {
        let Some((b'.' | b',', digits)) = self.0.split_first() else {
            return Some(b"");
        };
        let size = digits.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = digits;
        self.take(size).filter(|digits| !digits.is_empty())
    }

    fn zone(&mut self) -> Option<Zone> {
        let name = self.0.strip_prefix(b" ").unwrap_or(self.0);
        match name {
            b"" => return Some(Zone::None),
            b"Z" | b"UTC" | b"GMT" => {
                self.0 = b"";
                return Some(Zone::Utc);
            }
            [b'+' | b'-', digits @ ..] => {
                self.0 = digits;
                let minutes = self.minutes_of_offset()?;
                return Some(Zone::Offset(if name[0] == b'-' { -minutes } else { minutes }));
            }
            _ => {}
        }
        // CET and its like are taken for no zone: they mean different ones in different places.
        let named = self.0[0] == b' ' && name.iter().all(u8::is_ascii_uppercase);
        self.0 = b"";
        (named && (3..=5).contains(&name.len())).then_some(Zone::None)
    }

    fn minutes_of_offset(&mut self) -> Option<i16> {
        let hours = self.number(2)?;
        let minutes = match self.0.first() {
            None => 0,
            Some(b':') => self.next().and_then(|_| self.number(2))?,
            Some(_) => self.number(2)?,
        };
        (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) as i16)
    }

    /// 2024-03-04T05:06:07.123Z, 2024/03/04 05:06:07: the form of most logs, so this has no steps.
    fn iso(&mut self) -> Option<Stamp<'a>> {
        let (whole, rest) = self.0.split_first_chunk::<19>()?;
        let punctuation = [whole[4], whole[7], whole[10], whole[13], whole[16]];
        let [b'-' | b'/', between, b'T' | b' ', b':', b':'] = punctuation else {
            return None;
        };
        if between != whole[4] {
            return None;
        }
        let two_digits = |at: usize| number(&whole[at..at + 2]);
        let hour = if whole[11] == b' ' { number(&whole[12..13]) } else { two_digits(11) };
        let year = two_digits(0)? * 100 + two_digits(2)?;
        let day = day_of(year, two_digits(5)?, two_digits(8)?)?;
        self.0 = rest;
        let time = Time::new(hour?, two_digits(14)?, two_digits(17)?, self.fraction()?)?;
        Some(time.on(day, self.zone()?))
    }

    /// Mon Mar  4 05:06:07 2024, behind the day's name.
    fn ctime(&mut self) -> Option<Stamp<'a>> {
        let month = self.month()?;
        self.byte(b' ')?;
        let day = self.padded()?;
        self.byte(b' ')?;
        let time = self.time()?;
        self.byte(b' ')?;
        Some(time.on(day_of(self.number(4)?, month, day)?, Zone::None))
    }

    /// Mar 04, 2024 5:06:07 AM, behind the month.
    fn half_day(&mut self, month: i64) -> Option<Stamp<'a>> {
        let day = self.one_or_two_digits()?;
        self.byte(b',')?;
        self.byte(b' ')?;
        let year = self.number(4)?;
        self.byte(b' ')?;
        let hour = self.one_or_two_digits().filter(|hour| (1..=12).contains(hour))?;
        let mut time = self.time_from(hour % 12)?;
        match self.take(3)? {
            b" AM" => {}
            b" PM" => time.second += 12 * 60 * 60,
            _ => return None,
        }
        Some(time.on(day_of(year, month, day)?, Zone::None))
    }

    /// 04/Mar/2024:05:06:07 +0000, 04/Mar/2024 05:06:07
    fn access_log(&mut self) -> Option<Stamp<'a>> {
        let day = self.number(2)?;
        self.byte(b'/')?;
        let month = self.month()?;
        self.byte(b'/')?;
        let year = self.number(4)?;
        if !matches!(self.next()?, b':' | b' ') {
            return None;
        }
        let time = self.time()?;
        Some(time.on(day_of(year, month, day)?, self.zone()?))
    }

    /// 4-Mar-2024::05:06:07, 04-Mar-2024 05:06:07.123
    fn erlang(&mut self) -> Option<Stamp<'a>> {
        let day = self.one_or_two_digits()?;
        self.byte(b'-')?;
        let month = self.month()?;
        self.byte(b'-')?;
        let year = self.number(4)?;
        let between = if self.0.first()? == &b' ' { " " } else { "::" };
        self.0 = self.0.strip_prefix(between.as_bytes())?;
        Some(self.time()?.on(day_of(year, month, day)?, Zone::None))
    }

    /// 20240304 05:06:07.123456
    fn whole_date(&mut self) -> Option<Stamp<'a>> {
        let (year, month, day) = (self.number(4)?, self.number(2)?, self.number(2)?);
        self.byte(b' ')?;
        Some(self.time()?.on(day_of(year, month, day)?, Zone::None))
    }

    /// 240304  5:06:07
    fn two_digit_year(&mut self) -> Option<Stamp<'a>> {
        let (year, month, day) = (self.number(2)?, self.number(2)?, self.number(2)?);
        let century = if year < 70 { 2000 } else { 1900 };
        self.byte(b' ')?;
        Some(self.time()?.on(day_of(century + year, month, day)?, Zone::None))
    }

    /// 05:06:07.123
    fn time_of_day(&mut self) -> Option<Stamp<'a>> {
        Some(self.time()?.since(Origin::Midnight))
    }

    /// Seconds, milliseconds, microseconds or nanoseconds, by their digits.
    fn since_epoch(&mut self) -> Option<Stamp<'a>> {
        let seconds = self.number(10)?;
        let fraction = match self.0.first() {
            Some(b'.') => self.fraction()?,
            _ => std::mem::take(&mut self.0),
        };
        let time = Time { second: seconds % 86_400, fraction };
        Some(time.on(seconds / 86_400, Zone::Utc))
    }

    /// 12.345678
    fn since_boot(&mut self, digits: usize) -> Option<Stamp<'a>> {
        let second = self.number(digits)?;
        Some(Time { second, fraction: self.fraction()? }.since(Origin::Boot))
    }
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
const WEEKDAYS: [&[u8]; 7] = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];

fn number(digits: &[u8]) -> Option<i64> {
    let values = digits.iter().map(|digit| digit.wrapping_sub(b'0'));
    let (number, right) = values.fold((0, true), |(number, right), value| {
        (number * 10 + i64::from(value), right & (value < 10))
    });
    right.then_some(number)
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
        let Time { second, fraction } = stamp.time;
        let mut whole = *b"0000-00-00T00:00:00";
        [whole[0], whole[1]] = two_digits(year / 100);
        [whole[2], whole[3]] = two_digits(year % 100);
        [whole[5], whole[6]] = two_digits(month);
        [whole[8], whole[9]] = two_digits(day);
        [whole[11], whole[12]] = two_digits(second / 3600);
        [whole[14], whole[15]] = two_digits(second / 60 % 60);
        [whole[17], whole[18]] = two_digits(second % 60);
        self.put(&whole);
        if !fraction.is_empty() {
            self.put(b".");
            self.put(fraction);
        }
        match stamp.zone {
            Zone::None => {}
            Zone::Utc => self.put(b"Z"),
            Zone::Offset(minutes) => {
                let [hours, minutes] = [minutes / 60, minutes % 60].map(i64::from);
                self.put(if hours < 0 || minutes < 0 { b"-" } else { b"+" });
                self.put(&two_digits(hours.abs()));
                self.put(b":");
                self.put(&two_digits(minutes.abs()));
            }
        }
    }
}

fn two_digits(number: i64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_found_again() {
        let mut day = days_before(1);
        for year in 1..=9999 {
            for month in 1..=12 {
                let last = (28..=31).rev().find(|&last| day_of(year, month, last).is_some());
                for date in 1..=last.unwrap() {
                    assert_eq!(day_of(year, month, date), Some(day));
                    assert_eq!(civil(day), (year, month, date));
                    day += 1;
                }
            }
        }
        assert_eq!(day, LATEST / 86_400 + 2);
        assert_eq!(civil(0), (1970, 1, 1));
    }

    fn told(text: &str) -> String {
        let clock = Clock::new(1_709_528_767); // 2024-03-04T05:06:07
        let Some(iso) = clock.iso(text.as_bytes()) else {
            assert_eq!(clock.read(text.as_bytes()), None, "{text}");
            return String::new();
        };
        assert!(clock.read(text.as_bytes()).is_some(), "{text}");
        String::from_utf8(iso.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn forms_of_times() {
        for (text, iso) in [
            ("2013-09-27 18:22:11.248", "2013-09-27T18:22:11.248"),
            ("9999-12-31T23:59:59,123456789-2359", "9999-12-31T23:59:59.123456789-23:59"),
            ("Mar  5 05:06:07", "2024-03-05T05:06:07"),
            ("Mar  5 05:06:07.000001", "2023-03-05T05:06:07.000001"),
            ("365/050607", "2020-12-31T05:06:07"),
            ("12.345678", "12.345678"),
            ("123456789.123456789", "123456789.123456789"),
            ("23:59:60", "23:59:60"),
            ("2023-02-29 05:06:07", ""),
            ("0000-01-01 05:06:07", ""),
            ("2024-03-04", ""),
            ("", ""),
        ] {
            assert_eq!(told(text), iso, "{text}");
        }
    }

    #[test]
    fn any_time_of_writing_will_do() {
        for written in [i64::MIN, -1, 0, LATEST, i64::MAX] {
            assert!(Clock::new(written).read(b"Feb 29 05:06:07").is_some());
        }
    }
}
