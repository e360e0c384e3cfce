// SPDX-License-Identifier: Apache-2.0
//! Lines as a terminal shows them, and groups of such lines. Memory is bounded.

use std::borrow::Cow;

use crate::causes::cause_rules::Causes;

/// Bytes of a line's content that are read.
pub const LONGEST: usize = 400;
/// Lines that a step keeps.
pub const RING: usize = 64;
/// Lines of a group whose text is kept.
pub const TOLD: usize = 40;
/// The same of a failed test for its subtest.
const MESSAGES: usize = 12;

/// A line as a terminal shows it.
#[derive(Clone, Default)]
pub struct Text<'l> {
    pub number: u64,
    pub shown: Cow<'l, [u8]>,
    /// Where the head of its step begins; if it has none, its content.
    pub head: usize,
    /// Where its content begins: behind its time, the head of its step and blanks.
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
        (self.number, self.head, self.start) = (line.number, line.head, line.start);
        (self.indent, self.rank, self.is_new) = (line.indent, line.rank, line.is_new);
    }

    pub fn copied(&self) -> Text<'static> {
        let mut copied = Text::default();
        copied.copy(self);
        copied
    }

    /// What is behind its time, the head of its step and blanks.
    pub fn content(&self) -> &[u8] {
        self.from(self.start)
    }

    /// Its content with as many of the blanks before it as are more than `indent`.
    pub fn deeper_than(&self, indent: usize) -> Option<&[u8]> {
        Some(self.from(self.start - self.indent.checked_sub(indent)?))
    }

    /// The item that it names, such as `#7`, and what it says of it.
    pub fn item(&self, causes: &Causes) -> Option<(&[u8], &[u8])> {
        causes.heads.item(self.from(self.head))
    }

    fn from(&self, place: usize) -> &[u8] {
        let rest = &self.shown[place..];
        &rest[..rest.len().min(LONGEST)]
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

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The last line that is not blank.
    pub fn last(&self) -> Option<&Text<'static>> {
        self.iter().rev().find(|text| !text.content().is_empty())
    }

    /// The last two lines that are not blank, the last one first.
    pub fn last_two(&self) -> impl Iterator<Item = &Text<'static>> {
        self.iter().rev().filter(|text| !text.content().is_empty()).take(2)
    }

    /// The line that the last one is below: the last one that is less deep.
    pub fn last_head(&self) -> Option<&Text<'static>> {
        let indent = self.last()?.indent;
        self.iter().rev().find(|text| !text.content().is_empty() && text.indent < indent)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Text<'static>> {
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
    /// The number of the first line of the step that failed, if that shows nothing and the cause is of an
    /// earlier one.
    pub silent_step: Option<u64>,
    /// That of the step that failed.
    pub exit_code: Option<i64>,
    /// The contents of its first lines, without those that only stand between them.
    pub told: Vec<Vec<u8>>,
}

/// Lines of one kind that follow one another.
#[derive(Clone)]
pub struct Group {
    pub first: Text<'static>,
    pub last: u64,
    /// The contents of the first of them.
    pub told: Vec<Vec<u8>>,
    /// What the first of them name, as far as that was asked.
    named: Vec<Vec<Vec<u8>>>,
}

impl Group {
    /// A group of one line.
    pub fn new(text: &Text<'_>) -> Self {
        Self::of(text, text.content().to_vec())
    }

    fn of(text: &Text<'_>, told: Vec<u8>) -> Self {
        Self { first: text.copied(), last: text.number, told: vec![told], named: Vec::new() }
    }

    /// True if one of its first `most` lines names what `is_it` asks for. names_in: the names in a line. A line is taken
    /// apart once.
    pub fn has_named<'n, N: Iterator<Item = Vec<u8>>>(
        &'n mut self,
        most: usize,
        names_in: impl Fn(&'n [u8]) -> N,
        is_it: impl Fn(&Vec<Vec<u8>>) -> bool,
    ) -> bool {
        let new = self.told.iter().take(most).skip(self.named.len());
        self.named.extend(new.map(|line| names_in(line).collect()));
        self.named.iter().any(is_it)
    }

    /// Takes a line behind its last one.
    pub fn extend(&mut self, text: &Text<'_>) {
        self.last = text.number;
        self.tell_line(text.content());
    }

    /// Tells one more line.
    pub fn tell_line(&mut self, content: &[u8]) {
        if self.told.len() < TOLD {
            self.told.push(content.to_vec());
        }
    }

    /// The report of a failed test of whose name this is the last line: the others are told already.
    pub fn named(&self, text: &Text<'_>) -> Self {
        let mut name = self.told.join(&b' ');
        name.push(b' ');
        name.extend_from_slice(text.content());
        name.truncate(LONGEST);
        Self::of(text, name)
    }

    /// Takes the messages of the test whose subtest it is: those of a subtest may be above both. is_name: true
    /// for a line with a name.
    pub fn tell(&mut self, test: Self, mut is_name: impl FnMut(&[u8]) -> bool) {
        let messages = test.told.into_iter().filter(|line| !is_name(line));
        self.told.extend(messages.take(MESSAGES));
        self.told.truncate(TOLD);
    }

    /// True if its first line locates a fault.
    pub fn is_weak(&self, causes: &Causes) -> bool {
        causes.words.is_weak(self.first.content())
    }

    /// Its lines as a cause.
    pub fn cause(&self, why: &'static str) -> Cause {
        self.clone().into_cause(why)
    }

    /// The same, without a copy.
    pub fn into_cause(self, why: &'static str) -> Cause {
        Cause {
            first: self.first,
            last: self.last,
            why,
            silent_step: None,
            exit_code: None,
            told: self.told,
        }
    }
}
