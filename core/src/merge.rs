// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs, merged by time, log and number; `oslogserve/jobs/lines.py` says what a row's time is.
//! Logs are numbered in the order of their names. `last_rows.rs` has the same order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Rows of one log that follow on each other.
#[derive(Default)]
pub struct Rows {
    pub text: Vec<u8>,
    /// By row: where it ends in the text, and its time. No row has an earlier time than the one above.
    pub ends: Vec<i64>,
    pub times: Vec<i64>,
    /// No later row has an earlier time.
    pub reached: i64,
    /// The row that the log's selection names by `show`.
    pub named: Option<usize>,
}

impl Rows {
    fn end_of(&self, rows: usize) -> usize {
        rows.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
    }
}

/// What is here of one log.
#[derive(Default)]
struct Log {
    rows: Rows,
    /// The next row.
    next: usize,
}

impl Log {
    /// The time of the next row, or one that it is not before.
    fn next_time(&self) -> i64 {
        self.rows.times.get(self.next).map_or(self.rows.reached, |time| *time)
    }
}

/// Why a merge pauses.
pub enum Pause {
    /// Rows of this log are needed to go on.
    Needs(usize),
    /// So many bytes as wanted were merged.
    Full,
    /// All logs have ended.
    Over,
}

/// Rows of several logs in order.
#[derive(Default)]
pub struct Merged {
    pub text: Vec<u8>,
    /// By row.
    pub ends: Vec<i64>,
    /// By run of rows of one log: where it ends in the text, and the log.
    pub run_ends: Vec<i64>,
    pub run_logs: Vec<i64>,
    /// As in Rows.
    pub named: Option<usize>,
}

impl Merged {
    /// Ends a row of a log.
    fn end_row(&mut self, log: i64) {
        let end = self.text.len() as i64;
        self.ends.push(end);
        match (self.run_logs.last(), self.run_ends.last_mut()) {
            (Some(&last), Some(run_end)) if last == log => *run_end = end,
            _ => {
                self.run_logs.push(log);
                self.run_ends.push(end);
            }
        }
    }
}

/// The merge of so many logs.
pub struct Merge {
    logs: Vec<Log>,
    /// Each log by its next time.
    heap: BinaryHeap<Reverse<(i64, usize)>>,
    merged: Merged,
}

impl Merge {
    pub fn new(logs: usize) -> Self {
        Self {
            logs: std::iter::repeat_with(Log::default).take(logs).collect(),
            heap: BinaryHeap::new(),
            merged: Merged::default(),
        }
    }

    /// Takes the next rows of a log that needs them. Errors: that there is no such log.
    pub fn feed(&mut self, number: usize, rows: Rows) -> Result<(), String> {
        let none = || format!("log: there is no {number}");
        let log = self.logs.get_mut(number).ok_or_else(none)?;
        *log = Log { rows, next: 0 };
        self.heap.push(Reverse((log.next_time(), number)));
        Ok(())
    }

    /// Merges rows, until there are so many bytes of them or more rows are needed.
    pub fn run(&mut self, most: usize) -> Pause {
        let merged = &mut self.merged;
        merged.text.reserve(most + most / 8);
        while merged.text.len() < most {
            let Some(mut next) = self.heap.peek_mut() else {
                return Pause::Over;
            };
            let Reverse((time, number)) = &mut *next;
            let log = &mut self.logs[*number];
            let Log { rows, next: row } = log;
            if *row == rows.times.len() {
                let number = *number;
                *log = Log::default();
                PeekMut::pop(next);
                return Pause::Needs(number);
            }
            if rows.named == Some(*row) {
                merged.named = Some(merged.ends.len());
            }
            merged.text.extend_from_slice(&rows.text[rows.end_of(*row)..rows.end_of(*row + 1)]);
            merged.end_row(*number as i64);
            *row += 1;
            *time = log.next_time();
        }
        Pause::Full
    }

    /// The logs whose rows come to their end first, at most so many.
    pub fn ending_first(&self, most: usize) -> Vec<usize> {
        let end = |&Reverse((_, number)): &Reverse<(i64, usize)>| {
            (self.logs[number].rows.reached, number)
        };
        let mut ends: Vec<_> = self.heap.iter().map(end).collect();
        ends.sort_unstable();
        ends.into_iter().take(most).map(|(_, number)| number).collect()
    }

    /// What was merged since the last call.
    pub fn take(&mut self) -> Merged {
        std::mem::take(&mut self.merged)
    }
}
