// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs, merged as `oslogserve/jobs/merge.py` defines it.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Deref;

/// Rows that follow on each other, at least one.
pub struct Rows<Text> {
    pub text: Text,
    /// By row: where it ends in the text, and its time.
    pub ends: Vec<i64>,
    pub times: Vec<i64>,
}

impl<Text> Rows<Text> {
    fn end_of(&self, rows: usize) -> usize {
        rows.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
    }
}

/// What is here of one log.
struct Log<Text> {
    pieces: VecDeque<Rows<Text>>,
    /// The next row of the first piece.
    next: usize,
    /// No row behind the pieces has an earlier time.
    reached: i64,
}

impl<Text> Log<Text> {
    fn next_time(&self) -> i64 {
        self.pieces.front().map_or(self.reached, |rows| rows.times[self.next])
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

/// The merge of so many logs.
pub struct Merge<Text> {
    logs: Vec<Log<Text>>,
    /// Each log by the time of its next row, or one that it is not before.
    heap: BinaryHeap<Reverse<(i64, usize)>>,
    text: Vec<u8>,
    ends: Vec<i64>,
}

impl<Text: Deref<Target = [u8]>> Merge<Text> {
    pub fn new(logs: usize) -> Self {
        let log = || Log { pieces: VecDeque::new(), next: 0, reached: i64::MIN };
        Self {
            logs: std::iter::repeat_with(log).take(logs).collect(),
            heap: BinaryHeap::new(),
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Takes the next rows of a log that needs them. reached: no later one has an earlier time.
    pub fn feed(&mut self, number: usize, pieces: VecDeque<Rows<Text>>, reached: i64) {
        let log = &mut self.logs[number];
        (log.pieces, log.reached) = (pieces, reached);
        self.heap.push(Reverse((log.next_time(), number)));
    }

    /// Merges rows, until there are so many bytes of them or more rows are needed.
    pub fn run(&mut self, most: usize) -> Pause {
        while self.text.len() < most {
            let Some(mut next) = self.heap.peek_mut() else {
                return Pause::Over;
            };
            let Reverse((time, number)) = &mut *next;
            let log = &mut self.logs[*number];
            let Some(rows) = log.pieces.front() else {
                let number = *number;
                PeekMut::pop(next);
                return Pause::Needs(number);
            };
            self.text
                .extend_from_slice(&rows.text[rows.end_of(log.next)..rows.end_of(log.next + 1)]);
            self.ends.push(self.text.len() as i64);
            log.next += 1;
            if log.next == rows.times.len() {
                log.pieces.pop_front();
                log.next = 0;
            }
            *time = log.next_time();
        }
        Pause::Full
    }

    /// What was merged since the last call, and where each row ends in it.
    pub fn take(&mut self) -> (Vec<u8>, Vec<i64>) {
        (std::mem::take(&mut self.text), std::mem::take(&mut self.ends))
    }
}
