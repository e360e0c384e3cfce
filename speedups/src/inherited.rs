// SPDX-License-Identifier: Apache-2.0
//! What a line has from those above it: `oslogserve/lines/inheritance.py` once more, and how it is
//! found out for a line whose predecessors were passed over.

use std::sync::Arc;

use memchr::memchr;

use crate::ansi;
use crate::grammar::Grammar;
use crate::lines::line_start;
use crate::recognise::{Recogniser, Seen};
use crate::times::{Clock, Instant};

/// The state of a log behind a line.
pub struct Inherited {
    grammar: Arc<Grammar>,
    clock: Clock,
    /// A line is chosen by its time.
    pub wants_time: bool,
    /// Where in the block the state is known.
    pub at: usize,
    /// There are no escape sequences in the block.
    pub is_plain: bool,
    /// The rank that filters go by, of the last line.
    pub rank: usize,
    /// The last line shows a severity of its own.
    is_own: bool,
    /// Of the last line that shows a time; None before the first.
    record: Option<usize>,
    error: Option<Error>,
    /// Of the last line that shows a time; only where it is wanted.
    pub time: Option<Instant>,
}

/// What TRACE lines behind it may belong to.
struct Error {
    rank: usize,
    time: Vec<u8>,
    program: Vec<u8>,
}

impl Inherited {
    /// Before a log's first line.
    pub fn new(grammar: Arc<Grammar>, clock: Clock, wants_time: bool) -> Self {
        Self {
            grammar,
            clock,
            wants_time,
            at: 0,
            is_plain: false,
            rank: 0,
            is_own: false,
            record: None,
            error: None,
            time: None,
        }
    }

    /// The next lines are of another block.
    pub fn begin(&mut self, block: &[u8]) {
        self.at = 0;
        self.is_plain = memchr(ansi::ESCAPE, block).is_none();
    }

    /// The last line has its severity from one above it.
    pub fn is_inherited(&self) -> bool {
        !self.is_own && self.rank > 0
    }

    /// Go on with the next line, as far as it was recognised.
    pub fn take(&mut self, seen: &Seen, line: &[u8]) {
        let is_timed = !seen.time.is_empty();
        self.is_own = seen.severity.is_some();
        if let Some(own) = seen.severity {
            self.rank = self.rank_of_own(own, seen, line);
        } else if is_timed {
            (self.rank, self.error) = (0, None);
        } else if !seen.continues {
            self.rank = self.record.unwrap_or(0);
            if self.record.is_none() {
                self.error = None;
            }
        }
        if is_timed {
            self.record = Some(self.rank);
            if self.wants_time {
                let text = ansi::without(&line[seen.time.clone()]);
                self.time = self.clock.read(&text).or(self.time);
            }
        }
    }

    /// Lines at TRACE directly behind an error, of its program or its time, belong to it.
    fn rank_of_own(&mut self, own: usize, seen: &Seen, line: &[u8]) -> usize {
        let is_error = own >= self.grammar.error;
        if !is_error && (own != self.grammar.trace || self.error.is_none()) {
            self.error = None;
            return own;
        }
        let time = ansi::without(&line[seen.time.clone()]);
        let program = ansi::without(&line[seen.program.clone()]);
        if !is_error
            && let Some(error) = &self.error
            && ((!time.is_empty() && *time == error.time)
                || (!program.is_empty() && *program == error.program))
        {
            return error.rank;
        }
        self.error = is_error.then(|| Error {
            rank: own,
            time: time.into_owned(),
            program: program.into_owned(),
        });
        own
    }

    /// Find out what lines that were passed over leave to the one that begins at `to`. What stands
    /// before the last line with a time changes nothing, unless that is one of a traceback.
    pub fn catch_up(&mut self, recogniser: &mut Recogniser, block: &[u8], to: usize) {
        let mut start = to;
        while start > self.at {
            start = line_start(block, self.at, start - 1);
            let line = line_at(block, start);
            let seen = recogniser.seen_in(line, self.is_plain);
            let is_readable = !self.wants_time
                || self.clock.read(&ansi::without(&line[seen.time.clone()])).is_some();
            if !seen.time.is_empty() && seen.severity != Some(self.grammar.trace) && is_readable {
                break;
            }
        }
        while start < to {
            let line = line_at(block, start);
            let seen = recogniser.seen_in(line, self.is_plain);
            self.take(&seen, line);
            start += line.len() + 1;
        }
        self.at = self.at.max(to);
    }
}

/// Without its end.
fn line_at(block: &[u8], start: usize) -> &[u8] {
    let rest = &block[start..];
    &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
}
