// SPDX-License-Identifier: Apache-2.0
//! Layouts of times as patterns: `core/grammar/times.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::tables::{File, Pattern, Pieces, Row, Tables};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    dates: Vec<String>,
    days: Vec<String>,
    pub layouts: Vec<Pattern>,
    pub klog: Vec<Pattern>,
    pub members: Vec<Pattern>,
    boot: Vec<Pattern>,
    pub day_of_year: Vec<Pattern>,
    guard: String,
    pub uptime: Pattern,
    pub audit: Pattern,
    pub no_clock: Pattern,
    pub thing: Pattern,
    pub dated_thing: Pattern,
    directives: BTreeMap<char, String>,
    pub pieces: Pieces,
    /// Words by what they mean.
    zones: BTreeMap<String, String>,
}

impl Times {
    /// Errors: the row at fault, and its fault.
    pub fn read(tables: &Tables) -> Result<(File<'_>, Self), String> {
        let (file, mut times) = tables.read::<Self>("times.toml")?;
        let words: Vec<_> = times.zones().map(|(word, _)| word).collect();
        times.pieces.insert("zones".into(), words.join("|"));
        Ok((file, times))
    }

    /// Words for zones, with their offset as it is written; empty if they have several.
    pub fn zones(&self) -> impl Iterator<Item = (&str, &str)> {
        self.zones.iter().flat_map(|(offset, words)| {
            words.split_whitespace().map(move |word| (word, &offset[..]))
        })
    }

    /// Patterns of layouts, with the guard. Errors: the row at fault, and its fault.
    pub fn guarded(&self, file: &File<'_>, layouts: &[Pattern]) -> Result<Vec<Row>, String> {
        let rows = self.rows(file, layouts, &self.guard)?.into_iter();
        Ok(rows.map(|(_, (place, pattern))| (place, pattern.replace("(?=", "(?:"))).collect())
    }

    /// All layouts, with patterns of a time's whole text.
    pub fn readable(&self, file: &File<'_>) -> Result<Vec<(String, Row)>, String> {
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
