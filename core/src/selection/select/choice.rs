// SPDX-License-Identifier: Apache-2.0
//! Which lines are hits, and which lines and blocks of an index surely hold none.

use std::collections::HashSet;
use std::ops::Range;

use crate::index::{Block, contents};
use crate::lines::{after_lines, lines_before};
use crate::recognition::recognise::Seen;
use crate::recognition::times::{Instant, TimeRange};
use crate::selection::Selection;
use crate::selection::filter::Filter;
use crate::selection::fragments::Fragments;

pub struct Choice {
    pub selection: Selection,
    pub filter: Filter,
    fragments: Fragments,
    /// Bytes of a line that are searched.
    pub longest: usize,
    /// True if each line is a hit.
    pub is_all: bool,
    /// The first line that may be a hit that is shown or counted, or whose context is.
    start: u64,
    /// The place in the block that skipping led to: it is not to be skipped.
    candidates: Range<usize>,
    /// First lines of the blocks that cannot hold what is searched for.
    lacking: HashSet<u64>,
}

impl Choice {
    pub fn new(mut selection: Selection, filter: Filter, longest: usize) -> Self {
        let is_all = filter.is_empty() && selection.leaves_all();
        let fragments = Fragments::new(
            std::mem::take(&mut selection.shown_ranges),
            std::mem::take(&mut selection.show),
        );
        let context = selection.context.unwrap_or(0) as u64;
        let start = selection.first.max((selection.after + 1).saturating_sub(context));
        let (candidates, lacking) = (0..0, HashSet::new());
        Self { selection, filter, fragments, longest, is_all, start, candidates, lacking }
    }

    /// Begins another block.
    pub fn begin(&mut self) {
        self.filter.begin();
        self.candidates = 0..0;
    }

    /// True if a line is where hits may be. time: the last one with a date at or above it.
    pub fn is_open(&self, number: u64, time: Option<Instant>) -> bool {
        let Selection { first, since, until, .. } = &self.selection;
        let time = |range: &TimeRange| time.and_then(|time| time.on_clock_of(range.offset));
        let is_since = |since: &TimeRange| time(since).is_some_and(|time| time >= since.first);
        let is_until = |until: &TimeRange| time(until).is_none_or(|time| time <= until.last);
        number >= *first
            && !self.is_behind(number)
            && since.as_ref().is_none_or(is_since)
            && until.as_ref().is_none_or(is_until)
    }

    /// True if no hit can be at this line or below it.
    pub fn is_behind(&self, number: u64) -> bool {
        self.selection.last.is_some_and(|last| number > last)
    }

    /// True if `show` names the line.
    pub fn names(&self, number: u64, text: &[u8], seen: &Seen) -> bool {
        self.fragments.lead_to(number, text, seen)
    }

    /// The beginning of the next line that may be shown, as far as this is quickly found out. number: of
    /// the line at `at`.
    pub fn skip(&mut self, block: &[u8], at: usize, number: u64) -> usize {
        if !self.fragments.anchors.is_empty()
            || block.len() > self.longest
            || self.candidates.contains(&at)
        {
            return at;
        }
        let next = if self.is_behind(number) {
            block.len()
        } else if number < self.start {
            after_lines(block, at, self.start - number)
        } else if !self.filter.searches.is_empty() {
            let hit = self.filter.next_candidate(block, at);
            self.skip_to(block, at, hit, self.selection.context.unwrap_or(0))
        } else if self.takes_all(number) {
            self.skip_to(block, at, block.len(), self.selection.tail.unwrap_or(0))
        } else {
            return at;
        };
        next.min(self.fragments.next_in(block, at, number))
    }

    /// The beginning of the line that is so many lines before `end`.
    fn skip_to(&mut self, block: &[u8], at: usize, end: usize, lines: usize) -> usize {
        self.candidates = lines_before(block, at, end, lines)..end;
        self.candidates.start
    }

    /// True if each line from here on is a hit that is not compared, and the tail is shown.
    pub fn takes_all(&self, number: u64) -> bool {
        let Selection { first, last, tail, after, .. } = self.selection;
        tail.is_some()
            && last.is_none()
            && number >= first
            && number > after
            && self.filter.floor.is_none()
            && self.filter.is_by_rank()
            && !self.selection.has_times()
    }

    /// Notes the blocks that cannot hold what is searched for. words, ids: what all blocks hold, from
    /// anywhere. Errors: what is wrong with them.
    pub fn leave_out(
        &mut self,
        blocks: &[Block],
        words: &[u8],
        ids: &[u8],
    ) -> Result<(), &'static str> {
        let required = self.filter.searches.iter().map(|search| &search.required);
        let may_hold = contents::may_hold(words, ids, required, blocks.len())?;
        let lacking = blocks.iter().zip(may_hold).filter(|(_, may_hold)| !may_hold);
        self.lacking = lacking.map(|(block, _)| block.line).collect();
        Ok(())
    }

    /// True if `show` may name a line of the block, or one that is shown with it.
    pub fn may_name(&self, block: &Block) -> bool {
        let has_context = self.selection.context.is_some_and(|lines| lines > 0);
        !self.fragments.anchors.is_empty()
            || self.fragments.is_any_in(block.line, block.line + block.lines)
            || (has_context && !self.fragments.is_empty())
    }

    /// True if it is known that no line of the block is a hit that matters.
    pub fn is_empty(&self, block: &Block) -> bool {
        let Selection { since, until, .. } = &self.selection;
        block.line + block.lines <= self.start
            || self.is_behind(block.line)
            || !block.may_be_between(since.as_ref(), until.as_ref())
            || self.filter.floor.is_some_and(|floor| block.at_least(floor) == 0)
            || self.lacking.contains(&block.line)
    }

    /// True if no line of the block is a hit, nor of the context of one in the blocks behind it.
    pub fn is_far(&self, block: &Block, behind: &[Block]) -> bool {
        let end = block.line + block.lines + self.selection.context.unwrap_or(0) as u64;
        let mut near = behind.iter().take_while(|next| next.line < end);
        self.is_empty(block) && near.all(|next| self.is_empty(next))
    }

    /// True if the number of hits in blocks is known from their severities. number: of the next line.
    pub fn is_by_rank(&self, number: u64) -> bool {
        let Selection { first, last, after, .. } = self.selection;
        self.filter.is_by_rank()
            && !self.selection.has_times()
            && last.is_none()
            && self.selection.limit.is_none()
            && number >= first
            && number > after
    }

    /// True if blocks have enough hits for the tail. number: of a line before them.
    pub fn fill_tail(&self, blocks: &[Block], number: u64) -> bool {
        let Some(tail) = self.selection.tail else { return false };
        let mut wanted = tail as u64;
        self.selection.context.unwrap_or(0) == 0
            && self.is_by_rank(number)
            && blocks.iter().any(|block| {
                wanted = wanted.saturating_sub(block.at_least(self.floor()));
                wanted == 0
            })
    }

    /// The lowest rank of a hit.
    pub fn floor(&self) -> usize {
        self.filter.floor.unwrap_or(0)
    }

    /// The hits of a block; None if that is not known before it is read.
    pub fn hits_of(&self, block: &Block) -> Option<u64> {
        let (since, until) = (self.selection.since.as_ref(), self.selection.until.as_ref());
        if !self.filter.is_by_rank() || self.selection.context.is_some_and(|lines| lines > 0) {
            None
        } else if !block.may_be_between(since, until) {
            Some(0)
        } else if block.is_between(since, until) {
            Some(block.at_least(self.floor()))
        } else {
            None
        }
    }
}
