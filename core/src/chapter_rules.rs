// SPDX-License-Identifier: Apache-2.0
//! The marks of chapters, as `oslogserve/lines/grammar/chapters.py` has them.

use std::sync::Arc;

use pyo3::FromPyObject;
use regex::bytes::Regex;

use crate::grammar::bytes_regex;
use crate::patterns::{Cache, Patterns};

const GITLAB: &str = "gitlab";
const TRAVIS: &str = "travis";

/// The ChapterRule of `oslogserve/lines/grammar/chapters.py`: event, outcome, level, tool, pattern.
type RuleData = (String, String, u8, String, Vec<u8>);

/// Attributes of `oslogserve.lines.grammar.native_grammar.NativeChapters`.
#[derive(FromPyObject)]
pub struct Data {
    rules: Vec<RuleData>,
    section: Vec<u8>,
    fold: Vec<u8>,
    overwritten_level: u8,
    seconds: Vec<u8>,
}

/// What a mark of chapters does.
#[derive(Clone, Copy, PartialEq)]
pub enum Event {
    Begins,
    Within,
    Nests,
    Ends,
    Reports,
    Closes,
    Says,
    Forgives,
}

impl Event {
    fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "begins" => Self::Begins,
            "within" => Self::Within,
            "nests" => Self::Nests,
            "ends" => Self::Ends,
            "reports" => Self::Reports,
            "closes" => Self::Closes,
            "says" => Self::Says,
            "forgives" => Self::Forgives,
            _ => return Err(format!("no such event: {name}")),
        })
    }
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
    fn new((event, outcome, level, tool, pattern): &RuleData) -> Result<Self, String> {
        let outcome = match &outcome[..] {
            "" => None,
            "passed" => Some("passed"),
            "failed" => Some("failed"),
            _ => return Err(format!("no such outcome: {outcome}")),
        };
        let pattern = [br"\A(?:", &pattern[..], b")"].concat();
        Ok(Self {
            event: Event::named(event)?,
            outcome,
            level: *level,
            tool: Arc::from(&tool[..]),
            pattern: bytes_regex(&pattern)?,
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
    pub travis: Arc<str>,
}

impl Rules {
    /// Errors: the first fault.
    pub fn new(data: &Data) -> Result<Self, String> {
        let patterns: Vec<_> = data.rules.iter().map(|rule| &rule.4[..]).collect();
        Ok(Self {
            patterns: Patterns::new(&patterns)?,
            rules: data.rules.iter().map(Rule::new).collect::<Result<_, _>>()?,
            sections: bytes_regex(&data.section)?,
            folds: bytes_regex(&data.fold)?,
            seconds: bytes_regex(&data.seconds)?,
            level: data.overwritten_level,
            gitlab: Arc::from(GITLAB),
            travis: Arc::from(TRAVIS),
        })
    }

    /// A cache for one thread.
    pub fn cache(&self) -> Cache {
        self.patterns.cache()
    }
}
