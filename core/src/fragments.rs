// SPDX-License-Identifier: Apache-2.0
//! The fragments of lines that are brought in.

use crate::anchor::put_anchor;
use crate::ansi;
use crate::lines::after_lines;
use crate::recognise::Seen;

/// A selection's `show`.
pub struct Fragments {
    /// First and last numbers of lines, sorted; none touches another.
    ranges: Vec<(u64, u64)>,
    anchors: Vec<Vec<u8>>,
}

impl Fragments {
    /// fragments: such as `L17`, `L17-L20` and `_2013-09-27_18_22_11`.
    pub fn new(fragments: Vec<Vec<u8>>) -> Self {
        let (lines, anchors): (Vec<_>, Vec<_>) =
            fragments.into_iter().partition(|fragment| fragment.starts_with(b"L"));
        let mut sorted: Vec<(u64, u64)> = lines.iter().filter_map(|line| range(line)).collect();
        sorted.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (first, last) in sorted {
            match ranges.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => ranges.push((first, last)),
            }
        }
        Self { ranges, anchors }
    }

    /// True if lines are brought in by their times.
    pub fn have_anchors(&self) -> bool {
        !self.anchors.is_empty()
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
        put_anchor(&ansi::without(&text[seen.time.clone()]), &mut anchor);
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

    /// The first range that does not end before a number.
    fn range_from(&self, number: u64) -> Option<(u64, u64)> {
        self.ranges.get(self.ranges.partition_point(|range| range.1 < number)).copied()
    }
}

/// The numbers that a fragment such as `L17-L20` names.
fn range(fragment: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(fragment);
    let mut numbers = text.split('-').map(|line| line.trim_start_matches('L').parse::<u64>());
    let first = numbers.next()?.ok()?;
    let last = numbers.next().map_or(Some(first), Result::ok)?;
    Some((first.min(last), first.max(last)))
}
