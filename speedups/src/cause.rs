// SPDX-License-Identifier: Apache-2.0
//! The cause of a failure, as `oslogserve/lines/pure/cause.py` defines it.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use memchr::{memmem, memrchr};

use crate::ansi;
use crate::cause_rules::{Caches, Mark};
use crate::grammar::Grammar;
use crate::view::Line;

/// Bytes of a line that are read, and of its content.
const REACH: usize = 4096;
const LONGEST: usize = 400;
/// Lines that a step keeps.
const RING: usize = 64;
/// Lines without an error that end a group of errors.
const GAP: u64 = 20;
/// The same for lines with a word of failure, and how far above the end the last one may be.
const WORD_GAP: u64 = 5;
const WORD_REACH: u64 = 15;
/// Lines of a paragraph, and of a failed test's report.
const PARAGRAPH: u64 = 12;
const REPORT: u64 = 40;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const COMMAND: &[u8] = b"$ ";

/// A line as a terminal shows it.
#[derive(Clone, Default)]
pub struct Text {
    pub number: u64,
    pub shown: Vec<u8>,
    /// Where its content begins: behind its time and blanks.
    start: usize,
    /// Blanks before the content.
    indent: usize,
    rank: usize,
    /// The last time at or above the line; empty for none.
    pub time: Vec<u8>,
}

impl Text {
    fn content(&self) -> &[u8] {
        let content = &self.shown[self.start..];
        &content[..content.len().min(LONGEST)]
    }
}

/// The lines that tell why a log failed.
#[derive(Clone)]
pub struct Cause {
    pub first: Text,
    pub last: u64,
    pub why: &'static str,
}

/// Lines of one kind that follow one another.
#[derive(Clone)]
struct Group {
    first: Text,
    last: u64,
}

impl Group {
    fn new(text: &Text) -> Self {
        Self { first: text.clone(), last: text.number }
    }

    fn cause(&self, why: &'static str) -> Cause {
        Cause { first: self.first.clone(), last: self.last, why }
    }
}

/// Kinds whose first line tells, in the order in which a step's cause is chosen, and one that may
/// become a test.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Headed,
    Test,
    Crash,
    Inline,
    Numbered,
}

const WHY: [(Kind, &str); 4] = [
    (Kind::Headed, "test"),
    (Kind::Test, "test"),
    (Kind::Crash, "severity"),
    (Kind::Inline, "test"),
];

/// What a line is to its step.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    First(Kind),
    Error,
    Outcome,
}

/// A step, up to the current line.
#[derive(Default)]
struct Step {
    /// The line that begins it; None before the first.
    begin: Option<Text>,
    /// By Kind.
    found: [Option<Group>; 5],
    /// The last group of errors.
    errors: Option<Group>,
    has_outcome: bool,
    /// The last lines before the first outcome.
    ring: VecDeque<Text>,
    /// The heading whose next line tells: Heading or Aborts.
    heading: Option<Mark>,
    /// The indentation of the first failed subtest, until a test failed at the same one.
    depth: Option<usize>,
    /// The group of `found` whose lines go on.
    report: Option<Kind>,
}

impl Step {
    fn weight(&self) -> u8 {
        if self.found.iter().any(Option::is_some) {
            return 2;
        }
        u8::from(self.has_outcome || self.errors.is_some())
    }

    fn has_failed(&self) -> bool {
        self.has_outcome || self.found.iter().any(Option::is_some)
    }

    /// Takes a line; what is left there may be used again.
    fn add(&mut self, grammar: &Grammar, text: &mut Text, mark: Option<Mark>) {
        let role = self.role(grammar, text, mark);
        self.extend_report(text, role);
        let is_recap = role == Some(Role::Outcome) || text.rank >= grammar.error;
        if is_recap && self.found[Kind::Numbered as usize].is_some() {
            self.take_recap(grammar, text);
        }
        match role {
            Some(Role::Outcome) => self.has_outcome = true,
            Some(Role::Error) => self.add_error(text),
            Some(Role::First(kind)) => self.add_first(grammar, text, kind),
            None => {}
        }
        if !self.has_outcome {
            let reused = (self.ring.len() == RING).then(|| self.ring.pop_front()).flatten();
            self.ring.push_back(mem::replace(text, reused.unwrap_or_default()));
        }
    }

    fn role(&mut self, grammar: &Grammar, text: &Text, mark: Option<Mark>) -> Option<Role> {
        let content = text.content();
        let as_marked = match mark {
            Some(Mark::Heading | Mark::Aborts) => {
                self.heading = mark;
                return None;
            }
            Some(Mark::Outcome) => return Some(Role::Outcome),
            Some(Mark::Test) => Some(Role::First(Kind::Test)),
            Some(Mark::Crash) => Some(Role::First(Kind::Crash)),
            Some(Mark::Inline) => Some(Role::First(Kind::Inline)),
            Some(Mark::Numbered) => Some(Role::First(Kind::Numbered)),
            _ => None,
        };
        let is_error = mark == Some(Mark::Error) || (mark.is_none() && text.rank >= grammar.error);
        let is_told = self.heading.is_some() && content.iter().any(|&byte| is_word(byte));
        if !is_error && !is_told {
            return as_marked;
        }
        let is_green = grammar.causes.is_green(content);
        if is_told && !is_green {
            let is_heading = self.heading.take() == Some(Mark::Heading);
            return Some(if is_heading { Role::First(Kind::Headed) } else { Role::Error });
        }
        if !is_error {
            return as_marked;
        }
        let is_stack = content.starts_with(&grammar.causes.stack);
        (!is_green && !is_stack).then_some(Role::Error)
    }

    /// Extends the current report by the line, or ends it.
    fn extend_report(&mut self, text: &Text, role: Option<Role>) {
        let Some(kind) = self.report else { return };
        let Some(report) = &mut self.found[kind as usize] else { return };
        let is_long = text.number - report.first.number > REPORT;
        if role.is_some() || text.content().is_empty() || is_long {
            self.report = None;
        } else {
            report.last = text.number;
        }
    }

    /// After a count of failures, numbered lines are failed tests.
    fn take_recap(&mut self, grammar: &Grammar, text: &Text) {
        if !grammar.causes.is_recap(text.content()) {
            return;
        }
        let numbered = self.found[Kind::Numbered as usize].take();
        let is_report = self.report == Some(Kind::Numbered);
        let test = &mut self.found[Kind::Test as usize];
        if is_report {
            self.report = test.is_none().then_some(Kind::Test);
        }
        if test.is_none() {
            *test = numbered;
        }
    }

    fn add_error(&mut self, text: &Text) {
        match &mut self.errors {
            Some(errors) if text.number - errors.last <= GAP => errors.last = text.number,
            errors => *errors = Some(Group::new(text)),
        }
    }

    fn add_first(&mut self, grammar: &Grammar, text: &Text, kind: Kind) {
        let is_test = kind == Kind::Test;
        let is_subtest = is_test && text.content().starts_with(&grammar.causes.subtest);
        let is_deeper = is_subtest && self.depth.is_some_and(|depth| text.indent > depth);
        let found = &mut self.found[kind as usize];
        if found.is_none() || is_deeper {
            *found = Some(Group::new(text));
            self.report = Some(kind);
            if is_test {
                self.depth = is_subtest.then_some(text.indent);
            }
        } else if is_test {
            self.depth = None;
        }
    }

    fn cause(&self, grammar: &Grammar, caches: &mut Caches) -> Option<Cause> {
        for (kind, why) in WHY {
            if let Some(group) = &self.found[kind as usize] {
                return Some(group.cause(why));
            }
        }
        if let Some(errors) = &self.errors {
            return Some(errors.cause("severity"));
        }
        if let Some(words) = self.last_words(grammar, caches) {
            return Some(words.cause("failed step"));
        }
        self.last_paragraph(grammar, caches)
    }

    /// The last lines with a word of failure, if they are near the end.
    fn last_words(&self, grammar: &Grammar, caches: &mut Caches) -> Option<Group> {
        let mut group: Option<Group> = None;
        for text in &self.ring {
            if !grammar.causes.is_word(caches, text.content(), text.rank, grammar.error) {
                continue;
            }
            match &mut group {
                Some(group) if text.number - group.last <= WORD_GAP => group.last = text.number,
                group => *group = Some(Group::new(text)),
            }
        }
        let end = self.ring.back()?.number;
        group.filter(|group| group.last + WORD_REACH >= end)
    }

    fn last_paragraph(&self, grammar: &Grammar, caches: &mut Caches) -> Option<Cause> {
        let mut first: Option<&Text> = None;
        let mut last = 0;
        for text in self.ring.iter().rev() {
            let content = text.content();
            if content.is_empty() || content.starts_with(COMMAND) {
                if first.is_some() {
                    break;
                }
            } else if grammar.causes.mark(caches, content) != Some(Mark::Outcome) {
                if first.is_none() {
                    last = text.number;
                }
                first = Some(text);
                if last - text.number >= PARAGRAPH {
                    break;
                }
            }
        }
        if let Some(first) = first {
            return Some(Cause { first: first.clone(), last, why: "end" });
        }
        self.begin.as_ref().map(|begin| Group::new(begin).cause("end"))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Blanks as Python's `lstrip` takes them.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Finds the cause of one log.
pub struct CauseFinder {
    grammar: Arc<Grammar>,
    /// None once they were given back.
    caches: Option<Caches>,
    step: Step,
    kept: Option<Step>,
    /// True for a log without lines, and while the last line says that the log passed.
    is_healthy: bool,
    /// The cause that a verdict decided.
    decided: Option<Cause>,
    /// The current line.
    text: Text,
    /// The last line with a time and a level below WARNING: its number, or 0, its text and time.
    low: (u64, Vec<u8>, Vec<u8>),
}

impl CauseFinder {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Self {
            caches: Some(grammar.causes.caches()),
            grammar,
            step: Step::default(),
            kept: None,
            is_healthy: true,
            decided: None,
            text: Text::default(),
            low: Default::default(),
        }
    }

    /// Takes a line. last_time: the last one at or above it.
    #[inline]
    pub fn add(&mut self, line: &Line<'_>, last_time: &[u8]) {
        let (number, stored) = (line.number, &line.text);
        let rank = line.seen.severity.unwrap_or(0);
        if self.decided.is_some() {
            return;
        }
        let is_low = 0 < rank && rank < self.grammar.causes.warning;
        if is_low && !line.seen.time.is_empty() {
            return self.add_low(number, stored, last_time);
        }
        let grammar = Arc::clone(&self.grammar);
        let Some(caches) = &mut self.caches else { return };
        let (raw, cut) = visible(stored);
        let text = &mut self.text;
        text.number = number;
        text.rank = rank;
        text.time.clear();
        text.time.extend_from_slice(last_time);
        text.shown.clear();
        let left = &raw[cut..];
        text.shown.extend_from_slice(&ansi::without(&left[..left.len().min(2 * LONGEST)]));
        let start = grammar.causes.behind_time(caches, &text.shown, &line.time());
        text.indent = text.shown[start..].iter().take_while(|&&byte| is_blank(byte)).count();
        text.start = start + text.indent;
        let mark = grammar.causes.mark(caches, text.content());
        let is_echo = || memmem::find(raw, &grammar.causes.echo).is_some();
        let is_over = || memmem::find(&raw[..cut], &grammar.causes.overwritten).is_some();
        let is_travis = (text.content().starts_with(COMMAND) && is_echo()) || (cut > 0 && is_over());
        self.take(&grammar, mark, is_travis);
    }

    /// Takes a line that tells nothing.
    fn add_low(&mut self, number: u64, stored: &[u8], time: &[u8]) {
        self.is_healthy = false;
        let (low, text, text_time) = &mut self.low;
        *low = number;
        text.clear();
        text.extend_from_slice(&stored[..stored.len().min(REACH)]);
        text_time.clear();
        text_time.extend_from_slice(time);
    }

    /// The end of a log whose lines all have a time and a level below WARNING.
    fn low_end(&self) -> Option<Cause> {
        let (number, stored, time) = &self.low;
        let (raw, cut) = visible(stored);
        let left = &raw[cut..];
        let shown = ansi::without(&left[..left.len().min(2 * LONGEST)]).into_owned();
        let text = Text { number: *number, shown, time: time.clone(), ..Text::default() };
        (*number > 0).then(|| Group::new(&text).cause("end"))
    }

    fn take(&mut self, grammar: &Grammar, mark: Option<Mark>, is_travis: bool) {
        self.is_healthy = mark == Some(Mark::Healthy);
        match mark {
            Some(Mark::Stopped) => self.decided = Some(Group::new(&self.text).cause("severity")),
            Some(Mark::Failed) => {
                let Some(caches) = &mut self.caches else { return };
                let cause = self.step.cause(grammar, caches);
                self.decided = cause.or_else(|| Some(Group::new(&self.text).cause("end")));
            }
            Some(Mark::Passed) => self.begin(),
            mark if mark == Some(Mark::Begins) || is_travis => {
                if self.step.weight() > self.kept.as_ref().map_or(0, Step::weight) {
                    self.kept = Some(mem::take(&mut self.step));
                }
                self.begin();
            }
            Some(Mark::Shown) => self.step.ring.clear(),
            Some(Mark::Healthy) => self.step.add(grammar, &mut self.text, Some(Mark::Outcome)),
            mark => self.step.add(grammar, &mut self.text, mark),
        }
    }

    /// Begins a step at the current line.
    fn begin(&mut self) {
        self.step = Step { begin: Some(self.text.clone()), ..Step::default() };
    }

    /// The cause, and whether the log says that something failed.
    pub fn cause(&mut self) -> (Option<Cause>, bool) {
        if self.decided.is_some() {
            return (self.decided.clone(), true);
        }
        let Some(caches) = &mut self.caches else { return (None, false) };
        if self.is_healthy {
            return (None, false);
        }
        let is_heavier = |kept: &&Step| kept.weight() > self.step.weight();
        let step = self.kept.as_ref().filter(is_heavier).unwrap_or(&self.step);
        let cause = step.cause(&self.grammar, caches).or_else(|| self.low_end());
        match cause {
            Some(cause) if step.weight() == 0 => (Some(Cause { why: "end", ..cause }), false),
            cause => (cause, step.has_failed()),
        }
    }
}

impl Drop for CauseFinder {
    fn drop(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.grammar.causes.reuse(caches);
        }
    }
}

/// The line without its end, and the size of what is written over.
fn visible(stored: &[u8]) -> (&[u8], usize) {
    let raw = &stored[..stored.len().min(REACH)];
    let size = raw.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    let raw = &raw[..size];
    (raw, memrchr(b'\r', raw).map_or(0, |at| at + 1))
}

/// Where a line's content may begin: behind the time that it begins with.
pub fn after_mark(shown: &[u8]) -> usize {
    if shown.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}
