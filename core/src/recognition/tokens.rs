// SPDX-License-Identifier: Apache-2.0
//! The tokens of a line's head: `core/grammar/tokens.toml`, compiled.

use serde::Deserialize;

use crate::cursor::is_delimiter;
use crate::recognition::patterns::{Cache, Patterns, parsed};
use crate::recognition::severities::Severities;
use crate::tables::{Pattern, Pieces, Tables};

/// The meaning of a token, as the file says.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Kind {
    FirstWord, LastWord, Letter, LineLetter, Digit, Fatal, Column, Klog, NumberTime, SectionTime,
    Prefix, Priority, Wrapper, Default, Again, Ornament, Program, Process, Bar,
    Mark, Dash, Group, Object, Pair, LastPair, Number, Field, Word, Stop,
}

/// What stands before a token. The first token of content is at one of the positions `First...`.
#[derive(Clone, Copy, PartialEq)]
pub enum Position {
    Start,
    Named,
    Timed,
    Logged,
    FirstStart,
    FirstNamed,
    FirstTimed,
    FirstLogged,
    Numbered,
    Prose,
    Wrapped,
}

/// The letters by which the file names the positions, in their order.
const POSITIONS: [char; 11] = ['S', 'N', 'T', 'L', 's', 'n', 't', 'l', '#', 'p', 'w'];

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    /// Positions, kind and pattern.
    tokens: Vec<(Pattern, Kind, Pattern)>,
    /// Sets of positions.
    positions: Pieces,
    pieces: Pieces,
}

struct Tokens {
    rules: Vec<(Kind, bool)>,
    patterns: Patterns,
}

/// The tokens of each position.
pub struct Table(Vec<Tokens>);

impl Table {
    /// Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables, severities: &Severities) -> Result<Self, String> {
        let (file, mut data) = tables.read::<Data>("tokens.toml")?;
        data.pieces.extend(severities.pieces.clone());
        let mut read = Vec::new();
        for (positions, kind, pattern) in &data.tokens {
            let (place, positions) = file.row(positions, &data.positions)?;
            if let Some(position) = positions.chars().find(|one| !POSITIONS.contains(one)) {
                return Err(format!("{place}: there is no position {position}"));
            }
            let (place, pattern) = file.row(pattern, &data.pieces)?;
            let has_guard = pattern.contains("(?=");
            let pattern = parsed(&(place, pattern.replace("(?=", "(?:")))?;
            read.push((positions, pattern, (*kind, has_guard)));
        }
        let of_position = |position: &char| {
            let here = || read.iter().filter(|(positions, ..)| positions.contains(*position));
            let patterns =
                Patterns::of_table(here().map(|(_, pattern, _)| pattern.clone()).collect())?;
            Ok(Tokens { rules: here().map(|(_, _, rule)| *rule).collect(), patterns })
        };
        Ok(Self(POSITIONS.iter().map(of_position).collect::<Result<_, String>>()?))
    }

    /// New caches by position, for one thread at a time.
    pub fn caches(&self) -> Vec<Cache> {
        self.0.iter().map(|tokens| tokens.patterns.cache()).collect()
    }

    /// The kind and the end of the token at a place, None where none fits, and the end of the bytes on
    /// which that depends.
    pub fn token_at(
        &self,
        caches: &mut [Cache],
        position: Position,
        text: &[u8],
        at: usize,
    ) -> (Option<(Kind, usize)>, usize) {
        let (tokens, cache) = (&self.0[position as usize], &mut caches[position as usize]);
        let found = tokens.patterns.first_at(cache, text, at).map(|(rule, end)| {
            let (kind, has_guard) = tokens.rules[rule];
            (kind, end - usize::from(has_guard && is_delimiter(text[end - 1])))
        });
        (found, cache.looked)
    }
}
