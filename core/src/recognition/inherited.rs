// SPDX-License-Identifier: Apache-2.0
//! Inheritance: the severity that a line takes from the lines above it.
//!
//! A line with a time begins a record, and the lines without a time after it belong to that record. In a
//! log without times, a line inherits only if its shape continues the line above. A line with a time and
//! without a severity has none. For a line behind lines that were passed over, these are read backwards.

use std::sync::Arc;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::lines::line_start;
use crate::recognition::grammar::Grammar;
use crate::recognition::recognise::{Recogniser, Seen};
use crate::recognition::times::{Clock, Instant, Origin};
use crate::terminal::ansi;

/// The state of a log behind a line.
pub struct Inherited {
    grammar: Arc<Grammar>,
    clock: Clock,
    /// True if times of lines above are needed, and for errors the text of the last one.
    pub wants_time: bool,
    wants_text: bool,
    /// The place in the block up to which the state is known.
    pub at: usize,
    /// True if no escape sequence is in the block.
    pub is_plain: bool,
    /// The rank by which filters see the last line.
    pub rank: usize,
    /// True if the last line shows a severity.
    shows_severity: bool,
    /// The rank of the last record, which a line with a time begins; None before the first. Behind the
    /// mark of a section it is 0.
    record: Option<usize>,
    /// The line whose traceback may follow.
    error: Option<Error>,
    /// True as long as it is asked if a line shows a date, and none does.
    pub is_undated: bool,
    /// The last time with a date, if it is wanted; else perhaps the first one.
    pub time: Option<Instant>,
    /// True if the last line shows a time that can be read, if that is wanted.
    pub shows_time: bool,
    /// The text of the last time, with a date or without one, if it is wanted.
    time_text: Vec<u8>,
}

/// What a line at ERROR or above shows.
struct Error {
    rank: usize,
    time: Vec<u8>,
    program: Vec<u8>,
}

/// The state of a log behind a line, to go on there. Texts are Latin-1: bytes of a log.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct Heritage {
    rank: usize,
    shows_severity: bool,
    record: Option<usize>,
    error: Option<ErrorAbove>,
    /// The last time with a date.
    time: Option<TimeAbove>,
    shows_time: bool,
    time_text: String,
    /// See Recogniser.
    pub is_below_heading: bool,
}

/// An error whose traceback may follow.
#[derive(Clone, Deserialize, Serialize)]
struct ErrorAbove {
    rank: usize,
    time: String,
    program: String,
}

/// Microseconds since 1970, and the zone's minutes east of UTC.
#[derive(Clone, Deserialize, Serialize)]
struct TimeAbove {
    micros: i64,
    offset: Option<i16>,
}

impl Heritage {
    /// True if all ranks are below `ranks`.
    pub fn fits(&self, ranks: usize) -> bool {
        let error = self.error.as_ref().map(|error| error.rank);
        [Some(self.rank), self.record, error].into_iter().flatten().all(|rank| rank < ranks)
    }
}

fn as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn as_bytes(text: &str) -> Vec<u8> {
    text.chars().map(|character| character as u8).collect()
}

impl Inherited {
    /// The state before a log's first line.
    pub fn new(
        grammar: Arc<Grammar>,
        clock: Clock,
        wants_time: bool,
        wants_text: bool,
        wants_date: bool,
    ) -> Self {
        Self {
            grammar,
            clock,
            wants_time: wants_time || wants_text,
            wants_text,
            at: 0,
            is_plain: false,
            rank: 0,
            shows_severity: false,
            record: None,
            error: None,
            is_undated: wants_date,
            time: None,
            shows_time: false,
            time_text: Vec::new(),
        }
    }

    /// Begins another block.
    pub fn begin(&mut self, block: &[u8]) {
        self.at = 0;
        self.is_plain = !ansi::has_sign(block);
    }

    /// The number of severities.
    pub fn ranks(&self) -> usize {
        self.grammar.severities.names.len()
    }

    /// The state behind the last line. recogniser: of the same log.
    pub fn heritage(&self, recogniser: &Recogniser) -> Heritage {
        let error = self.error.as_ref().map(|error| ErrorAbove {
            rank: error.rank,
            time: as_text(&error.time),
            program: as_text(&error.program),
        });
        Heritage {
            rank: self.rank,
            shows_severity: self.shows_severity,
            record: self.record,
            error,
            time: self.time.map(|Instant { micros, offset, .. }| TimeAbove { micros, offset }),
            shows_time: self.shows_time,
            time_text: as_text(&self.time_text),
            is_below_heading: recogniser.is_below_heading,
        }
    }

    /// Goes on behind a line that was not read.
    pub fn go_on(&mut self, heritage: &Heritage) {
        let Heritage { rank, shows_severity, record, .. } = *heritage;
        (self.rank, self.shows_severity, self.record) = (rank, shows_severity, record);
        self.error = heritage.error.as_ref().map(|error| Error {
            rank: error.rank,
            time: as_bytes(&error.time),
            program: as_bytes(&error.program),
        });
        if self.wants_time {
            let origin = Origin::Epoch;
            let above = heritage.time.as_ref();
            self.time =
                above.map(|&TimeAbove { micros, offset }| Instant { micros, offset, origin });
            self.shows_time = heritage.shows_time;
        }
        if self.wants_text {
            self.time_text = as_bytes(&heritage.time_text);
        }
    }

    /// Gives back what is only of use while lines are read.
    pub fn rest(&mut self) {
        self.clock.rest();
    }

    /// True if the last line has its severity from one above it.
    pub fn is_inherited(&self) -> bool {
        !self.shows_severity && self.rank > 0
    }

    /// The text of the last time, if this is an error without a time of its own and it is wanted.
    pub fn time_above(&self, seen: &Seen) -> Option<Arc<[u8]>> {
        let is_error = seen.severity.is_some_and(|rank| rank >= self.grammar.error);
        (self.wants_text && is_error && !self.shows_time).then(|| Arc::from(&self.time_text[..]))
    }

    /// Takes the next line.
    pub fn take(&mut self, seen: &Seen, line: &[u8]) {
        let is_timed = !seen.time.is_empty();
        self.shows_severity = seen.severity.is_some();
        self.shows_time = false;
        if let Some(rank) = seen.severity {
            self.rank = self.rank_of_severity(rank, seen, line);
        } else if is_timed {
            (self.rank, self.error) = (0, None);
        } else if !seen.continues {
            self.rank = self.record.unwrap_or(0);
            if self.record.is_none() {
                self.error = None;
            }
        }
        if is_timed {
            self.record = Some(if seen.is_mark { 0 } else { self.rank });
            if self.wants_time || self.is_undated {
                self.take_time(&seen.time_of(line));
            }
        }
    }

    fn take_time(&mut self, text: &[u8]) {
        let Some(instant) = self.clock.read(text) else {
            return;
        };
        self.shows_time = true;
        if self.wants_text {
            self.time_text.clear();
            self.time_text.extend_from_slice(text);
        }
        if instant.origin == Origin::Epoch {
            self.is_undated = false;
            self.time = Some(instant);
        }
    }

    /// True if no time with a date is wanted, or the line shows one.
    fn shows_enough(&mut self, seen: &Seen, line: &[u8]) -> bool {
        let is_dated = |instant: Instant| instant.origin == Origin::Epoch;
        !(self.wants_time || self.is_undated)
            || self.clock.read(&seen.time_of(line)).is_some_and(is_dated)
    }

    /// The severity's rank, or the error's for lines at TRACE directly behind an error and of its
    /// program or time.
    fn rank_of_severity(&mut self, rank: usize, seen: &Seen, line: &[u8]) -> usize {
        let is_error = rank >= self.grammar.error;
        if !is_error && (rank != self.grammar.trace || self.error.is_none()) {
            self.error = None;
            return rank;
        }
        let time = seen.time_of(line);
        let program = seen.program_of(line);
        let is_of = |error: &&Error| {
            (!time.is_empty() && *time == error.time)
                || (!program.is_empty() && *program == error.program)
        };
        if let Some(error) = self.error.as_ref().filter(|error| !is_error && is_of(error)) {
            return error.rank;
        }
        self.error = is_error.then(|| Error {
            rank,
            time: time.into_owned(),
            program: program.into_owned(),
        });
        rank
    }

    /// Takes the lines up to `to`, which were passed over. Those before the last line with a time
    /// change nothing, unless that is one of a traceback.
    pub fn catch_up(&mut self, recogniser: &mut Recogniser, block: &[u8], to: usize) {
        let mut start = to;
        while start > self.at {
            start = line_start(block, self.at, start - 1);
            let line = line_at(block, start);
            let seen = recogniser.seen_in(block, start..start + line.len(), self.is_plain);
            if !seen.time.is_empty()
                && seen.severity != Some(self.grammar.trace)
                && self.shows_enough(&seen, line)
            {
                break;
            }
        }
        while start < to {
            let line = line_at(block, start);
            let seen = recogniser.seen_in(block, start..start + line.len(), self.is_plain);
            self.take(&seen, line);
            start += line.len() + 1;
        }
        self.at = self.at.max(to);
    }
}

/// The line that begins at a place, without its line feed.
fn line_at(block: &[u8], start: usize) -> &[u8] {
    let rest = &block[start..];
    &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
}
