// SPDX-License-Identifier: Apache-2.0
//! The times of a log's lines, by which its rows are merged with those of other logs.

use crate::index::Block;

/// The time of lines before a log's first one; and of all lines of a log in which none of the first
/// `UNTIMED_LINES` shows a time.
pub const NO_TIME: i64 = i64::MIN;
pub const UNTIMED: i64 = i64::MAX;
pub const UNTIMED_LINES: u64 = 1000;

pub struct LogTimes {
    /// True if rows have times: no line is skipped.
    pub are_wanted: bool,
    /// The latest time of all lines.
    pub latest: i64,
    /// The first such time, until it was told.
    pub first: Option<i64>,
}

impl LogTimes {
    pub fn new(are_wanted: bool) -> Self {
        Self { are_wanted, latest: NO_TIME, first: None }
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
}
