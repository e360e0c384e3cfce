// SPDX-License-Identifier: Apache-2.0
//! User formats: patterns of operators, which decide the time and the severity of the lines they match.

use std::collections::HashMap;
use std::ops::Range;

use regex::bytes::{CaptureLocations, Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use crate::faults::{TOO_LARGE, in_words};
use crate::recognition::names::Names;
use crate::recognition::patterns::{self, Patterns};
use crate::recognition::severities::Severities;

/// A configured format: a section's name, pattern and words.
pub type Data = (String, String, HashMap<Vec<u8>, String>);

/// The formats in their order: the first that matches a line decides.
pub struct UserFormats {
    /// Which format matches. Only that one is asked for its groups.
    patterns: Patterns,
    formats: Vec<UserFormat>,
}

/// What matching needs, for one thread at a time.
pub struct Cache {
    patterns: patterns::Cache,
    /// The places of the groups, by format.
    groups: Vec<CaptureLocations>,
}

impl UserFormats {
    /// Errors: the name of the first section at fault, and the fault.
    pub fn new(sections: &[Data], severities: &Severities) -> Result<Self, String> {
        let mut formats = Vec::new();
        let mut patterns = Vec::new();
        for (name, pattern, words) in sections {
            let fault = |told| format!("format {name}: it takes {told}");
            patterns.push(parsed(pattern).map_err(fault)?);
            let mut ranks = Vec::new();
            for (word, severity) in words {
                ranks.push((word.clone(), severities.named(severity)?));
            }
            if ranks.is_empty() {
                let usual = severities.words.iter();
                ranks.extend(usual.map(|(word, rank)| (word.clone().into(), *rank)));
            }
            formats.push(UserFormat::new(compiled(pattern).map_err(fault)?, ranks));
        }
        Ok(Self { patterns: Patterns::of(patterns)?, formats })
    }

    /// A new cache.
    pub fn cache(&self) -> Cache {
        let groups = self.formats.iter().map(|format| format.pattern.capture_locations());
        Cache { patterns: self.patterns.cache(), groups: groups.collect() }
    }

    /// What the formats find in a line: the time's place, empty for none, and the severity's rank.
    pub fn seen_in(&self, cache: &mut Cache, line: &[u8]) -> Option<(Range<usize>, Option<usize>)> {
        let (number, _) = self.patterns.first_at(&mut cache.patterns, line, 0)?;
        self.formats[number].seen_in(&mut cache.groups[number], line)
    }
}

/// A compiled format.
struct UserFormat {
    pattern: Regex,
    /// The numbers of its groups.
    time: Option<usize>,
    severity: Option<usize>,
    /// Ranks by words in upper case.
    words: Names<usize>,
}

impl UserFormat {
    fn new(pattern: Regex, words: Vec<(Vec<u8>, usize)>) -> Self {
        let number = |name| pattern.capture_names().position(|group| group == Some(name));
        Self {
            time: number("time"),
            severity: number("severity"),
            words: Names::new(words),
            pattern,
        }
    }

    fn seen_in(
        &self,
        groups: &mut CaptureLocations,
        line: &[u8],
    ) -> Option<(Range<usize>, Option<usize>)> {
        self.pattern.captures_read(groups, line)?;
        let place = |group: Option<usize>| Some(groups.get(group?)?).map(|(start, end)| start..end);
        let time = place(self.time).unwrap_or_default();
        // A time goes into attributes unescaped.
        let is_plain = !line[time.clone()].iter().any(|byte| b"&<>\"\r\n".contains(byte));
        let time = if is_plain { time } else { 0..0 };
        let word = place(self.severity).map(|place| &line[place]);
        let rank = word.and_then(|word| self.words.get_in_any_case(word));
        Some((time, rank.filter(|&rank| rank > 0)))
    }
}

/// Errors: what a pattern has to be.
fn parsed(text: &str) -> Result<Hir, String> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(text);
    parsed.map_err(|error| format!("a regular expression ({})", in_words(&error)))
}

/// The pattern of a format, for the beginning of a line. Errors: what a pattern has to be.
pub fn compiled(text: &str) -> Result<Regex, String> {
    let hir = parsed(text)?;
    let built = RegexBuilder::new(&format!(r"\A(?:{text})")).unicode(false).build();
    let pattern = built.map_err(|_| format!("a regular expression ({TOO_LARGE})"))?;
    let automaton = Patterns::of(vec![hir]);
    automaton.map_err(|_| r"a regular expression without Unicode's \b")?;
    let names: Vec<_> = pattern.capture_names().skip(1).collect();
    if names.iter().any(|name| !matches!(name, Some("time" | "severity"))) {
        return Err("the groups time and severity, once each; others are written (?:...)".into());
    }
    if names.is_empty() {
        let groups = "(?P<time>...) or (?P<severity>...)";
        return Err(format!("a regular expression with a group {groups}"));
    }
    if pattern.is_match(b"") {
        return Err(
            "a regular expression that does not fit an empty line, and so every line".into()
        );
    }
    Ok(pattern)
}
