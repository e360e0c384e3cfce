// SPDX-License-Identifier: Apache-2.0
//! The tokens of a line's head: the table of `oslogserve/lines/grammar/tokens.py`, compiled.

use crate::cursor::is_delimiter;
use crate::patterns::{Cache, Patterns};

macro_rules! kinds {
    ($($kind:ident)*) => {
        /// The meaning of a token, by the name that `tokens.py` gives it.
        #[derive(Clone, Copy, PartialEq)]
        pub enum Kind { $($kind),* }

        impl Kind {
            fn named(name: &str) -> Result<Self, String> {
                match name {
                    $(stringify!($kind) => Ok(Self::$kind),)*
                    _ => Err(format!("no such kind of token: {name}")),
                }
            }
        }
    };
}

kinds! {
    FirstWord LastWord Letter LineLetter Digit Fatal Column Klog NumberTime Prefix Priority
    Again Ornament Program Process Bar Mark Dash Group Object Pair LastPair Number Field Word
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

/// Positions, kind, pattern, and whether the pattern ends in a guard.
pub type Rule = (String, String, Vec<u8>, bool);

struct Tokens {
    rules: Vec<(Kind, bool)>,
    patterns: Patterns,
}

/// The tokens of each position.
pub struct Table(Vec<Tokens>);

/// The caches of a table's automatons, by position.
pub struct Caches(Vec<Cache>);

impl Table {
    /// Errors: the fault of the first rule that has one.
    pub fn new(rules: &[Rule]) -> Result<Self, String> {
        let of_position = |position: &char| {
            let mut tokens = Vec::new();
            let mut patterns = Vec::new();
            for (positions, kind, pattern, has_guard) in rules {
                if positions.contains(*position) {
                    tokens.push((Kind::named(kind)?, *has_guard));
                    patterns.push(pattern);
                }
            }
            Ok(Tokens { rules: tokens, patterns: Patterns::new(&patterns)? })
        };
        Ok(Self(POSITIONS.iter().map(of_position).collect::<Result<_, String>>()?))
    }

    /// New caches, for one thread at a time.
    pub fn caches(&self) -> Caches {
        Caches(self.0.iter().map(|tokens| tokens.patterns.cache()).collect())
    }

    /// The kind and the end of the token at a place, None where none fits, and the end of the bytes on
    /// which that depends.
    pub fn token_at(
        &self,
        caches: &mut Caches,
        position: Position,
        text: &[u8],
        at: usize,
    ) -> (Option<(Kind, usize)>, usize) {
        let (tokens, cache) = (&self.0[position as usize], &mut caches.0[position as usize]);
        let found = tokens.patterns.first_at(cache, text, at).map(|(rule, end)| {
            let (kind, has_guard) = tokens.rules[rule];
            (kind, end - usize::from(has_guard && is_delimiter(text[end - 1])))
        });
        (found, cache.looked)
    }
}
