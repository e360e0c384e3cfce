// SPDX-License-Identifier: Apache-2.0
//! A line that is shown: its text, what was seen in it, and why a selection shows it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::lines::{Next, without_line_feed};
use crate::recognition::recognise::Seen;
use crate::recognition::times::Instant;

/// Why a line is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It meets all conditions of the selection.
    Hit,
    /// It stands near a hit.
    Context,
    /// It was brought in by its number or its time.
    Shown,
}

impl Role {
    /// The role's class on a page.
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
    pub number: u64,
    /// With its line feed.
    pub text: Cow<'l, [u8]>,
    /// The block from this line on; None for a line that was buffered.
    pub rest_of_block: Option<&'l [u8]>,
    /// Empty where neither view nor selection needs that.
    pub seen: Seen,
    /// The rank of the line's severity, or of the one that it inherits.
    pub rank: usize,
    /// True if that severity is inherited.
    pub inherits: bool,
    pub role: Role,
    /// True if the selection's `show` names it, whatever its role is.
    pub is_named: bool,
    /// False for a line that is shown only because `show` names it.
    pub is_kept: bool,
    /// Of the latest time of this line and all above, by which rows are merged.
    pub latest: i64,
    /// The last time with a date at or above it, as far as the view needs that.
    pub moment: Option<Instant>,
    /// True if it shows a time that can be read, as far as the view needs that.
    pub shows_time: bool,
    /// True if the log that it is compared with has no like of it.
    pub is_new: bool,
    /// The text of the last time above, for an error without a time in a summary.
    pub time_above: Option<Arc<[u8]>>,
}

impl Line<'_> {
    /// The text without its line feed.
    pub fn content(&self) -> &[u8] {
        without_line_feed(&self.text)
    }

    /// Its time, without escape sequences; empty for none.
    pub fn time(&self) -> Cow<'_, [u8]> {
        self.seen.time_of(&self.text)
    }

    /// The place in it where something may begin first, see Next.
    #[inline]
    pub fn place_of(
        &self,
        next: &mut Next,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        self.rest_of_block.map_or(Some(0), |rest| next.place_in(self.text.len(), rest, find))
    }

    /// The line with a part of its text, or a copy of it.
    pub fn with_text<'t>(&self, text: Cow<'t, [u8]>) -> Line<'t> {
        Line {
            text,
            rest_of_block: None,
            seen: self.seen.clone(),
            time_above: self.time_above.clone(),
            ..*self
        }
    }

    /// The line with a copy of its text.
    pub fn to_owned(&self) -> Line<'static> {
        self.with_text(Cow::Owned(self.text.to_vec()))
    }
}
