// SPDX-License-Identifier: Apache-2.0
//! Layouts of times as patterns: `core/grammar/times.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::tables::{File, Pattern, Pieces, Row};

/// Stands in a layout for each of the dates.
const DATE: &str = "{date}";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    dates: Vec<String>,
    pub layouts: Vec<Pattern>,
    pub klog: Vec<Pattern>,
    pub epoch: Vec<Pattern>,
    boot: Vec<Pattern>,
    pub day_of_year: Vec<Pattern>,
    guard: String,
    pub uptime: Pattern,
    pub audit: Pattern,
    pub dated_thing: Pattern,
    directives: BTreeMap<char, String>,
    pub pieces: Pieces,
}

impl Times {
    /// Patterns of layouts, with the guard. Errors: the row at fault, and its fault.
    pub fn guarded(&self, file: &File<'_>, layouts: &[Pattern]) -> Result<Vec<Row>, String> {
        let rows = self.rows(file, layouts, &self.guard)?.into_iter();
        Ok(rows.map(|(_, (place, pattern))| (place, pattern.replace("(?=", "(?:"))).collect())
    }

    /// All layouts, with patterns of a time's whole text.
    pub fn readable(&self, file: &File<'_>) -> Result<Vec<(String, Row)>, String> {
        let kinds = [&self.layouts, &self.klog, &self.epoch, &self.boot, &self.day_of_year];
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
            let dates = if layout.contains(DATE) { &self.dates[..] } else { &[String::new()] };
            for date in dates {
                let layout = layout.replace(DATE, date);
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
