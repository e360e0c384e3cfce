// SPDX-License-Identifier: Apache-2.0
//! The marks of chapters: `core/grammar/chapters.toml`, compiled.

use std::sync::Arc;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::recognition::patterns::{Parsed, Patterns, beginning, expression};
use crate::tables::{Row, Tables};

const GITLAB: &str = "gitlab";
const TRAVIS: &str = "travis";
const FOLD: &str = "travis fold";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    section: Parsed,
    fold: Parsed,
    overwritten_level: u8,
    seconds: Parsed,
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
    Begins, Within, Nests, Ends, Reports, Closes, Says, Forgives, Hidden,
}

/// A mark of chapters.
pub struct Rule {
    pub event: Event,
    pub outcome: Option<&'static str>,
    pub level: u8,
    pub tool: Arc<str>,
    pub pattern: Regex,
}

/// The marks of chapters, compiled once.
pub struct Rules {
    pub patterns: Patterns,
    pub rules: Vec<Rule>,
    /// Marks of GitLab and Travis, written over by what a terminal shows; and their level.
    pub sections: Regex,
    pub folds: Regex,
    pub level: u8,
    /// The seconds that a line names.
    pub seconds: Regex,
    pub gitlab: Arc<str>,
    /// Of commands and of folds of Travis.
    pub travis: Arc<str>,
    pub fold: Arc<str>,
}

impl Rules {
    /// The rules, and the rows of their lines. Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables) -> Result<(Self, Vec<Row>), String> {
        let (_, data) = tables.read::<Data>("chapters.toml")?;
        let (mut rows, mut rules) = (Vec::new(), Vec::new());
        for mark in data.chapters {
            let Parsed(row) = mark.line;
            rules.push(Rule {
                event: mark.event,
                outcome: mark.outcome.map(|outcome| match outcome {
                    Outcome::Passed => "passed",
                    Outcome::Failed => "failed",
                }),
                level: mark.level,
                tool: Arc::from(mark.tool.trim_end_matches('*')),
                pattern: beginning([&row])?,
            });
            rows.push(row);
        }
        let all = Self {
            patterns: Patterns::new(&rows)?,
            rules,
            sections: expression(&data.section.0)?,
            folds: expression(&data.fold.0)?,
            seconds: expression(&data.seconds.0)?,
            level: data.overwritten_level,
            gitlab: Arc::from(GITLAB),
            travis: Arc::from(TRAVIS),
            fold: Arc::from(FOLD),
        };
        Ok((all, rows))
    }
}
