// SPDX-License-Identifier: Apache-2.0
//! Dates of the Gregorian calendar, and the days since 1970-01-01 that they are.

/// Days in 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// The last day of the year 9999.
const LAST: i64 = 2_932_896;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    pub year: i32,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Date {
    /// The date of a day since 1970, none later than the year 9999.
    pub fn of(day: i64) -> Self {
        // Years begin in March here, so that a leap day is a year's last.
        let since = day.min(LAST) + EPOCH;
        let of_cycle = since.rem_euclid(CYCLE);
        let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
        let of_year = of_cycle - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let years = since.div_euclid(CYCLE) * 400 + year;
        Self {
            year: (years + month / 10) as i32,
            month: (if month < 10 { month + 3 } else { month - 9 }) as u8,
            day: (of_year - (153 * month + 2) / 5 + 1) as u8,
        }
    }

    /// The day since 1970 of a year's day, from 1; None if there is no such day.
    pub fn day_of_year(year: i32, day: i64) -> Option<i64> {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let is_there = (1..=365 + i64::from(is_leap)).contains(&day);
        is_there.then(|| Self { year, month: 1, day: 1 }.day_since_1970() + day - 1)
    }

    /// The day since 1970; None if there is no such date.
    pub fn day(self) -> Option<i64> {
        Some(self.day_since_1970()).filter(|&day| Self::of(day) == self)
    }

    fn day_since_1970(self) -> i64 {
        let is_early = self.month < 3;
        let year = i64::from(self.year) - i64::from(is_early);
        let month = i64::from(self.month) + if is_early { 9 } else { -3 };
        let of_year = (153 * month + 2).div_euclid(5) + i64::from(self.day) - 1;
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leaps + of_year - EPOCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i32, month: u8, day: u8) -> Date {
        Date { year, month, day }
    }

    #[test]
    fn known_dates_have_the_days_that_they_have_elsewhere() {
        for (day, known) in [
            (-719_162, date(1, 1, 1)),
            (-1, date(1969, 12, 31)),
            (0, date(1970, 1, 1)),
            (11_016, date(2000, 2, 29)),
            (LAST, date(9999, 12, 31)),
        ] {
            assert_eq!(Date::of(day), known);
            assert_eq!(known.day(), Some(day));
        }
        assert_eq!(Date::of(LAST + 1), date(9999, 12, 31));
    }

    #[test]
    fn every_day_is_the_one_behind_the_day_before() {
        let mut last = date(0, 12, 31);
        for day in -719_162..=LAST {
            let found = Date::of(day);
            let follows = (found.year, found.month, found.day) > (last.year, last.month, last.day);
            assert!(follows, "{last:?} {found:?}");
            assert_eq!(found.day(), Some(day));
            last = found;
        }
    }

    #[test]
    fn there_is_no_date_that_the_calendar_does_not_have() {
        for (year, month, day) in [
            (2023, 2, 29),
            (1900, 2, 29),
            (2024, 2, 30),
            (2024, 4, 31),
            (2024, 0, 1),
            (2024, 13, 1),
            (2024, 1, 0),
            (2024, 1, 32),
            (2024, 255, 255),
        ] {
            assert_eq!(date(year, month, day).day(), None, "{year} {month} {day}");
        }
    }

    #[test]
    fn a_year_has_365_days_or_366() {
        assert_eq!(Date::day_of_year(2024, 1), date(2024, 1, 1).day());
        assert_eq!(Date::day_of_year(2024, 366), date(2024, 12, 31).day());
        assert_eq!(Date::day_of_year(2023, 366), None);
        assert_eq!(Date::day_of_year(1900, 366), None);
        assert_eq!(Date::day_of_year(2000, 366), date(2000, 12, 31).day());
        assert_eq!(Date::day_of_year(2024, 0), None);
    }
}
