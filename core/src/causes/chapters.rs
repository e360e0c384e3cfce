// SPDX-License-Identifier: Apache-2.0
//! The chapters of a log: the commands, tasks, stages and tests of a build.
//!
//! Chapters nest: one that is open may hold others of its level or deeper. The first MOST are listed, and
//! those of the others that failed.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::IntoPyObject;

use crate::causes::chapter_rules::Rule;
use crate::recognition::times::{Clock, Instant};

/// Chapters that a summary lists; those that failed behind them; and those that are open at once.
pub const MOST: usize = 500;
pub const MOST_FAILED: usize = 100;
pub const MOST_OPEN: usize = 64;
/// Bytes of a name.
pub const LONGEST_NAME: usize = 200;

/// A line that may have a mark of chapters.
pub struct Marked<'l> {
    pub number: u64,
    /// What is behind its time and blanks.
    pub content: &'l [u8],
    /// What is written over.
    pub hidden: &'l [u8],
    /// Its own time; empty for none.
    pub time: &'l [u8],
    /// The mark by which it shows a command.
    pub command: Option<&'l Rule>,
}

/// The Chapter of `oslogserve/lines/summary.py`.
#[derive(Clone, IntoPyObject)]
pub struct Chapter {
    name: String,
    pub first: u64,
    last: u64,
    begin: Option<String>,
    pub begin_micros: Option<i64>,
    micros: Option<i64>,
    outcome: Option<&'static str>,
}

/// A chapter that has not ended.
#[derive(Clone)]
pub struct Open {
    /// How many chapters began before it; None if it has no name.
    pub place: Option<usize>,
    pub level: u8,
    pub tool: Arc<str>,
    name: Vec<u8>,
    pub time: Option<Instant>,
    /// True for a fold, of which verdicts say nothing.
    pub is_fold: bool,
    /// True for a fold, and for a command whose end is marked.
    pub has_end: bool,
}

impl Open {
    pub fn is_of(&self, tool: &str, level: u8) -> bool {
        *self.tool == *tool && self.level == level
    }
}

/// What begins a chapter.
pub struct Heading<'h> {
    pub tool: &'h Arc<str>,
    pub level: u8,
    pub name: &'h [u8],
    /// What names it, if that is not empty.
    pub shown: &'h [u8],
    pub outcome: Option<&'static str>,
}

/// The chapters of one log.
pub struct Chapters {
    clock: Clock,
    /// Those that are listed, or may be, by their place.
    kept: BTreeMap<usize, Chapter>,
    count: usize,
    /// Those that failed behind the first MOST.
    failed: usize,
    /// From the outermost to the innermost.
    pub open: Vec<Open>,
    /// The one that ended last, which a verdict may follow.
    ended: Option<Open>,
}

impl Chapters {
    pub fn new(clock: Clock) -> Self {
        let kept = BTreeMap::new();
        Self { clock, kept, count: 0, failed: 0, open: Vec::new(), ended: None }
    }

    /// The place of the innermost open chapter of a tool and level: of a name if there is one, or else no fold.
    pub fn find(&self, tool: &str, level: u8, name: &[u8]) -> Option<usize> {
        let is_it = |one: &Open| if name.is_empty() { !one.is_fold } else { one.name == name };
        self.open.iter().rposition(|one| one.is_of(tool, level) && is_it(one))
    }

    /// The chapter of a place.
    pub fn chapter(&mut self, place: Option<usize>) -> Option<&mut Chapter> {
        self.kept.get_mut(&place?)
    }

    /// Takes what a line says of the innermost open chapter of a tool and level, or else of the one that ended last.
    /// is_final: true if a failure before it counts no more.
    pub fn say(
        &mut self,
        tool: &str,
        level: u8,
        number: u64,
        outcome: Option<&'static str>,
        is_final: bool,
    ) {
        let open = self.find(tool, level, b"");
        let ended = self.ended.as_ref().filter(|one| one.is_of(tool, level) && !one.is_fold);
        let found = open.map(|place| &self.open[place]).or(ended);
        let Some(chapter) = self.chapter(found.and_then(|found| found.place)) else { return };
        if open.is_none() {
            chapter.last = number;
        }
        if is_final || chapter.outcome != Some("failed") {
            chapter.outcome = outcome;
        }
    }

    /// Begins a chapter. Ends those of its level or deeper.
    pub fn begin(&mut self, line: &Marked<'_>, heading: &Heading<'_>) {
        self.close(heading.level, line, 0);
        self.open_one(line, heading);
    }

    pub fn open_one(&mut self, line: &Marked<'_>, heading: &Heading<'_>) -> &mut Open {
        if self.open.len() == MOST_OPEN {
            self.end(MOST_OPEN - 1, line.number - 1, None, None);
        }
        let text = if heading.shown.is_empty() { heading.name } else { heading.shown };
        let mut place = None;
        if !text.is_empty() {
            place = Some(self.count);
            let name = String::from_utf8_lossy(&text[..text.len().min(LONGEST_NAME)]).into_owned();
            let begin = self.clock.iso(line.time);
            let chapter = Chapter {
                name,
                first: line.number,
                last: 0,
                begin: begin.map(|iso| String::from_utf8_lossy(&iso).into_owned()),
                begin_micros: None,
                micros: None,
                outcome: heading.outcome,
            };
            self.kept.insert(self.count, chapter);
            self.count += 1;
        }
        self.follow_ended(None);
        self.open.push(Open {
            place,
            level: heading.level,
            tool: Arc::clone(heading.tool),
            name: heading.name.to_vec(),
            time: self.clock.read(line.time),
            is_fold: false,
            has_end: false,
        });
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Makes `ended` the one that ended last. The one before it has its outcome now.
    fn follow_ended(&mut self, ended: Option<Open>) {
        if let Some(before) = std::mem::replace(&mut self.ended, ended) {
            self.settle(before.place);
        }
    }

    /// Drops a chapter behind the first MOST unless it failed.
    fn settle(&mut self, place: Option<usize>) {
        let Some(place) = place.filter(|&place| place >= MOST) else { return };
        let has_failed = self.kept[&place].outcome == Some("failed");
        if has_failed && self.failed < MOST_FAILED {
            self.failed += 1;
        } else {
            self.kept.remove(&place);
        }
    }

    /// Ends the chapters of a level or deeper before a line, the innermost first. from: the place of the
    /// first that may end.
    pub fn close(&mut self, level: u8, line: &Marked<'_>, from: usize) {
        for place in (from..self.open.len()).rev() {
            if self.open[place].level >= level {
                let micros = self.since(self.open[place].time, line);
                self.end(place, line.number - 1, None, micros);
            }
        }
    }

    pub fn end(
        &mut self,
        place: usize,
        last: u64,
        outcome: Option<&'static str>,
        micros: Option<i64>,
    ) {
        let ended = self.open.remove(place);
        if let Some(chapter) = self.chapter(ended.place) {
            chapter.last = last.max(chapter.first);
            chapter.micros = micros.filter(|&micros| micros >= 0);
            chapter.outcome = chapter.outcome.or(outcome);
        }
        self.follow_ended(Some(ended));
    }

    /// Microseconds from a chapter's beginning to a line, if both have a time.
    pub fn since(&mut self, begin: Option<Instant>, line: &Marked<'_>) -> Option<i64> {
        let (begin, now) = (begin?, self.clock.read(line.time)?);
        (now.origin == begin.origin).then_some(now.micros - begin.micros)
    }

    /// The chapters, and how many more there were. last: the number of the last line. failed_at: that
    /// of the line that tells why the log failed, whose chapter failed.
    pub fn listed(&mut self, last: u64, failed_at: Option<u64>) -> (Vec<Chapter>, u64) {
        let open = std::mem::take(&mut self.open);
        for one in &open {
            if let Some(chapter) = self.chapter(one.place) {
                chapter.last = last;
            }
        }
        let is_around = |chapter: &&mut Chapter| {
            failed_at.is_some_and(|at| chapter.first <= at && at <= chapter.last)
        };
        if let Some(inner) = self.kept.values_mut().rev().find(is_around) {
            inner.outcome = inner.outcome.or(Some("failed"));
        }
        self.follow_ended(None);
        open.iter().for_each(|one| self.settle(one.place));
        let chapters: Vec<_> = self.kept.values().cloned().collect();
        let more = (self.count - chapters.len()) as u64;
        (chapters, more)
    }
}
