// SPDX-License-Identifier: Apache-2.0
//! Lines whose severity no level in a head shows: `core/grammar/exceptions.toml`, compiled.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use regex::bytes::Regex;
use serde::Deserialize;
use toml::Spanned;

use crate::recognition::patterns::{self, Literals, Patterns, expression};
use crate::recognition::severities::Severities;
use crate::tables::{File, Pattern, Pieces, Tables};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    passed: Pattern,
    location: Pattern,
    location_words: Pattern,
    progress: Pattern,
    continuation: Pattern,
    /// Patterns by severity, and ends of lines.
    lines: BTreeMap<Spanned<String>, Vec<Pattern>>,
    endings: BTreeMap<Spanned<String>, Vec<String>>,
    pieces: Pieces,
}

/// The caches of the automatons, for one thread at a time.
pub struct Cache {
    lines: patterns::Cache,
    continuation: patterns::Cache,
}

/// What stands in place of a level.
pub struct Exceptions {
    /// Found in lines that tell of no failure, whatever they are like.
    passed: Regex,
    lines: Patterns,
    /// By the places of their patterns.
    ranks: Vec<usize>,
    /// By their last bytes.
    endings: Vec<Vec<(String, usize)>>,
    location: Regex,
    /// One of these words is in all that `location` matches.
    pub location_words: Literals,
    /// `progress` and `continuation`.
    continuation: Patterns,
}

impl Exceptions {
    /// Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables, severities: &Severities) -> Result<Self, String> {
        let (file, data) = tables.read::<Data>("exceptions.toml")?;
        let row = |pattern: &Pattern| file.row(pattern, &data.pieces);
        let patterns = by_severity(severities, &file, data.lines)?;
        let rows =
            patterns.iter().map(|(pattern, _)| row(pattern)).collect::<Result<Vec<_>, _>>()?;
        let mut endings = vec![Vec::new(); 256];
        for ending in by_severity(severities, &file, data.endings)? {
            let last = ending.0.bytes().next_back().unwrap_or_default();
            endings[usize::from(last)].push(ending);
        }
        Ok(Self {
            passed: expression(&row(&data.passed)?)?,
            lines: Patterns::new(&rows)?,
            ranks: patterns.iter().map(|(_, rank)| *rank).collect(),
            endings,
            location: expression(&row(&data.location)?)?,
            location_words: Literals::new(&row(&data.location_words)?)?,
            continuation: Patterns::new(&[row(&data.progress)?, row(&data.continuation)?])?,
        })
    }

    pub fn cache(&self) -> Cache {
        Cache { lines: self.lines.cache(), continuation: self.continuation.cache() }
    }

    /// The rank of the first exception that matches at a place.
    pub fn at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<usize> {
        let (row, _) = self.lines.first_at(&mut cache.lines, text, at)?;
        Some(self.ranks[row])
    }

    /// The rank of the severity behind a location in a file.
    pub fn location(&self, severities: &Severities, text: &[u8]) -> Option<usize> {
        if self.location_words.find(text).is_none() || !self.location.is_match(text) {
            return None;
        }
        let found = self.location.captures(text)?;
        if let Some(letter) = found.get(2) {
            return severities.letter(letter.as_bytes()[0]);
        }
        let rank_of = |word: &[u8]| severities.rank_of_word(word);
        rank_of(found.get(1)?.as_bytes()).or_else(|| rank_of(b"INFO"))
    }

    /// The rank of the line's ending.
    pub fn ending(&self, text: &[u8]) -> Option<usize> {
        let endings = &self.endings[usize::from(*text.last()?)];
        let found = endings.iter().find(|(end, _)| text.ends_with(end.as_bytes()));
        found.map(|&(_, rank)| rank)
    }

    /// True if a line says that a test passed, or that its failure does not matter.
    pub fn has_passed(&self, text: &[u8]) -> bool {
        self.passed.is_match(text)
    }

    /// True if a line continues the one above by its shape.
    pub fn continues(&self, cache: &mut Cache, text: &[u8]) -> bool {
        let found = self.continuation.first_at(&mut cache.continuation, text, 0);
        found.is_some_and(|(row, _)| row == 1)
    }
}

/// Values with the rank of their severity, the worst first.
fn by_severity<T>(
    severities: &Severities,
    file: &File<'_>,
    values: BTreeMap<Spanned<String>, Vec<T>>,
) -> Result<Vec<(T, usize)>, String> {
    let mut found = Vec::new();
    for (name, values) in values {
        let rank = severities.named(name.get_ref()).map_err(|told| file.fault(&name, told))?;
        found.extend(values.into_iter().map(|value| (value, rank)));
    }
    found.sort_by_key(|(_, rank)| Reverse(*rank));
    Ok(found)
}
