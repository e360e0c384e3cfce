// SPDX-License-Identifier: Apache-2.0
//! The cause of a failure: the lines of a log that tell why it failed.
//!
//! A log is a row of steps: the commands of Travis, the tasks of Ansible, the stages of Jenkins. The first
//! verdict that says "failed" ends the search: the cause is in its step. Without a verdict, it is in the
//! first of the steps that show most, or in the last step. At most two steps are held, whatever the log's
//! size.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memmem, memrchr};

use crate::ansi;
use crate::cause_rules::{Caches, Causes, Mark};
use crate::chapters::{ChapterFinder, Marked, has_marks};
use crate::cursor::is_space;
use crate::grammar::Grammar;
use crate::lines::Next;
use crate::step::{COMMAND, Cause, Group, LONGEST, Step, Text};
use crate::times::Clock;
use crate::view::Line;

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
        let first = Text { number, shown, time, is_new, ..Text::default() };
        Cause { first, last: self.number, why: "end" }
    }
}

/// The steps of a log: the current one, and the one that shows most.
#[derive(Default)]
struct Steps {
    step: Step,
    kept: Option<Step>,
    /// The cause that a verdict decided.
    decided: Option<Cause>,
}

impl Steps {
    /// Takes a line.
    fn add(&mut self, grammar: &Grammar, caches: &mut Caches, text: &Text<'_>, mark: Option<Mark>) {
        match mark {
            None if text.rank < grammar.error && self.step.is_calm() => {
                if self.step.outcome.is_none() {
                    self.step.ring.push(text);
                }
            }
            Some(Mark::Stopped) => self.decided = Some(Group::new(text).cause("severity")),
            Some(Mark::Failed) => {
                let cause = self.step.cause(grammar, caches);
                self.decided = cause.or_else(|| Some(Group::new(text).cause("end")));
            }
            Some(Mark::Passed) => self.step = Step::beginning_at(text),
            Some(Mark::Begins) => {
                let step = mem::replace(&mut self.step, Step::beginning_at(text));
                if step.weight() > self.kept.as_ref().map_or(0, Step::weight) {
                    self.kept = Some(step);
                }
            }
            Some(Mark::Shown) => {
                if self.step.begin.is_some() {
                    self.step.ring.clear();
                }
            }
            Some(Mark::Healthy) => self.step.add(grammar, caches, text, Some(Mark::Outcome)),
            mark => self.step.add(grammar, caches, text, mark),
        }
    }

    /// The cause, and whether the log says that something failed. low: None if other lines tell more.
    fn cause(
        &self,
        grammar: &Grammar,
        caches: &mut Caches,
        low: Option<&Low>,
    ) -> (Option<Cause>, bool) {
        if self.decided.is_some() {
            return (self.decided.clone(), true);
        }
        let is_heavier = |kept: &&Step| kept.weight() > self.step.weight();
        let step = self.kept.as_ref().filter(is_heavier).unwrap_or(&self.step);
        match step.cause(grammar, caches).or_else(|| low.map(Low::cause)) {
            Some(cause) if step.weight() == 0 => (Some(Cause { why: "end", ..cause }), false),
            cause => (cause, step.has_failed()),
        }
    }
}

/// Finds the cause and the chapters of one log.
pub struct CauseFinder {
    grammar: Arc<Grammar>,
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
    pub chapters: ChapterFinder,
    /// The next hint and carriage return in the block.
    hints: Next,
    returns: Next,
}

impl CauseFinder {
    /// is_compared: true if lines are compared with another log's.
    pub fn new(grammar: Arc<Grammar>, clock: Clock, is_compared: bool) -> Self {
        Self {
            caches: Some(grammar.causes.caches()),
            grammar,
            steps: Steps::default(),
            new_steps: is_compared.then(Steps::default),
            is_healthy: true,
            low: Low::default(),
            is_low: true,
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
        let rank = line.seen.severity.unwrap_or(0);
        let is_low = 0 < rank && rank < self.grammar.causes.data.warning;
        if is_low && !line.seen.time.is_empty() {
            self.is_healthy = false;
            if self.is_low && self.steps.decided.is_none() {
                self.low.copy(line);
            }
            return;
        }
        self.examine(line, rank, time);
    }

    fn examine(&mut self, line: &Line<'_>, rank: usize, time: &[u8]) {
        let Some(caches) = &mut self.caches else { return };
        let (grammar, causes) = (&*self.grammar, &self.grammar.causes);
        let raw = without_end(&line.text[..line.text.len().min(REACH)]);
        let has_return = line.place_of(&mut self.returns, |rest| memchr(b'\r', rest)).is_some();
        let cut = if has_return { after_return(raw) } else { 0 };
        let shown = if line.seen.has_escapes {
            shown_in(&raw[cut..])
        } else {
            Cow::Borrowed(beginning(&raw[cut..]))
        };
        let own_time = line.time();
        let start = causes.behind_time(caches, &shown, &own_time);
        let indent = shown[start..].iter().take_while(|&&byte| is_space(byte)).count();
        let start = start + indent;
        let content = &shown[start..];
        let content = &content[..content.len().min(LONGEST)];
        let is_empty = content.is_empty();
        self.is_low &= is_empty;
        let may_be_hinted = line.seen.has_escapes
            || line
                .place_of(&mut self.hints, |rest| {
                    causes.hints.find(rest).map(|found| found.start())
                })
                .is_some();
        let mark = causes.mark(caches, content, may_be_hinted);
        let is_travis = is_travis(causes, raw, cut, content);
        if mark.is_some() || is_travis || (cut > 0 && has_marks(&raw[..cut])) {
            let hidden = &raw[..cut];
            let (number, time) = (line.number, &own_time[..]);
            let marked = Marked { number, content, hidden, time, is_command: is_travis };
            self.chapters.add(&causes.chapters, &mut caches.chapters, &marked, mark.is_some());
        }
        if self.steps.decided.is_some() {
            return;
        }
        if !is_empty {
            self.is_healthy = mark == Some(Mark::Healthy);
        }
        let mark = match mark {
            Some(Mark::Stopped | Mark::Failed | Mark::Passed) => mark,
            _ if is_travis => Some(Mark::Begins),
            mark => mark.filter(|&mark| mark != Mark::Chapter),
        };
        let (number, time) = (line.number, Cow::Borrowed(time));
        let is_new = line.is_new;
        let text = Text { number, shown, start, indent, rank, time: time.clone(), is_new };
        self.steps.add(grammar, caches, &text, mark);
        if let Some(steps) = &mut self.new_steps {
            if is_new || mark.is_some_and(Mark::is_structural) {
                return steps.add(grammar, caches, &text, mark);
            }
            steps.add(grammar, caches, &Text { number, time, ..Text::default() }, None);
        }
    }

    /// The cause, and whether the log says that something failed.
    pub fn cause(&mut self) -> (Option<Cause>, bool) {
        let Some(caches) = &mut self.caches else { return (None, false) };
        if self.is_healthy && self.steps.decided.is_none() {
            return (None, false);
        }
        let low = Some(&self.low).filter(|low| self.is_low && low.number > 0);
        let (cause, has_failed) = self.steps.cause(&self.grammar, caches, low);
        let Some(steps) = &self.new_steps else { return (cause, has_failed) };
        let among_new = |caches| steps.cause(&self.grammar, caches, low).0;
        (cause.map(|cause| compared(cause, among_new(caches))), has_failed)
    }
}

impl Drop for CauseFinder {
    fn drop(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.grammar.causes.reuse(caches);
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

/// True if Travis begins a step at the line. cut: the size of what is written over.
fn is_travis(causes: &Causes, raw: &[u8], cut: usize, content: &[u8]) -> bool {
    (content.starts_with(COMMAND) && memmem::find(raw, &causes.data.echo).is_some())
        || (cut > 0 && memmem::find(&raw[..cut], &causes.data.overwritten).is_some())
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

fn beginning(text: &[u8]) -> &[u8] {
    &text[..text.len().min(2 * LONGEST)]
}

/// What a terminal shows of a text.
fn shown_in(text: &[u8]) -> Cow<'_, [u8]> {
    ansi::without(beginning(text))
}
