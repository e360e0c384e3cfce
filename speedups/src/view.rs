// SPDX-License-Identifier: Apache-2.0
//! Lines that are shown, and what they are handed to.

use std::borrow::Cow;

use crate::output::Output;
use crate::recognise::Seen;
use crate::summary::Totals;

/// Why a line is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It meets all that a selection asks for.
    Hit,
    /// It stands near a hit.
    Context,
    /// It was brought in by its number or its time.
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
    /// The line's number in the whole log.
    pub number: u64,
    /// Without its end.
    pub text: Cow<'l, [u8]>,
    /// The block from this line on; None for a line that was buffered.
    pub rest: Option<&'l [u8]>,
    /// Where a line has no end, more of it may come.
    pub has_end: bool,
    /// Empty where neither view nor selection needs it.
    pub seen: Seen,
    /// Its own severity, or the one that it inherits.
    pub rank: usize,
    /// That severity is inherited.
    pub inherits: bool,
    /// Why it is shown.
    pub role: Role,
}

impl Line<'_> {
    /// Bytes, with the line's end.
    pub fn size(&self) -> usize {
        self.text.len() + usize::from(self.has_end)
    }

    /// The line with a copy of its text.
    pub fn to_owned(&self) -> Line<'static> {
        Line {
            number: self.number,
            text: Cow::Owned(self.text.to_vec()),
            rest: None,
            has_end: self.has_end,
            seen: self.seen.clone(),
            rank: self.rank,
            inherits: self.inherits,
            role: self.role,
        }
    }
}

/// What becomes of the lines that are shown.
pub trait View: Send + Sync {
    /// Begins another block.
    fn begin(&mut self) {}
    /// Takes the next line.
    fn line(&mut self, line: &Line<'_>);
    /// Takes more of the line before; its end may be in it.
    fn more(&mut self, text: &[u8], has_end: bool);
    /// Takes the numbers of the first and the last of lines that are not shown.
    fn gap(&mut self, _first: u64, _last: u64) {}
    /// Ends the last line.
    fn finish(&mut self) {}
    /// What was written; None where nothing is.
    fn output(&mut self) -> Option<&mut Output> {
        None
    }
    /// How many elements of a page were written.
    fn elements(&self) -> u64 {
        0
    }
    /// What the lines come to; None but for a summary.
    fn totals(&self) -> Option<Totals> {
        None
    }
}
