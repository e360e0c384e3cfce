// SPDX-License-Identifier: Apache-2.0
//! Replaces secrets in a text that comes in pieces: values byte for byte, and matches of patterns.
//!
//! What is written does not depend on where the pieces end, for lines up to `WINDOW`. A value has no
//! line feed, and a match stays in its line. So without patterns, only a beginning of a value at the
//! end of what was fed is held back; with patterns, the line that has not ended.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::{memchr, memrchr};

use crate::faults::TOO_LARGE;
use crate::searches::search::{Reading, Search};

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
    values: Vec<Vec<u8>>,
    finder: AhoCorasick,
    patterns: Vec<Search>,
}

impl Masks {
    /// Errors: what is wrong with a value, the patterns or all values together, without any of them.
    pub fn new(values: Vec<Vec<u8>>, patterns: &[String]) -> Result<Self, String> {
        for (number, value) in (1..).zip(&values) {
            if !(SHORTEST_VALUE..=LONGEST_VALUE).contains(&value.len()) || value.contains(&b'\n') {
                return Err(format!(
                    "value {number}: it has {SHORTEST_VALUE} to {LONGEST_VALUE} bytes and no line feed"
                ));
            }
        }
        let is_small = values.iter().map(Vec::len).sum::<usize>() <= LARGEST_TABLE;
        let kind = (!is_small).then_some(AhoCorasickKind::ContiguousNFA);
        let finder = AhoCorasick::builder().kind(kind).build(&values).map_err(|_| TOO_LARGE)?;
        let search = |one: &String| Search::new(one, Reading::AnyBytes);
        let patterns = patterns.iter().map(search).collect::<Result<_, _>>()?;
        Ok(Self { values, finder, patterns })
    }

    /// The places of values and matches that begin before `limit`, by their beginnings.
    fn found_in(&self, block: &[u8], limit: usize, counts: &mut [u64]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for value in self.finder.find_overlapping_iter(block) {
            if value.start() < limit {
                counts[value.pattern().as_usize()] += 1;
                found.push(value.range());
            }
        }
        for (number, pattern) in self.patterns.iter().enumerate() {
            let before = found.len();
            pattern.matches_in(block, usize::MAX, &mut found);
            while found.len() > before && found[found.len() - 1].start >= limit {
                found.pop();
            }
            counts[self.values.len() + number] += (found.len() - before) as u64;
        }
        found.sort_unstable_by_key(|range| range.start);
        found
    }

    /// The value of which the most bytes, but not all, are the end of a text; and that many.
    fn begun_at_end(&self, text: &[u8]) -> Option<(usize, usize)> {
        let begun = |(number, value): (usize, &Vec<u8>)| {
            let most = text.len().min(value.len() - 1);
            let size = (1..=most).rev().find(|&size| text.ends_with(&value[..size]))?;
            Some((size, number))
        };
        self.values.iter().enumerate().filter_map(begun).max().map(|(size, number)| (number, size))
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
    /// How many times each value and then each pattern was found.
    pub counts: Vec<u64>,
}

impl Masking {
    pub fn new(masks: &Masks) -> Self {
        let counts = vec![0; masks.values.len() + masks.patterns.len()];
        Self { held: Vec::new(), covered: 0, hides_line: false, counts }
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
            let begun = masks.begun_at_end(&self.held[lines..]).map_or(0, |(_, size)| size);
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
        let begun = masks.begun_at_end(&self.held).filter(|(_, size)| *size >= SHORTEST_VALUE);
        if let Some((number, size)) = begun {
            let start = end - size;
            let holds_it = |one: &Range<usize>| one.start <= start && one.end == end;
            if self.covered < end && !found.iter().any(holds_it) {
                self.counts[number] += 1;
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
