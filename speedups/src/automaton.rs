// SPDX-License-Identifier: Apache-2.0
//! Many patterns at once, in one pass, anchored at a text's beginning or at its end.
//!
//! Python's `re` backtracks and takes the first alternative that fits; a leftmost-first automaton
//! finds the same end in one pass.

use memchr::{memchr, memchr2, memchr3};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;

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

/// At a text's beginning: the first of the patterns that fits.
pub struct Forward {
    table: Table,
    /// Where it stands behind a date and a time that all patterns read alike.
    behind_dates: [Option<StateID>; 2],
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

    /// A state tells of a match one byte late, or at the text's end.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<Found> {
        let automaton = &self.table.automaton;
        let (mut state, mut at) = self.start(text);
        let mut matched = None;
        while let Some(&byte) = text.get(at) {
            state = automaton.next_state(state, byte);
            if automaton.is_special_state(state) {
                if automaton.is_match_state(state) {
                    matched = Some((state, at));
                } else if automaton.is_accel_state(state) {
                    at = next_of(automaton.accelerator(state), text, at + 1);
                    continue;
                } else {
                    return self.table.told(matched); // dead: it has no other special states
                }
            }
            at += 1;
        }
        state = automaton.next_eoi_state(state);
        if automaton.is_match_state(state) {
            matched = Some((state, text.len()));
        }
        self.table.told(matched)
    }

    fn start(&self, text: &[u8]) -> (StateID, usize) {
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

fn next_of(needles: &[u8], text: &[u8], from: usize) -> usize {
    let rest = &text[from..];
    let found = match *needles {
        [one] => memchr(one, rest),
        [one, two] => memchr2(one, two, rest),
        [one, two, three] => memchr3(one, two, three, rest),
        _ => Some(0),
    };
    found.map_or(text.len(), |at| from + at)
}

impl Backward {
    /// The patterns as they are read forward.
    pub fn new(patterns: &[Hir]) -> Result<Self, String> {
        Table::new(patterns, MatchKind::All, true).map(Self)
    }

    /// From the text's end.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<Found> {
        let automaton = &self.0.automaton;
        let mut state = self.0.start;
        let mut matched = None;
        for (at, &byte) in text.iter().enumerate().rev() {
            state = automaton.next_state(state, byte);
            if automaton.is_special_state(state) {
                if !automaton.is_match_state(state) {
                    return self.0.told(matched); // dead: it has no other special states
                }
                matched = Some((state, at + 1));
            }
        }
        state = automaton.next_eoi_state(state);
        if automaton.is_match_state(state) {
            matched = Some((state, 0));
        }
        self.0.told(matched)
    }
}

struct Table {
    automaton: dense::DFA<Vec<u32>>,
    start: StateID,
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
    fn behind_any(&self, date: &[u8]) -> Option<StateID> {
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

    fn told(&self, matched: Option<(StateID, usize)>) -> Option<Found> {
        matched.map(|(state, at)| Found {
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
