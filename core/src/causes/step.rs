// SPDX-License-Identifier: Apache-2.0
//! A step of a build, and the cause of its failure.
//!
//! A step keeps the first line of each kind that tells by its first, such as a failed test; and, before its
//! first outcome and behind it, the last group of errors and the last lines. An outcome that many lines
//! follow decides nothing. Memory is bounded.

use std::mem;

use crate::causes::cause_rules::{Caches, Causes};
use crate::causes::found::{Found, Kind, Role};
use crate::causes::group::{Cause, Group, Ring, Text};
use crate::causes::marks::Mark;

/// Lines without an error that end a group of errors.
pub const GAP: u64 = 20;
/// The same for lines with a word of failure, and how far above the end the last one may be.
pub const WORD_GAP: u64 = 5;
pub const WORD_REACH: u64 = 15;
/// Lines behind an outcome that show that the step survived it.
pub const SURVIVED: u64 = 400;
/// Lines of a paragraph.
pub const PARAGRAPH: u64 = 12;

/// The weight of a step that shows errors alone.
pub const ERRORS_ALONE: u8 = 2;
/// The weight of a step whose last line says that it failed.
pub const ANNOTATED: u8 = 5;

/// What the next line with words is, below a heading.
#[derive(Default, PartialEq)]
enum Below {
    #[default]
    Nothing,
    /// A failed test.
    Tests,
    /// An error; and behind an outcome, in the same paragraph.
    Aborts,
    Outcome,
}

/// Where a step is.
#[derive(Default, PartialEq)]
enum Phase {
    /// In its own text, such as its script.
    Own,
    #[default]
    Runs,
    /// Behind its end: what follows cleans up.
    Over,
}

/// How a step ended, as far as that is said of it alone, although the log goes on.
#[derive(Default, PartialEq)]
enum Ended {
    #[default]
    Unsaid,
    /// A recap says that a task failed.
    FailedByRecap,
    /// Its last line says that it failed.
    FailedByLastLine,
}

/// The line from which on a step's lines tell what is known already.
struct Turn {
    /// The last lines before it.
    before: Ring,
    /// The first outcome; None for a recap without one.
    outcome: Option<Text<'static>>,
    /// True if the outcome holds what its command printed.
    is_result: bool,
    known: Known,
    /// The last outcome that says what stopped the step.
    killed: Option<Text<'static>>,
    /// The last one that an outcome tells.
    exit_code: Option<i64>,
}

/// What follows a turn.
#[derive(PartialEq)]
enum Known {
    /// Outcomes, of which the last has this number.
    Until(u64),
    /// A recap, or the end of the step, behind outcomes.
    Whole,
    /// A recap, which was the turn.
    Recap,
}

impl Turn {
    fn close(&mut self) {
        if self.known != Known::Recap {
            self.known = Known::Whole;
        }
    }

    /// True if an outcome is at this line or behind it. is_first: true if no other one may be above.
    fn has_outcome(&self, from: u64, is_first: bool) -> bool {
        let Some(first) = &self.outcome else { return false };
        match self.known {
            _ if is_first => first.number >= from,
            Known::Until(last) => last >= from,
            Known::Whole | Known::Recap => true,
        }
    }
}

/// The errors of a step.
#[derive(Default)]
struct Errors {
    /// The last group.
    last: Option<Group>,
    /// The last group before a recap.
    before_recap: Option<Group>,
    /// The item whose error it is, such as a step of BuildKit; None if its line names none.
    item: Option<Vec<u8>>,
    /// The indentation of the error whose stack or members may follow, until one of its calls is told.
    below: Option<usize>,
    /// True if the last group only names what failed: an error behind it takes its place.
    only_names: bool,
}

impl Errors {
    fn told(&self) -> Option<&Group> {
        self.before_recap.as_ref().or(self.last.as_ref())
    }

    /// Takes an error. Returns the last group if another one begins. above: the lines above it. names: true if it only
    /// names what failed.
    fn add(
        &mut self,
        causes: &Causes,
        above: &Ring,
        text: &Text<'_>,
        names: bool,
    ) -> Option<Group> {
        let is_near = self.last.as_ref().is_some_and(|errors| text.number - errors.last <= GAP);
        if self.only_names && !names && is_near {
            self.last = None;
        }
        self.only_names = names && (self.only_names || !is_near);
        match &mut self.last {
            Some(errors) if is_near || is_stack(above, causes, errors.last) => {
                errors.extend(text);
                None
            }
            errors => {
                let mut group = Group::new(text);
                self.item = text.item(causes).map(|(item, _)| item.to_vec());
                let frame = frame_above(above, causes, text);
                self.below = frame.is_none().then_some(text.indent);
                group.told.extend(frame.map(|frame| frame.content().to_vec()));
                errors.replace(group)
            }
        }
    }

    /// Forgets the errors of an item of which a line says that it ended well. Returns the number of their last line.
    fn forgive(&mut self, causes: &Causes, text: &Text<'_>) -> Option<u64> {
        let failed = self.item.as_deref()?;
        text.item(causes).filter(|&(item, said)| item == failed && causes.passed.is_done(said))?;
        self.item = None;
        self.below = None;
        self.last.take().map(|errors| errors.last)
    }

    /// Tells of the lines below an error the first call of the program's own in its stack, what the error announces, and
    /// members that tell why.
    fn take_below(&mut self, causes: &Causes, text: &Text<'_>, role: Option<Role>) {
        let (indent, content) = (self.below.take(), text.content());
        let Some(errors) = &mut self.last else { return };
        let announces = errors.told.last().is_some_and(|line| line.ends_with(b":"));
        let is_next = announces && text.number == errors.last + 1;
        let is_in = indent.is_some_and(|indent| is_next || text.indent > indent) && role.is_none();
        if content.is_empty() {
            self.below = indent.filter(|_| announces);
        } else if is_in {
            let is_call = causes.stack.is_own_call(content, false);
            self.below = indent.filter(|_| !is_call);
            if is_call || announces || causes.told.is_reason(content) {
                errors.tell_line(content);
            }
        }
    }
}

/// A step, up to the current line.
#[derive(Default)]
pub struct Step {
    /// The line that begins it; None before the first.
    begin: Option<Text<'static>>,
    phase: Phase,
    ended: Ended,
    found: Found,
    errors: Errors,
    below: Below,
    /// The last lines.
    ring: Ring,
    turn: Option<Turn>,
    /// The number of the last error that is an outcome.
    fatal: Option<u64>,
    /// The number of the last outcome, if that says that all went well.
    succeeded: Option<u64>,
}

impl Step {
    /// The step that a line begins.
    pub fn beginning_at(text: &Text<'_>) -> Self {
        Self { begin: Some(text.copied()), phase: Phase::Own, ..Self::default() }
    }

    /// How much the step shows of a failure; 0 for nothing.
    pub fn weight(&self) -> u8 {
        if self.ended == Ended::FailedByLastLine { ANNOTATED } else { self.shown() }
    }

    /// The same, whatever its last line is.
    pub fn shown(&self) -> u8 {
        if !self.found.is_empty() {
            return 4;
        }
        let outcome = self.turn.as_ref().filter(|turn| turn.outcome.is_some());
        match outcome {
            Some(turn) if turn.known != Known::Recap => 3,
            _ if self.errors.told().is_some() => ERRORS_ALONE,
            outcome => u8::from(outcome.is_some()),
        }
    }

    /// True if an outcome or a test says so, and no later outcome that all went well. Errors alone do not:
    /// healthy services log some. from: the number of the first line in which outcomes count. is_of_service:
    /// true if the first outcome and the first test have to be there.
    pub fn has_failed(&self, from: u64, is_of_service: bool) -> bool {
        let has_outcome =
            self.turn.as_ref().is_some_and(|turn| turn.has_outcome(from, is_of_service));
        let is_fatal = self.fatal.is_some_and(|number| number >= from);
        let has_found = self.found.has_failed(from, is_of_service);
        self.has_ended_failed()
            || (self.succeeded.is_none() && (has_outcome || is_fatal || has_found))
    }

    /// True if its last line is the exception of a stack above it: a program that catches it goes on.
    pub fn ends_with_stack(&self, causes: &Causes, caches: &mut Caches) -> bool {
        let is_last = |text: &&Text<'_>| {
            self.errors.last.as_ref().is_some_and(|errors| errors.last == text.number)
        };
        let Some(last) = self.ring.last().filter(is_last) else { return false };
        let mut above = self.ring.iter().rev().skip_while(|line| line.number >= last.number);
        let head = above.find(|line| line.indent <= last.indent);
        head.is_some_and(|head| {
            causes.marks.of(&mut caches.marks, head.content(), false) == Some(Mark::Stack)
        })
    }

    /// The number of its last outcome, if that says that all went well, and no error follows.
    pub fn passed_at(&self) -> Option<u64> {
        let last_error = self.errors.last.as_ref().map_or(0, |errors| errors.last);
        self.succeeded.filter(|&number| number > last_error && !self.has_ended_failed())
    }

    /// True if it shows at most errors, and more lines follow these than make a group.
    pub fn has_survived(&self, end: u64) -> bool {
        let last = self.errors.told().map_or(0, |errors| errors.last);
        self.weight() <= ERRORS_ALONE && end > last + GAP
    }

    /// True if it failed although the log goes on: a recap says so, or its last line.
    pub fn has_ended_failed(&self) -> bool {
        self.ended != Ended::Unsaid
    }

    /// The number of its first line; None for the lines before the first step.
    pub fn first_line(&self) -> Option<u64> {
        self.begin.as_ref().map(|begin| begin.number)
    }

    /// True if it has no line behind its own text.
    pub fn is_silent(&self) -> bool {
        self.weight() == 0 && self.told().is_empty() && self.ring.is_empty()
    }

    /// Ends the step's own text.
    pub fn show(&mut self) {
        if self.phase == Phase::Own {
            self.phase = Phase::Runs;
            self.ring.clear();
        }
    }

    /// Ends it at the line of this number: what is asked of it from now on is of a whole step.
    pub fn end(&mut self, causes: &Causes, number: u64) {
        self.settle(number);
        let mut last = self.ring.last_two().chain(self.ring.last_head());
        if last.any(|text| causes.marks.ends_failed(text.content())) {
            self.ended = Ended::FailedByLastLine;
        }
    }

    /// Ends the step: what follows cleans up.
    pub fn close(&mut self, number: u64) {
        self.settle(number);
        self.turn.iter_mut().for_each(Turn::close);
        self.phase = Phase::Over;
    }

    /// Begins a recap of what is known already; of a step without lines nothing is.
    pub fn recap(&mut self, causes: &Causes, text: &Text<'_>) {
        self.end(causes, text.number);
        if let Some(turn) = &mut self.turn {
            turn.close();
        } else if !self.ring.is_empty() {
            self.turn_at(None, false, Known::Recap);
        }
        let errors = &mut self.errors;
        errors.before_recap = errors.before_recap.take().or_else(|| errors.last.take());
    }

    fn turn_at(&mut self, outcome: Option<Text<'static>>, is_result: bool, known: Known) {
        let before = mem::take(&mut self.ring);
        self.turn = Some(Turn { before, outcome, is_result, known, killed: None, exit_code: None });
    }

    /// Forgets an outcome that the step survived until the line of this number.
    pub fn settle(&mut self, end: u64) {
        self.turn.take_if(|turn| matches!(turn.known, Known::Until(last) if end > last + SURVIVED));
        self.fatal.take_if(|&mut number| end > number + SURVIVED);
    }

    /// Adds a line that changes nothing but the last lines.
    #[inline]
    pub fn push(&mut self, text: &Text<'_>) {
        self.ring.push(text);
    }

    /// True if a line without a mark goes to the ring and changes nothing else.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.below == Below::Nothing
            && self.found.is_empty()
            && self.errors.item.is_none()
            && self.errors.below.is_none()
            && self.phase != Phase::Over
    }

    /// Takes a line. Returns a group of errors that one at this line displaces.
    pub fn add(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) -> Option<Group> {
        if self.phase == Phase::Over {
            return None;
        }
        let mark = match mark {
            Some(Mark::Title) if !self.found.has_headed() => Some(Mark::Chapter),
            Some(Mark::Result) if causes.told.has_printed(text.content()) => Some(Mark::Fatal),
            mark => mark,
        };
        if mark == Some(Mark::Fatal) {
            self.fatal = Some(text.number);
        }
        if text.content().is_empty() && self.below == Below::Outcome {
            self.below = Below::Nothing;
        }
        if self.found.forgive(causes, text.content()) {
            self.turn = None;
        }
        let telling = mark.filter(|mark| !matches!(mark, Mark::Chapter | Mark::Succeeded));
        let role = self.role(causes, caches, text, telling);
        let is_end =
            matches!(mark, Some(Mark::Chapter | Mark::Heading | Mark::Aborts | Mark::Succeeded));
        self.found.extend_report(causes, caches, text, role, is_end);
        if role == Some(Role::Outcome) || text.rank >= causes.error {
            self.found.take_recap(causes, text);
        }
        self.succeeded = match role {
            Some(Role::Outcome | Role::First(_)) => None,
            _ if mark == Some(Mark::Succeeded) => Some(text.number),
            _ => self.succeeded.filter(|_| mark != Some(Mark::Fatal)),
        };
        if role == Some(Role::Outcome) {
            self.add_outcome(causes, text, mark);
            return None;
        }
        self.errors.take_below(causes, text, role);
        if let Some(last) = self.errors.forgive(causes, text) {
            self.fatal.take_if(|&mut fatal| fatal <= last);
        }
        let displaced = match role {
            Some(Role::Error) => {
                self.errors.add(causes, &self.ring, text, mark == Some(Mark::Names))
            }
            Some(Role::First(kind)) => {
                self.found.add(causes, caches, &self.ring, text, kind);
                None
            }
            _ => None,
        };
        if mark != Some(Mark::Harmless) {
            self.push(text);
        }
        displaced
    }

    fn role(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) -> Option<Role> {
        let content = text.content();
        match mark {
            Some(Mark::Heading | Mark::Aborts) => {
                let is_of_tests = mark == Some(Mark::Heading);
                self.below = if is_of_tests { Below::Tests } else { Below::Aborts };
                self.found.headed = causes.marks.form(&mut caches.marks, content);
                return None;
            }
            Some(Mark::Outcome | Mark::Result | Mark::Killed) => {
                let announces = content.ends_with(b":")
                    && self.turn.is_none()
                    && self.errors.told().is_none()
                    && causes.told.exit_code(content).is_none();
                if announces || self.below == Below::Aborts {
                    self.below = Below::Outcome;
                }
                return Some(Role::Outcome);
            }
            _ => {}
        }
        if mark.is_none() && text.rank >= causes.error && is_level_alone(content) {
            if content.contains(&b':') {
                self.below = Below::Aborts;
            }
            return None;
        }
        let as_marked = mark.and_then(|mark| self.found.kind(mark)).map(Role::First);
        let is_error = matches!(mark, Some(Mark::Error | Mark::Fatal | Mark::Names))
            || (mark.is_none() && text.rank >= causes.error);
        let is_told = self.below != Below::Nothing
            && mark != Some(Mark::Harmless)
            && content.iter().any(|&byte| is_letter(byte));
        if !is_error && !is_told {
            return as_marked;
        }
        let is_green = causes.passed.is_green(&mut caches.green, content);
        if is_told && !(is_green && self.below == Below::Tests) {
            let is_of_tests = mem::take(&mut self.below) == Below::Tests;
            return Some(if is_of_tests { Role::First(Kind::Headed) } else { Role::Error });
        }
        if !is_error {
            return as_marked;
        }
        (!is_green).then_some(Role::Error)
    }

    fn add_outcome(&mut self, causes: &Causes, text: &Text<'_>, mark: Option<Mark>) {
        self.settle(text.number);
        if let Some(errors) = &mut self.errors.last {
            let word = first_word(text.content());
            if text.number - errors.last <= 2 && word == first_word(errors.first.content()) {
                errors.extend(text);
            }
        }
        if let Some(turn) = &mut self.turn {
            turn.outcome.get_or_insert_with(|| text.copied());
            if let Known::Until(last) = &mut turn.known {
                *last = text.number;
            } else if self.ended == Ended::Unsaid {
                self.ended = Ended::FailedByRecap;
            }
        } else {
            let is_result = mark == Some(Mark::Result);
            self.turn_at(Some(text.copied()), is_result, Known::Until(text.number));
        }
        let Some(turn) = &mut self.turn else { return };
        turn.exit_code = causes.told.exit_code(text.content()).or(turn.exit_code);
        if mark == Some(Mark::Killed) {
            turn.killed = Some(text.copied());
        }
    }

    /// True if its cause is a failed test.
    pub fn has_test(&self) -> bool {
        self.found.has_test()
    }

    /// The failed tests behind the one that is its cause.
    pub fn further(&self) -> impl Iterator<Item = Cause> {
        self.found.further()
    }

    /// The step's cause; None for a step without lines.
    pub fn cause(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        let last = self.ring.last().filter(|_| self.ended == Ended::FailedByLastLine);
        let code = last.and_then(|text| causes.told.exit_code(text.content()));
        let exit_code = code.or_else(|| self.turn.as_ref()?.exit_code);
        Some(Cause { exit_code, ..self.telling(causes, caches)? })
    }

    fn telling(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        if let Some(cause) = self.found.cause(causes, self.errors.told()) {
            return Some(cause);
        }
        let ring = self.told();
        let end = ring.last().map_or(0, |text| text.number);
        let words = last_words(ring, causes, caches);
        if let Some(errors) = self.errors.told() {
            let ended = words.filter(|(words, _)| {
                end > errors.last + SURVIVED && words.last == end && words.is_weak(causes)
            });
            return Some(ended.map_or_else(
                || errors.cause("severity"),
                |(words, _)| words.into_cause("failed step"),
            ));
        }
        let words = words.filter(|(words, is_near)| *is_near || words.is_weak(causes));
        let killed = || self.turn.as_ref()?.killed.as_ref();
        words
            .map(|(words, _)| words.into_cause("failed step"))
            .or_else(|| killed().map(|killed| Group::new(killed).cause("severity")))
            .or_else(|| self.paragraph(causes))
    }

    /// The end of a step that shows no failure; None for a step without lines.
    pub fn likely_end(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        let words = last_words(self.told(), causes, caches).filter(|&(_, is_near)| is_near);
        words.map(|(words, _)| words.into_cause("end")).or_else(|| self.paragraph(causes))
    }

    /// True if a word of failure stands near its end. Most lines have no hint, which is found faster than a word.
    pub fn speaks_of_failure(&self, causes: &Causes, caches: &mut Caches) -> bool {
        self.told().iter().rev().take(WORD_REACH as usize).any(|text| {
            let content = text.content();
            causes.marks.hints.find(content).is_some() && causes.is_word(caches, content, text.rank)
        })
    }

    /// The last lines before those that only repeat what is known.
    fn told(&self) -> &Ring {
        self.turn.as_ref().map_or(&self.ring, |turn| &turn.before)
    }

    fn paragraph(&self, causes: &Causes) -> Option<Cause> {
        let passed = |cause: &Cause| cause.told.iter().all(|line| causes.passed.is_test(line));
        let paragraph = last_paragraph(self.told(), causes);
        paragraph
            .filter(|cause| self.result().is_none() || !passed(cause))
            .or_else(|| self.only_line())
    }

    /// The outcome that was the turn, if it holds what its command printed.
    fn result(&self) -> Option<&Text<'static>> {
        self.turn.as_ref().filter(|turn| turn.is_result)?.outcome.as_ref()
    }

    /// Its last lines, without a recap; None for a step without lines.
    pub fn last_lines(&self, causes: &Causes) -> Option<Cause> {
        let recap = self.turn.as_ref().filter(|turn| turn.known == Known::Recap);
        let ring = recap.map_or(&self.ring, |turn| &turn.before);
        last_paragraph(ring, causes).or_else(|| self.only_line())
    }

    /// The cause of a step without a line that could be one.
    fn only_line(&self) -> Option<Cause> {
        let outcome = || self.turn.as_ref()?.outcome.as_ref();
        let result = self.result().map(|only| Group::new(only).cause("severity"));
        let only = || self.begin.as_ref().or_else(outcome);
        result.or_else(|| only().map(|only| Group::new(only).cause("end")))
    }
}

/// What a line begins with, up to a blank.
fn first_word(content: &[u8]) -> &[u8] {
    let end = content.iter().position(|&byte| byte == b' ').unwrap_or(content.len());
    &content[..end]
}

/// True for a word that says that there is an error and nothing of it, with signs at most: it may be the name of a
/// group, or announce the error, with a colon.
fn is_level_alone(content: &[u8]) -> bool {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let mut words = content.split(|byte| !is_of_word(byte)).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"error")) && words.next().is_none()
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// The last call of the program's own in the stack right above its exception.
fn frame_above<'r>(ring: &'r Ring, causes: &Causes, text: &Text<'_>) -> Option<&'r Text<'static>> {
    let mut stack = ring.iter().rev().take_while(|line| line.indent > text.indent);
    stack.find(|line| causes.stack.is_own_call(line.content(), true))
}

/// True if all lines behind the one of this number are calls, as far as the ring has them.
fn is_stack(ring: &Ring, causes: &Causes, number: u64) -> bool {
    let mut lines = ring.iter().rev().take_while(|line| line.number > number);
    !ring.is_empty() && lines.all(|line| causes.stack.is_call(line.content()))
}

/// The last lines with a word of failure, and whether they are near the end.
fn last_words(ring: &Ring, causes: &Causes, caches: &mut Caches) -> Option<(Group, bool)> {
    let mut group: Option<Group> = None;
    let mut end = 0;
    let mut is_usage = false;
    for text in ring.iter() {
        is_usage = causes.words.is_usage(text.content(), text.indent, is_usage);
        if is_usage {
            continue;
        }
        end = text.number;
        if !causes.is_word(caches, text.content(), text.rank) {
            continue;
        }
        match &mut group {
            Some(group) if text.number - group.last <= WORD_GAP => group.extend(text),
            group => *group = Some(Group::new(text)),
        }
    }
    group.map(|group| {
        let is_near = group.last + WORD_REACH >= end;
        (group, is_near)
    })
}

fn last_paragraph(ring: &Ring, causes: &Causes) -> Option<Cause> {
    let is_in = |text: &&Text<'_>| {
        let content = text.content();
        !content.is_empty() && causes.chapters.without_prompt(content) == content
    };
    let mut lines: Vec<_> =
        ring.iter().rev().skip_while(|text| !is_in(text)).take_while(is_in).collect();
    let last = lines.first()?.number;
    let size = lines.iter().position(|text| last - text.number >= PARAGRAPH);
    lines.truncate(size.map_or(lines.len(), |size| size + 1));
    let mut lines = lines.into_iter().rev();
    let mut group = Group::new(lines.next()?);
    lines.for_each(|text| group.extend(text));
    Some(group.cause("end"))
}
