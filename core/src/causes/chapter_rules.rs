// SPDX-License-Identifier: Apache-2.0
//! The marks of chapters: `core/grammar/chapters.toml`, compiled.

use std::ops::Range;
use std::sync::Arc;

use regex::bytes::{Captures, Regex};
use serde::Deserialize;

use crate::lines::after_mark;
use crate::recognition::patterns::{Anywhere, Literals, Parsed, Patterns, beginning, expression};
use crate::tables::{Row, Tables};

/// Bytes of the time before a mark that is not shown.
const LONGEST_TIME: usize = 40;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    prompts: Vec<(String, String)>,
    unseen: Vec<(String, String)>,
    seconds: Anywhere,
    hidden: Vec<Line>,
    chapters: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    level: u8,
    tool: String,
    event: Event,
    outcome: Option<Outcome>,
    line: Parsed,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Passed,
    Failed,
}

/// What a mark of chapters does, as the file says.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Event {
    Begins, Within, Nests, Ends, Reports, Closes, Says, Forgives, Hidden, Folds, Names, Echoes,
}

/// A mark of chapters.
pub struct Rule {
    pub event: Event,
    pub outcome: Option<&'static str>,
    pub level: u8,
    pub tool: Arc<str>,
    pub pattern: Regex,
}

impl Rule {
    fn new(line: &Line, pattern: Regex) -> Self {
        Self {
            event: line.event,
            outcome: line.outcome.map(|outcome| match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "failed",
            }),
            level: line.level,
            tool: Arc::from(line.tool.trim_end_matches('*')),
            pattern,
        }
    }
}

/// The marks of chapters, compiled once.
pub struct Rules {
    pub patterns: Patterns,
    pub rules: Vec<Rule>,
    /// Marks that are written over by what a terminal shows.
    hidden: Vec<Rule>,
    prompts: Vec<(String, String)>,
    unseen: Vec<(String, String)>,
    pub unseen_texts: Literals,
    /// The seconds that a line names.
    pub seconds: Anywhere,
}

impl Rules {
    /// The rules, and the rows of their lines. Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables) -> Result<(Self, Vec<Row>), String> {
        let (_, data) = tables.read::<Data>("chapters.toml")?;
        let rules =
            data.chapters.iter().map(|line| Ok(Rule::new(line, beginning([&line.line.0])?)));
        let hidden = data.hidden.iter().map(|line| Ok(Rule::new(line, expression(&line.line.0)?)));
        let unseen: Vec<_> = data.unseen.iter().map(|(_, text)| text).collect();
        let unseen_texts =
            Literals::of(&unseen).ok_or("chapters.toml: unseen: there is nothing to find")?;
        let all = Self {
            rules: rules.collect::<Result<_, String>>()?,
            hidden: hidden.collect::<Result<_, String>>()?,
            prompts: data.prompts,
            unseen_texts,
            unseen: data.unseen,
            seconds: data.seconds,
            patterns: Patterns::new(data.chapters.iter().map(|line| &line.line.0))?,
        };
        Ok((all, data.chapters.into_iter().map(|line| line.line.0).collect()))
    }

    /// The marks in what is written over.
    pub fn marks_in<'t>(&self, hidden: &'t [u8]) -> Vec<(&Rule, Captures<'t>)> {
        let read = self.hidden.iter().filter(|rule| rule.event != Event::Echoes);
        let mut marks: Vec<_> = read
            .flat_map(|rule| rule.pattern.captures_iter(hidden).map(move |mark| (rule, mark)))
            .collect();
        marks.sort_by_key(|(_, mark)| mark.get(0).map(|whole| whole.start()));
        marks
    }

    /// The mark by which a line shows a command. raw: the line, which begins with what is written over.
    pub fn command(&self, content: &[u8], raw: &[u8], hidden: &[u8]) -> Option<&Rule> {
        let is_echoed = self.without_prompt(content).len() < content.len();
        if !is_echoed && hidden.is_empty() {
            return None;
        }
        self.hidden.iter().find(|rule| match rule.event {
            Event::Names => rule.pattern.is_match(hidden),
            Event::Echoes => is_echoed && rule.pattern.is_match(raw),
            _ => false,
        })
    }

    /// A text without what a shell writes before a command.
    #[inline]
    pub fn without_prompt<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let mut prompts = self.prompts.iter();
        prompts.find_map(|(_, prompt)| text.strip_prefix(prompt.as_bytes())).unwrap_or(text)
    }

    /// The place of a mark that a line begins with, behind its time, and that is not shown.
    pub fn unseen_in(&self, line: &[u8]) -> Option<Range<usize>> {
        let mut at = after_mark(line);
        let is_of_time = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'T' | b':' | b'.' | b'-');
        let time = line[at..].iter().take(LONGEST_TIME).take_while(is_of_time).count();
        if time > 0 && line[at + time..].starts_with(b"Z ") {
            at += time + 2;
        }
        let mut marks = self.unseen.iter().map(|(_, mark)| mark.as_bytes());
        let mark = marks.find(|mark| line[at..].starts_with(mark))?;
        Some(at..at + mark.len())
    }
}
