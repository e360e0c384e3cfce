// SPDX-License-Identifier: Apache-2.0
//! User formats: patterns of operators, which decide the time and the severity of the lines they match.

use std::collections::HashMap;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;

use crate::faults::{TOO_LARGE, in_words};
use crate::recognition::patterns::Row;

/// A compiled format.
pub struct UserFormat {
    pattern: Regex,
    /// Ranks by words in upper case.
    words: HashMap<Vec<u8>, usize>,
}

impl UserFormat {
    /// row: its section's name, and its pattern. Errors: that name, and the fault.
    pub fn new((row, words): &(Row, HashMap<Vec<u8>, usize>)) -> Result<Self, String> {
        let (name, pattern) = row;
        let pattern = compiled(&String::from_utf8_lossy(pattern));
        let pattern = pattern.map_err(|takes| format!("{name}: it takes {takes}"))?;
        Ok(Self { pattern, words: words.clone() })
    }

    /// What the format finds in a line: the time's place, empty for none, and the severity's rank.
    pub fn seen_in(&self, line: &[u8]) -> Option<(Range<usize>, Option<usize>)> {
        let found = self.pattern.captures(line)?;
        let time = found.name("time").map_or(0..0, |time| time.range());
        // A time goes into attributes unescaped.
        let is_plain = !line[time.clone()].iter().any(|byte| b"&<>\"\r\n".contains(byte));
        let word = found.name("severity").map(|word| word.as_bytes().to_ascii_uppercase());
        let time = if is_plain { time } else { 0..0 };
        Some((time, word.and_then(|word| self.words.get(&word).copied()).filter(|&rank| rank > 0)))
    }
}

/// The pattern of a format, for the beginning of a line. Errors: what a pattern has to be.
pub fn compiled(text: &str) -> Result<Regex, String> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(text);
    parsed.map_err(|error| format!("a regular expression ({})", in_words(&error)))?;
    let built = RegexBuilder::new(&format!(r"\A(?:{text})")).unicode(false).build();
    let pattern = built.map_err(|_| format!("a regular expression ({TOO_LARGE})"))?;
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
