// SPDX-License-Identifier: Apache-2.0
//! Lines that cannot be shown, which a selector skips unread.

use super::Selector;
use crate::lines::{after_lines, count_lines, lines_before};
use crate::selection::Selection;

impl Selector {
    /// The beginning of the next line that may be shown, as far as this is quickly found out.
    pub(super) fn skip(&mut self, block: &[u8], at: usize) -> usize {
        if self.number <= self.context_end
            || self.times.are_wanted
            || !self.fragments.anchors.is_empty()
            || block.len() > self.longest
            || self.candidates.contains(&at)
        {
            return at;
        }
        let next = if self.is_behind_window() {
            block.len()
        } else if self.number < self.selection.first {
            after_lines(block, at, self.selection.first - self.number)
        } else if !self.filter.searches.is_empty() {
            let hit = self.filter.next_candidate(block, at);
            self.skip_to(block, at, hit, self.selection.context.unwrap_or(0))
        } else if self.takes_all() {
            self.skip_to(block, at, block.len(), self.selection.tail.unwrap_or(0))
        } else {
            return at;
        };
        next.min(self.fragments.next_in(block, at, self.number))
    }

    /// The beginning of the line that is so many lines before `end`.
    fn skip_to(&mut self, block: &[u8], at: usize, end: usize, lines: usize) -> usize {
        self.candidates = lines_before(block, at, end, lines)..end;
        self.candidates.start
    }

    /// True if each line from here on is a hit that is not compared, and the tail is shown.
    fn takes_all(&self) -> bool {
        let Selection { first, last, tail, after, .. } = self.selection;
        tail.is_some()
            && last.is_none()
            && self.number >= first
            && self.number > after
            && self.filter.floor.is_none()
            && self.filter.is_by_rank()
            && !self.inherited.wants_time
    }

    pub(super) fn skipped(&mut self, lines: &[u8]) {
        let size = count_lines(lines);
        if self.takes_all() {
            self.tally.matched += size;
        }
        self.advance(size);
    }

    /// Goes behind lines that are not read.
    pub(super) fn advance(&mut self, lines: u64) {
        self.number += lines;
        self.tally.lines = self.number - 1;
        let last = self.selection.last.unwrap_or(u64::MAX);
        if self.tally.lines > last && !self.needs.all_lines {
            self.tally.lines = last;
            self.tally.ended_early = true;
            self.finish();
        }
    }
}
