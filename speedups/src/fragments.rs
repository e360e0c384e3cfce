// SPDX-License-Identifier: Apache-2.0
//! The fragments of lines that are brought in.

use crate::anchor::anchor_of;
use crate::ansi;
use crate::lines::after_lines;
use crate::recognise::Seen;

/// A selection's `show`.
pub struct Fragments {
    /// Sorted numbers of lines.
    numbers: Vec<u64>,
    anchors: Vec<Vec<u8>>,
}

impl Fragments {
    /// fragments: such as `L17` and `_2013-09-27_18_22_11`.
    pub fn new(fragments: Vec<Vec<u8>>) -> Self {
        let (lines, anchors): (Vec<_>, Vec<_>) =
            fragments.into_iter().partition(|fragment| fragment.starts_with(b"L"));
        let number = |line: Vec<u8>| String::from_utf8_lossy(&line[1..]).parse().ok();
        let mut numbers: Vec<u64> = lines.into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        Self { numbers, anchors }
    }

    /// True if lines are brought in by their times.
    pub fn have_anchors(&self) -> bool {
        !self.anchors.is_empty()
    }

    /// True if one of them leads to the line.
    pub fn lead_to(&self, number: u64, text: &[u8], seen: &Seen) -> bool {
        if self.numbers.binary_search(&number).is_ok() {
            return true;
        }
        if self.anchors.is_empty() || seen.time.is_empty() {
            return false;
        }
        self.anchors.contains(&anchor_of(&ansi::without(&text[seen.time.clone()])))
    }

    /// The beginning of the next line whose number is among them, or the block's end. number: of
    /// the line at `at`.
    pub fn next_in(&self, block: &[u8], at: usize, number: u64) -> usize {
        let next = self.numbers.partition_point(|&line| line < number);
        let line = self.numbers.get(next);
        line.map_or(block.len(), |line| after_lines(block, at, line - number))
    }
}
