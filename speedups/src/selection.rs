// SPDX-License-Identifier: Apache-2.0
//! What of a log is asked for: `oslogserve/lines/selection.py` once more, by the same names.

use pyo3::{FromPyObject, IntoPyObject};

use crate::summary::Counts;

/// A query's time.
#[derive(FromPyObject)]
pub struct TimeRange {
    /// The microsecond that a line is not before.
    pub first: i64,
    /// The microsecond that a line is not after.
    pub last: i64,
    /// Its zone's, in minutes.
    pub offset: Option<i16>,
}

/// What lines are searched for.
#[derive(FromPyObject)]
pub struct Pattern {
    /// In RE2's syntax.
    pub pattern: String,
}

/// Which lines are shown: conditions in the order in which they apply.
#[derive(FromPyObject)]
pub struct Selection {
    /// The first line's number in the whole log.
    pub first: u64,
    /// The last line's number; None for the log's end.
    pub last: Option<u64>,
    /// By the time of a line, or of the one before.
    pub since: Option<TimeRange>,
    /// As `since`.
    pub until: Option<TimeRange>,
    /// The lowest severity.
    pub level: Option<String>,
    /// What all hits hold.
    pub searches: Vec<Pattern>,
    /// What no hit holds.
    pub without: Vec<Pattern>,
    /// Lines around each hit.
    pub context: Option<usize>,
    /// Lines from the beginning of what is left.
    pub limit: Option<u64>,
    /// Lines from its end.
    pub tail: Option<usize>,
    /// Fragments of lines that are brought in wherever they stand.
    pub show: Vec<Vec<u8>>,
    /// The last line that was sent before.
    pub after: u64,
}

impl Selection {
    /// Whether lines are chosen by their times.
    pub fn has_times(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether no line is left out, apart from what a filter says.
    pub fn is_whole(&self) -> bool {
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
    /// Bytes of lines.
    pub size: u64,
    /// Elements of the view.
    pub elements: u64,
}

/// A view of a log.
#[derive(FromPyObject)]
pub struct Wanted {
    /// "html", "text", "jsonl" or "summary".
    pub view: String,
    /// Which lines are shown.
    pub selection: Selection,
    /// What an address of the log's page begins with.
    pub link: Vec<u8>,
    /// For HTML.
    pub page: Option<Page>,
}

/// What came of a selection.
#[derive(Clone, Default, IntoPyObject)]
pub struct Tally {
    /// Lines looked at.
    pub lines: u64,
    /// Bytes looked at.
    pub bytes: u64,
    /// Hits.
    pub matched: u64,
    /// Lines shown.
    pub sent: u64,
    /// The first line that was not looked at, since the limit was reached before.
    pub cut_at: Option<u64>,
    /// The hit in whose context that line stands, else itself.
    pub cut_from: Option<u64>,
    /// Lines of the tail that there was no room for.
    pub dropped: usize,
    /// The first line that the page had no room for.
    pub next_page: Option<u64>,
    /// The first line of which the page does not show all.
    pub cut_line: Option<u64>,
    /// Elements of the view.
    pub elements: u64,
    /// Of hits, by the severities that they show themselves.
    pub severities: Counts,
}
