// SPDX-License-Identifier: Apache-2.0
//! User formats, as `oslogserve/lines/pure/user_formats.py` defines them.

use std::collections::HashMap;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

/// A compiled format.
pub struct UserFormat {
    pattern: Regex,
    /// Ranks by words in upper case.
    words: HashMap<Vec<u8>, usize>,
}

impl UserFormat {
    /// Errors: the pattern and its fault.
    pub fn new(pattern: &[u8], words: &HashMap<Vec<u8>, usize>) -> Result<Self, String> {
        let text = String::from_utf8_lossy(pattern);
        let pattern = RegexBuilder::new(&format!(r"\A(?:{text})"))
            .unicode(false)
            .build()
            .map_err(|error| format!("{text}: {error}"))?;
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
