// SPDX-License-Identifier: Apache-2.0
//! The marks of `core/grammar/marks.toml`, and the patterns of `causes.toml`, compiled once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use regex::bytes::Regex;
use serde::Deserialize;
use toml::Spanned;

use crate::causes::chapter_rules;
use crate::lines::after_mark;
use crate::recognition::patterns::{Cache, Literals, Patterns, Pool, beginning, expression};
use crate::recognition::severities::Severities;
use crate::tables::{Pattern, Pieces, Row, Tables};

/// A line that a tool prints: the tool, and the line's pattern.
type Line = (String, Pattern);

/// `core/grammar/causes.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    hints: Spanned<Vec<String>>,
    behind_time: Pattern,
    job_head: Pattern,
    step_head: Pattern,
    green: Vec<Line>,
    green_hints: Spanned<Vec<String>>,
    weak: Vec<Line>,
    frame: Pattern,
    call: Pattern,
    library: Pattern,
    usage: Pattern,
    option: Pattern,
    recap: Pattern,
    number: Pattern,
    words: Pattern,
    passing: Pattern,
    record: Pattern,
    pub subtest: String,
    pub stack: String,
    pub source: String,
    pub quoting: String,
    pub unnamed: String,
    pub running: String,
    pub annotation: String,
    pub overwritten: String,
    pub echo: String,
}

/// The meaning of a line, as `marks.toml` says, in the order in which the rules are tried.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Mark {
    Stopped, Failed, StepFailed, Canceled, BuildFailed, Exited, TaskFailed, Healthy, Passed, TaskPassed,
    Begins, TaskBegins, Shown, Over, Recap, Ended, Crash, Heading, Aborts, Result, Fatal, Outcome, Test,
    Numbered, Title, Inline, Error, Succeeded, Chapter,
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

/// Beginnings of patterns that may begin with any byte.
const ANY: [&str; 5] = [".", r"\S", r"(?:\S", r"\w", r"[\w"];

/// Some of the rules, with their places among all.
struct Rules {
    patterns: Patterns,
    places: Vec<(usize, Mark)>,
}

impl Rules {
    /// all: the rules. anywhere: true for those that may begin with any byte, false for the others.
    fn new(all: &[(Mark, Row)], anywhere: bool) -> Result<Self, String> {
        let is_chosen =
            |(_, row): &&(Mark, Row)| ANY.iter().any(|start| row.1.starts_with(start)) == anywhere;
        let chosen = || all.iter().enumerate().filter(|(_, rule)| is_chosen(rule));
        Ok(Self {
            places: chosen().map(|(place, (mark, _))| (place, *mark)).collect(),
            patterns: Patterns::new(chosen().map(|(_, (_, row))| row))?,
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
    // Ranks.
    pub warning: usize,
    pub error: usize,
    unused_caches: Pool<Caches>,
}

impl Causes {
    /// Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables, severities: &Severities) -> Result<Self, String> {
        let (chapters, of_chapters) = chapter_rules::Rules::new(tables)?;
        let pieces = Pieces::new();
        let (file, marks) = tables.read::<BTreeMap<Mark, Vec<Line>>>("marks.toml")?;
        let mut all = Vec::new();
        for (mark, lines) in &marks {
            for (_, line) in lines {
                all.push((*mark, file.row(line, &pieces)?));
            }
        }
        all.extend(of_chapters.into_iter().map(|row| (Mark::Chapter, row)));
        let (file, data) = tables.read::<Data>("causes.toml")?;
        let row = |pattern: &Pattern| file.row(pattern, &pieces);
        let first = |pattern: &Pattern| beginning([&row(pattern)?]);
        let rows =
            |lines: &[Line]| lines.iter().map(|(_, line)| row(line)).collect::<Result<Vec<_>, _>>();
        let literals = |all: &Spanned<Vec<String>>| {
            Literals::of(all.get_ref()).ok_or_else(|| file.fault(all, "there is nothing to find"))
        };
        let (green_anywhere, green): (Vec<_>, Vec<_>) =
            rows(&data.green)?.into_iter().partition(|(_, pattern)| pattern.starts_with('.'));
        Ok(Self {
            rules: Rules::new(&all, false)?,
            anywhere: Rules::new(&all, true)?,
            hints: literals(&data.hints)?,
            behind_time: Patterns::new([&row(&data.behind_time)?])?,
            job_head: first(&data.job_head)?,
            step_head: first(&data.step_head)?,
            green: Patterns::new(&green)?,
            green_anywhere: beginning(&green_anywhere)?,
            green_hints: literals(&data.green_hints)?,
            weak: beginning(&rows(&data.weak)?)?,
            frame: first(&data.frame)?,
            call: first(&data.call)?,
            library: first(&data.library)?,
            usage: first(&data.usage)?,
            option: first(&data.option)?,
            recap: first(&data.recap)?,
            number: first(&data.number)?,
            words: expression(&row(&data.words)?)?,
            passing: expression(&row(&data.passing)?)?,
            record: first(&data.record)?,
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
        rank != self.warning && self.words.is_match(content)
    }
}
