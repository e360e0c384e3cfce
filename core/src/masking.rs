// SPDX-License-Identifier: Apache-2.0
//! Replaces secrets in a text that comes in pieces: values byte for byte, and matches of patterns.
//!
//! What is written does not depend on where the pieces end, for lines up to `WINDOW`. A value has no
//! line feed, and a match stays in its line. So without patterns, only a beginning of a value at the
//! end of what was fed is held back; with patterns, the line that has not ended.
//!
//! The time is linear in the text, however many values begin or end alike: of the values that end at
//! one byte only the longest is looked at, since it covers and counts the others.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::automaton::{Automaton, Candidate, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, Span};
use memchr::{memchr, memrchr};

use crate::faults::TOO_LARGE;
use crate::searches::search::{Reading, Search, can_match};

/// What each value and match becomes. Always the same, so that its length tells nothing.
const MARK: &[u8] = b"***";
/// Bytes of an unfinished line that patterns are tried on before its end is there.
pub const WINDOW: usize = 1024 * 1024;
/// Bytes at the end of such a window that are searched again with what follows. A longer match that
/// reaches the window's end hides the rest of its line.
pub const OVERLAP: usize = 64 * 1024;
/// Bytes of all values for which a table is made, of up to a kilobyte for each; it is faster.
const LARGEST_TABLE: usize = 64 * 1024;
/// Bytes of a value. Shorter ones would be found everywhere; a longer one would not fit the overlap.
pub const SHORTEST_VALUE: usize = 4;
pub const LONGEST_VALUE: usize = 32 * 1024;

/// What is replaced.
pub struct Masks {
    finder: Finder,
    patterns: Vec<Search>,
}

/// A value of which only the beginning is there, and the bytes of that, by the state.
type Begun = HashMap<StateID, (usize, usize)>;

/// Finds values. Each state stands for the longest beginning of a value that is the end of the text so far.
struct Finder {
    automaton: Kind,
    sizes: Vec<usize>,
    /// Of each value, the next longest one that is its end.
    shorter: Vec<Option<usize>>,
    begun: Begun,
}

enum Kind {
    Table(DFA),
    Links(NFA),
}

impl Finder {
    fn new(values: &[Vec<u8>]) -> Result<Self, String> {
        let is_small = values.iter().map(Vec::len).sum::<usize>() <= LARGEST_TABLE;
        let built = if is_small {
            DFA::new(values).map(Kind::Table)
        } else {
            NFA::new(values).map(Kind::Links)
        };
        let automaton = built.map_err(|_| TOO_LARGE)?;
        let sizes = values.iter().map(Vec::len).collect();
        let mut finder = Self { automaton, sizes, shorter: Vec::new(), begun: Begun::new() };
        match &finder.automaton {
            Kind::Table(automaton) => {
                (finder.shorter, finder.begun) = states_of(automaton, values);
            }
            Kind::Links(automaton) => {
                (finder.shorter, finder.begun) = states_of(automaton, values);
            }
        }
        Ok(finder)
    }

    /// Adds the places of values that begin before `limit`, of those that end at one byte the longest. longest:
    /// counts these; a value that ends there too and begins behind the limit counts once less.
    fn find(&self, block: &[u8], limit: usize, longest: &mut [i64], found: &mut Vec<Range<usize>>) {
        match &self.automaton {
            Kind::Table(automaton) => find_by(automaton, block, limit, longest, found),
            Kind::Links(automaton) => find_by(automaton, block, limit, longest, found),
        }
    }

    /// The value of which the most bytes, but not all, are the end of a text; and that many.
    fn begun_at_end(&self, text: &[u8]) -> Option<(usize, usize)> {
        let most = self.sizes.iter().max()? - 1;
        let mut rest = &text[text.len().saturating_sub(most)..];
        loop {
            let (state, value) = match &self.automaton {
                Kind::Table(automaton) => state_behind(automaton, rest),
                Kind::Links(automaton) => state_behind(automaton, rest),
            };
            if let Some(&begun) = self.begun.get(&state) {
                return Some(begun);
            }
            // A whole value, with which no longer one begins: what begins in it may go on.
            rest = &rest[rest.len() + 1 - self.sizes[value?]..];
        }
    }

    /// How many times each value was found.
    fn counts(&self, longest: &[i64]) -> Vec<u64> {
        let mut counts = longest.to_vec();
        let mut values: Vec<usize> = (0..self.sizes.len()).collect();
        values.sort_by_key(|&value| std::cmp::Reverse(self.sizes[value]));
        for value in values {
            if let Some(shorter) = self.shorter[value] {
                counts[shorter] += counts[value];
            }
        }
        counts.into_iter().map(|count| u64::try_from(count).unwrap_or(0)).collect()
    }
}

fn start_of(automaton: &impl Automaton) -> StateID {
    automaton.start_state(Anchored::No).expect("it is unanchored")
}

/// `shorter` and `begun` of a Finder.
fn states_of(automaton: &impl Automaton, values: &[Vec<u8>]) -> (Vec<Option<usize>>, Begun) {
    let mut begun = Begun::new();
    let mut shorter = Vec::with_capacity(values.len());
    for (number, value) in values.iter().enumerate() {
        let mut state = start_of(automaton);
        for (size, &byte) in (1..).zip(value) {
            state = automaton.next_state(Anchored::No, state, byte);
            if size < value.len() {
                begun.insert(state, (number, size));
            }
        }
        let mut ending =
            (0..automaton.match_len(state)).map(|at| automaton.match_pattern(state, at).as_usize());
        ending.find(|&one| one == number);
        shorter.push(ending.next());
    }
    (shorter, begun)
}

/// The state behind a text, and the longest value that ends there.
fn state_behind(automaton: &impl Automaton, text: &[u8]) -> (StateID, Option<usize>) {
    let next = |state, &byte: &u8| automaton.next_state(Anchored::No, state, byte);
    let state = text.iter().fold(start_of(automaton), next);
    let value = automaton.is_match(state).then(|| automaton.match_pattern(state, 0).as_usize());
    (state, value)
}

/// See Finder.
fn find_by(
    automaton: &impl Automaton,
    block: &[u8],
    limit: usize,
    longest: &mut [i64],
    found: &mut Vec<Range<usize>>,
) {
    let mut state = start_of(automaton);
    let mut at = 0;
    while at < block.len() {
        let prefilter = if automaton.is_start(state) { automaton.prefilter() } else { None };
        if let Some(prefilter) = prefilter {
            let span = Span::from(at..block.len());
            match prefilter.find_in(block, span) {
                Candidate::None => return,
                Candidate::Match(found) => at = found.start(),
                Candidate::PossibleStartOfMatch(start) => at = start,
            }
        }
        state = automaton.next_state(Anchored::No, state, block[at]);
        at += 1;
        if !automaton.is_special(state) || !automaton.is_match(state) {
            continue;
        }
        let value = |place| automaton.match_pattern(state, place);
        let begin = |place| at - automaton.pattern_len(value(place));
        if begin(0) >= limit {
            continue;
        }
        found.push(begin(0)..at);
        longest[value(0).as_usize()] += 1;
        let (mut low, mut high) = (1, automaton.match_len(state));
        let last = high;
        while low < high {
            let middle = usize::midpoint(low, high);
            if begin(middle) < limit { low = middle + 1 } else { high = middle }
        }
        if low < last {
            longest[value(low).as_usize()] -= 1;
        }
    }
}

impl Masks {
    /// Errors: what is wrong with a value, the patterns or all values together, without any of them.
    pub fn new(values: &[Vec<u8>], patterns: &[String]) -> Result<Self, String> {
        for (number, value) in (1..).zip(values) {
            if !(SHORTEST_VALUE..=LONGEST_VALUE).contains(&value.len()) || value.contains(&b'\n') {
                return Err(format!(
                    "value {number}: it has {SHORTEST_VALUE} to {LONGEST_VALUE} bytes and no line feed"
                ));
            }
        }
        let finder = Finder::new(values)?;
        let search = |one: &String| {
            if can_match(one, Reading::AnyBytes)? {
                Search::new(one, Reading::AnyBytes)
            } else {
                Err("a pattern matches nothing in any line".to_owned())
            }
        };
        let patterns = patterns.iter().map(search).collect::<Result<_, _>>()?;
        Ok(Self { finder, patterns })
    }

    /// The places of values and matches that begin before `limit`, by their beginnings.
    fn found_in(&self, block: &[u8], limit: usize, counts: &mut Counts) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.finder.find(block, limit, &mut counts.longest, &mut found);
        for (number, pattern) in self.patterns.iter().enumerate() {
            let before = found.len();
            pattern.matches_in(block, usize::MAX, &mut found);
            while found.len() > before && found[found.len() - 1].start >= limit {
                found.pop();
            }
            counts.patterns[number] += (found.len() - before) as u64;
        }
        found.sort_unstable_by_key(|range| range.start);
        found
    }
}

/// A text that is being masked.
pub struct Masking {
    /// What was fed and is not written yet.
    held: Vec<u8>,
    /// So many bytes of it belong to a mark that is written.
    covered: usize,
    /// True while a mark hides the rest of a line.
    hides_line: bool,
    counts: Counts,
}

/// How many times something was found.
struct Counts {
    /// Each value, as the longest one that ends somewhere.
    longest: Vec<i64>,
    /// Each value, as one that was cut.
    cut: Vec<u64>,
    patterns: Vec<u64>,
}

impl Masking {
    pub fn new(masks: &Masks) -> Self {
        let values = masks.finder.sizes.len();
        let patterns = vec![0; masks.patterns.len()];
        let counts = Counts { longest: vec![0; values], cut: vec![0; values], patterns };
        Self { held: Vec::new(), covered: 0, hides_line: false, counts }
    }

    /// How many times each value and then each pattern was found.
    pub fn counts(&self, masks: &Masks) -> Vec<u64> {
        let whole = masks.finder.counts(&self.counts.longest);
        let values = whole.iter().zip(&self.counts.cut).map(|(whole, cut)| whole + cut);
        values.chain(self.counts.patterns.iter().copied()).collect()
    }

    /// What can be written once this piece is there.
    pub fn feed(&mut self, masks: &Masks, mut piece: &[u8]) -> Vec<u8> {
        if self.hides_line {
            let Some(end) = memchr(b'\n', piece) else {
                return Vec::new();
            };
            piece = &piece[end..];
            self.hides_line = false;
        }
        let lines = memrchr(b'\n', piece).map_or(0, |at| self.held.len() + at + 1);
        self.held.extend_from_slice(piece);
        let size = self.held.len();
        if masks.patterns.is_empty() {
            let begun = masks.finder.begun_at_end(&self.held[lines..]).map_or(0, |(_, size)| size);
            self.write(masks, size, size - begun)
        } else if size - lines >= WINDOW {
            let masked = self.write(masks, size, size - OVERLAP);
            self.hides_line = self.covered == OVERLAP;
            if self.hides_line {
                self.held.clear();
                self.covered = 0;
            }
            masked
        } else if lines > 0 {
            self.write(masks, lines, lines)
        } else {
            Vec::new()
        }
    }

    /// The rest. A beginning of a value at its end is masked too: the text may have been cut.
    pub fn finish(&mut self, masks: &Masks) -> Vec<u8> {
        let end = self.held.len();
        let mut found = masks.found_in(&self.held, end, &mut self.counts);
        let begun =
            masks.finder.begun_at_end(&self.held).filter(|(_, size)| *size >= SHORTEST_VALUE);
        if let Some((number, size)) = begun {
            let start = end - size;
            let holds_it = |one: &Range<usize>| one.start <= start && one.end == end;
            if self.covered < end && !found.iter().any(holds_it) {
                self.counts.cut[number] += 1;
                let place = found.partition_point(|one| one.start <= start);
                found.insert(place, start..end);
            }
        }
        self.masked(&found, end)
    }

    /// The masked text up to `limit`, which is held no longer. searched: bytes whose matches count.
    fn write(&mut self, masks: &Masks, searched: usize, limit: usize) -> Vec<u8> {
        let found = masks.found_in(&self.held[..searched], limit, &mut self.counts);
        self.masked(&found, limit)
    }

    /// The text up to `limit` with these places masked, in their order. It is held no longer.
    fn masked(&mut self, found: &[Range<usize>], limit: usize) -> Vec<u8> {
        let mut masked = Vec::with_capacity(limit);
        let mut end = self.covered;
        for range in found {
            if range.start >= end {
                masked.extend_from_slice(&self.held[end..range.start]);
                masked.extend_from_slice(MARK);
            }
            end = end.max(range.end);
        }
        masked.extend_from_slice(&self.held[end.min(limit)..limit]);
        self.covered = end.saturating_sub(limit);
        self.held.drain(..limit);
        masked
    }
}
