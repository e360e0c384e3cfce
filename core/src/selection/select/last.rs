// SPDX-License-Identifier: Apache-2.0
//! The rows of a log among the last ones of several logs that are merged.

use std::sync::{Arc, Mutex, PoisonError};

use super::{NO_TIME, Selector, UNTIMED, UNTIMED_LINES};
use crate::index::Block;
use crate::last_rows::{LastRows, Place};
use crate::shown::Line;

/// The part of a log in the last rows of a merge.
pub struct Last {
    rows: Arc<Mutex<LastRows>>,
    /// The log's index in the merge.
    log: usize,
    /// What its index says of its blocks.
    claims: Vec<Claim>,
    /// The claim of the block that is read, and the hits before it.
    current: Option<(Claim, u64)>,
    /// The time of the first row of that block.
    first: Option<i64>,
    /// Where the last rows begin, as far as it is known, if no rows wait for the log's first time.
    begin: Option<Place>,
    /// True if a block did not have what the index says.
    is_wrong: bool,
}

/// What an index says of the rows of a block.
#[derive(Clone, Copy)]
struct Claim {
    /// None if that is not known before the block is read.
    rows: Option<u64>,
    /// No row is before this time.
    earliest: i64,
}

impl Last {
    /// What the index says of the first of the last blocks.
    fn claim(&self, blocks: &[Block]) -> Option<Claim> {
        self.claims.iter().rev().nth(blocks.len().checked_sub(1)?).copied()
    }

    /// Where the last rows of the merge begin.
    fn begin_of_all(&self) -> Option<Place> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).begin()
    }

    /// True if the log has no times, as its index says.
    fn is_untimed(&self) -> bool {
        self.claims.first().is_some_and(|claim| claim.earliest == UNTIMED)
    }
}

impl Selector {
    /// Shows only what may be among the last rows of a merge, as far as the index says. log: the index of
    /// the log in the merge.
    pub fn show_last(&mut self, rows: Arc<Mutex<LastRows>>, log: usize, blocks: &[Block]) {
        let claims = self.claims(blocks);
        let mut last = rows.lock().unwrap_or_else(PoisonError::into_inner);
        for (block, claim) in blocks.iter().zip(&claims) {
            last.add((claim.earliest, log, block.line), claim.rows.unwrap_or(0));
        }
        drop(last);
        let (current, first, begin, is_wrong) = (None, None, None, false);
        self.last = Some(Last { rows, log, claims, current, first, begin, is_wrong });
    }

    fn claims(&self, blocks: &[Block]) -> Vec<Claim> {
        let start = start_of(blocks);
        let mut latest = start;
        let claim = |block: &Block| {
            let times = block.times.filter(|times| times.earliest_utc <= times.latest_utc);
            let earliest = times.map_or(latest, |times| latest.max(times.earliest_utc));
            latest = times.map_or(latest, |times| latest.max(times.latest_utc));
            Claim { rows: self.certain_rows(block), earliest }
        };
        blocks.iter().map(claim).collect()
    }

    /// The rows of a block; None if that is not known before it is read.
    fn certain_rows(&self, block: &Block) -> Option<u64> {
        let selection = &self.selection;
        let is_chosen_by_rank = self.filter.is_by_rank() && self.context == 0;
        let (since, until) = (selection.since.as_ref(), selection.until.as_ref());
        if !is_chosen_by_rank {
            None
        } else if !block.may_be_between(since, until) {
            Some(0)
        } else if block.is_between(since, until) {
            Some(block.at_least(self.filter.floor.unwrap_or(0)))
        } else {
            None
        }
    }

    /// The rows of the first block, if none of them is among the last ones of the merge. None if it must be
    /// read: one of them may be, or a line is to be cut, which the answer says.
    pub(super) fn rows_before_last(&self, blocks: &[Block]) -> Option<u64> {
        let last = self.last.as_ref()?;
        let block = blocks.first().filter(|block| block.longest < self.longest as u64)?;
        let claim = last.claim(blocks)?;
        let rows = claim.rows?;
        // What is claimed to be among the last rows is read, so that it is compared.
        let latest = self.latest_behind(last, block)?.max(claim.earliest);
        let behind = (latest, last.log, block.line + block.lines);
        (behind <= last.begin_of_all()?).then_some(rows)
    }

    /// Looks where the last rows begin.
    pub(super) fn look_for_begin(&mut self) {
        if self.last.is_none() {
            return;
        }
        let start = self.times.start.or_else(|| self.found_start(false));
        let is_timed = start.is_some_and(|start| start != UNTIMED);
        if let Some(last) = &mut self.last {
            last.begin = last.begin_of_all().filter(|_| is_timed);
        }
    }

    /// True if a row is surely not among the last ones of the merge.
    pub(super) fn is_row_before_last(&self, line: &Line<'_>) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| {
            last.begin.is_some_and(|begin| (line.latest, last.log, line.number) < begin)
        })
    }

    /// The latest time of rows up to the end of a block; None if it is not yet known when rows above the
    /// log's first time come.
    fn latest_behind(&self, last: &Last, block: &Block) -> Option<i64> {
        if last.is_untimed() {
            return Some(UNTIMED);
        }
        let latest =
            block.times.map_or(self.times.latest, |times| self.times.latest.max(times.latest_utc));
        if block.times.is_some_and(|times| times.first_line == 1) {
            return Some(latest); // no rows are above the first time
        }
        let start = self.times.start.or_else(|| self.found_start(false));
        start.map(|start| start.max(latest))
    }

    /// Notes what the index says of a block that is read.
    pub(super) fn expect(&mut self, blocks: &[Block]) {
        let hits = self.tally.matched;
        let Some(last) = &mut self.last else { return };
        last.current = last.claim(blocks).map(|claim| (claim, hits));
        last.first = None;
    }

    /// Notes the time of a line.
    #[inline]
    pub(super) fn see_time(&mut self) {
        let latest = self.times.latest;
        if let Some(last) = &mut self.last {
            last.first.get_or_insert(latest);
        }
    }

    /// Compares the block that was read with what the index says.
    pub fn check_block(&mut self) {
        let (first, hits) = (self.times.first, self.tally.matched);
        let Some(last) = &mut self.last else { return };
        let Some((claim, before)) = last.current.take() else { return };
        let begin = if last.first == Some(NO_TIME) { first } else { last.first };
        last.is_wrong |= claim.rows.is_some_and(|rows| hits - before < rows)
            || begin.is_some_and(|time| time < claim.earliest);
    }

    /// True if a block that was read lacks rows that its index says. Then others may be missing.
    pub fn is_index_wrong(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.is_wrong)
    }
}

/// The time of the rows above the first time.
fn start_of(blocks: &[Block]) -> i64 {
    let times = blocks.iter().find_map(|block| block.times);
    let times = times.filter(|times| times.first_line <= UNTIMED_LINES);
    times.map_or(UNTIMED, |times| times.first_utc)
}
