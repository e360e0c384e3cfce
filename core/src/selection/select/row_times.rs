// SPDX-License-Identifier: Apache-2.0
//! The times by which a log's rows are merged with those of other logs.

use super::{NO_TIME, UNTIMED, UNTIMED_LINES};
use crate::index::Block;

/// The times of a log's lines, and of the rows that it shows of them.
pub struct RowTimes {
    /// True if rows have times: no line is skipped.
    pub are_wanted: bool,
    /// The latest time of all lines.
    pub latest: i64,
    /// The first such time, until it was told.
    pub first: Option<i64>,
    /// Of the rows above the first time, once it is known, see Selector::take_rows().
    pub start: Option<i64>,
    /// Ends and times of the rows that the last piece gave.
    ends: Vec<i64>,
    times: Vec<i64>,
    /// The one of them that `show` names.
    named: Option<usize>,
    /// Bytes of rows that may wait for the log's first time, if rows are held until they are taken.
    most_waiting: Option<usize>,
}

impl RowTimes {
    pub fn new(are_wanted: bool) -> Self {
        Self {
            are_wanted,
            latest: NO_TIME,
            first: None,
            start: None,
            ends: Vec::new(),
            times: Vec::new(),
            named: None,
            most_waiting: None,
        }
    }

    /// Holds the rows until they are taken, see Selector::hold_rows().
    pub fn hold(&mut self, most_waiting: usize) {
        self.most_waiting = Some(most_waiting);
    }

    /// True if rows are held until they are taken.
    pub fn are_held(&self) -> bool {
        self.most_waiting.is_some()
    }

    /// Takes the time of a line, if it has one.
    pub fn line(&mut self, time: Option<i64>, number: u64) {
        let had_none = self.latest == NO_TIME;
        self.latest = time.map_or(self.latest, |time| self.latest.max(time));
        if self.latest == NO_TIME && number >= UNTIMED_LINES {
            self.latest = UNTIMED;
        }
        if had_none && self.latest != NO_TIME {
            self.first = Some(self.latest);
        }
    }

    /// Takes the times of all lines of a block, as line() would.
    pub fn block(&mut self, block: &Block) {
        let had_none = self.latest == NO_TIME;
        let first = block.times.filter(|times| times.first_line <= UNTIMED_LINES);
        if had_none && first.is_none() {
            if block.line + block.lines > UNTIMED_LINES {
                (self.latest, self.first) = (UNTIMED, Some(UNTIMED));
            }
            return;
        }
        if had_none {
            self.first = first.map(|times| times.first_utc);
        }
        self.latest = block.times.map_or(self.latest, |times| self.latest.max(times.latest_utc));
    }

    /// Takes a row. end: the bytes of all rows up to its end. is_named: true if `show` names it.
    pub fn row(&mut self, end: usize, time: i64, is_named: bool) {
        if is_named {
            self.named = Some(self.ends.len());
        }
        self.ends.push(end as i64);
        self.times.push(time);
    }

    pub fn clear_rows(&mut self) {
        self.ends.clear();
        self.times.clear();
        self.named = None;
    }

    /// Ends and times of the rows that the last piece gave, and which one `show` names.
    pub fn take_rows(&mut self) -> (Vec<i64>, Vec<i64>, Option<usize>) {
        let Self { ends, times, named, .. } = self;
        (std::mem::take(ends), std::mem::take(times), named.take())
    }

    /// The time of the rows above the log's first time; None if that may follow. has_reached: true if no
    /// row of an unknown time may follow.
    pub fn found_start(&self, has_reached: bool, is_end: bool) -> Option<i64> {
        let above = self.times.iter().take_while(|time| **time == NO_TIME).count();
        let waiting = above.checked_sub(1).map_or(0, |last| self.ends[last] as usize);
        if waiting > self.most_waiting.unwrap_or(0) {
            return Some(UNTIMED);
        }
        self.first.filter(|_| has_reached).or(is_end.then_some(UNTIMED))
    }
}
