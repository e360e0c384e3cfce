// SPDX-License-Identifier: Apache-2.0
//! The values of `oslogserve/lines/selection.py`: fields mean what they mean there.

pub mod filter;
pub mod fragments;
pub mod kinds;
pub mod line_buffer;
pub mod log_words;
pub mod select;
pub mod word_list;
pub mod words;

use pyo3::{FromPyObject, IntoPyObject};

use crate::counts::Counts;
use crate::recognition::times::TimeRange;

/// Which lines are shown: conditions in the order in which they apply.
#[derive(FromPyObject)]
pub struct Selection {
    pub first: u64,
    pub last: Option<u64>,
    pub since: Option<TimeRange>,
    pub until: Option<TimeRange>,
    pub level: Option<String>,
    pub searches: Vec<String>,
    pub without: Vec<String>,
    pub new_only: bool,
    pub context: Option<usize>,
    pub limit: Option<u64>,
    pub tail: Option<usize>,
    pub show: Vec<Vec<u8>>,
    pub shown_ranges: Vec<(u64, u64)>,
    pub after: u64,
}

impl Selection {
    /// True if lines are chosen by their times.
    pub fn has_times(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// True if no line is left out, apart from what a filter leaves out.
    pub fn leaves_all(&self) -> bool {
        self.first <= 1
            && self.after == 0
            && self.last.or(self.limit).is_none()
            && self.tail.or(self.context).is_none()
            && !self.has_times()
            && self.show.is_empty()
    }
}

/// How much one page shows, since a browser's memory grows with it.
#[derive(Clone, Copy, FromPyObject)]
pub struct Page {
    pub size: u64,
    pub elements: u64,
}

/// A view of a log.
#[derive(FromPyObject)]
pub struct Wanted {
    pub view: String,
    pub selection: Selection,
    pub link: Vec<u8>,
    pub page: Option<Page>,
    pub label: Option<Vec<u8>>,
    pub by_time: bool,
    pub names_all: bool,
    pub beginning: usize,
}

/// What came of a selection.
#[derive(Clone, Default, IntoPyObject)]
pub struct Tally {
    pub lines: u64,
    pub bytes: u64,
    pub matched: u64,
    pub new: u64,
    pub sent: u64,
    pub ended_early: bool,
    pub cut_at: Option<u64>,
    pub cut_from: Option<u64>,
    pub dropped: usize,
    pub next_page: Option<u64>,
    pub next_from: Option<u64>,
    pub cut_line: Option<u64>,
    pub elements: u64,
    pub severities: Counts,
    pub is_undated: bool,
}
