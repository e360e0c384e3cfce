// SPDX-License-Identifier: Apache-2.0
//! The rows of a log that is merged with others by time.

use super::last::Last;
use super::log_times::{NO_TIME, UNTIMED};
use crate::merge::Rows;
use crate::shown::Line;

/// The rows that were written and not yet taken.
pub struct WrittenRows {
    /// Bytes of a line that a row shows.
    pub longest: usize,
    ends: Vec<i64>,
    times: Vec<i64>,
    /// The one of them that `show` names.
    named: Option<usize>,
    /// Bytes of rows that may wait for the log's first time; None if rows are given piece by piece.
    pub most_waiting: Option<usize>,
    /// The time of the rows above the log's first time, once it is known, see Selector::take_rows().
    pub start: Option<i64>,
    /// None where all rows may be shown.
    pub last: Option<Last>,
}

impl WrittenRows {
    pub fn new(longest: usize) -> Self {
        let (ends, times) = (Vec::new(), Vec::new());
        Self { longest, ends, times, named: None, most_waiting: None, start: None, last: None }
    }

    /// Adds a row. end: the bytes of all rows up to its end.
    pub fn add(&mut self, end: usize, line: &Line<'_>) {
        if line.is_named {
            self.named = Some(self.ends.len());
        }
        self.ends.push(end as i64);
        self.times.push(line.latest);
    }

    /// Takes the rows, without text.
    pub fn take(&mut self) -> Rows {
        let Self { ends, times, named, .. } = self;
        let (ends, times) = (std::mem::take(ends), std::mem::take(times));
        Rows { ends, times, named: named.take(), ..Rows::default() }
    }

    /// The time of the rows above the log's first time; None if that may follow. first: the log's first time,
    /// if no row of an unknown time may follow.
    pub fn found_start(&self, first: Option<i64>, is_end: bool) -> Option<i64> {
        let above = self.times.iter().take_while(|time| **time == NO_TIME).count();
        let waiting = above.checked_sub(1).map_or(0, |last| self.ends[last] as usize);
        if waiting > self.most_waiting.unwrap_or(0) {
            return Some(UNTIMED);
        }
        first.or(is_end.then_some(UNTIMED))
    }
}
