// SPDX-License-Identifier: Apache-2.0
//! Many patterns at once, in one pass, anchored at a text's beginning or at its end.
//!
//! Python's `re` backtracks and takes the first alternative that fits; a leftmost-first automaton
//! finds the same end in one pass.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
pub use regex_automata::util::primitives::StateID as State;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;

type Dfa = dense::DFA<Vec<u32>>;

/// An automaton's table may take this much memory; the built-in table's take a fraction of it.
const LARGEST: usize = 8 * 1024 * 1024;

/// What was found of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Which of the patterns.
    pub pattern: usize,
    /// Where the match ends, on the side that is not anchored.
    pub at: usize,
}

/// What a unit of a text leads to.
pub enum Step {
    /// Another state: all is open.
    Open(State),
    /// A match before this unit, if not a longer one.
    Matched,
    /// No match, whatever comes.
    Dead,
}

/// At a text's beginning: the first of the patterns that fits.
pub struct Forward {
    table: Table,
    /// Where it stands behind a date and a time that all patterns read alike.
    behind_dates: [Option<State>; 2],
}

/// At a text's end: the longest match.
pub struct Backward(Table);

impl Forward {
    /// No pattern finds nothing.
    pub fn new(patterns: &[Hir]) -> Result<Self, String> {
        let table = Table::new(patterns, MatchKind::LeftmostFirst, false)?;
        let behind_dates = DATES.map(|date| table.behind_any(&date));
        Ok(Self { table, behind_dates })
    }

    /// The first of the patterns that matches.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<Found> {
        self.find_and_read(text).0
    }

    /// And how many bytes it was told by; one more than there are where also by their end.
    #[inline]
    pub fn find_and_read(&self, text: &[u8]) -> (Option<Found>, usize) {
        let (state, at) = self.behind_date(text);
        let mut walk = self.table.walk(state);
        let read = walk.until_end(text, at);
        (walk.told(), read)
    }

    /// Before a text's first byte.
    pub fn start(&self) -> State {
        self.table.start
    }

    /// byte: none for the text's end.
    pub fn step(&self, state: State, byte: Option<u8>) -> Step {
        let automaton = &self.table.automaton;
        let next = match byte {
            Some(byte) => automaton.next_state(state, byte),
            None => automaton.next_eoi_state(state),
        };
        if automaton.is_match_state(next) {
            Step::Matched
        } else if byte.is_none() || automaton.is_dead_state(next) {
            Step::Dead
        } else {
            Step::Open(next)
        }
    }

    fn behind_date(&self, text: &[u8]) -> (State, usize) {
        for (date, behind) in DATES.iter().zip(self.behind_dates) {
            if let Some(state) = behind
                && is_like(date, text)
            {
                return (state, date.len());
            }
        }
        (self.table.start, 0)
    }
}

/// What each finds. A processor takes the steps of both at once.
pub fn find_both(one: &Forward, other: &Forward, text: &[u8]) -> (Option<Found>, Option<Found>) {
    let mut one = one.table.walk(one.table.start);
    let mut other = other.table.walk(other.table.start);
    let mut at = 0;
    let (mut one_goes_on, mut other_goes_on) = (true, true);
    while one_goes_on & other_goes_on {
        let Some(&byte) = text.get(at) else {
            break;
        };
        (one_goes_on, other_goes_on) = (one.step(byte, at), other.step(byte, at));
        at += 1;
    }
    if one_goes_on {
        one.until_end(text, at);
    }
    if other_goes_on {
        other.until_end(text, at);
    }
    (one.told(), other.told())
}

/// What half of all lines begin with. A 0 is for any digit.
const DATES: [[u8; 19]; 2] = [*b"0000-00-00 00:00:00", *b"0000-00-00T00:00:00"];

/// Looks at eight bytes at once; the last of the three overlap.
fn is_like(date: &[u8; 19], text: &[u8]) -> bool {
    let Some(text) = text.first_chunk::<19>() else {
        return false;
    };
    [0, 8, 11].iter().all(|&at| {
        let word = |bytes: &[u8; 19]| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let digits = zeros(word(date) ^ each(b'0'));
        let differing = word(date) ^ word(text);
        // Ten digits differ from 0 by no more than 9.
        let too_far = (differing | ((differing & each(0x0f)) + each(6))) & each(0xf0);
        differing & !digits == 0 && too_far == 0
    })
}

const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// All bits of each byte that is zero.
fn zeros(word: u64) -> u64 {
    let low = each(0x7f);
    let high = !(((word & low) + low) | word | low);
    (high >> 7) * 0xff
}

impl Backward {
    /// The patterns as they are read forward.
    pub fn new(patterns: &[Hir]) -> Result<Self, String> {
        Table::new(patterns, MatchKind::All, true).map(Self)
    }

    /// From the text's end.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<Found> {
        let mut walk = self.0.walk(self.0.start);
        for (at, &byte) in text.iter().enumerate().rev() {
            if !walk.step(byte, at + 1) {
                return walk.told();
            }
        }
        walk.end(0);
        walk.told()
    }
}

struct Table {
    automaton: Dfa,
    start: State,
}

impl Table {
    fn new(patterns: &[Hir], kind: MatchKind, reverse: bool) -> Result<Self, String> {
        let captureless = thompson::Config::new().which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new()
            .configure(captureless.utf8(false).reverse(reverse))
            .build_many_from_hir(patterns)
            .map_err(|error| error.to_string())?;
        let config = dense::Config::new()
            .match_kind(kind)
            .start_kind(StartKind::Anchored)
            .accelerate(false)
            .dfa_size_limit(Some(LARGEST))
            .determinize_size_limit(Some(LARGEST));
        let automaton = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&nfa)
            .map_err(|error| format!("the table of formats is too large: {error}"))?;
        let start = automaton
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| error.to_string())?;
        Ok(Self { automaton, start })
    }

    /// The state behind such a date, where it is the same whatever its digits are.
    fn behind_any(&self, date: &[u8]) -> Option<State> {
        let classes = self.automaton.byte_classes();
        if (b'0'..=b'9').any(|digit| classes.get(digit) != classes.get(b'0')) {
            return None;
        }
        let mut state = self.start;
        for &byte in date {
            state = self.automaton.next_state(state, byte);
            if self.automaton.is_special_state(state) {
                return None;
            }
        }
        Some(state)
    }

    fn walk(&self, state: State) -> Walk<'_> {
        Walk { automaton: &self.automaton, state, matched: None }
    }
}

/// Over a text.
struct Walk<'a> {
    automaton: &'a Dfa,
    state: State,
    /// The last state that told of a match, and the match's end.
    matched: Option<(State, usize)>,
}

impl Walk<'_> {
    /// A state tells of a match one byte late: it ended at `at`, where this byte begins. False: no
    /// other byte changes what was found.
    #[inline]
    fn step(&mut self, byte: u8, at: usize) -> bool {
        self.state = self.automaton.next_state(self.state, byte);
        if !self.automaton.is_special_state(self.state) {
            return true;
        }
        let is_match = self.automaton.is_match_state(self.state);
        if is_match {
            self.matched = Some((self.state, at));
        }
        is_match // else it is dead: it has no other special states
    }

    /// At the text's end on this side.
    fn end(&mut self, at: usize) {
        let state = self.automaton.next_eoi_state(self.state);
        if self.automaton.is_match_state(state) {
            self.matched = Some((state, at));
        }
    }

    /// Forward from `at`; how many bytes it was told by, one more than there are for their end.
    #[inline]
    fn until_end(&mut self, text: &[u8], at: usize) -> usize {
        for (at, &byte) in text.iter().enumerate().skip(at) {
            if !self.step(byte, at) {
                return at + 1;
            }
        }
        self.end(text.len());
        text.len() + 1
    }

    #[inline]
    fn told(&self) -> Option<Found> {
        self.matched.map(|(state, at)| Found {
            pattern: self.automaton.match_pattern(state, 0).as_usize(),
            at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_told_from_what_is_almost_one() {
        let date = b"2026-03-04 18:22:59";
        assert!(is_like(&DATES[0], date));
        assert!(!is_like(&DATES[1], date));
        assert!(!is_like(&DATES[0], &date[..18]));
        for at in 0..date.len() {
            for byte in 0..=255 {
                let mut near = *date;
                near[at] = byte;
                let alike = if date[at].is_ascii_digit() {
                    byte.is_ascii_digit()
                } else {
                    byte == date[at]
                };
                assert_eq!(is_like(&DATES[0], &near), alike, "{at} {byte}");
            }
        }
    }
}
