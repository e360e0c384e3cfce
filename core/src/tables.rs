// SPDX-License-Identifier: Apache-2.0
//! The tables of the grammar, the files of `core/grammar`, as the core was built with them.
//!
//! Each struct that reads a file is beside what is compiled of it. A fault names the file and the line.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

use serde::de::DeserializeOwned;
use toml::Spanned;

/// A pattern's row: where it stands, and the pattern.
pub type Row = (String, String);

/// A pattern as a file has it.
pub type Pattern = Spanned<String>;

/// Parts of patterns, by the names that stand for them in braces.
pub type Pieces = BTreeMap<String, String>;

/// So many pieces may be in each other; more are in a circle.
const MOST_NESTED: usize = 8;

macro_rules! files {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../grammar/", $name)))),*] };
}

const FILES: [(&str, &str); 7] = files! {
    "severities.toml" "times.toml" "tokens.toml" "exceptions.toml" "marks.toml" "chapters.toml" "causes.toml"
};

/// The texts of the files, by name.
pub struct Tables(HashMap<String, String>);

/// A file.
pub struct File<'t> {
    name: &'static str,
    text: &'t str,
}

impl Tables {
    /// others: texts in place of those that the core was built with.
    pub fn new(others: HashMap<String, String>) -> Self {
        let built_in = FILES.map(|(name, text)| (name.to_owned(), text.to_owned()));
        Self(built_in.into_iter().chain(others).collect())
    }

    /// A file, and what it says. Errors: the row at fault, and its fault.
    pub fn read<T: DeserializeOwned>(&self, name: &'static str) -> Result<(File<'_>, T), String> {
        let text = self.0.get(name).ok_or_else(|| format!("there is no {name}"))?;
        let file = File { name, text };
        let read = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            format!("{}: {}", file.place(at), error.message())
        })?;
        Ok((file, read))
    }
}

impl File<'_> {
    /// A fault of a row.
    pub fn fault<T>(&self, row: &Spanned<T>, told: impl Display) -> String {
        format!("{}: {told}", self.place(row.span().start))
    }

    /// Errors: the row, and that a piece is not there.
    pub fn row(&self, pattern: &Pattern, pieces: &Pieces) -> Result<Row, String> {
        self.row_of(pattern, Ok(pattern.get_ref().clone()), pieces)
    }

    /// The row of a pattern that was made of the one in the file.
    pub fn row_of(
        &self,
        written: &Pattern,
        pattern: Result<String, String>,
        pieces: &Pieces,
    ) -> Result<Row, String> {
        let whole = pattern.and_then(|pattern| whole(&pattern, pieces));
        let whole = whole.map_err(|told| self.fault(written, told))?;
        Ok((self.place(written.span().start), whole))
    }

    fn place(&self, at: usize) -> String {
        let above = self.text.as_bytes().get(..at).unwrap_or_default();
        format!("core/grammar/{}:{}", self.name, 1 + memchr::memchr_iter(b'\n', above).count())
    }
}

/// A pattern without its line breaks and the blanks behind them, and with its pieces.
pub fn whole(text: &str, pieces: &Pieces) -> Result<String, String> {
    within(text, pieces, MOST_NESTED)
}

fn within(text: &str, pieces: &Pieces, most_nested: usize) -> Result<String, String> {
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let text = lines.fold(first.to_owned(), |text, line| text + line.trim_start_matches(' '));
    let mut parts = text.split('{');
    let mut found = parts.next().unwrap_or_default().to_owned();
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    for part in parts {
        match part.split_once('}').filter(|(name, _)| !name.is_empty() && is_name(name)) {
            Some(("end", behind)) => found = found + r"\z" + behind,
            Some((name, behind)) => {
                let piece = pieces.get(name);
                let piece = piece.ok_or_else(|| format!("there is no piece {{{name}}}"))?;
                let left = most_nested.checked_sub(1).ok_or("its pieces are in a circle")?;
                found = found + &within(piece, pieces, left)? + behind;
            }
            None => found = found + "{" + part,
        }
    }
    Ok(found)
}
