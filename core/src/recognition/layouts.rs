// SPDX-License-Identifier: Apache-2.0
//! Layouts of times as patterns: `core/grammar/times.toml`, compiled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::cursor::is_word;
use crate::recognition::patterns::{Cache, Patterns, beginning, expression};
use crate::recognition::times::Layouts;
use crate::tables::{File, Pattern, Pieces, Row, Tables};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    dates: Vec<String>,
    days: Vec<String>,
    layouts: Vec<Pattern>,
    klog: Vec<Pattern>,
    members: Vec<Pattern>,
    boot: Vec<Pattern>,
    day_of_year: Vec<Pattern>,
    guard: String,
    uptime: Pattern,
    audit: Pattern,
    no_clock: Pattern,
    thing: Pattern,
    dated_thing: Pattern,
    directives: BTreeMap<char, String>,
    pieces: Pieces,
    /// Words by what they mean.
    zones: BTreeMap<String, String>,
}

impl Data {
    /// Errors: the row at fault, and its fault.
    fn read(tables: &Tables) -> Result<(File<'_>, Self), String> {
        let (file, mut times) = tables.read::<Self>("times.toml")?;
        let words: Vec<_> = times.zones().map(|(word, _)| word).collect();
        times.pieces.insert("zones".into(), words.join("|"));
        Ok((file, times))
    }

    /// Words for zones, with their offset as it is written; empty if they have several.
    fn zones(&self) -> impl Iterator<Item = (&str, &str)> {
        self.zones.iter().flat_map(|(offset, words)| {
            words.split_whitespace().map(move |word| (word, &offset[..]))
        })
    }

    /// Patterns of layouts, with the guard. Errors: the row at fault, and its fault.
    fn guarded(&self, file: &File<'_>, layouts: &[Pattern]) -> Result<Vec<Row>, String> {
        let rows = self.rows(file, layouts, &self.guard)?.into_iter();
        Ok(rows.map(|(_, (place, pattern))| (place, pattern.replace("(?=", "(?:"))).collect())
    }

    /// All layouts, with patterns of a time's whole text.
    fn readable(&self, file: &File<'_>) -> Result<Vec<(String, Row)>, String> {
        let kinds = [&self.layouts, &self.klog, &self.members, &self.boot, &self.day_of_year];
        let rows = kinds.map(|layouts| self.rows(file, layouts, "{end}"));
        Ok(rows.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Layouts, and their patterns with an end.
    fn rows(
        &self,
        file: &File<'_>,
        layouts: &[Pattern],
        end: &str,
    ) -> Result<Vec<(String, Row)>, String> {
        let mut rows = Vec::new();
        for written in layouts {
            let layout = written.get_ref();
            let lists = [("{date}", &self.dates), ("{day}", &self.days)];
            let list = lists.into_iter().find(|(name, _)| layout.contains(name));
            let (name, parts) = list.map_or((&layout[..], vec![layout]), |(name, parts)| {
                (name, parts.iter().collect())
            });
            for part in parts {
                let layout = layout.replace(name, part);
                let pattern = self.pattern(&layout).map(|pattern| pattern + end);
                rows.push((layout, file.row_of(written, pattern, &self.pieces)?));
            }
        }
        Ok(rows)
    }

    /// Errors: a directive that is not in the table.
    fn pattern(&self, layout: &str) -> Result<String, String> {
        let mut pattern = String::new();
        let mut letters = layout.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' => {
                    let letter = letters.next().unwrap_or(' ');
                    let known = self.directives.get(&letter);
                    pattern += known.ok_or_else(|| format!("there is no directive %{letter}"))?;
                }
                '.' | '|' => pattern.extend(['\\', letter]),
                _ => pattern.push(letter),
            }
        }
        Ok(pattern)
    }
}

/// Where times are found, and how they are read.
pub struct Times {
    /// Found wherever a time may stand.
    anywhere: Patterns,
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
}

impl Times {
    /// Errors: the row at fault, and its fault.
    pub fn new(tables: &Tables) -> Result<Self, String> {
        let (file, data) = Data::read(tables)?;
        let placed = |layouts: &[Pattern]| {
            Ok::<_, String>(PlacedTimes(beginning(&data.guarded(&file, layouts)?)?))
        };
        let time = |pattern: &Pattern| file.row(pattern, &data.pieces);
        Ok(Self {
            anywhere: Patterns::new(&data.guarded(&file, &data.layouts)?)?,
            klog: placed(&data.klog)?,
            members: placed(&data.members)?,
            day_of_year: placed(&data.day_of_year)?,
            uptime: beginning([&time(&data.uptime)?])?,
            audit: beginning([&time(&data.audit)?])?,
            no_clock: expression(&time(&data.no_clock)?)?,
            thing: expression(&time(&data.thing)?)?,
            dated_thing: expression(&time(&data.dated_thing)?)?,
            readable: Arc::new(Layouts::new(data.readable(&file)?, data.zones())?),
        })
    }

    pub fn cache(&self) -> Cache {
        self.anywhere.cache()
    }

    /// The place of the time at `at`; None where there is none.
    pub fn at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<Range<usize>> {
        text.get(at).filter(|&&first| first != b' ')?;
        let (_, end) = self.anywhere.first_at(cache, text, at)?;
        let end = without_guard(text, end);
        Some(at..end + self.readable.zone_before_number(&text[end..]))
    }
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

/// The end of a time whose pattern ended there, behind its guard.
fn without_guard(text: &[u8], end: usize) -> usize {
    match &text[..end] {
        [.., b':' | b'.', last] if !last.is_ascii_digit() => end - 2,
        [.., last] if !is_word(*last) => end - 1,
        _ => end,
    }
}
