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

/// What stands before a token. The first token of content is at one of the places `First...`.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
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

/// The letters by which the table names the places, in their order.
const PLACES: [char; 10] = ['S', 'N', 'T', 'L', 's', 'n', 't', 'l', '#', 'p'];

/// Places, kind, pattern, and whether the pattern ends in a guard.
pub type Row = (String, String, Vec<u8>, bool);

struct Tokens {
    rows: Vec<(Kind, bool)>,
    patterns: Patterns,
}

/// The tokens of each place.
pub struct Table(Vec<Tokens>);

/// The caches of a table's automatons, by place.
pub struct Caches(Vec<Cache>);

impl Table {
    /// Errors: the fault of the first row that has one.
    pub fn new(rows: &[Row]) -> Result<Self, String> {
        let of_place = |place: &char| {
            let mut tokens = Vec::new();
            let mut patterns = Vec::new();
            for (places, kind, pattern, has_guard) in rows {
                if places.contains(*place) {
                    tokens.push((Kind::named(kind)?, *has_guard));
                    patterns.push(pattern);
                }
            }
            Ok(Tokens { rows: tokens, patterns: Patterns::new(&patterns)? })
        };
        Ok(Self(PLACES.iter().map(of_place).collect::<Result<_, String>>()?))
    }

    /// New caches, for one thread at a time.
    pub fn caches(&self) -> Caches {
        Caches(self.0.iter().map(|tokens| tokens.patterns.cache()).collect())
    }

    /// The kind and the end of the token at a place; None where none fits.
    pub fn token_at(
        &self,
        caches: &mut Caches,
        place: Place,
        text: &[u8],
        at: usize,
    ) -> Option<(Kind, usize)> {
        let tokens = &self.0[place as usize];
        let (row, end) = tokens.patterns.first_at(&mut caches.0[place as usize], text, at)?;
        let (kind, has_guard) = tokens.rows[row];
        Some((kind, end - usize::from(has_guard && is_delimiter(text[end - 1]))))
    }
}
