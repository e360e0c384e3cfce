// SPDX-License-Identifier: Apache-2.0
//! The marks of chapters, as `oslogserve/lines/grammar/chapters.py` has them.

use std::sync::Arc;

use pyo3::FromPyObject;
use regex::bytes::Regex;

use crate::recognition::patterns::{Patterns, Row, beginning, expression, named};

const GITLAB: &str = "gitlab";
const TRAVIS: &str = "travis";
const FOLD: &str = "travis fold";

/// The ChapterRule of `oslogserve/lines/grammar/chapters.py`: event, outcome, level, tool, row.
type RuleData = (String, String, u8, String, Row);

/// Attributes of `oslogserve.lines.grammar.native_grammar.NativeChapters`.
#[derive(FromPyObject)]
pub struct Data {
    rules: Vec<RuleData>,
    section: Row,
    fold: Row,
    overwritten_level: u8,
    seconds: Row,
}

named! {
    /// What a mark of chapters does, by the name that `chapters.py` gives it.
    Event:
    Begins Within Nests Ends Reports Closes Says Forgives Hidden
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
    fn new((event, outcome, level, tool, row): &RuleData) -> Result<Self, String> {
        let outcome = match &outcome[..] {
            "" => None,
            "passed" => Some("passed"),
            "failed" => Some("failed"),
            _ => return Err(format!("{}: there is no outcome {outcome}", row.0)),
        };
        Ok(Self {
            event: Event::named(event, row)?,
            outcome,
            level: *level,
            tool: Arc::from(&tool[..]),
            pattern: beginning([row])?,
        })
    }
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
    /// Errors: the first row at fault, and its fault.
    pub fn new(data: &Data) -> Result<Self, String> {
        Ok(Self {
            patterns: Patterns::new(data.rules.iter().map(|rule| &rule.4))?,
            rules: data.rules.iter().map(Rule::new).collect::<Result<_, _>>()?,
            sections: expression(&data.section)?,
            folds: expression(&data.fold)?,
            seconds: expression(&data.seconds)?,
            level: data.overwritten_level,
            gitlab: Arc::from(GITLAB),
            travis: Arc::from(TRAVIS),
            fold: Arc::from(FOLD),
        })
    }
}
