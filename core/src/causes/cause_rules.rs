// SPDX-License-Identifier: Apache-2.0
//! The marks of `core/grammar/marks.toml`, and the patterns of `causes.toml`, compiled once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;
use regex::bytes::Regex;
use serde::Deserialize;
use toml::Spanned;

use crate::causes::chapter_rules;
use crate::lines::after_mark;
use crate::recognition::head::MOST_NESTED;
use crate::recognition::members::quoted;
use crate::recognition::names::Names;
use crate::recognition::patterns::{
    Beginning, BeginningOfAny, Cache, Lines, Literals, Parsed, Patterns, Pool, beginning,
    expression, may_begin_with_any_letter,
};
use crate::recognition::severities::Severities;
use crate::tables::{Pattern, Pieces, Row, Tables};

/// A row of `marks.toml`: the tool, the line's pattern, and the report that it begins.
#[derive(Deserialize)]
struct MarkedLine(#[allow(dead_code)] String, Pattern, #[serde(default)] Option<Form>);

/// What the report of a failed test is like, as the file says.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Form {
    pub name: Option<Name>,
    pub quotes: Option<Beginning>,
    pub notes: Option<Beginning>,
    pub ends_with_error: bool,
    pub nests: bool,
    ends_failed: bool,
}

/// Where the name of a failed test stands.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    Above(Beginning),
    UnderlinedWith(char),
    Below(Beginning),
}

/// `core/grammar/causes.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    hints: Spanned<Vec<String>>,
    behind_time: Parsed,
    job_head: Beginning,
    step_head: Parsed,
    exit_code: Beginning,
    passed_tests: Lines,
    passed_hints: Spanned<Vec<String>>,
    green: Lines,
    weak: BeginningOfAny,
    frame: Parsed,
    stack_frame: Beginning,
    printed: Beginning,
    reason: Beginning,
    calls: BeginningOfAny,
    calls_above: BeginningOfAny,
    libraries: BeginningOfAny,
    item_head: Beginning,
    done: Beginning,
    usage: Beginning,
    option: Beginning,
    pub recap: Beginning,
    retried: Beginning,
    number: Beginning,
    words: Parsed,
    passing: Parsed,
    record: Beginning,
    results: Vec<(String, String)>,
    pieces: Pieces,
}

/// The meaning of a line, as `marks.toml` says, in the order in which the rules are tried.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Mark {
    Harmless, Stopped, Failed, StepFailed, Canceled, BuildFailed, Killed, Exited, TaskFailed, Healthy, Passed, TaskPassed,
    Begins, TaskBegins, Shown, Over, Recap, Ended, Crash, Heading, Aborts, Result, Fatal, Outcome, Test,
    Numbered, Title, Inline, Stack, Names, Error, Succeeded, Chapter,
}

impl Mark {
    /// True if it says that a task, a step or the build failed.
    pub fn is_verdict(self) -> bool {
        use Mark::{BuildFailed, Canceled, Exited, Failed, StepFailed, Stopped, TaskFailed};
        matches!(self, Stopped | Failed | StepFailed | Canceled | BuildFailed | Exited | TaskFailed)
    }

    /// What the line still means if another log has it too: where a step begins or ends.
    pub fn of_known(self) -> Option<Self> {
        use Mark::{
            Aborts, Chapter, Crash, Ended, Error, Fatal, Heading, Inline, Killed, Names, Numbered,
            Outcome, Result, Stack, Succeeded, Test, Title,
        };
        match self {
            Crash | Heading | Aborts | Test | Numbered | Title | Inline | Names | Error | Fatal
            | Stack | Succeeded | Chapter | Ended => None,
            Result | Killed => Some(Outcome),
            mark => Some(mark),
        }
    }
}

/// Bytes of a column before a time, with its tab.
const LONGEST_COLUMN: usize = 24;

/// Bytes of a record's level and name.
const LONGEST_HEAD: usize = 128;

/// The beginning of a pattern of what may be behind a frame, and the most parts of a frame.
const FRAME: &str = "{frame}";
const MOST_FRAMES: usize = 8;

/// Where a rule's pattern may match.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Where a line's content begins.
    Start,
    /// There, and it may begin with any letter.
    Any,
    /// There, and behind each part of a frame.
    Framed,
}

impl Place {
    /// row: without a frame before its pattern.
    fn of(row: &Row, is_framed: bool) -> Result<Self, String> {
        Ok(match is_framed {
            true => Self::Framed,
            false if !row.1.starts_with('^') && may_begin_with_any_letter(row)? => Self::Any,
            false => Self::Start,
        })
    }
}

/// The rules of a place, with their numbers among all.
struct Rules {
    patterns: Patterns,
    numbers: Vec<(usize, Mark)>,
}

impl Rules {
    fn new(all: &[(Mark, Place, Row)], of: Place) -> Result<Self, String> {
        let chosen = || all.iter().enumerate().filter(|(_, (_, place, _))| *place == of);
        Ok(Self {
            numbers: chosen().map(|(number, (mark, ..))| (number, *mark)).collect(),
            patterns: Patterns::new(chosen().map(|(_, (_, _, row))| row))?,
        })
    }

    #[inline]
    fn first(&self, cache: &mut Cache, content: &[u8], at: usize) -> Option<(usize, Mark)> {
        let (number, _) = self.patterns.first_at(cache, content, at)?;
        Some(self.numbers[number])
    }
}

/// The caches of the rules' automatons, for one thread at a time.
pub struct Caches {
    rules: Cache,
    anywhere: Cache,
    framed: Cache,
    frame: Cache,
    behind_time: Cache,
    step_head: Cache,
    green: Cache,
    pub chapters: Cache,
}

/// The rules.
pub struct Causes {
    pub data: Data,
    rules: Rules,
    anywhere: Rules,
    framed: Rules,
    frame: Patterns,
    /// By the numbers of the rules.
    forms: Vec<Option<Arc<Form>>>,
    /// Last lines of steps that failed.
    last: Regex,
    pub hints: Literals,
    /// Names of members that hold the text of a line.
    texts: Names<()>,
    behind_time: Patterns,
    step_head: Patterns,
    passed: Regex,
    passed_anywhere: Regex,
    passed_hints: Literals,
    green: Patterns,
    words: Regex,
    passing: Regex,
    pub chapters: chapter_rules::Rules,
    // Ranks.
    pub warning: usize,
    pub error: usize,
    unused_caches: Pool<Caches>,
}

impl Causes {
    /// Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables, severities: &Severities) -> Result<Self, String> {
        let (chapters, of_chapters) = chapter_rules::Rules::new(tables)?;
        let (file, data) = tables.read::<Data>("causes.toml")?;
        let (of_marks, marks) = tables.read::<BTreeMap<Mark, Vec<MarkedLine>>>("marks.toml")?;
        let (mut all, mut forms, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for (mark, lines) in marks {
            for MarkedLine(_, pattern, form) in lines {
                let written = pattern.get_ref().trim_start();
                let behind = written.strip_prefix(FRAME);
                let whole = Ok(behind.unwrap_or(written).to_owned());
                let row = of_marks.row_of(&pattern, whole, &data.pieces)?;
                let place = Place::of(&row, behind.is_some())?;
                last.extend(form.iter().filter(|form| form.ends_failed).map(|_| row.clone()));
                forms.push(form.map(Arc::new));
                all.push((mark, place, row));
            }
        }
        for row in of_chapters {
            all.push((Mark::Chapter, Place::of(&row, false)?, row));
        }
        let literals = |all: &Spanned<Vec<String>>| {
            Literals::of(all.get_ref()).ok_or_else(|| file.fault(all, "there is nothing to find"))
        };
        let (passed_anywhere, passed): (Vec<_>, Vec<_>) = (data.passed_tests.iter())
            .map(|(_, pattern)| &pattern.0)
            .partition(|(_, pattern)| pattern.starts_with('.'));
        Ok(Self {
            rules: Rules::new(&all, Place::Start)?,
            anywhere: Rules::new(&all, Place::Any)?,
            framed: Rules::new(&all, Place::Framed)?,
            frame: Patterns::new([&data.frame.0])?,
            hints: literals(&data.hints)?,
            texts: severities.keys.text.clone(),
            forms,
            last: beginning(&last)?,
            behind_time: Patterns::new([&data.behind_time.0])?,
            step_head: Patterns::new([&data.step_head.0])?,
            passed: beginning(passed)?,
            passed_anywhere: beginning(passed_anywhere)?,
            passed_hints: literals(&data.passed_hints)?,
            green: Patterns::new(data.green.iter().map(|(_, pattern)| &pattern.0))?,
            words: expression(&data.words.0)?,
            passing: expression(&data.passing.0)?,
            chapters,
            warning: severities.named("WARNING")?,
            error: severities.named("ERROR")?,
            unused_caches: Pool::default(),
            data,
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            rules: self.rules.patterns.cache(),
            anywhere: self.anywhere.patterns.cache(),
            framed: self.framed.patterns.cache(),
            frame: self.frame.cache(),
            behind_time: self.behind_time.cache(),
            step_head: self.step_head.cache(),
            green: self.green.cache(),
            chapters: self.chapters.patterns.cache(),
        })
    }

    /// Takes caches back, for another thread.
    pub fn reuse(&self, caches: Caches) {
        self.unused_caches.give_back(caches);
    }

    /// The meaning of a line's content; None for most. may_be_hinted: false if it has no hint.
    #[inline]
    pub fn mark(&self, caches: &mut Caches, content: &[u8], may_be_hinted: bool) -> Option<Mark> {
        Some(self.rule(caches, content, may_be_hinted)?.1)
    }

    /// The form of the reports of a line's rule, by the line's content; None if its row says nothing of them.
    pub fn form(&self, caches: &mut Caches, content: &[u8]) -> Option<Arc<Form>> {
        self.forms.get(self.rule(caches, content, true)?.0)?.clone()
    }

    /// True for the first line of a report that may be in another one.
    pub fn nests(&self, caches: &mut Caches, content: &[u8]) -> bool {
        self.form(caches, content).is_some_and(|form| form.nests)
    }

    /// The first rule that matches a line's content: its number among all, and its mark.
    #[inline]
    fn rule(
        &self,
        caches: &mut Caches,
        content: &[u8],
        may_be_hinted: bool,
    ) -> Option<(usize, Mark)> {
        let mut first = self.rules.first(&mut caches.rules, content, 0);
        if !may_be_hinted || self.hints.find(content).is_none() {
            return first;
        }
        let mut take = |found: Option<(usize, Mark)>| {
            first = first.into_iter().chain(found).min_by_key(|&(number, _)| number);
        };
        take(self.anywhere.first(&mut caches.anywhere, content, 0));
        let mut at = 0;
        for _ in 0..MOST_FRAMES {
            take(self.framed.first(&mut caches.framed, content, at));
            let Some((_, end)) = self.frame.first_at(&mut caches.frame, content, at) else { break };
            at = end;
        }
        first
    }

    /// True if a step failed of whose last two lines this is one.
    pub fn ends_failed(&self, content: &[u8]) -> bool {
        self.last.is_match(content)
    }

    /// The offset behind a line's time, and the line's own time. text: where the text in its wrappers begins; 0 for
    /// none. has_job_head: true if it may begin with the names of a job and a step.
    pub fn head<'t>(
        &self,
        caches: &mut Caches,
        shown: &'t [u8],
        time: Cow<'t, [u8]>,
        text: u16,
        has_job_head: bool,
    ) -> (usize, Cow<'t, [u8]>) {
        if text > 0 {
            return (usize::from(text).min(shown.len()), time);
        }
        let named = if has_job_head { self.job_time(shown) } else { None };
        match named {
            Some(place) => (place.end + 1, Cow::Borrowed(&shown[place])),
            None => (self.behind_time(caches, shown, &time), time),
        }
    }

    /// The text that an object at a place quotes, and where its content begins. inner: see `Head`.
    pub fn quoted(&self, shown: &[u8], at: usize, inner: u16) -> Option<(Vec<u8>, usize)> {
        let mut text = quoted(&self.texts, shown, at)?.1.into_owned();
        for _ in 1..MOST_NESTED {
            let Some((_, line)) = quoted(&self.texts, &text, 0) else { break };
            text = line.into_owned();
        }
        let start = usize::from(inner).min(text.len());
        Some((text, start))
    }

    /// The place of the time behind the names of a job and a step; None for a line without them.
    pub fn job_time(&self, shown: &[u8]) -> Option<Range<usize>> {
        self.data.job_head.group_in(shown)
    }

    /// The offset behind the time that a line begins with, or has behind its first column; 0 for none.
    fn behind_time(&self, caches: &mut Caches, shown: &[u8], time: &[u8]) -> usize {
        let mark = after_mark(shown);
        if time.is_empty() {
            return mark;
        }
        let columns = &shown[..shown.len().min(LONGEST_COLUMN)];
        let second = iter::once_with(|| memchr(b'\t', columns).map(|tab| tab + 1)).flatten();
        for start in [mark, mark + 1].into_iter().chain(second) {
            if shown.get(start..).is_some_and(|left| left.starts_with(time)) {
                let end = start + time.len();
                let found = self.behind_time.first_at(&mut caches.behind_time, shown, end);
                return found.map_or(end, |(_, end)| end);
            }
        }
        mark
    }

    /// The offset behind the head of a line of a step, if that begins at `start`.
    #[inline]
    pub fn behind_step_head(&self, caches: &mut Caches, shown: &[u8], start: usize) -> usize {
        let found = self.step_head.first_at(&mut caches.step_head, shown, start);
        found.map_or(start, |(_, end)| end)
    }

    /// The code with which something ended, in a line that says that it failed.
    pub fn exit_code(&self, content: &[u8]) -> Option<i64> {
        let code = &content[self.data.exit_code.group_in(content)?];
        std::str::from_utf8(code).ok()?.parse().ok()
    }

    /// The item that a text names, and what it says of it.
    pub fn item<'t>(&self, text: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
        Some(text.split_at(self.data.item_head.end_in(text)?))
    }

    /// True if a line with a level and without a time is a record of a service.
    pub fn is_record(&self, line: &[u8]) -> bool {
        self.data.record.is_match(&line[..line.len().min(LONGEST_HEAD)])
    }

    /// True if a line ends with the result of a run, which looks like a level.
    #[inline]
    pub fn is_result(&self, line: &[u8]) -> bool {
        let last = line.last();
        let mut ends = self.data.results.iter().map(|(_, end)| end.as_bytes());
        ends.any(|end| end.last() == last && line.ends_with(end))
    }

    /// True if a line locates a fault.
    pub fn is_weak(&self, content: &[u8]) -> bool {
        self.data.weak.is_match(content) && !self.data.stack_frame.is_match(content)
    }

    /// True for a call of the program's own in the stack of an error. is_above: true if it is above the error.
    pub fn is_own_call(&self, content: &[u8], is_above: bool) -> bool {
        let is_below = || !is_above && self.data.calls.is_match(content);
        (self.data.calls_above.is_match(content) || is_below())
            && !self.data.libraries.is_match(content)
    }

    /// True for the result of a task that holds what its command printed.
    pub fn has_printed(&self, content: &[u8]) -> bool {
        self.data.printed.is_match(content)
    }

    /// True for a member of an object below an error that tells why.
    pub fn is_reason(&self, content: &[u8]) -> bool {
        self.data.reason.is_match(content)
    }

    /// True for a line of an exception's stack: a call, or how many of them are left out.
    pub fn is_call(&self, content: &[u8]) -> bool {
        self.data.calls.is_match(content) || content.starts_with(b"... ")
    }

    /// True if the line begins with the number of a failed test.
    pub fn is_numbered(&self, content: &[u8]) -> bool {
        self.data.number.is_match(content)
    }

    /// True if the line is no error, whatever its severity is.
    pub fn is_green(&self, caches: &mut Caches, content: &[u8]) -> bool {
        self.green.first_at(&mut caches.green, content, 0).is_some() || self.is_passed_test(content)
    }

    /// True if the line says of a test that it passed.
    pub fn is_passed_test(&self, content: &[u8]) -> bool {
        self.passed.is_match(content)
            || (self.passed_hints.find(content).is_some() && self.passed_anywhere.is_match(content))
    }

    /// True if the line says that each test that failed passed when it was tried again.
    pub fn are_retried(&self, content: &[u8]) -> bool {
        self.data.retried.is_match(content)
    }

    /// True if an item ended well, by what is said of it.
    pub fn is_done(&self, said: &[u8]) -> bool {
        self.data.done.is_match(said)
    }

    /// True for a line of a usage text. indent: blanks before the content. follows: true if the line
    /// above is one.
    pub fn is_usage(&self, content: &[u8], indent: usize, follows: bool) -> bool {
        let Some(last) = content.last() else { return follows };
        let is_within = indent > 0 || content[0] == b'-' || *last == b':';
        (follows && is_within)
            || self.data.usage.is_match(content)
            || (indent > 0 && self.data.option.is_match(content))
    }

    /// True if the line speaks of a failure.
    pub fn is_word(&self, caches: &mut Caches, content: &[u8], rank: usize) -> bool {
        let is_other = rank >= self.error || (0 < rank && rank < self.warning);
        if content.is_empty() || is_other || self.is_green(caches, content) {
            return false;
        }
        if self.passing.is_match(content) {
            return false;
        }
        if self.is_weak(content) {
            return true;
        }
        rank != self.warning && self.has_words(content)
    }

    /// True if a word in the line is one of a failure.
    pub fn has_words(&self, content: &[u8]) -> bool {
        self.words.is_match(content)
    }
}
