// SPDX-License-Identifier: Apache-2.0
//! The conditions of a hit but for those on its place and time.

use std::ops::Range;

use crate::lines::line_start;
use crate::searches::search::Search;
use crate::selection::log_words::Comparison;

/// Conditions that all hits meet.
pub struct Filter {
    /// The lowest rank.
    pub floor: Option<usize>,
    pub searches: Vec<Search>,
    pub without: Vec<Search>,
    /// Tells which lines are new.
    pub comparison: Option<Comparison>,
    /// True if hits are new; the selector checks that.
    pub new_only: bool,
}

impl Filter {
    /// True if every line is a hit.
    pub fn is_empty(&self) -> bool {
        self.floor.is_none()
            && self.searches.is_empty()
            && self.without.is_empty()
            && !self.new_only
    }

    /// True if a line's rank alone decides whether it is a hit.
    pub fn is_by_rank(&self) -> bool {
        self.searches.is_empty() && self.without.is_empty() && self.comparison.is_none()
    }

    /// Begins another block.
    pub fn begin(&mut self) {
        self.searches.iter_mut().chain(&mut self.without).for_each(Search::begin);
    }

    /// True if a line of the block is a hit. longest: bytes of it that are searched.
    pub fn passes(
        &mut self,
        block: &[u8],
        line: Range<usize>,
        rank: usize,
        longest: usize,
    ) -> bool {
        if self.floor.is_some_and(|floor| rank < floor) {
            return false;
        }
        let mut holds = |search: &mut Search| {
            if line.len() > longest {
                search.is_in(&block[line.start..line.start + longest])
            } else {
                search.next_in(block, line.start).is_some_and(|found| found <= line.end)
            }
        };
        self.searches.iter_mut().all(&mut holds) && !self.without.iter_mut().any(&mut holds)
    }

    /// True if the log that lines are compared with has no like of the line. longest: bytes of it that
    /// are compared. is_error: it shows ERROR or above.
    #[inline(always)]
    pub fn is_new(&mut self, line: &[u8], longest: usize, is_error: bool) -> bool {
        let Some(comparison) = &mut self.comparison else { return false };
        comparison.is_new(&line[..line.len().min(longest)], is_error)
    }

    /// The beginning of the first line from `at` on that may hold all that is searched for, or the
    /// block's end.
    pub fn next_candidate(&mut self, block: &[u8], at: usize) -> usize {
        let mut start = at;
        for search in &mut self.searches {
            match search.next_in(block, start) {
                Some(end) => start = line_start(block, at, end),
                None => return block.len(),
            }
        }
        start
    }
}
