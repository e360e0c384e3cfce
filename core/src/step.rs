// SPDX-License-Identifier: Apache-2.0
//! A step of a build, and the cause of its failure.
//!
//! A step keeps the first line of each kind that tells by its first, such as a failed test; the last group
//! of its errors; and the last lines before its first outcome. Memory is bounded.

use std::borrow::Cow;

use crate::cause_rules::{Caches, Mark};
use crate::cursor::is_word;
use crate::grammar::Grammar;

/// Bytes of a line's content that are read.
pub const LONGEST: usize = 400;
/// Lines that a step keeps.
pub const RING: usize = 64;
/// Lines without an error that end a group of errors.
pub const GAP: u64 = 20;
/// The same for lines with a word of failure, and how far above the end the last one may be.
pub const WORD_GAP: u64 = 5;
pub const WORD_REACH: u64 = 15;
/// Lines of a paragraph, and of a failed test's report.
pub const PARAGRAPH: u64 = 12;
pub const REPORT: u64 = 40;

/// What a command begins with where it is echoed.
pub const COMMAND: &[u8] = b"$ ";

/// A line as a terminal shows it.
#[derive(Clone, Default)]
pub struct Text<'l> {
    pub number: u64,
    pub shown: Cow<'l, [u8]>,
    /// Where its content begins: behind its time and blanks.
    pub start: usize,
    /// Blanks before the content.
    pub indent: usize,
    pub rank: usize,
    /// The last time at or above the line; empty for none.
    pub time: Cow<'l, [u8]>,
    /// True if the log that it is compared with has no like of it.
    pub is_new: bool,
}

impl Text<'_> {
    /// Becomes a copy of the line, in memory that is used again.
    #[inline]
    fn copy(&mut self, line: &Text<'_>) {
        for (text, other) in [(&mut self.shown, &line.shown), (&mut self.time, &line.time)] {
            text.to_mut().clear();
            text.to_mut().extend_from_slice(other);
        }
        (self.number, self.start) = (line.number, line.start);
        (self.indent, self.rank, self.is_new) = (line.indent, line.rank, line.is_new);
    }

    fn copied(&self) -> Text<'static> {
        let mut copied = Text::default();
        copied.copy(self);
        copied
    }

    /// What is behind its time and blanks.
    pub fn content(&self) -> &[u8] {
        let content = &self.shown[self.start..];
        &content[..content.len().min(LONGEST)]
    }
}

/// The last lines that were pushed, with memory that is used again.
#[derive(Default)]
pub struct Ring {
    slots: Vec<Text<'static>>,
    /// How many were pushed.
    count: usize,
}

impl Ring {
    /// Adds a line.
    #[inline]
    pub fn push(&mut self, line: &Text<'_>) {
        let slot = self.count % RING;
        self.count += 1;
        if slot == self.slots.len() {
            self.slots.push(Text::default());
        }
        self.slots[slot].copy(line);
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &Text<'static>> {
        let first = self.count.saturating_sub(RING);
        (first..self.count).map(|number| &self.slots[number % RING])
    }
}

/// The lines that tell why a log failed.
#[derive(Clone)]
pub struct Cause {
    pub first: Text<'static>,
    pub last: u64,
    pub why: &'static str,
}

/// Lines of one kind that follow one another.
#[derive(Clone)]
pub struct Group {
    first: Text<'static>,
    last: u64,
}

impl Group {
    /// A group of one line.
    pub fn new(text: &Text<'_>) -> Self {
        Self { first: text.copied(), last: text.number }
    }

    /// Its lines as a cause.
    pub fn cause(&self, why: &'static str) -> Cause {
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
pub struct Step {
    /// The line that begins it; None before the first.
    pub begin: Option<Text<'static>>,
    /// By Kind.
    found: [Option<Group>; 5],
    /// The last group of errors.
    errors: Option<Group>,
    /// The first outcome.
    pub outcome: Option<Text<'static>>,
    /// The last lines before the first outcome.
    pub ring: Ring,
    /// The heading whose next line tells: Heading or Aborts.
    heading: Option<Mark>,
    /// The indentation of the first failed subtest, until a test failed at the same one.
    depth: Option<usize>,
    /// The group of `found` whose lines go on.
    report: Option<Kind>,
}

impl Step {
    /// The step that a line begins.
    pub fn beginning_at(text: &Text<'_>) -> Self {
        Self { begin: Some(text.copied()), ..Self::default() }
    }

    /// How much the step shows of a failure; 0 for nothing.
    pub fn weight(&self) -> u8 {
        if self.found.iter().any(Option::is_some) {
            return 2;
        }
        u8::from(self.outcome.is_some() || self.errors.is_some())
    }

    /// True if an outcome or a test says so. Errors alone do not: healthy services log some.
    pub fn has_failed(&self) -> bool {
        self.outcome.is_some() || self.found.iter().any(Option::is_some)
    }

    /// True if a line without a mark goes to the ring and changes nothing else.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.heading.is_none() && self.report.is_none()
    }

    /// Takes a line.
    pub fn add(
        &mut self,
        grammar: &Grammar,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) {
        let role = self.role(grammar, caches, text, mark);
        self.extend_report(grammar, text, role);
        let is_recap = role == Some(Role::Outcome) || text.rank >= grammar.error;
        if is_recap && self.found[Kind::Numbered as usize].is_some() {
            self.take_recap(grammar, text);
        }
        match role {
            Some(Role::Outcome) => {
                self.outcome.get_or_insert_with(|| text.copied());
            }
            Some(Role::Error) => self.add_error(text),
            Some(Role::First(kind)) => self.add_first(grammar, text, kind),
            None => {}
        }
        if self.outcome.is_none() {
            self.ring.push(text);
        }
    }

    fn role(
        &mut self,
        grammar: &Grammar,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) -> Option<Role> {
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
        let is_green = grammar.causes.is_green(caches, content);
        if is_told && !is_green {
            let is_heading = self.heading.take() == Some(Mark::Heading);
            return Some(if is_heading { Role::First(Kind::Headed) } else { Role::Error });
        }
        if !is_error {
            return as_marked;
        }
        let is_stack = content.starts_with(&grammar.causes.data.stack);
        (!is_green && !is_stack).then_some(Role::Error)
    }

    /// Extends the current report by the line, or ends it.
    fn extend_report(&mut self, grammar: &Grammar, text: &Text<'_>, role: Option<Role>) {
        let Some(kind) = self.report else { return };
        let Some(report) = &mut self.found[kind as usize] else { return };
        let is_long = text.number - report.first.number > REPORT;
        let is_stack = report.first.content().starts_with(&grammar.causes.data.stack);
        let is_end = is_long || role.is_some() || (text.content().is_empty() && !is_stack);
        if !is_end || (is_stack && role == Some(Role::Error) && !is_long) {
            report.last = text.number;
        }
        if is_end {
            self.report = None;
        }
    }

    /// After a count of failures, numbered lines are failed tests.
    fn take_recap(&mut self, grammar: &Grammar, text: &Text<'_>) {
        if !grammar.causes.recap.is_match(text.content()) {
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

    fn add_error(&mut self, text: &Text<'_>) {
        match &mut self.errors {
            Some(errors) if text.number - errors.last <= GAP => errors.last = text.number,
            errors => *errors = Some(Group::new(text)),
        }
    }

    fn add_first(&mut self, grammar: &Grammar, text: &Text<'_>, kind: Kind) {
        let is_test = kind == Kind::Test;
        let is_subtest = is_test && text.content().starts_with(&grammar.causes.data.subtest);
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

    /// The step's cause; None for a step without lines.
    pub fn cause(&self, grammar: &Grammar, caches: &mut Caches) -> Option<Cause> {
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
        let mut end = 0;
        for text in self.ring.iter() {
            end = text.number;
            if !grammar.causes.is_word(caches, text.content(), text.rank, grammar.error) {
                continue;
            }
            match &mut group {
                Some(group) if text.number - group.last <= WORD_GAP => group.last = text.number,
                group => *group = Some(Group::new(text)),
            }
        }
        group.filter(|group| group.last + WORD_REACH >= end)
    }

    fn last_paragraph(&self, grammar: &Grammar, caches: &mut Caches) -> Option<Cause> {
        let mut first: Option<&Text<'_>> = None;
        let mut last = 0;
        for text in self.ring.iter().rev() {
            let content = text.content();
            if content.is_empty() || content.starts_with(COMMAND) {
                if first.is_some() {
                    break;
                }
            } else if grammar.causes.mark(caches, content, true) != Some(Mark::Outcome) {
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
        let only = self.begin.as_ref().or(self.outcome.as_ref());
        only.map(|only| Group::new(only).cause("end"))
    }
}
