// SPDX-License-Identifier: Apache-2.0
//! A step of a build, and the cause of its failure.
//!
//! A step keeps the first line of each kind that tells by its first, such as a failed test; and, before its
//! first outcome and behind it, the last group of errors and the last lines. An outcome that many lines
//! follow decides nothing. Memory is bounded.

use std::mem;
use std::sync::Arc;

use crate::causes::cause_rules::{Caches, Causes, Form, Mark, Name};
use crate::causes::group::{Cause, Group, Ring, TOLD, Text};

/// Lines without an error that end a group of errors.
pub const GAP: u64 = 20;
/// The same for lines with a word of failure, and how far above the end the last one may be.
pub const WORD_GAP: u64 = 5;
pub const WORD_REACH: u64 = 15;
/// Lines behind an outcome that show that the step survived it.
pub const SURVIVED: u64 = 400;
/// Lines of a paragraph, and of a failed test's report.
pub const PARAGRAPH: u64 = 12;
pub const REPORT: u64 = 40;
/// Failures beside the cause that are noted, of a step and of a log.
pub const MOST_NOTED: usize = 8;
/// Blanks between a failed test's number and its name, if that is on a line of its own.
const TITLE: usize = 5;

/// The weight of a step that shows errors alone.
pub const ERRORS_ALONE: u8 = 2;
/// The weight of a step whose last line says that it failed.
pub const ANNOTATED: u8 = 5;

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

impl Kind {
    fn of(mark: Mark) -> Option<Self> {
        match mark {
            Mark::Test => Some(Self::Test),
            Mark::Crash => Some(Self::Crash),
            Mark::Inline => Some(Self::Inline),
            Mark::Numbered => Some(Self::Numbered),
            Mark::Title => Some(Self::Headed),
            _ => None,
        }
    }
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

/// The line from which on a step's lines tell what is known already.
struct Turn {
    /// The first outcome; None for a recap without one.
    outcome: Option<Text<'static>>,
    /// The number of the last outcome; None once a recap began.
    last: Option<u64>,
    is_recap: bool,
    /// True if the outcome holds what its command printed.
    is_result: bool,
}

impl Turn {
    /// True if an outcome is at this line or behind it. is_first: true if no other one may be above.
    fn has_outcome(&self, from: u64, is_first: bool) -> bool {
        let Some(first) = &self.outcome else { return false };
        if is_first { first.number >= from } else { self.last.is_none_or(|last| last >= from) }
    }
}

/// The report of a failed test whose lines go on: the last one of its kind.
struct Report {
    kind: Kind,
    form: Arc<Form>,
    /// True from a blank line of it until an error.
    is_paused: bool,
    /// True right behind a blank line that it may go on behind.
    is_open: bool,
}

/// A step, up to the current line.
#[derive(Default)]
pub struct Step {
    /// The line that begins it; None before the first.
    begin: Option<Text<'static>>,
    /// True once its own text has ended.
    is_shown: bool,
    /// By Kind.
    found: [Option<Group>; 5],
    /// The next failed tests of the same kinds, the first MOST_NOTED.
    further: Vec<(Kind, Group)>,
    /// True if the failed tests below a heading have numbers.
    has_numbers: bool,
    /// The last group of errors.
    errors: Option<Group>,
    /// The indentation of the error whose stack may follow, until one of its calls is told.
    stack: Option<usize>,
    /// The last lines.
    ring: Ring,
    turn: Option<Turn>,
    /// The last lines before the turn.
    before: Ring,
    /// The last group of errors before a recap.
    before_recap: Option<Group>,
    /// The heading whose next line tells: Heading or Aborts; an outcome below Aborts.
    heading: Option<Mark>,
    /// What its row says of the reports below the last heading.
    headed: Option<Arc<Form>>,
    /// The indentation of the last failed test that may nest.
    depth: Option<usize>,
    report: Option<Report>,
    /// The number of the last error that is an outcome.
    fatal: Option<u64>,
    /// True if a recap says that a task failed.
    has_failed_recap: bool,
    /// The number of the last outcome, if that says that all went well.
    succeeded: Option<u64>,
    /// True once it has ended: what follows cleans up.
    is_over: bool,
    /// True if its last line says that it failed.
    is_annotated: bool,
}

impl Step {
    /// The step that a line begins.
    pub fn beginning_at(text: &Text<'_>) -> Self {
        Self { begin: Some(text.copied()), ..Self::default() }
    }

    /// How much the step shows of a failure; 0 for nothing.
    pub fn weight(&self) -> u8 {
        if self.is_annotated { ANNOTATED } else { self.shown() }
    }

    /// The same, whatever its last line is.
    pub fn shown(&self) -> u8 {
        if self.found.iter().any(Option::is_some) {
            return 4;
        }
        let outcome = self.turn.as_ref().filter(|turn| turn.outcome.is_some());
        match outcome {
            Some(turn) if !turn.is_recap => 3,
            _ if self.errors().is_some() => ERRORS_ALONE,
            outcome => u8::from(outcome.is_some()),
        }
    }

    /// True if an outcome or a test says so, and no later outcome that all went well. Errors alone do not:
    /// healthy services log some. from: the number of the first line in which outcomes count. is_of_service:
    /// true if the first outcome and the first test have to be there.
    pub fn has_failed(&self, from: u64, is_of_service: bool) -> bool {
        let has_found = WHY.iter().any(|&(kind, _)| {
            let is_anywhere = kind != Kind::Crash && !is_of_service;
            self.found[kind as usize].as_ref().is_some_and(|one| is_anywhere || one.last >= from)
        });
        let has_outcome =
            self.turn.as_ref().is_some_and(|turn| turn.has_outcome(from, is_of_service));
        let is_fatal = self.fatal.is_some_and(|number| number >= from);
        self.has_ended_failed()
            || (self.succeeded.is_none() && (has_outcome || is_fatal || has_found))
    }

    /// The number of its last outcome, if that says that all went well, and no error follows.
    pub fn passed_at(&self) -> Option<u64> {
        let last_error = self.errors.as_ref().map_or(0, |errors| errors.last);
        self.succeeded.filter(|&number| number > last_error && !self.has_ended_failed())
    }

    /// True if it failed although the log goes on: a recap says so, or its last line.
    pub fn has_ended_failed(&self) -> bool {
        self.has_failed_recap || self.is_annotated
    }

    /// The number of its first line; None for the lines before the first step.
    pub fn first_line(&self) -> Option<u64> {
        self.begin.as_ref().map(|begin| begin.number)
    }

    /// True if it has no line behind its own text.
    pub fn is_silent(&self) -> bool {
        self.weight() == 0 && self.before.is_empty() && self.ring.is_empty()
    }

    /// Ends the step's own text, such as its script.
    pub fn show(&mut self) {
        if self.begin.is_some() && !self.is_shown {
            self.is_shown = true;
            self.ring.clear();
        }
    }

    /// Notes how it ended.
    pub fn end(&mut self, causes: &Causes) {
        let last = self.ring.last();
        self.is_annotated |= last.is_some_and(|text| causes.ends_failed(text.content()));
    }

    /// Ends the step: what follows cleans up.
    pub fn close(&mut self, number: u64) {
        self.settle(number);
        if let Some(turn) = &mut self.turn {
            turn.last = None;
        }
        self.is_over = true;
    }

    /// Begins a recap of what is known already.
    pub fn recap(&mut self, causes: &Causes, text: &Text<'_>) {
        self.end(causes);
        self.settle(text.number);
        if let Some(turn) = &mut self.turn {
            turn.last = None;
        } else {
            self.turn_at(Turn { outcome: None, last: None, is_recap: true, is_result: false });
        }
        self.before_recap = self.before_recap.take().or_else(|| self.errors.take());
    }

    fn turn_at(&mut self, turn: Turn) {
        self.turn = Some(turn);
        mem::swap(&mut self.before, &mut self.ring);
        self.ring.clear();
    }

    /// Forgets an outcome that the step survived until the line of this number.
    pub fn settle(&mut self, end: u64) {
        let last = self.turn.as_ref().and_then(|turn| turn.last);
        if last.is_some_and(|last| end > last + SURVIVED) {
            self.turn = None;
        }
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
        let is_told = self.heading.is_none() && self.report.is_none() && self.stack.is_none();
        is_told && !self.is_over
    }

    /// Takes a line. Returns a group of errors that one at this line displaces.
    pub fn add(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) -> Option<Group> {
        if self.is_over {
            return None;
        }
        let is_below_heading = self.found[Kind::Headed as usize].is_some();
        let mark = match mark {
            Some(Mark::Title) if !is_below_heading => Some(Mark::Chapter),
            mark => mark,
        };
        if mark == Some(Mark::Fatal) {
            self.fatal = Some(text.number);
        }
        if text.content().is_empty() && self.heading.is_some_and(is_outcome) {
            self.heading = None;
        }
        let telling = mark.filter(|mark| !matches!(mark, Mark::Chapter | Mark::Succeeded));
        let role = self.role(causes, caches, text, telling);
        let is_end =
            matches!(mark, Some(Mark::Chapter | Mark::Heading | Mark::Aborts | Mark::Succeeded));
        self.reopen_report(causes, caches, text, role.is_some() || is_end);
        self.extend_report(causes, text, role, is_end);
        let is_recap = role == Some(Role::Outcome) || text.rank >= causes.error;
        if is_recap && self.found[Kind::Numbered as usize].is_some() {
            self.take_recap(causes, text);
        }
        self.succeeded = match role {
            Some(Role::Outcome | Role::First(_)) => None,
            _ if mark == Some(Mark::Succeeded) => Some(text.number),
            _ => self.succeeded.filter(|_| mark != Some(Mark::Fatal)),
        };
        if role == Some(Role::Outcome) {
            self.add_outcome(text, mark == Some(Mark::Result));
            return None;
        }
        let displaced = self.add_telling(causes, caches, text, role);
        self.push(text);
        displaced
    }

    /// Takes a line that may tell why the step failed. Returns a group of errors that it displaces.
    fn add_telling(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        role: Option<Role>,
    ) -> Option<Group> {
        self.take_call(causes, text, role);
        match role? {
            Role::Error => return self.add_error(causes, text),
            Role::First(kind) => self.add_first(causes, caches, text, kind),
            Role::Outcome => {}
        }
        None
    }

    fn role(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) -> Option<Role> {
        let content = text.content();
        let as_marked = match mark {
            Some(Mark::Heading | Mark::Aborts) => {
                self.heading = mark;
                self.headed = causes.form(caches, content);
                return None;
            }
            Some(Mark::Outcome | Mark::Result) => {
                if self.heading == Some(Mark::Aborts) {
                    self.heading = mark;
                }
                return Some(Role::Outcome);
            }
            Some(Mark::Numbered) if self.has_numbers => Some(Role::First(Kind::Headed)),
            mark => mark.and_then(Kind::of).map(Role::First),
        };
        let is_error = matches!(mark, Some(Mark::Error | Mark::Fatal))
            || (mark.is_none() && text.rank >= causes.error);
        let is_told = self.heading.is_some() && content.iter().any(|&byte| is_letter(byte));
        if !is_error && !is_told {
            return as_marked;
        }
        let is_green = causes.is_green(caches, content);
        if is_told && (!is_green || self.heading != Some(Mark::Heading)) {
            let is_heading = self.heading.take() == Some(Mark::Heading);
            return Some(if is_heading { Role::First(Kind::Headed) } else { Role::Error });
        }
        if !is_error {
            return as_marked;
        }
        (!is_green).then_some(Role::Error)
    }

    /// Lets the current report go on behind a blank line, if its next paragraph begins with this line. is_other:
    /// true if the line tells something of its own.
    fn reopen_report(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        is_other: bool,
    ) {
        let is_next = !is_other && !text.content().is_empty();
        let Some(report) = self.report.as_mut().filter(|one| one.is_open && is_next) else {
            return;
        };
        let group = last_of(&mut self.found, &mut self.further, report.kind);
        if group.is_some_and(|group| goes_on(group, report, text))
            && !causes.is_green(caches, text.content())
        {
            report.is_paused = false;
        }
    }

    /// Extends the current report by the line, or ends it. In a paragraph of something else, only errors extend
    /// it, what follows them, and the line of the source that failed.
    fn extend_report(
        &mut self,
        causes: &Causes,
        text: &Text<'_>,
        role: Option<Role>,
        is_end: bool,
    ) {
        let Some(report) = &mut self.report else { return };
        let (kind, form, is_paused) = (report.kind, &report.form, report.is_paused);
        let Some(group) = last_of(&mut self.found, &mut self.further, kind) else { return };
        let content = text.content();
        let is_long = text.number - group.first.number > REPORT;
        let is_error = role == Some(Role::Error) && !is_long && !is_end && kind != Kind::Inline;
        let is_blank = content.is_empty() && !form.ends_with_error;
        let is_other = role.is_some() && !is_error;
        let is_quoted = form.quotes.as_ref().is_none_or(|telling| !telling.is_match(content));
        let has_name = matches!(&form.name, Some(Name::Below(name)) if name.is_match(content));
        if has_name
            && role.is_none()
            && !is_paused
            && text.indent >= group.first.indent + TITLE
            && causes.is_numbered(group.first.content())
        {
            *group = group.named(text);
        } else if is_error || !(is_end || is_long || is_other || is_blank || is_paused && is_quoted)
        {
            group.extend(text);
        }
        report.is_open = is_blank && (report.is_open || !is_paused) && form.quotes.is_none();
        report.is_paused = !is_error && (is_blank || is_paused);
        let is_whole = (form.ends_with_error && is_error) || (kind == Kind::Inline && is_blank);
        if is_end || is_long || is_other || is_whole {
            self.report = None;
        }
    }

    /// After a count of failures, numbered lines are failed tests.
    fn take_recap(&mut self, causes: &Causes, text: &Text<'_>) {
        if !causes.data.recap.is_match(text.content()) {
            return;
        }
        let numbered = self.found[Kind::Numbered as usize].take();
        let test = &mut self.found[Kind::Test as usize];
        self.report.take_if(|report| report.kind == Kind::Numbered && test.is_some());
        if let Some(report) = self.report.as_mut().filter(|one| one.kind == Kind::Numbered) {
            report.kind = Kind::Test;
        }
        if test.is_none() {
            *test = numbered;
            let several = self.further.iter_mut().filter(|(kind, _)| *kind == Kind::Numbered);
            several.for_each(|(kind, _)| *kind = Kind::Test);
        }
        self.further.retain(|(kind, _)| *kind != Kind::Numbered);
    }

    fn add_outcome(&mut self, text: &Text<'_>, is_result: bool) {
        self.settle(text.number);
        if let Some(errors) = &mut self.errors {
            let word = first_word(text.content());
            if text.number - errors.last <= 2 && word == first_word(errors.first.content()) {
                errors.extend(text);
            }
        }
        let number = text.number;
        if let Some(turn) = &mut self.turn {
            self.has_failed_recap |= turn.last.is_none();
            turn.last = turn.last.and(Some(number));
            turn.outcome.get_or_insert_with(|| text.copied());
        } else {
            let (outcome, last) = (Some(text.copied()), Some(number));
            self.turn_at(Turn { outcome, last, is_recap: false, is_result });
        }
    }

    /// Returns the last group if another one begins.
    fn add_error(&mut self, causes: &Causes, text: &Text<'_>) -> Option<Group> {
        match &mut self.errors {
            Some(errors) if text.number - errors.last <= GAP => {
                errors.extend(text);
                None
            }
            errors => {
                let mut group = Group::new(text);
                let frame = frame_above(&self.ring, causes, text);
                self.stack = frame.is_none().then_some(text.indent);
                group.told.extend(frame.map(|frame| frame.content().to_vec()));
                errors.replace(group)
            }
        }
    }

    /// Tells the first call of the program's own in the stack below an error.
    fn take_call(&mut self, causes: &Causes, text: &Text<'_>, role: Option<Role>) {
        let indent = self.stack.take();
        let is_in = indent.is_some_and(|indent| text.indent > indent) && role.is_none();
        if !is_in || text.content().is_empty() {
            return;
        }
        if !causes.is_own_call(text.content(), false) {
            self.stack = indent;
        } else if let Some(errors) = &mut self.errors {
            errors.told.push(text.content().to_vec());
        }
    }

    fn add_first(&mut self, causes: &Causes, caches: &mut Caches, text: &Text<'_>, kind: Kind) {
        let own = causes.form(caches, text.content());
        let headed = self.headed.as_ref().filter(|_| kind == Kind::Headed);
        let form = own.or_else(|| headed.cloned()).unwrap_or_default();
        let is_deeper = form.nests && self.depth.is_some_and(|depth| text.indent > depth);
        let is_further = self.found[kind as usize].is_some() && !is_deeper;
        let is_noted = !is_further || (kind != Kind::Crash && self.further.len() < MOST_NOTED);
        if kind == Kind::Test {
            self.depth = (form.nests && is_noted).then_some(text.indent);
        }
        if !is_noted {
            return;
        }
        let mut group = self.beginning(causes, caches, text, &form);
        if is_further {
            self.further.push((kind, group));
        } else if let Some(test) = last_of(&mut self.found, &mut self.further, kind) {
            let outer = mem::replace(test, Group::new(text));
            group.tell(outer, |line| causes.nests(caches, line));
            *test = group;
        } else {
            self.has_numbers |= kind == Kind::Headed && causes.is_numbered(text.content());
            self.found[kind as usize] = Some(group);
        }
        self.report = Some(Report { kind, form, is_paused: false, is_open: false });
    }

    /// What a failed test begins with: the line, and what is above it.
    fn beginning(
        &self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        form: &Form,
    ) -> Group {
        let above =
            if form.nests { located_above(&self.ring, causes, caches, text) } else { Vec::new() };
        let mut group = Group::new(above.first().copied().unwrap_or(text));
        above.iter().skip(1).for_each(|line| group.extend(line));
        if !above.is_empty() {
            group.extend(text);
        }
        let name = match &form.name {
            Some(Name::Above(name)) => {
                self.ring.iter().rev().find(|line| name.is_match(line.content()))
            }
            Some(Name::Underlined) => underlined(&self.ring),
            Some(Name::Below(_)) | None => None,
        };
        if let Some(name) = name {
            group.told.insert(0, name.content().to_vec());
        }
        group
    }

    /// The kind of failed test, or of crash, that is the step's cause, and why it was chosen.
    fn telling(&self) -> Option<(Kind, &'static str)> {
        WHY.into_iter().find(|&(kind, _)| self.found[kind as usize].is_some())
    }

    /// True if its cause is a failed test.
    pub fn has_test(&self) -> bool {
        self.telling().is_some_and(|(_, why)| why == "test")
    }

    /// The failed tests behind the one that is its cause.
    pub fn further(&self) -> impl Iterator<Item = Cause> {
        let of_cause = self.telling();
        self.further.iter().filter_map(move |(kind, group)| {
            let (_, why) = of_cause.filter(|(telling, _)| telling == kind)?;
            Some(group.cause(why))
        })
    }

    /// The step's cause; None for a step without lines.
    pub fn cause(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        if let Some((kind, why)) = self.telling() {
            return self.found[kind as usize].as_ref().map(|group| group.cause(why));
        }
        let ring = self.told();
        let end = ring.last().map_or(0, |text| text.number);
        let words = last_words(ring, causes, caches);
        if let Some(errors) = self.errors() {
            let ended = words.filter(|(words, _)| {
                end > errors.last + SURVIVED && words.last == end && words.is_weak(causes)
            });
            return Some(ended.map_or_else(
                || errors.cause("severity"),
                |(words, _)| words.into_cause("failed step"),
            ));
        }
        let words = words.filter(|(words, is_near)| *is_near || words.is_weak(causes));
        words.map(|(words, _)| words.into_cause("failed step")).or_else(|| self.paragraph(causes))
    }

    /// The end of a step that shows no failure; None for a step without lines.
    pub fn likely_end(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        let words = last_words(self.told(), causes, caches).filter(|&(_, is_near)| is_near);
        words.map(|(words, _)| words.into_cause("end")).or_else(|| self.paragraph(causes))
    }

    /// The last lines before those that only repeat what is known.
    fn told(&self) -> &Ring {
        if self.turn.is_some() { &self.before } else { &self.ring }
    }

    fn paragraph(&self, causes: &Causes) -> Option<Cause> {
        last_paragraph(self.told(), causes).or_else(|| self.only_line())
    }

    /// Its last lines, without a recap; None for a step without lines.
    pub fn last_lines(&self, causes: &Causes) -> Option<Cause> {
        let has_recap = self.turn.as_ref().is_some_and(|turn| turn.is_recap);
        let ring = if has_recap { &self.before } else { &self.ring };
        last_paragraph(ring, causes).or_else(|| self.only_line())
    }

    fn errors(&self) -> Option<&Group> {
        self.before_recap.as_ref().or(self.errors.as_ref())
    }

    /// The cause of a step without a line that could be one.
    fn only_line(&self) -> Option<Cause> {
        let outcome = self.turn.as_ref().and_then(|turn| turn.outcome.as_ref());
        let is_result = self.turn.as_ref().is_some_and(|turn| turn.is_result);
        let result = outcome.filter(|_| is_result).map(|only| Group::new(only).cause("severity"));
        let only = || self.begin.as_ref().or(outcome);
        result.or_else(|| only().map(|only| Group::new(only).cause("end")))
    }
}

/// The last failed test of a kind.
fn last_of<'g>(
    found: &'g mut [Option<Group>; 5],
    further: &'g mut [(Kind, Group)],
    kind: Kind,
) -> Option<&'g mut Group> {
    let last = further.iter_mut().rev().find(|(one, _)| *one == kind).map(|(_, group)| group);
    last.or(found[kind as usize].as_mut())
}

fn is_outcome(mark: Mark) -> bool {
    matches!(mark, Mark::Outcome | Mark::Result)
}

/// True if a failed test's report goes on behind a blank line: with its first message, or deeper lines.
fn goes_on(group: &Group, report: &Report, text: &Text<'_>) -> bool {
    let notes = report.form.notes.as_ref();
    let is_note = |line: &Vec<u8>| notes.is_some_and(|note| note.is_match(line));
    let is_deeper = text.indent > group.first.indent;
    match report.kind {
        Kind::Test => is_deeper || group.told[1..].iter().all(is_note),
        Kind::Headed | Kind::Numbered => is_deeper,
        Kind::Crash | Kind::Inline => false,
    }
}

/// What a line begins with, up to a blank.
fn first_word(content: &[u8]) -> &[u8] {
    let end = content.iter().position(|&byte| byte == b' ').unwrap_or(content.len());
    &content[..end]
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// The deeper lines right above a failed test, from the first that says where it failed; none if they
/// are below another one.
fn located_above<'r>(
    ring: &'r Ring,
    causes: &Causes,
    caches: &mut Caches,
    test: &Text<'_>,
) -> Vec<&'r Text<'static>> {
    let is_deeper = |line: &&Text<'_>| line.indent > test.indent && !line.content().is_empty();
    let mut lines: Vec<_> = ring.iter().rev().take(TOLD - 1).take_while(is_deeper).collect();
    let above = ring.iter().rev().nth(lines.len());
    if above.is_some_and(|line| causes.nests(caches, line.content())) {
        return Vec::new();
    }
    let first = lines.iter().rposition(|line| causes.is_weak(line.content()));
    lines.truncate(first.map_or(0, |first| first + 1));
    lines.reverse();
    lines
}

/// The last line that is underlined: the name of the failed test whose report this is.
fn underlined(ring: &Ring) -> Option<&Text<'static>> {
    let mut below: &[u8] = b"";
    for line in ring.iter().rev() {
        let content = line.content();
        let is_underline = !below.is_empty() && below.iter().all(|&byte| byte == b'-');
        if is_underline && below.len() == content.len() && below != content {
            return Some(line);
        }
        below = content;
    }
    None
}

/// The last call of the program's own in the stack right above its exception.
fn frame_above<'r>(ring: &'r Ring, causes: &Causes, text: &Text<'_>) -> Option<&'r Text<'static>> {
    let mut stack = ring.iter().rev().take_while(|line| line.indent > text.indent);
    stack.find(|line| causes.is_own_call(line.content(), true))
}

/// The last lines with a word of failure, and whether they are near the end.
fn last_words(ring: &Ring, causes: &Causes, caches: &mut Caches) -> Option<(Group, bool)> {
    let mut group: Option<Group> = None;
    let mut end = 0;
    let mut is_usage = false;
    for text in ring.iter() {
        is_usage = causes.is_usage(text.content(), text.indent, is_usage);
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
