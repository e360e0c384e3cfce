// SPDX-License-Identifier: Apache-2.0
//! What a step shows of its failed tests and of crashes: the first line of each kind, and the report below it.
//! Memory is bounded.

use std::mem;
use std::sync::Arc;

use crate::causes::cause_rules::{Caches, Causes};
use crate::causes::group::{Cause, Group, Ring, TOLD, Text};
use crate::causes::marks::{Form, Mark, Name};

/// Lines of a failed test's report.
pub const REPORT: u64 = 40;
/// Failures beside the cause that are noted, of a step and of a log.
pub const MOST_NOTED: usize = 11;

/// Kinds whose first line tells, in the order in which a step's cause is chosen, and one that may
/// become a test.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
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

const KINDS: [Kind; 5] = [Kind::Headed, Kind::Test, Kind::Crash, Kind::Inline, Kind::Numbered];

const WHY: [(Kind, &str); 4] = [
    (Kind::Headed, "test"),
    (Kind::Test, "test"),
    (Kind::Crash, "severity"),
    (Kind::Inline, "test"),
];

/// Words that say what became of a test.
const OUTCOMES: [&[u8]; 12] = [
    b"fail", b"failed", b"failure", b"error", b"not", b"ok", b"test", b"tests", b"case", b"pass",
    b"passed", b"run",
];

/// What a line is to its step.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    First(Kind),
    Error,
    Outcome,
}

/// The report of a failed test whose lines go on: the last one of its kind.
struct Report {
    kind: Kind,
    form: Arc<Form>,
    at: At,
}

/// Where a report is.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// In a paragraph of its own.
    Own,
    /// Behind a blank line that it may go on behind.
    Blank,
    /// In a paragraph of something else, until an error.
    Other,
}

/// The failed tests and the crash of a step, up to the current line.
#[derive(Default)]
pub struct Found {
    /// By Kind.
    first: [Option<Group>; 5],
    /// The next failed tests of the same kinds, the first MOST_NOTED.
    further: Vec<(Kind, Group)>,
    /// True if the failed tests below a heading have numbers.
    has_numbers: bool,
    /// What its row says of the reports below the last heading.
    pub headed: Option<Arc<Form>>,
    /// The indentation of the last failed test that may nest.
    depth: Option<usize>,
    report: Option<Report>,
}

impl Found {
    /// True if no test and no crash was found.
    pub fn is_empty(&self) -> bool {
        self.first.iter().all(Option::is_none)
    }

    /// True if a failed test is below a heading.
    pub fn has_headed(&self) -> bool {
        self.first[Kind::Headed as usize].is_some()
    }

    /// True if a test or a crash says that the step failed. from: the number of the first line in which those
    /// count that a service may log of others.
    pub fn has_failed(&self, from: u64, is_of_service: bool) -> bool {
        WHY.iter().any(|&(kind, _)| {
            let is_anywhere = kind != Kind::Crash && !is_of_service;
            self.first[kind as usize].as_ref().is_some_and(|one| is_anywhere || one.last >= from)
        })
    }

    /// The kind of a line with a mark.
    pub fn kind(&self, mark: Mark) -> Option<Kind> {
        if mark == Mark::Numbered && self.has_numbers { Some(Kind::Headed) } else { Kind::of(mark) }
    }

    /// Extends the current report by the line, or ends it. In a paragraph of something else, only errors extend
    /// it, what follows them, and the line of the source that failed. Behind a blank line it goes on if its next
    /// paragraph begins there.
    pub fn extend_report(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        role: Option<Role>,
        is_end: bool,
    ) {
        let Some(report) = &mut self.report else { return };
        let (kind, form) = (report.kind, &report.form);
        let Some(group) = last_of(&mut self.first, &mut self.further, kind) else { return };
        let content = text.content();
        let is_next = role.is_none() && !is_end && !content.is_empty();
        if report.at == At::Blank
            && is_next
            && goes_on(group, kind, form, text)
            && !causes.passed.is_green(&mut caches.green, content)
        {
            report.at = At::Own;
        }
        let is_end = is_end || (role.is_none() && causes.passed.is_test(content));
        let is_long = text.number - group.first.number > REPORT;
        let is_error = role == Some(Role::Error) && !is_long && !is_end;
        let is_blank = content.is_empty() && !form.ends_with_error;
        let is_other = role.is_some() && !is_error;
        let is_quoted = form.quotes.as_ref().is_none_or(|telling| !telling.is_match(content));
        let title = text.deeper_than(group.first.indent);
        let has_name = matches!((&form.name, title), (Some(Name::Below(name)), Some(title)) if name.is_match(title));
        if has_name
            && role.is_none()
            && report.at == At::Own
            && causes.told.is_numbered(group.first.content())
        {
            *group = group.named(text);
        } else if is_error
            || !(is_end || is_long || is_other || is_blank || report.at != At::Own && is_quoted)
        {
            group.extend(text);
        }
        report.at = match report.at {
            _ if is_error => At::Own,
            At::Own if is_blank && form.quotes.is_none() => At::Blank,
            At::Own if !is_blank => At::Own,
            At::Blank if is_blank => At::Blank,
            _ => At::Other,
        };
        let is_whole = (form.ends_with_error && is_error) || (kind == Kind::Inline && is_blank);
        if is_end || is_long || is_other || is_whole {
            self.report = None;
        }
    }

    /// After a count of failures, numbered lines are failed tests.
    pub fn take_recap(&mut self, causes: &Causes, text: &Text<'_>) {
        let has_numbered = self.first[Kind::Numbered as usize].is_some();
        if !has_numbered || !causes.told.is_recap(text.content()) {
            return;
        }
        let numbered = self.first[Kind::Numbered as usize].take();
        let test = &mut self.first[Kind::Test as usize];
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

    /// Takes the first line of a failed test or of a crash. above: the lines above it.
    pub fn add(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        above: &Ring,
        text: &Text<'_>,
        kind: Kind,
    ) {
        let own = causes.marks.form(&mut caches.marks, text.content());
        let headed = self.headed.as_ref().filter(|_| kind == Kind::Headed);
        let form = own.or_else(|| headed.cloned()).unwrap_or_default();
        let is_deeper = form.nests && self.depth.is_some_and(|depth| text.indent > depth);
        let is_further = self.first[kind as usize].is_some() && !is_deeper;
        let is_noted = !is_further || (kind != Kind::Crash && self.further.len() < MOST_NOTED);
        if kind == Kind::Test {
            self.depth = (form.nests && is_noted).then_some(text.indent);
        }
        if !is_noted {
            return;
        }
        let mut group = beginning(causes, caches, above, text, &form);
        if is_further {
            self.further.push((kind, group));
        } else if let Some(test) = last_of(&mut self.first, &mut self.further, kind) {
            let outer = mem::replace(test, Group::new(text));
            group.tell(outer, |line| causes.marks.nests(&mut caches.marks, line));
            *test = group;
        } else {
            self.has_numbers |= kind == Kind::Headed && causes.told.is_numbered(text.content());
            self.first[kind as usize] = Some(group);
        }
        self.report = Some(Report { kind, form, at: At::Own });
    }

    /// The kind of failed test, or of crash, that is the step's cause, and why it was chosen.
    fn telling(&self) -> Option<(Kind, &'static str)> {
        WHY.into_iter().find(|&(kind, _)| self.first[kind as usize].is_some())
    }

    /// All of them, by kind in the order of lines.
    fn all(&self) -> impl Iterator<Item = (Kind, &Group)> {
        let first = KINDS.into_iter().zip(&self.first);
        let first = first.filter_map(|(of, group)| Some((of, group.as_ref()?)));
        first.chain(self.further.iter().map(|(of, group)| (*of, group)))
    }

    /// The failed test, or the crash, that is the step's cause, and its kind. One that is only named, as in a list,
    /// gives way to the report of the same name, or to the test's own line above.
    fn chosen(&self) -> Option<(Kind, &Group)> {
        let (kind, _) = self.telling()?;
        let named = self.first[kind as usize].as_ref()?;
        let is_only_named = named.told.len() == 1;
        let report = self.all().find(|&(of, one)| {
            let is_report = one.told.len() > 1 && (is_only_named || kind == Kind::Headed);
            let is_own_line = is_only_named && one.last < named.last;
            (is_only_named && is_report || of == Kind::Test && (is_report || is_own_line))
                && shares_name(named, one)
        });
        Some(report.unwrap_or((kind, named)))
    }

    /// The failed test, or the crash, that is the step's cause. errors: the step's last ones, which tell in place of a
    /// list below them, and with a failed test that is only named above them if they name one of these.
    pub fn cause(&self, causes: &Causes, errors: Option<&Group>) -> Option<Cause> {
        let (_, why) = self.telling()?;
        let (kind, chosen) = self.chosen()?;
        let Some(errors) = errors.filter(|_| chosen.told.len() == 1) else {
            return Some(chosen.cause(why));
        };
        if errors.last < chosen.first.number && kind == Kind::Headed {
            // As a list below a heading, it only names what failed if nothing behind a colon and no word tells why.
            let name = &chosen.told[0];
            let tells = causes.words.are_in(name) || name.windows(2).any(|two| two == b": ");
            return Some(if tells { chosen.cause(why) } else { errors.cause("severity") });
        }
        let is_behind = errors.first.number > chosen.first.number;
        let mut named = self.all().filter(|(_, one)| is_behind && one.told.len() == 1);
        let Some((_, named)) = named.find(|(_, one)| shares_name(one, errors)) else {
            return Some(chosen.cause(why));
        };
        let mut cause = errors.cause("test");
        cause.told.insert(0, named.told[0].clone());
        cause.told.truncate(TOLD);
        Some(cause)
    }

    /// Forgets the failed tests of which a line says that they passed after all. Returns true if none is left.
    pub fn forgive(&mut self, causes: &Causes, content: &[u8]) -> bool {
        if self.is_empty() {
            return false;
        }
        if causes.passed.are_retried(content) {
            *self = Self::default();
            return true;
        }
        if !causes.passed.is_test(content) {
            return false;
        }
        let Some(last) = full_names_in(content).next_back() else { return false };
        let is_same =
            |(one, other): (&Vec<u8>, &Vec<u8>)| is_end_of(one, other) || is_end_of(other, one);
        // Most tests that pass are none of those.
        let is_last =
            |failed: &Vec<Vec<u8>>| failed.last().is_some_and(|one| is_same((one, &last)));
        let further = self.further.iter_mut().map(|(kind, group)| (*kind, group));
        let first = KINDS.into_iter().zip(&mut self.first);
        let first = first.filter_map(|(kind, group)| Some((kind, group.as_mut()?)));
        if !first
            .chain(further)
            .any(|(kind, one)| one.has_named(naming(kind), full_names_in, is_last))
        {
            return false;
        }
        let passed: Vec<_> = full_names_in(content).collect();
        let is_named = |failed: &Vec<Vec<u8>>| {
            failed.len() == passed.len()
                && failed.iter().rev().zip(passed.iter().rev()).all(is_same)
        };
        let is_it =
            |kind, group: &mut Group| group.has_named(naming(kind), full_names_in, is_named);
        self.further.retain_mut(|(kind, group)| !is_it(*kind, group));
        for kind in KINDS {
            let first = &mut self.first[kind as usize];
            first.take_if(|group| is_it(kind, group));
            if first.is_none() {
                let next = self.further.iter().position(|&(one, _)| one == kind);
                *first = next.map(|next| self.further.remove(next).1);
            }
        }
        self.is_empty()
    }

    /// True if its cause is a failed test.
    pub fn has_test(&self) -> bool {
        self.telling().is_some_and(|(_, why)| why == "test")
    }

    /// The other failed tests of the kind of its cause.
    pub fn further(&self) -> impl Iterator<Item = Cause> {
        let chosen = self.chosen().filter(|_| self.has_test());
        self.all().filter_map(move |(of, group)| {
            let (kind, cause) = chosen?;
            (of == kind && !std::ptr::eq(group, cause)).then(|| group.cause("test"))
        })
    }
}

/// How many lines of a failed test's report may name it. Other tests may follow one that is reported elsewhere.
fn naming(kind: Kind) -> usize {
    if kind == Kind::Inline { 1 } else { TOLD }
}

/// True if a report tells of what is only named.
fn shares_name(named: &Group, report: &Group) -> bool {
    let mut name = names_in(named.first.content()).peekable();
    let told: Vec<_> = names_in(&report.told[0]).collect();
    name.peek().is_some() && name.all(|one| told.contains(&one))
}

/// True if the line ends with the name of a failed test. told: the line with the name, behind marks and numbers.
pub fn ends_with_name(line: &[u8], told: &[u8]) -> bool {
    let mut words = told.split_inclusive(|&byte| byte == b' ');
    let is_mark = |word: &&[u8]| names_in(word).next().is_none();
    let size: usize = words.by_ref().take_while(is_mark).map(<[u8]>::len).sum();
    let name = &told[size..];
    !name.is_empty() && line.strip_suffix(name).is_some_and(|rest| rest.ends_with(b" "))
}

/// The names in a line with all of their parts, which are joined by full stops.
fn full_names_in(text: &[u8]) -> impl DoubleEndedIterator<Item = Vec<u8>> {
    let words = text.split(|&byte| b" \t'\"()[]<>,|=".contains(&byte));
    words.filter_map(|word| {
        let parts: Vec<_> = names_in(word).collect();
        let is_name = !parts.is_empty() && word.first().is_some_and(|byte| !byte.is_ascii_digit());
        is_name.then(|| parts.join(&b'.'))
    })
}

/// True if a name of several parts, or all of one, is the end of another one.
fn is_end_of(name: &[u8], other: &[u8]) -> bool {
    let rest = other.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || (rest.ends_with(b".") && name.contains(&b'.')))
}

/// The words of a line that name something: none is an outcome, and each has a letter in front.
fn names_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_of_name =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_-$".contains(&byte) || !byte.is_ascii();
    let words = text.split(move |&byte| !is_of_name(byte));
    words.filter(|word| {
        word.first().is_some_and(u8::is_ascii_alphabetic)
            && !OUTCOMES.iter().any(|one| word.eq_ignore_ascii_case(one))
    })
}

/// The last failed test of a kind.
fn last_of<'g>(
    first: &'g mut [Option<Group>; 5],
    further: &'g mut [(Kind, Group)],
    kind: Kind,
) -> Option<&'g mut Group> {
    let last = further.iter_mut().rev().find(|(one, _)| *one == kind).map(|(_, group)| group);
    last.or(first[kind as usize].as_mut())
}

/// True if a failed test's report goes on behind a blank line: with its first message, or deeper lines.
fn goes_on(group: &Group, kind: Kind, form: &Form, text: &Text<'_>) -> bool {
    let is_note = |line: &Vec<u8>| form.notes.as_ref().is_some_and(|note| note.is_match(line));
    let is_deeper = text.indent > group.first.indent;
    match kind {
        Kind::Test => is_deeper || group.told[1..].iter().all(is_note),
        Kind::Headed | Kind::Numbered => is_deeper,
        Kind::Crash | Kind::Inline => false,
    }
}

/// What a failed test begins with: the line, and what is above it.
fn beginning(
    causes: &Causes,
    caches: &mut Caches,
    ring: &Ring,
    text: &Text<'_>,
    form: &Form,
) -> Group {
    let above = if form.nests { located_above(ring, causes, caches, text) } else { Vec::new() };
    let mut group = Group::new(above.first().copied().unwrap_or(text));
    above.iter().skip(1).for_each(|line| group.extend(line));
    if !above.is_empty() {
        group.extend(text);
    }
    let name = match &form.name {
        Some(Name::Above(name)) => ring.iter().rev().find(|line| name.is_match(line.content())),
        Some(Name::UnderlinedWith(mark)) => underlined(ring, *mark),
        Some(Name::Below(_)) | None => None,
    };
    if let Some(name) = name {
        group.told.insert(0, name.content().to_vec());
    }
    group
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
    if above.is_some_and(|line| causes.marks.nests(&mut caches.marks, line.content())) {
        return Vec::new();
    }
    let first = lines.iter().rposition(|line| causes.words.is_weak(line.content()));
    lines.truncate(first.map_or(0, |first| first + 1));
    lines.reverse();
    lines
}

/// The last line that is underlined, for all of its length at least.
fn underlined(ring: &Ring, mark: char) -> Option<&Text<'static>> {
    let mut below: &[u8] = b"";
    for line in ring.iter().rev() {
        let content = line.content();
        let is_underline = !below.is_empty() && below.iter().all(|&byte| byte == mark as u8);
        let is_title = content.first().is_some_and(|&first| first != mark as u8);
        if is_title && is_underline && below.len() >= content.len() {
            return Some(line);
        }
        below = content;
    }
    None
}
