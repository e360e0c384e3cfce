// SPDX-License-Identifier: Apache-2.0
//! The rules of `oslogserve/lines/grammar/causes.py`, compiled once.

use std::borrow::Cow;
use std::ops::Range;

use pyo3::FromPyObject;
use regex::bytes::Regex;

use crate::causes::chapter_rules;
use crate::lines::after_mark;
use crate::recognition::patterns::{
    Cache, Literals, Patterns, Pool, Row, beginning, expression, named,
};

/// The attributes of `oslogserve.lines.grammar.native_grammar.NativeCauses`.
#[derive(FromPyObject)]
pub struct Data {
    /// Mark, row, and whether it may begin with any byte.
    rules: Vec<(String, Row, bool)>,
    hints: Row,
    behind_time: Row,
    job_head: Row,
    step_head: Row,
    green: Vec<Row>,
    /// Those that may begin with any byte, and what they need.
    green_anywhere: Vec<Row>,
    green_hints: Row,
    weak: Vec<Row>,
    frame: Row,
    call: Row,
    library: Row,
    usage: Row,
    option: Row,
    recap: Row,
    number: Row,
    words: Row,
    passing: Row,
    record: Row,
    pub subtest: Vec<u8>,
    pub stack: Vec<u8>,
    pub source: Vec<u8>,
    pub quoting: Vec<u8>,
    pub unnamed: Vec<u8>,
    pub running: Vec<u8>,
    pub annotation: Vec<u8>,
    pub overwritten: Vec<u8>,
    pub echo: Vec<u8>,
    pub warning: usize,
    chapters: chapter_rules::Data,
}

named! {
    /// The meaning of a line, by the name that `causes.py` gives it.
    Mark:
    Stopped Failed StepFailed Canceled BuildFailed Exited TaskFailed Healthy Passed TaskPassed Begins TaskBegins Shown Over Recap
    Ended Crash Heading Aborts Result Fatal Outcome Test Numbered Title Inline Error Succeeded Chapter
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
            Aborts, Chapter, Crash, Ended, Error, Fatal, Heading, Inline, Numbered, Outcome,
            Result, Succeeded, Test, Title,
        };
        match self {
            Crash | Heading | Aborts | Test | Numbered | Title | Inline | Error | Fatal
            | Succeeded | Chapter | Ended => None,
            Result => Some(Outcome),
            mark => Some(mark),
        }
    }
}

/// Bytes of a record's level and name.
const LONGEST_HEAD: usize = 128;

/// Some of the rules, with their places among all.
struct Rules {
    patterns: Patterns,
    places: Vec<(usize, Mark)>,
}

impl Rules {
    fn new(data: &Data, anywhere: bool) -> Result<Self, String> {
        let chosen = || data.rules.iter().enumerate().filter(|(_, rule)| rule.2 == anywhere);
        let places = chosen().map(|(place, (mark, row, _))| Ok((place, Mark::named(mark, row)?)));
        Ok(Self {
            places: places.collect::<Result<_, String>>()?,
            patterns: Patterns::new(chosen().map(|(_, (_, row, _))| row))?,
        })
    }

    fn first(&self, cache: &mut Cache, content: &[u8]) -> Option<(usize, Mark)> {
        let (number, _) = self.patterns.first_at(cache, content, 0)?;
        Some(self.places[number])
    }
}

/// The caches of the rules' automatons, for one thread at a time.
pub struct Caches {
    rules: Cache,
    anywhere: Cache,
    behind_time: Cache,
    green: Cache,
    pub chapters: Cache,
}

/// The rules.
pub struct Causes {
    pub data: Data,
    rules: Rules,
    anywhere: Rules,
    pub hints: Literals,
    behind_time: Patterns,
    job_head: Regex,
    step_head: Regex,
    green: Patterns,
    green_anywhere: Regex,
    green_hints: Literals,
    weak: Regex,
    frame: Regex,
    call: Regex,
    library: Regex,
    usage: Regex,
    option: Regex,
    pub recap: Regex,
    number: Regex,
    words: Regex,
    passing: Regex,
    record: Regex,
    pub chapters: chapter_rules::Rules,
    unused_caches: Pool<Caches>,
}

impl Causes {
    /// Errors: the first row at fault, and its fault.
    pub fn new(data: Data) -> Result<Self, String> {
        Ok(Self {
            rules: Rules::new(&data, false)?,
            anywhere: Rules::new(&data, true)?,
            hints: Literals::new(&data.hints)?,
            behind_time: Patterns::new([&data.behind_time])?,
            job_head: beginning([&data.job_head])?,
            step_head: beginning([&data.step_head])?,
            green: Patterns::new(&data.green)?,
            green_anywhere: beginning(&data.green_anywhere)?,
            green_hints: Literals::new(&data.green_hints)?,
            weak: beginning(&data.weak)?,
            frame: beginning([&data.frame])?,
            call: beginning([&data.call])?,
            library: beginning([&data.library])?,
            usage: beginning([&data.usage])?,
            option: beginning([&data.option])?,
            recap: beginning([&data.recap])?,
            number: beginning([&data.number])?,
            words: expression(&data.words)?,
            passing: expression(&data.passing)?,
            record: beginning([&data.record])?,
            chapters: chapter_rules::Rules::new(&data.chapters)?,
            unused_caches: Pool::default(),
            data,
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            rules: self.rules.patterns.cache(),
            anywhere: self.anywhere.patterns.cache(),
            behind_time: self.behind_time.cache(),
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
        let first = self.rules.first(&mut caches.rules, content);
        let hinted = if may_be_hinted && self.hints.find(content).is_some() {
            self.anywhere.first(&mut caches.anywhere, content)
        } else {
            None
        };
        let found = match (first, hinted) {
            (Some(first), Some(hinted)) if hinted.0 < first.0 => hinted,
            (Some(first), _) => first,
            (None, hinted) => hinted?,
        };
        Some(found.1)
    }

    /// The offset of a line's content or of the blanks before it, and the line's own time. has_job_head: true
    /// if it may begin with the names of a job and a step.
    pub fn head<'t>(
        &self,
        caches: &mut Caches,
        shown: &'t [u8],
        time: Cow<'t, [u8]>,
        has_job_head: bool,
    ) -> (usize, Cow<'t, [u8]>) {
        let named = if has_job_head { self.job_time(shown) } else { None };
        let (start, time) = match named {
            Some(place) => (place.end + 1, Cow::Borrowed(&shown[place])),
            None => (self.behind_time(caches, shown, &time), time),
        };
        (self.behind_step_head(shown, start), time)
    }

    /// The place of the time behind the names of a job and a step; None for a line without them.
    pub fn job_time(&self, shown: &[u8]) -> Option<Range<usize>> {
        Some(self.job_head.captures(shown)?.get(1)?.range())
    }

    /// The offset behind the time that a line begins with; 0 for none.
    fn behind_time(&self, caches: &mut Caches, shown: &[u8], time: &[u8]) -> usize {
        let mark = after_mark(shown);
        if time.is_empty() {
            return mark;
        }
        for start in [mark, mark + 1] {
            if shown.get(start..).is_some_and(|left| left.starts_with(time)) {
                let end = start + time.len();
                let found = self.behind_time.first_at(&mut caches.behind_time, shown, end);
                return found.map_or(end, |(_, end)| end);
            }
        }
        mark
    }

    /// The offset behind what BuildKit writes before a line of a step, if that begins at `start`.
    fn behind_step_head(&self, shown: &[u8], start: usize) -> usize {
        let content = &shown[start..];
        let head = content.starts_with(b"#").then(|| self.step_head.find(content)).flatten();
        start + head.map_or(0, |head| head.end())
    }

    /// True if a line with a level and without a time is a record of a service.
    pub fn is_record(&self, line: &[u8]) -> bool {
        self.record.is_match(&line[..line.len().min(LONGEST_HEAD)])
    }

    /// True if a line locates a fault.
    pub fn is_weak(&self, content: &[u8]) -> bool {
        self.weak.is_match(content) && !self.frame.is_match(content)
    }

    /// True for a frame of a stack that is not of a library.
    pub fn is_own_call(&self, content: &[u8]) -> bool {
        self.call.is_match(content) && !self.library.is_match(content)
    }

    /// True if the line begins with the number of a failed test.
    pub fn is_numbered(&self, content: &[u8]) -> bool {
        self.number.is_match(content)
    }

    /// True if the line is no error, whatever its severity is.
    pub fn is_green(&self, caches: &mut Caches, content: &[u8]) -> bool {
        self.green.first_at(&mut caches.green, content, 0).is_some()
            || (self.green_hints.find(content).is_some() && self.green_anywhere.is_match(content))
    }

    /// True for a line of a usage text. indent: blanks before the content. follows: true if the line
    /// above is one.
    pub fn is_usage(&self, content: &[u8], indent: usize, follows: bool) -> bool {
        let Some(last) = content.last() else { return follows };
        let is_within = indent > 0 || content[0] == b'-' || *last == b':';
        (follows && is_within)
            || self.usage.is_match(content)
            || (indent > 0 && self.option.is_match(content))
    }

    /// True if the line speaks of a failure. error: the rank of ERROR.
    pub fn is_word(&self, caches: &mut Caches, content: &[u8], rank: usize, error: usize) -> bool {
        let is_other = rank >= error || (0 < rank && rank < self.data.warning);
        if content.is_empty() || is_other || self.is_green(caches, content) {
            return false;
        }
        if self.passing.is_match(content) {
            return false;
        }
        if self.is_weak(content) {
            return true;
        }
        rank != self.data.warning && self.words.is_match(content)
    }
}
