// SPDX-License-Identifier: Apache-2.0
//! What a line's time and severity look like: the table of `oslogserve/lines/formats.py`, compiled.
//!
//! Python's `re` backtracks and takes the first alternative that fits; a leftmost-first automaton
//! finds the same end in one pass. Two of them do here what one expression does there: the first
//! settles the time, the second goes on behind it.

use memchr::memmem::Finder;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Hir, Look};

use crate::pattern;

/// An automaton's table may take this much memory; the built-in table's take a fraction of it.
const LARGEST_AUTOMATON: usize = 8 * 1024 * 1024;

/// A table of formats.
pub struct Formats {
    times: Prefix,
    severities: Prefix,
    words: Vec<Vec<u8>>,
    finders: Vec<Finder<'static>>,
    /// As many bytes of a line decide on its time and severity.
    pub reach: usize,
}

/// What a line's beginning shows.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// Where its time ends; 0 where it shows none.
    pub time: usize,
    /// The rank of its own severity.
    pub severity: Option<usize>,
}

impl Formats {
    /// `words`: the severities, lowest first; the first is that of lines which show none.
    pub fn new(times: &[&[u8]], leads: &[&[u8]], words: &[&[u8]]) -> Result<Self, String> {
        let Some((_, shown)) = words.split_first() else {
            return Err("there are no severities".into());
        };
        if let Some(word) = shown.iter().find(|word| !is_word(word)) {
            return Err(format!("{}: it is not a word", String::from_utf8_lossy(word)));
        }
        // A time goes into attributes as it is, so it must hold nothing that escaping would change.
        let time = pattern::any_of(times, b"\n&<>\"")?;
        let lead = pattern::any_of(leads, b"\n")?;
        let word = Hir::alternation(shown.iter().map(|&word| Hir::literal(word)).collect());
        let severity = Hir::concat(vec![lead, Hir::literal(*b" "), word]);
        let reach = longest_match(&time) + longest_match(&severity) + 1;
        Ok(Self {
            times: Prefix::new(time)?,
            severities: Prefix::new(severity)?,
            words: words.iter().map(|word| word.to_vec()).collect(),
            finders: words.iter().map(|word| Finder::new(word).into_owned()).collect(),
            reach,
        })
    }

    /// The severities, lowest first.
    pub fn words(&self) -> &[Vec<u8>] {
        &self.words
    }

    /// What finds, anywhere, the word of each severity at or above `floor`.
    pub fn finders(&self, floor: Option<usize>) -> &[Finder<'static>] {
        floor.map_or(&[], |floor| &self.finders[floor..])
    }

    /// Looks at a line, or at no less than the first `reach` bytes of one.
    pub fn seen_in(&self, line: &[u8]) -> Seen {
        let Some(time) = self.times.end_in(line) else {
            return Seen::default();
        };
        let behind = &line[time..];
        let severity = self.severities.end_in(behind).map(|end| self.rank_at(&behind[..end]));
        Seen { time, severity }
    }

    /// No word holds a space and each stands behind one, so only one of them can end here.
    fn rank_at(&self, matched: &[u8]) -> usize {
        let start = memchr::memrchr(b' ', matched).map_or(0, |at| at + 1);
        let word = &matched[start..];
        self.words.iter().position(|known| known == word).unwrap_or(0)
    }
}

/// Matches at the very beginning, and where no word goes on.
struct Prefix {
    automaton: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Prefix {
    fn new(pattern: Hir) -> Result<Self, String> {
        // Python's (?!\w) over bytes.
        let pattern = Hir::concat(vec![pattern, Hir::look(Look::WordEndHalfAscii)]);
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false))
            .build_from_hir(&pattern)
            .map_err(|error| error.to_string())?;
        let config = dense::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .start_kind(StartKind::Anchored)
            .accelerate(false)
            .dfa_size_limit(Some(LARGEST_AUTOMATON))
            .determinize_size_limit(Some(LARGEST_AUTOMATON));
        let automaton = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&nfa)
            .map_err(|error| format!("the table of formats is too large: {error}"))?;
        let start = automaton
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| error.to_string())?;
        Ok(Self { automaton, start })
    }

    /// Where the match ends. A state tells of a match one byte late, or at the text's end.
    fn end_in(&self, text: &[u8]) -> Option<usize> {
        let mut state = self.start;
        let mut end = None;
        for (at, &byte) in text.iter().enumerate() {
            state = self.automaton.next_state(state, byte);
            if self.automaton.is_special_state(state) {
                if self.automaton.is_match_state(state) {
                    end = Some(at);
                } else {
                    return end; // dead: there are no other special states in this automaton
                }
            }
        }
        let state = self.automaton.next_eoi_state(state);
        if self.automaton.is_match_state(state) { Some(text.len()) } else { end }
    }
}

fn is_word(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_alphanumeric)
}

fn longest_match(hir: &Hir) -> usize {
    hir.properties().maximum_len().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(times: &[&[u8]], leads: &[&[u8]]) -> Result<Formats, String> {
        Formats::new(times, leads, &[b"NONE", b"INFO", b"ERROR"])
    }

    #[test]
    fn the_first_alternative_wins_not_the_longest_nor_the_lowest() {
        let formats = formats(&[br"\d", br"\d\d"], &[b"", b" ERROR x:"]).unwrap();
        assert_eq!(formats.seen_in(b"1 ERROR x: INFO").severity, Some(2));
        assert_eq!(formats.seen_in(b"1 ERROR x: ERRORS").severity, Some(2));
        assert_eq!(formats.seen_in(b"1 ERRORS x: INFO").severity, None);
        assert_eq!(formats.seen_in(b"12 INFO").time, 2);
        assert_eq!(formats.seen_in(b"123 INFO").time, 0);
    }

    #[test]
    fn what_is_behind_the_reach_changes_nothing() {
        let formats = formats(&[br"\d{1,3}"], &[br"(?: \S{1,9})?"]).unwrap();
        let line = b"123 123456789 ERROR and more";
        assert_eq!(formats.reach, 3 + 10 + 6 + 1);
        assert_eq!(formats.seen_in(line).severity, Some(2));
        assert_eq!(formats.seen_in(&line[..formats.reach]).severity, Some(2));
    }

    #[test]
    fn a_time_that_escaping_would_change_is_refused() {
        assert!(formats(&[br"[\d<]"], &[b""]).is_err());
        assert!(formats(&[br"\d"], &[b"<"]).is_ok());
    }
}
