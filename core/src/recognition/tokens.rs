// SPDX-License-Identifier: Apache-2.0
//! The tokens of a line's head: the table of `oslogserve/lines/grammar/tokens.py`, compiled.

use crate::cursor::is_delimiter;
use crate::recognition::patterns::{Cache, Patterns, Row, named};

named! {
    /// The meaning of a token, by the name that `tokens.py` gives it.
    Kind:
    FirstWord LastWord Letter LineLetter Digit Fatal Column Klog NumberTime SectionTime Prefix
    Priority Again Ornament Program Process Bar Mark Dash Group Object Pair LastPair Number Field Word
    Stop
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
}

/// The letters by which the table names the positions, in their order.
const POSITIONS: [char; 10] = ['S', 'N', 'T', 'L', 's', 'n', 't', 'l', '#', 'p'];

/// Positions, kind, row, and whether the pattern ends in a guard.
pub type Rule = (String, String, Row, bool);

struct Tokens {
    rules: Vec<(Kind, bool)>,
    patterns: Patterns,
}

/// The tokens of each position.
pub struct Table(Vec<Tokens>);

impl Table {
    /// Errors: the first row at fault, and its fault.
    pub fn new(rules: &[Rule]) -> Result<Self, String> {
        let mut read = Vec::new();
        for (positions, kind, row, has_guard) in rules {
            if let Some(position) = positions.chars().find(|one| !POSITIONS.contains(one)) {
                return Err(format!("{}: there is no position {position}", row.0));
            }
            read.push((positions, row, (Kind::named(kind, row)?, *has_guard)));
        }
        let of_position = |position: &char| {
            let here = || read.iter().filter(|(positions, ..)| positions.contains(*position));
            let patterns = Patterns::new(here().map(|(_, row, _)| *row))?;
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
