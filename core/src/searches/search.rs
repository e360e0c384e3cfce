// SPDX-License-Identifier: Apache-2.0
//! Searches of lines, for patterns that `oslogserve/search.py` has rewritten.
//!
//! A whole block is searched at once, not a line at a time, so a pattern is first held to one
//! line: it matches no newline, and its text begins and ends where a line does. A text that all
//! matches hold, the needle, is searched for first: a pattern that begins with a class takes 17 times
//! as long without.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use memchr::{memchr, memmem};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::util::start;
use regex_automata::{Anchored, Input, MatchKind, PatternSet};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
};

use crate::faults::{TOO_LARGE, in_words};
use crate::index::contents::Required;
use crate::lines::line_start;
use crate::searches::required::required_by;

/// States of all searches in a query. Each may cost a step for each byte of a log, some 3 ns.
pub const MOST_STATES: usize = 7000;
/// Matches of a search that are marked in a line.
pub const MOST_MATCHES: usize = 100;
/// Bytes of a compiled pattern: a thousand characters can need gigabytes. MOST_STATES bounds those of a query
/// more closely.
const LARGEST_PROGRAM: usize = 4 * 1024 * 1024;
/// Bytes of all patterns that are tried together.
const LARGEST_TOGETHER: usize = 64 * 1024 * 1024;

/// Bytes of the table by which is found out whether a pattern can match.
const LARGEST_DENSE: usize = 1024 * 1024;

/// Shorter text stands in too many lines to be searched for first.
const SHORTEST_NEEDLE: usize = 4;

/// The last patterns stay compiled: a question about a job has the same ones for each of its logs.
const MOST_COMPILED: usize = 4;
static COMPILED: Mutex<Vec<(String, Search)>> = Mutex::new(Vec::new());

/// How patterns read what is no UTF-8, and where a line ends.
#[derive(Clone, Copy, PartialEq)]
pub enum Reading {
    /// As RE2, whose syntax a query has.
    AsRe2,
    /// For what must not be missed. A class of all characters beyond ASCII also matches bytes that are no
    /// UTF-8, each as a character. A carriage return ends a line, too.
    AnyBytes,
}

/// A pattern and where it was last found in a block.
#[derive(Clone)]
pub struct Search {
    regex: Regex,
    /// The states of its automaton.
    pub states: usize,
    /// A text that all matches hold behind their beginning; the engine itself searches for that.
    needle: Option<memmem::Finder<'static>>,
    /// What all lines hold that match.
    pub required: Required,
    /// The end of the next match; None where the block has no more.
    next: Option<usize>,
}

impl Search {
    /// The search for a pattern, which may be compiled already. Errors: as of new().
    pub fn of(pattern: &str) -> Result<Self, String> {
        let compiled = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, search)) = compiled().iter().find(|(known, _)| known == pattern) {
            return Ok(search.clone());
        }
        let search = Self::new(pattern, Reading::AsRe2)?;
        let mut compiled = compiled();
        compiled.truncate(MOST_COMPILED - 1);
        compiled.insert(0, (pattern.to_owned(), search.clone()));
        Ok(search)
    }

    /// Errors: what is wrong with the pattern, in a sentence.
    pub fn new(pattern: &str, reading: Reading) -> Result<Self, String> {
        let hir = parsed(pattern, reading)?;
        let config = Regex::config().utf8_empty(false).nfa_size_limit(Some(LARGEST_PROGRAM));
        let built = Regex::builder().configure(config).build_from_hir(&hir);
        let regex = built.map_err(|_| TOO_LARGE)?;
        let needle = needle_of(&hir).map(|needle| memmem::Finder::new(&needle).into_owned());
        let states = states_of(&hir)?;
        Ok(Self { regex, states, needle, required: required_by(&hir), next: Some(0) })
    }

    /// Begins another block.
    pub fn begin(&mut self) {
        self.next = Some(0);
    }

    /// The end of the first match that is not before `from`, which grows from call to call.
    pub fn next_in(&mut self, block: &[u8], from: usize) -> Option<usize> {
        if self.next.is_some_and(|next| next <= from) {
            self.next = match &self.needle {
                Some(needle) => self.next_around(needle, block, from),
                None => self.next_match(block, from..block.len()),
            };
        }
        self.next
    }

    fn next_match(&self, block: &[u8], range: Range<usize>) -> Option<usize> {
        self.regex.search_half(&Input::new(block).range(range)).map(|found| found.offset())
    }

    /// The next match, searched for in the lines that hold the needle.
    fn next_around(
        &self,
        needle: &memmem::Finder<'_>,
        block: &[u8],
        mut from: usize,
    ) -> Option<usize> {
        while let Some(found) = needle.find(&block[from..]) {
            let at = from + found;
            let start = line_start(block, from, at);
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |behind| at + behind);
            let found = self.next_match(block, start..end);
            if found.is_some() || end == block.len() {
                return found;
            }
            from = end + 1;
        }
        None
    }

    /// True if a line matches.
    pub fn is_in(&self, line: &[u8]) -> bool {
        self.regex.is_match(line)
    }

    /// Adds the places of the first matches in a line, so many at most.
    pub fn matches_in(&self, line: &[u8], most: usize, matches: &mut Vec<Range<usize>>) {
        let mut at = 0;
        for _ in 0..most {
            if at > line.len() {
                return;
            }
            let Some(found) = self.regex.search(&Input::new(line).range(at..)) else {
                return;
            };
            if found.is_empty() {
                at = found.end() + 1;
            } else {
                matches.push(found.range());
                at = found.end();
            }
        }
    }
}

/// Patterns that are tried on a line together, in one pass.
pub struct Several {
    regex: Regex,
}

impl Several {
    /// Errors: what is wrong with a pattern, in a sentence.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let parsed: Result<Vec<_>, _> =
            patterns.iter().map(|one| parsed(one, Reading::AsRe2)).collect();
        let config = Regex::config()
            .utf8_empty(false)
            .match_kind(MatchKind::All)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(LARGEST_TOGETHER));
        let built = Regex::builder().configure(config).build_many_from_hir(&parsed?);
        Ok(Self { regex: built.map_err(|_| TOO_LARGE)? })
    }

    /// The places of the patterns that match, in their order.
    pub fn hits(&self, line: &[u8]) -> Vec<usize> {
        let mut found = PatternSet::new(self.regex.pattern_len());
        self.regex.which_overlapping_matches(&Input::new(line), &mut found);
        found.iter().map(|pattern| pattern.as_usize()).collect()
    }
}

/// True unless no line has a match of the pattern that is not empty. Errors: as of Search::new().
pub fn can_match(pattern: &str, reading: Reading) -> Result<bool, String> {
    let hir = parsed(pattern, reading)?;
    if hir.properties().maximum_len() == Some(0) {
        return Ok(false);
    }
    let config = NFA::config().utf8(false).nfa_size_limit(Some(LARGEST_PROGRAM));
    let nfa = NFA::compiler().configure(config).build_from_hir(&hir).map_err(|_| TOO_LARGE)?;
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(LARGEST_DENSE))
        .determinize_size_limit(Some(LARGEST_DENSE));
    let Ok(automaton) = dense::Builder::new().configure(config).build_from_nfa(&nfa) else {
        return Ok(true); // nobody knows
    };
    // A letter, a blank and both ends of lines stand for all that can be before a match.
    let before = [None, Some(b'a'), Some(b' '), Some(b'\n'), Some(b'\r')];
    let start = |byte| {
        let config = start::Config::new().anchored(Anchored::Yes).look_behind(byte);
        automaton.start_state(&config).ok()
    };
    let mut states: Vec<_> = before.into_iter().filter_map(start).collect();
    let mut known: HashSet<_> = states.iter().copied().collect();
    while let Some(state) = states.pop() {
        if automaton.is_match_state(state) {
            return Ok(true);
        }
        let behind = (0..=u8::MAX).map(|byte| automaton.next_state(state, byte));
        let behind = behind.chain([automaton.next_eoi_state(state)]);
        states.extend(behind.filter(|&next| known.insert(next)));
    }
    Ok(false)
}

/// The states of a pattern's automaton. Errors: what is wrong with the pattern, in a sentence.
pub fn state_count(pattern: &str) -> Result<usize, String> {
    states_of(&parsed(pattern, Reading::AsRe2)?)
}

fn states_of(hir: &Hir) -> Result<usize, String> {
    let config = NFA::config().utf8(false).nfa_size_limit(Some(LARGEST_PROGRAM));
    let built = NFA::compiler().configure(config).build_from_hir(hir);
    Ok(built.map_err(|_| TOO_LARGE)?.states().len())
}

fn parsed(pattern: &str, reading: Reading) -> Result<Hir, String> {
    let parsed = ParserBuilder::new().utf8(false).build().parse(pattern);
    parsed.map(|hir| within_a_line(hir, reading)).map_err(|error| in_words(&error))
}

/// The pattern with its matches held to one line.
fn within_a_line(hir: Hir, reading: Reading) -> Hir {
    let each =
        |parts: Vec<Hir>| parts.into_iter().map(|part| within_a_line(part, reading)).collect();
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            class_of(class, reading)
        }
        HirKind::Class(bytes) => Hir::class(bytes),
        HirKind::Look(look) => look_of(look, reading),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(within_a_line(*repetition.sub, reading));
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => within_a_line(*capture.sub, reading),
        HirKind::Concat(parts) => Hir::concat(each(parts)),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)),
    }
}

/// What looks around, of a line instead of a text.
fn look_of(look: Look, reading: Reading) -> Hir {
    match (look, reading) {
        (Look::Start | Look::StartLF, Reading::AnyBytes) => Hir::look(Look::StartCRLF),
        // The latter alone is not between a carriage return and a line feed.
        (Look::End | Look::EndLF, Reading::AnyBytes) => {
            Hir::alternation(vec![Hir::look(Look::EndLF), Hir::look(Look::EndCRLF)])
        }
        (Look::Start, _) => Hir::look(Look::StartLF),
        (Look::End, _) => Hir::look(Look::EndLF),
        // As in RE2, whose syntax a pattern has.
        (Look::WordUnicode, _) => Hir::look(Look::WordAscii),
        (Look::WordUnicodeNegate, _) => Hir::look(Look::WordAsciiNegate),
        (other, _) => Hir::look(other),
    }
}

/// The longest text that all matches hold, unless they begin with it.
fn needle_of(hir: &Hir) -> Option<Vec<u8>> {
    let HirKind::Concat(parts) = hir.kind() else {
        return None;
    };
    let mut longest: Option<(usize, &[u8])> = None;
    for (place, part) in parts.iter().enumerate() {
        let shortest = longest.map_or(0, |(_, other)| other.len() + 1);
        if let Some(text) = text_in(part).filter(|text| text.len() >= shortest) {
            longest = Some((place, text));
        }
    }
    let (place, text) = longest?;
    (place > 0 && text.len() >= SHORTEST_NEEDLE).then(|| text.to_vec())
}

/// The longest text that all matches of a subpattern hold.
fn text_in(hir: &Hir) -> Option<&[u8]> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(&literal.0),
        HirKind::Repetition(repetition) if repetition.min > 0 => text_in(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(text_in).max_by_key(|text| text.len()),
        _ => None,
    }
}

/// Continuation bytes of UTF-8.
const NEXT: (u8, u8) = (0x80, 0xbf);

/// A class as RE2 reads it, which is more lenient with what is no UTF-8: all beyond ASCII is any
/// bytes of that shape, and a class that reaches over the surrogates holds them.
fn class_of(class: ClassUnicode, reading: Reading) -> Hir {
    let holds = |first, last| {
        class.ranges().iter().any(|range| range.start() <= first && last <= range.end())
    };
    if holds('\u{80}', char::MAX) {
        let mut ascii = class.clone();
        ascii.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
        let mut kinds = vec![
            Hir::class(Class::Unicode(ascii)),
            sequence(&[(0xc2, 0xdf), NEXT]),
            sequence(&[(0xe0, 0xef), NEXT, NEXT]),
            sequence(&[(0xf0, 0xf4), NEXT, NEXT, NEXT]),
        ];
        if reading == Reading::AnyBytes {
            kinds.push(sequence(&[(0x80, 0xff)]));
        }
        Hir::alternation(kinds)
    } else if holds('\u{d7ff}', '\u{e000}') {
        let surrogates = sequence(&[(0xed, 0xed), (0xa0, 0xbf), NEXT]);
        Hir::alternation(vec![Hir::class(Class::Unicode(class)), surrogates])
    } else {
        Hir::class(Class::Unicode(class))
    }
}

fn sequence(bytes: &[(u8, u8)]) -> Hir {
    let class = |&(first, last)| ClassBytes::new([ClassBytesRange::new(first, last)]);
    Hir::concat(bytes.iter().map(|range| Hir::class(Class::Bytes(class(range)))).collect())
}
