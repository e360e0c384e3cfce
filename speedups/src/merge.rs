// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs, merged as `oslogserve/jobs/merge.py` defines it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The rows of one log that are here.
#[derive(Default)]
struct Log {
    text: Vec<u8>,
    /// By row: where it ends in the text, and its time.
    ends: Vec<i64>,
    times: Vec<i64>,
    /// The next row.
    next: usize,
    /// No later row has an earlier time.
    reached: i64,
}

impl Log {
    fn next_time(&self) -> i64 {
        self.times.get(self.next).copied().unwrap_or(self.reached)
    }

    fn end_of(&self, rows: usize) -> usize {
        rows.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
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
pub struct Merge {
    logs: Vec<Log>,
    /// Each log by the time of its next row, or one that it is not before.
    heap: BinaryHeap<Reverse<(i64, usize)>>,
    text: Vec<u8>,
    ends: Vec<i64>,
}

impl Merge {
    pub fn new(logs: usize) -> Self {
        let logs = (0..logs).map(|_| Log::default()).collect();
        Self { logs, heap: BinaryHeap::new(), text: Vec::new(), ends: Vec::new() }
    }

    /// Takes the next rows of a log.
    pub fn feed(&mut self, log: usize, text: &[u8], ends: Vec<i64>, times: Vec<i64>, reached: i64) {
        let of = &mut self.logs[log];
        of.text.clear();
        of.text.extend_from_slice(text);
        (of.ends, of.times, of.next, of.reached) = (ends, times, 0, reached);
        self.heap.push(Reverse((of.next_time(), log)));
    }

    /// Merges rows, until there are so many bytes of them or more rows are needed.
    pub fn run(&mut self, most: usize) -> Pause {
        while self.text.len() < most {
            let Some(Reverse((_, number))) = self.heap.pop() else {
                return Pause::Over;
            };
            let log = &mut self.logs[number];
            let first = log.next;
            if first == log.times.len() {
                return Pause::Needs(number);
            }
            let others = self.heap.peek().map_or((i64::MAX, usize::MAX), |Reverse(next)| *next);
            while log.next < log.times.len() && (log.times[log.next], number) < others {
                log.next += 1;
            }
            let start = log.end_of(first);
            let shift = self.text.len() as i64 - start as i64;
            self.ends.extend(log.ends[first..log.next].iter().map(|end| end + shift));
            self.text.extend_from_slice(&log.text[start..log.end_of(log.next)]);
            self.heap.push(Reverse((log.next_time(), number)));
        }
        Pause::Full
    }

    /// What was merged since, and where each row ends in it.
    pub fn take(&mut self) -> (Vec<u8>, Vec<i64>) {
        (std::mem::take(&mut self.text), std::mem::take(&mut self.ends))
    }
}
