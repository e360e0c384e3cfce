// SPDX-License-Identifier: Apache-2.0
//! The marks of lines: `core/grammar/marks.toml`, compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::recognition::patterns::{
    self, Beginning, Literals, Patterns, beginning, may_begin_with_any_letter,
};
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
    fn first(
        &self,
        cache: &mut patterns::Cache,
        content: &[u8],
        at: usize,
    ) -> Option<(usize, Mark)> {
        let (number, _) = self.patterns.first_at(cache, content, at)?;
        Some(self.numbers[number])
    }
}

/// How the file is read, as `causes.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    hints: Literals,
    #[serde(deserialize_with = "Patterns::alone")]
    frame: Patterns,
}

/// The caches of the automatons, for one thread at a time.
pub struct Caches {
    start: patterns::Cache,
    anywhere: patterns::Cache,
    framed: patterns::Cache,
    frame: patterns::Cache,
}

/// The rules by which a line gets its mark.
pub struct Marks {
    /// By where their patterns may match.
    start: Rules,
    anywhere: Rules,
    framed: Rules,
    frame: Patterns,
    /// By the numbers of the rules.
    forms: Vec<Option<Arc<Form>>>,
    /// Last lines of steps that failed.
    last: Regex,
    pub hints: Literals,
}

impl Marks {
    /// others: the rows of chapters. Errors: the first row at fault, and its fault.
    pub fn new(
        tables: &Tables,
        reading: Reading,
        pieces: &Pieces,
        others: Vec<Row>,
    ) -> Result<Self, String> {
        let (file, marks) = tables.read::<BTreeMap<Mark, Vec<MarkedLine>>>("marks.toml")?;
        let (mut all, mut forms, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for (mark, lines) in marks {
            for MarkedLine(_, pattern, form) in lines {
                let written = pattern.get_ref().trim_start();
                let behind = written.strip_prefix(FRAME);
                let whole = Ok(behind.unwrap_or(written).to_owned());
                let row = file.row_of(&pattern, whole, pieces)?;
                let place = Place::of(&row, behind.is_some())?;
                last.extend(form.iter().filter(|form| form.ends_failed).map(|_| row.clone()));
                forms.push(form.map(Arc::new));
                all.push((mark, place, row));
            }
        }
        for row in others {
            all.push((Mark::Chapter, Place::of(&row, false)?, row));
        }
        Ok(Self {
            start: Rules::new(&all, Place::Start)?,
            anywhere: Rules::new(&all, Place::Any)?,
            framed: Rules::new(&all, Place::Framed)?,
            frame: reading.frame,
            forms,
            last: beginning(&last)?,
            hints: reading.hints,
        })
    }

    pub fn caches(&self) -> Caches {
        Caches {
            start: self.start.patterns.cache(),
            anywhere: self.anywhere.patterns.cache(),
            framed: self.framed.patterns.cache(),
            frame: self.frame.cache(),
        }
    }

    /// The meaning of a line's content; None for most. may_be_hinted: false if it has no hint.
    #[inline]
    pub fn of(&self, caches: &mut Caches, content: &[u8], may_be_hinted: bool) -> Option<Mark> {
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
        let mut first = self.start.first(&mut caches.start, content, 0);
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
}
