// SPDX-License-Identifier: Apache-2.0
//! Lines that are shown, and what they are handed to.

use crate::recognise::Seen;

/// Why a line is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It is what was asked for.
    Hit,
    /// It stands near a hit.
    Context,
    /// It was brought in.
    Shown,
}

impl Role {
    /// Its class on a page.
    pub fn class(self) -> &'static [u8] {
        match self {
            Self::Hit => b"",
            Self::Context => b"context",
            Self::Shown => b"shown",
        }
    }
}

/// A line, or as much of it as there is.
pub struct Line<'l> {
    /// In the whole log.
    pub number: u64,
    /// Without its end.
    pub text: &'l [u8],
    /// Of the block, from this line on; none of a line that was held back.
    pub rest: Option<&'l [u8]>,
    /// More of it may come where it has none.
    pub has_end: bool,
    /// Nothing where the view does not need it.
    pub seen: &'l Seen,
    /// Its own severity, or that of the last line that had one; the lowest before the first.
    pub rank: usize,
    /// That severity is inherited.
    pub inherits: bool,
    /// Why it is shown.
    pub role: Role,
}

/// What becomes of the lines that are shown.
pub trait View {
    /// It shows severities or times.
    const SEES: bool;
    /// It shows the severity that a line inherits.
    const INHERITS: bool;
    /// It counts lines that are not shown.
    const READS_ALL: bool;
    /// Hits are counted by severity.
    const COUNTS: bool;
    /// It has so many.
    fn elements(&self) -> u64 {
        0
    }
    /// The next lines are of another block.
    fn begin(&mut self) {}
    /// The next line.
    fn line(&mut self, line: &Line<'_>);
    /// More of the line before; its end may be in it.
    fn part(&mut self, part: &[u8], has_end: bool);
    /// Lines that are not shown.
    fn gap(&mut self, first: u64, last: u64);
}
