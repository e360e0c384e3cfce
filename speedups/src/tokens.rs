// SPDX-License-Identifier: Apache-2.0
//! The tokens of a line's head: the table of `oslogserve/lines/tokens.py`, compiled.

use crate::cursor::is_delimiter;
use crate::patterns::{Cache, Patterns};

/// What a token means.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    FirstWord,
    LastWord,
    Letter,
    LineLetter,
    Digit,
    Fatal,
    Column,
    Klog,
    NumberTime,
    Prefix,
    Priority,
    Again,
    Ornament,
    Program,
    Process,
    Bar,
    Mark,
    Dash,
    Group,
    Object,
    Pair,
    LastPair,
    Number,
    Field,
    Word,
    Stop,
}

impl Kind {
    fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "first word" => Self::FirstWord,
            "last word" => Self::LastWord,
            "letter" => Self::Letter,
            "line letter" => Self::LineLetter,
            "digit" => Self::Digit,
            "fatal" => Self::Fatal,
            "column" => Self::Column,
            "klog" => Self::Klog,
            "number time" => Self::NumberTime,
            "prefix" => Self::Prefix,
            "priority" => Self::Priority,
            "again" => Self::Again,
            "ornament" => Self::Ornament,
            "program" => Self::Program,
            "process" => Self::Process,
            "bar" => Self::Bar,
            "mark" => Self::Mark,
            "dash" => Self::Dash,
            "group" => Self::Group,
            "object" => Self::Object,
            "pair" => Self::Pair,
            "last pair" => Self::LastPair,
            "number" => Self::Number,
            "field" => Self::Field,
            "word" => Self::Word,
            "stop" => Self::Stop,
            _ => return Err(format!("no such kind of token: {name}")),
        })
    }
}

/// What stands before a token.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    Start,
    FirstStart,
    Named,
    FirstNamed,
    Timed,
    FirstTimed,
    Numbered,
    Logged,
    FirstLogged,
    Prose,
}

/// By which the table names the places above, in their order.
const PLACES: [char; 10] = ['S', 's', 'N', 'n', 'T', 't', '#', 'L', 'l', 'p'];

/// Places, kind, pattern, and whether the pattern ends in a guard.
pub type Row = (String, String, Vec<u8>, bool);

struct Tokens {
    rows: Vec<(Kind, bool)>,
    patterns: Patterns,
}

/// The tokens of each place.
pub struct Table(Vec<Tokens>);

/// What was built of the automatons of a table.
pub struct Caches(Vec<Cache>);

impl Table {
    /// Tells of the first row at fault.
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

    /// Room for one thread's work.
    pub fn caches(&self) -> Caches {
        Caches(self.0.iter().map(|tokens| tokens.patterns.cache()).collect())
    }

    /// The kind of the token that stands there, and its end.
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
