// SPDX-License-Identifier: Apache-2.0
//! The last rows of several merged logs: where they begin at the earliest, as far as indexes say.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A place in the order of a merge: a time, a log, a number of a line.
pub type Place = (i64, usize, u64);

/// Rows that surely come, by a place that none of them is before.
pub struct LastRows {
    /// The number of the last rows.
    most: u64,
    /// No more of the latest ones than these need.
    blocks: BinaryHeap<Reverse<(Place, u64)>>,
    rows: u64,
}

impl LastRows {
    /// most: the number of the last rows.
    pub fn new(most: u64) -> Self {
        Self { most, blocks: BinaryHeap::new(), rows: 0 }
    }

    /// Adds rows of a block that are not before this place.
    pub fn add(&mut self, place: Place, rows: u64) {
        if rows == 0 || self.begin().is_some_and(|begin| place < begin) {
            return;
        }
        // Indexes may claim any number.
        let rows = rows.min(self.most);
        self.blocks.push(Reverse((place, rows)));
        self.rows += rows;
        while let Some(&Reverse((_, first))) = self.blocks.peek() {
            if self.rows - first < self.most {
                break;
            }
            self.blocks.pop();
            self.rows -= first;
        }
    }

    /// The place that no last row is before; None if all may be last ones.
    pub fn begin(&self) -> Option<Place> {
        let first = self.blocks.peek().filter(|_| self.rows >= self.most);
        first.map(|Reverse((place, _))| *place)
    }
}
