// SPDX-License-Identifier: Apache-2.0
//! Counts of lines by severity, as Python gets them.

use std::collections::BTreeMap;

use pyo3::IntoPyObject;

/// The count of a severity's lines, and the number of the first.
#[derive(Clone, Copy, Default, IntoPyObject)]
pub struct Count(pub u64, pub u64);

impl Count {
    /// Counts lines behind those that were counted before.
    #[inline]
    pub fn add(&mut self, more: Count) {
        if self.0 == 0 {
            self.1 = more.1;
        }
        self.0 += more.0;
    }
}

/// Counts by rank; ranks without lines are left out.
pub type Counts = BTreeMap<usize, Count>;

/// Counts lines by severity.
#[derive(Default)]
pub struct Counter(Vec<Count>);

impl Counter {
    /// Counts a line.
    #[inline]
    pub fn add(&mut self, rank: usize, number: u64) {
        self.add_many(rank, Count(1, number));
    }

    /// Counts lines behind those that were counted before.
    #[inline]
    pub fn add_many(&mut self, rank: usize, more: Count) {
        if self.0.len() <= rank {
            self.0.resize(rank + 1, Count::default());
        }
        self.0[rank].add(more);
    }

    /// The counts by rank.
    pub fn counts(&self) -> Counts {
        self.0.iter().copied().enumerate().filter(|(_, count)| count.0 > 0).collect()
    }
}
