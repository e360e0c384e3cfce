// SPDX-License-Identifier: Apache-2.0
//! The cause of a failure: the lines of a log that tell why it failed.
//!
//! Its lines are read as a terminal shows them, and get their marks; `steps` finds the step that failed.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::causes::cause_rules::{Caches, Causes};
use crate::causes::chapter_finder::ChapterFinder;
use crate::causes::chapters::Marked;
use crate::causes::group::{Cause, Group, LONGEST, Text};
use crate::causes::marks::Mark;
use crate::causes::steps::{Ending, Log, Steps};
use crate::cursor::is_space;
use crate::lines::Next;
use crate::recognition::times::Clock;
use crate::shown::Line;
use crate::terminal::ansi;

/// Bytes of a line that are read.
pub const REACH: usize = 4096;

/// The last line with a time and a level below WARNING, which tells nothing.
#[derive(Default)]
struct Low {
    number: u64,
    stored: Vec<u8>,
    time: Range<usize>,
    is_new: bool,
}

impl Low {
    #[inline]
    fn copy(&mut self, line: &Line<'_>) {
        (self.number, self.is_new) = (line.number, line.is_new);
        self.time = line.seen.time.clone();
        self.stored.clear();
        self.stored.extend_from_slice(&line.text[..line.text.len().min(REACH)]);
    }

    fn cause(&self) -> Cause {
        let raw = without_end(&self.stored);
        let shown = shown_in(&raw[after_return(raw)..]).into_owned().into();
        let time = ansi::without(&self.stored[self.time.clone()]).into_owned().into();
        let (number, is_new) = (self.number, self.is_new);
        Group::new(&Text { number, shown, time, is_new, ..Text::default() }).cause("end")
    }
}

/// Finds the cause and the chapters of one log.
pub struct CauseFinder {
    causes: Arc<Causes>,
    /// None once they were given back.
    caches: Option<Caches>,
    steps: Steps,
    /// Those of new lines; None if lines are not compared with another log's. Other lines are empty here,
    /// but for those that say where a step begins or ends.
    new_steps: Option<Steps>,
    /// True for a log without lines, and while the last one says that the log passed. Blank ones do
    /// not count.
    is_healthy: bool,
    low: Low,
    /// True while the log has only such lines and blank ones.
    is_low: bool,
    /// The number of the last line.
    end: u64,
    /// Lines, and records of a service: those that show a level with a time or a name.
    lines: u64,
    records: u64,
    /// True if GitHub's client names the job and the step before each line.
    has_job_heads: bool,
    pub chapters: ChapterFinder,
    /// The next hint and carriage return in the block.
    hints: Next,
    returns: Next,
}

impl CauseFinder {
    /// is_compared: true if lines are compared with another log's.
    pub fn new(causes: Arc<Causes>, clock: Clock, is_compared: bool) -> Self {
        Self {
            caches: Some(causes.caches()),
            causes,
            steps: Steps::default(),
            new_steps: is_compared.then(Steps::default),
            is_healthy: true,
            low: Low::default(),
            is_low: true,
            end: 0,
            lines: 0,
            records: 0,
            has_job_heads: false,
            chapters: ChapterFinder::new(clock),
            hints: Next::default(),
            returns: Next::default(),
        }
    }

    /// Begins another block.
    pub fn begin(&mut self) {
        self.hints = Next::default();
        self.returns = Next::default();
    }

    /// Takes a line. time: the last one at or above it.
    #[inline]
    pub fn add(&mut self, line: &Line<'_>, time: &[u8]) {
        self.end = line.number;
        let causes = &self.causes;
        let rank = line.seen.severity.unwrap_or(0);
        // The level of a wrapper below WARNING says nothing of its text.
        let rank = if line.seen.is_default && rank < causes.warning { 0 } else { rank };
        let is_timed = !line.seen.time.is_empty();
        self.lines += 1;
        self.records += u64::from(0 < rank && (is_timed || causes.heads.is_record(&line.text)));
        if is_timed
            && 0 < rank
            && rank < causes.warning
            && !causes.passed.is_result(without_end(&line.text))
        {
            self.is_healthy = false;
            if self.is_low && !self.steps.are_decided() {
                self.low.copy(line);
            }
            return;
        }
        self.examine(line, rank, time);
    }

    fn examine(&mut self, line: &Line<'_>, rank: usize, time: &[u8]) {
        let Some(caches) = &mut self.caches else { return };
        let causes = &self.causes;
        let raw = without_end(&line.text[..line.text.len().min(REACH)]);
        let has_return = line.place_of(&mut self.returns, |rest| memchr(b'\r', rest)).is_some();
        let cut = if has_return { after_return(raw) } else { 0 };
        let shown = if line.seen.has_escapes {
            shown_in(&raw[cut..])
        } else {
            Cow::Borrowed(beginning(&raw[cut..]))
        };
        self.has_job_heads |= self.lines == 1 && causes.heads.job_time(&shown).is_some();
        let text = if cut == 0 { line.seen.text } else { 0 };
        let (head, own_time) = causes.heads.head(
            &mut caches.behind_time,
            &shown,
            line.time(),
            text,
            self.has_job_heads,
        );
        let behind = causes.heads.behind_step_head(&mut caches.step_head, &shown, head);
        let mut indent = indent_at(&shown, behind);
        let mut start = behind + indent;
        let mut head = if behind > head { head } else { start };
        let is_object = shown.get(start) == Some(&b'{');
        let quoted = is_object.then(|| causes.quoted(&shown, start, line.seen.inner)).flatten();
        if let Some((text, at)) = &quoted {
            indent = indent_at(text, *at);
            start = at + indent;
            head = start;
        }
        let content = &quoted.as_ref().map_or(&shown[..], |(text, _)| text)[start..];
        let content = &content[..content.len().min(LONGEST)];
        let is_empty = content.is_empty();
        self.is_low &= is_empty;
        let may_be_hinted = line.seen.has_escapes
            || line.place_of(&mut self.hints, |rest| causes.marks.hints.find(rest)).is_some();
        let mark = causes.marks.of(&mut caches.marks, content, may_be_hinted);
        let hidden = &raw[..cut];
        let command = causes.chapters.command(content, raw, hidden);
        if mark.is_some() || command.is_some() || !hidden.is_empty() {
            let (number, time) = (line.number, &own_time[..]);
            let marked = Marked { number, content, hidden, time, command };
            self.chapters.add(&causes.chapters, &mut caches.chapters, &marked, mark.is_some());
        }
        if self.steps.are_final() {
            return;
        }
        if !is_empty {
            self.is_healthy = mark == Some(Mark::Healthy);
        }
        let mark = of_steps(mark, command.is_some(), rank == causes.warning);
        let (number, time, is_new) = (line.number, Cow::Borrowed(time), line.is_new);
        let shown = quoted.map_or(shown, |(text, _)| Cow::Owned(text));
        self.add_to_steps(&Text { number, shown, head, start, indent, rank, time, is_new }, mark);
    }

    fn add_to_steps(&mut self, text: &Text<'_>, mark: Option<Mark>) {
        let Some(caches) = &mut self.caches else { return };
        self.steps.add(&self.causes, caches, text, mark);
        let Some(steps) = &mut self.new_steps else { return };
        match mark.filter(|_| !text.is_new).and_then(Mark::of_known) {
            None if !text.is_new => {
                let (number, time) = (text.number, text.time.clone());
                steps.add(&self.causes, caches, &Text { number, time, ..Text::default() }, None);
            }
            known => steps.add(&self.causes, caches, text, known.or(mark)),
        }
    }

    /// What the log says of failures, behind its last line.
    pub fn end(&mut self) -> Ending {
        let Some(caches) = &mut self.caches else { return Ending::default() };
        let log = Log {
            end: self.end,
            is_empty: self.lines == 0,
            is_healthy: self.is_healthy,
            is_of_service: 2 * self.records > self.lines,
        };
        let mut ending = mem::take(&mut self.steps).end(&self.causes, caches, &log);
        if log.is_healthy && ending.cause.is_none() {
            return ending;
        }
        let low = Some(&self.low).filter(|low| self.is_low && low.number > 0);
        ending.cause = ending.cause.or_else(|| low.map(Low::cause));
        if let Some(new) = self.new_steps.take() {
            let among_new = new.end(&self.causes, caches, &log).cause;
            let among_new = among_new.or_else(|| low.map(Low::cause));
            ending.cause = ending.cause.map(|cause| compared(cause, among_new));
        }
        ending
    }
}

impl Drop for CauseFinder {
    fn drop(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.causes.reuse(caches);
        }
    }
}

/// The cause of a log that is compared with another one: an error that both have is none.
/// among_new: the one among new lines.
fn compared(cause: Cause, among_new: Option<Cause>) -> Cause {
    match among_new {
        Some(new) if cause.why == "end" && new.first.is_new => new,
        Some(new) if cause.why != "end" && new.why != "end" && !cause.first.is_new => new,
        _ => cause,
    }
}

/// What a mark means to the steps. A warning announces no failure.
fn of_steps(mark: Option<Mark>, is_command: bool, is_warning: bool) -> Option<Mark> {
    match mark {
        Some(one) if one.is_verdict() || one == Mark::Passed => mark,
        _ if is_command => Some(Mark::Begins),
        Some(Mark::Outcome) if is_warning => None,
        mark => mark,
    }
}

/// A line without its line feed and the returns before it.
fn without_end(stored: &[u8]) -> &[u8] {
    let size = stored.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    &stored[..size]
}

/// The offset behind the last return.
fn after_return(raw: &[u8]) -> usize {
    memrchr(b'\r', raw).map_or(0, |at| at + 1)
}

/// Blanks at a place.
fn indent_at(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|&&byte| is_space(byte)).count()
}

fn beginning(text: &[u8]) -> &[u8] {
    &text[..text.len().min(2 * LONGEST)]
}

/// What a terminal shows of a text.
fn shown_in(text: &[u8]) -> Cow<'_, [u8]> {
    ansi::without(beginning(text))
}
