// SPDX-License-Identifier: Apache-2.0
//! What of a log is asked for: `oslogserve/lines/selection.py` once more.

use crate::search::Search;

/// A query's time: its first and its last microsecond.
pub struct TimeSpan {
    /// Of a line that is not before it.
    pub first: i64,
    /// Of a line that is not after it.
    pub last: i64,
    /// Of its zone, in minutes.
    pub offset: Option<i16>,
}

/// In the order in which it is applied.
pub struct Selection {
    /// Numbers in the whole log.
    pub first: u64,
    /// None: to the end.
    pub last: Option<u64>,
    /// By the time of a line, or of the one before.
    pub since: Option<TimeSpan>,
    /// As `since`.
    pub until: Option<TimeSpan>,
    /// The lowest severity that is shown; none where no line is left out for it.
    pub floor: Option<usize>,
    /// What all hits hold.
    pub searches: Vec<Search>,
    /// What none holds.
    pub without: Vec<Search>,
    /// Lines around each hit.
    pub context: Option<usize>,
    /// What is left up to it was sent already.
    pub after: u64,
    /// Lines, from the beginning of what is left.
    pub limit: Option<u64>,
    /// Lines, from its end.
    pub tail: Option<usize>,
    /// Numbers of lines that are brought in, in order.
    pub shown_lines: Vec<u64>,
    /// Anchors of such lines.
    pub shown_anchors: Vec<Vec<u8>>,
    /// As much as is shown; the next line behind it is not.
    pub page: Option<Page>,
}

/// What a browser's memory grows with.
#[derive(Clone, Copy)]
pub struct Page {
    /// Bytes of lines.
    pub size: u64,
    /// Of the view.
    pub elements: u64,
}

impl Selection {
    /// Nothing is left out.
    pub fn is_whole(&self) -> bool {
        let is_filtered = self.floor.is_some()
            || self.since.is_some()
            || self.until.is_some()
            || !self.searches.is_empty()
            || !self.without.is_empty();
        let is_cut = self.first > 1
            || self.after > 0
            || self.last.or(self.limit).is_some()
            || self.tail.is_some();
        let has_gaps = self.context.is_some()
            || !self.shown_lines.is_empty()
            || !self.shown_anchors.is_empty();
        !is_filtered && !is_cut && !has_gaps
    }
}
