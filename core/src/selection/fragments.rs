// SPDX-License-Identifier: Apache-2.0
//! The fragments of lines that are brought in.

use crate::lines::after_lines;
use crate::recognition::recognise::Seen;
use crate::views::html::put_anchor;

/// A selection's `show`.
pub struct Fragments {
    /// First and last numbers of lines, sorted; none touches another.
    ranges: Vec<(u64, u64)>,
    pub anchors: Vec<Vec<u8>>,
}

impl Fragments {
    /// shown: ranges of numbers. fragments: anchors, such as `_2013-09-27_18_22_11`, and others.
    pub fn new(mut shown: Vec<(u64, u64)>, mut fragments: Vec<Vec<u8>>) -> Self {
        fragments.retain(|fragment| !fragment.starts_with(b"L"));
        shown.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (first, last) in shown {
            match ranges.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => ranges.push((first, last)),
            }
        }
        Self { ranges, anchors: fragments }
    }

    /// True if one of them leads to the line.
    pub fn lead_to(&self, number: u64, text: &[u8], seen: &Seen) -> bool {
        if self.range_from(number).is_some_and(|(first, _)| first <= number) {
            return true;
        }
        if self.anchors.is_empty() || seen.time.is_empty() {
            return false;
        }
        let mut anchor = Vec::new();
        put_anchor(&seen.time_of(text), &mut anchor);
        self.anchors.contains(&anchor)
    }

    /// The beginning of the next line whose number is among them, or the block's end. number: of
    /// the line at `at`.
    pub fn next_in(&self, block: &[u8], at: usize, number: u64) -> usize {
        match self.range_from(number) {
            Some((first, _)) => after_lines(block, at, first.saturating_sub(number)),
            None => block.len(),
        }
    }

    /// True if no line is brought in.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.anchors.is_empty()
    }

    /// True if a line from `first` on and before `end` is named by its number.
    pub fn is_any_in(&self, first: u64, end: u64) -> bool {
        self.range_from(first).is_some_and(|(begin, _)| begin < end)
    }

    /// The first range that does not end before a number.
    fn range_from(&self, number: u64) -> Option<(u64, u64)> {
        self.ranges.get(self.ranges.partition_point(|range| range.1 < number)).copied()
    }
}
