// SPDX-License-Identifier: Apache-2.0
//! The severity and the time that a line has from those before it.

use crate::ansi;
use crate::clock::{Clock, Instant};
use crate::lines::line_start;
use crate::recognise::{Recogniser, Seen};

/// What a line has from those before it.
#[derive(Default)]
pub struct Inherited {
    /// Where in the block it is known.
    pub at: usize,
    /// None before the first line that shows one.
    pub rank: Option<usize>,
    /// The severity is that of the line looked at.
    is_own: bool,
    /// Read where it is wanted.
    pub time: Option<Instant>,
    /// A line is chosen by it.
    pub wants_time: bool,
}

impl Inherited {
    /// Of a log's first line.
    pub fn new(wants_time: bool) -> Self {
        Self { wants_time, ..Self::default() }
    }

    /// `to`: where a line begins. Backwards, for the last line that shows something decides.
    pub fn catch_up(
        &mut self,
        recogniser: &mut Recogniser,
        clock: &Clock,
        block: &[u8],
        to: usize,
    ) {
        let (mut rank, mut time) = (None, None);
        let mut end = to;
        while end > self.at && (rank.is_none() || (self.wants_time && time.is_none())) {
            let start = line_start(block, self.at, end - 1);
            let line = &block[start..end - usize::from(block[end - 1] == b'\n')];
            let seen = recogniser.seen_in(line);
            rank = rank.or(seen.severity);
            if self.wants_time && time.is_none() {
                time = instant(&seen, line, clock);
            }
            end = start;
        }
        if to > self.at {
            self.rank = rank.or(self.rank);
            self.is_own = false;
            self.time = time.or(self.time);
            self.at = to;
        }
    }

    /// Of what no severity is known, nothing is inherited.
    pub fn is_shown(&self) -> bool {
        !self.is_own && self.rank.is_some_and(|rank| rank > 0)
    }

    /// Of a line that was looked at.
    pub fn take(&mut self, seen: &Seen, clock: &Clock, line: &[u8]) {
        self.is_own = seen.severity.is_some();
        self.rank = seen.severity.or(self.rank);
        if self.wants_time {
            self.time = instant(seen, line, clock).or(self.time);
        }
    }
}

fn instant(seen: &Seen, line: &[u8], clock: &Clock) -> Option<Instant> {
    if seen.time.is_empty() {
        return None;
    }
    clock.read(&ansi::without(&line[seen.time.clone()]))
}
