// SPDX-License-Identifier: Apache-2.0
//! The rows of a log among the last ones of several logs that are merged.

use std::sync::{Arc, Mutex, PoisonError};

use super::log_times::{NO_TIME, UNTIMED, UNTIMED_LINES};
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
    /// True if a block lacked rows that its index says. Then others may be missing.
    pub is_wrong: bool,
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
    /// log: the index of the log in the merge. hits_of: the rows of a block; None if that is not known.
    pub fn new(
        rows: Arc<Mutex<LastRows>>,
        log: usize,
        blocks: &[Block],
        hits_of: impl Fn(&Block) -> Option<u64>,
    ) -> Self {
        let mut latest = start_of(blocks);
        let claim = |block: &Block| {
            let times = block.times.filter(|times| times.earliest_utc <= times.latest_utc);
            let earliest = times.map_or(latest, |times| latest.max(times.earliest_utc));
            latest = times.map_or(latest, |times| latest.max(times.latest_utc));
            Claim { rows: hits_of(block), earliest }
        };
        let claims: Vec<_> = blocks.iter().map(claim).collect();
        let mut last = rows.lock().unwrap_or_else(PoisonError::into_inner);
        for (block, claim) in blocks.iter().zip(&claims) {
            last.add((claim.earliest, log, block.line), claim.rows.unwrap_or(0));
        }
        drop(last);
        Self { rows, log, claims, current: None, first: None, begin: None, is_wrong: false }
    }

    /// What the index says of the first of the last blocks.
    fn claim(&self, blocks: &[Block]) -> Option<Claim> {
        self.claims.iter().rev().nth(blocks.len().checked_sub(1)?).copied()
    }

    /// Where the last rows of the merge begin.
    fn begin_of_all(&self) -> Option<Place> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).begin()
    }

    /// Looks where the last rows begin. start: the time of the rows above the log's first time, if known.
    pub fn look_for_begin(&mut self, start: Option<i64>) {
        let is_timed = start.is_some_and(|start| start != UNTIMED);
        self.begin = self.begin_of_all().filter(|_| is_timed);
    }

    /// True if a row is surely not among the last ones of the merge.
    pub fn is_behind(&self, line: &Line<'_>) -> bool {
        self.begin.is_some_and(|begin| (line.latest, self.log, line.number) < begin)
    }

    /// The rows of the first block, if none of them is among the last ones of the merge. None if it must be
    /// read: one of them may be, or a line is to be cut, which the answer says. latest: of the
    /// times before it. start: as above.
    pub fn rows_before(
        &self,
        blocks: &[Block],
        longest: usize,
        latest: i64,
        start: Option<i64>,
    ) -> Option<u64> {
        let block = blocks.first().filter(|block| block.longest < longest as u64)?;
        let claim = self.claim(blocks)?;
        let rows = claim.rows?;
        // What is claimed to be among the last rows is read, so that it is compared.
        let latest = self.latest_behind(block, latest, start)?.max(claim.earliest);
        let behind = (latest, self.log, block.line + block.lines);
        (behind <= self.begin_of_all()?).then_some(rows)
    }

    /// The latest time of rows up to the end of a block; None if it is not yet known when rows above the
    /// log's first time come. latest: of the rows before the block.
    fn latest_behind(&self, block: &Block, latest: i64, start: Option<i64>) -> Option<i64> {
        if self.claims.first().is_some_and(|claim| claim.earliest == UNTIMED) {
            return Some(UNTIMED);
        }
        let latest = block.times.map_or(latest, |times| latest.max(times.latest_utc));
        if block.times.is_some_and(|times| times.first_line == 1) {
            return Some(latest); // no rows are above the first time
        }
        start.map(|start| start.max(latest))
    }

    /// Notes what the index says of the first of the last blocks, which is read. hits: those before it.
    pub fn expect(&mut self, blocks: &[Block], hits: u64) {
        self.current = self.claim(blocks).map(|claim| (claim, hits));
        self.first = None;
    }

    /// Notes the latest time of a line and all above.
    #[inline]
    pub fn see_time(&mut self, latest: i64) {
        self.first.get_or_insert(latest);
    }

    /// Compares the block that was read with what the index says. first: the log's first time.
    pub fn check(&mut self, hits: u64, first: Option<i64>) {
        let Some((claim, before)) = self.current.take() else { return };
        let begin = if self.first == Some(NO_TIME) { first } else { self.first };
        self.is_wrong |= claim.rows.is_some_and(|rows| hits - before < rows)
            || begin.is_some_and(|time| time < claim.earliest);
    }
}

/// The time of the rows above the first time.
fn start_of(blocks: &[Block]) -> i64 {
    let times = blocks.iter().find_map(|block| block.times);
    let times = times.filter(|times| times.first_line <= UNTIMED_LINES);
    times.map_or(UNTIMED, |times| times.first_utc)
}
