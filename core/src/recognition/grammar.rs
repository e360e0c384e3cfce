// SPDX-License-Identifier: Apache-2.0
//! The grammar of heads, of the tables of `core/grammar`, compiled once.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regex::bytes::Regex;
use serde::Deserialize;
use toml::Spanned;

use crate::cursor::is_word;
use crate::recognition::heads;
use crate::recognition::layouts::Times;
use crate::recognition::patterns::{Cache, Literals, Patterns, Pool, beginning, expression};
use crate::recognition::repeated;
use crate::recognition::severities::Severities;
use crate::recognition::times::Layouts;
use crate::recognition::tokens::Table;
use crate::recognition::user_formats::{self, UserFormats};
use crate::tables::{File, Pattern, Pieces, Tables};

/// `core/grammar/exceptions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
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

/// The grammar.
pub struct Grammar {
    pub severities: Severities,
    pub tokens: Table,
    /// Found wherever a time may stand.
    times: Patterns,
    pub klog: PlacedTimes,
    pub members: PlacedTimes,
    pub day_of_year: PlacedTimes,
    /// Their first group is a time.
    pub uptime: Regex,
    pub audit: Regex,
    /// Matches what stands before a time of day: it is no time of the line.
    pub no_clock: Regex,
    /// Matches what stands before the date of a thing.
    pub thing: Regex,
    /// Matches the end of a line: a time alone on the next one is no time of the log.
    pub dated_thing: Regex,
    /// All that a clock reads.
    pub readable: Arc<Layouts>,
    /// Found in lines that tell of no failure, whatever they are like.
    passed: Regex,
    exceptions: Patterns,
    /// By the places of their patterns.
    exception_ranks: Vec<usize>,
    /// By their last bytes.
    endings: Vec<Vec<(String, usize)>>,
    location: Regex,
    /// One of these words is in all that `location` matches.
    pub location_words: Literals,
    /// `progress` and `continuation`.
    continuation: Patterns,
    pub user_formats: UserFormats,
    // Ranks.
    pub trace: usize,
    pub warning: usize,
    pub error: usize,
    pub critical: usize,
    unused_caches: Pool<Caches>,
}

/// The caches of a grammar's automatons, for one thread at a time.
pub struct Caches {
    pub heads: heads::Cache,
    pub repeated: repeated::Cache,
    pub tokens: Vec<Cache>,
    pub times: Cache,
    exceptions: Cache,
    continuation: Cache,
    pub user_formats: user_formats::Cache,
}

impl Grammar {
    /// Errors: the first row at fault, and its fault.
    pub fn new(formats: &[user_formats::Data], tables: &Tables) -> Result<Self, String> {
        let severities = Severities::new(tables)?;
        let (times_file, times) = Times::read(tables)?;
        let placed = |layouts: &[Pattern]| {
            Ok::<_, String>(PlacedTimes(beginning(&times.guarded(&times_file, layouts)?)?))
        };
        let time = |pattern: &Pattern| times_file.row(pattern, &times.pieces);
        let (file, exceptions) = tables.read::<Exceptions>("exceptions.toml")?;
        let row = |pattern: &Pattern| file.row(pattern, &exceptions.pieces);
        let patterns = by_severity(&severities, &file, exceptions.lines)?;
        let rows =
            patterns.iter().map(|(pattern, _)| row(pattern)).collect::<Result<Vec<_>, _>>()?;
        let mut endings = vec![Vec::new(); 256];
        for ending in by_severity(&severities, &file, exceptions.endings)? {
            let last = ending.0.bytes().next_back().unwrap_or_default();
            endings[usize::from(last)].push(ending);
        }
        Ok(Self {
            trace: severities.named("TRACE")?,
            warning: severities.named("WARNING")?,
            error: severities.named("ERROR")?,
            critical: severities.named("CRITICAL")?,
            unused_caches: Pool::default(),
            tokens: Table::new(tables, &severities)?,
            times: Patterns::new(&times.guarded(&times_file, &times.layouts)?)?,
            klog: placed(&times.klog)?,
            members: placed(&times.members)?,
            day_of_year: placed(&times.day_of_year)?,
            uptime: beginning([&time(&times.uptime)?])?,
            audit: beginning([&time(&times.audit)?])?,
            no_clock: expression(&time(&times.no_clock)?)?,
            thing: expression(&time(&times.thing)?)?,
            dated_thing: expression(&time(&times.dated_thing)?)?,
            readable: Arc::new(Layouts::new(times.readable(&times_file)?, times.zones())?),
            passed: expression(&row(&exceptions.passed)?)?,
            exceptions: Patterns::new(&rows)?,
            exception_ranks: patterns.iter().map(|(_, rank)| *rank).collect(),
            endings,
            location: expression(&row(&exceptions.location)?)?,
            location_words: Literals::new(&row(&exceptions.location_words)?)?,
            continuation: Patterns::new(&[
                row(&exceptions.progress)?,
                row(&exceptions.continuation)?,
            ])?,
            user_formats: UserFormats::new(formats, &severities)?,
            severities,
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            heads: heads::Cache::default(),
            repeated: repeated::Cache::default(),
            tokens: self.tokens.caches(),
            times: self.times.cache(),
            exceptions: self.exceptions.cache(),
            continuation: self.continuation.cache(),
            user_formats: self.user_formats.cache(),
        })
    }

    /// Takes caches back, for another thread.
    pub fn reuse(&self, caches: Caches) {
        self.unused_caches.give_back(caches);
    }

    /// The place of the time at `at`; None where there is none.
    pub fn time_at(&self, caches: &mut Caches, text: &[u8], at: usize) -> Option<Range<usize>> {
        text.get(at).filter(|&&first| first != b' ')?;
        let (_, end) = self.times.first_at(&mut caches.times, text, at)?;
        let end = without_guard(text, end);
        Some(at..end + self.readable.zone_before_number(&text[end..]))
    }

    /// The rank of the first exception that matches at a place.
    pub fn exception(&self, caches: &mut Caches, text: &[u8], at: usize) -> Option<usize> {
        let (row, _) = self.exceptions.first_at(&mut caches.exceptions, text, at)?;
        Some(self.exception_ranks[row])
    }

    /// The rank of the severity behind a location in a file.
    pub fn location(&self, text: &[u8]) -> Option<usize> {
        if self.location_words.find(text).is_none() || !self.location.is_match(text) {
            return None;
        }
        let found = self.location.captures(text)?;
        if let Some(letter) = found.get(2) {
            return self.severities.letter(letter.as_bytes()[0]);
        }
        let rank_of = |word: &[u8]| self.severities.rank_of_word(word);
        rank_of(found.get(1)?.as_bytes()).or_else(|| rank_of(b"INFO"))
    }

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
    pub fn continues(&self, caches: &mut Caches, text: &[u8]) -> bool {
        let found = self.continuation.first_at(&mut caches.continuation, text, 0);
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

/// Layouts of times that are found in some places only.
pub struct PlacedTimes(Regex);

impl PlacedTimes {
    /// The place of the time at `at`; None where there is none.
    pub fn scan(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let found = self.0.find(text.get(at..)?)?;
        Some(at..without_guard(text, at + found.end()))
    }
}

/// The place of the first group of a pattern that matches at a place.
pub fn group_at(pattern: &Regex, text: &[u8], at: usize) -> Option<Range<usize>> {
    let group = pattern.captures(text.get(at..)?)?.get(1)?;
    Some(at + group.start()..at + group.end())
}

/// The end of a time whose pattern ended there, behind its guard.
fn without_guard(text: &[u8], end: usize) -> usize {
    match &text[..end] {
        [.., b':' | b'.', last] if !last.is_ascii_digit() => end - 2,
        [.., last] if !is_word(*last) => end - 1,
        _ => end,
    }
}
