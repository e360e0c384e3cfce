// SPDX-License-Identifier: Apache-2.0
//! What the heads of a log's lines say, and what lines inherit of those above.

use std::ops::Range;
use std::sync::Arc;

use crate::recognition::grammar::Grammar;
use crate::recognition::inherited::{Heritage, Inherited};
use crate::recognition::recognise::{Recogniser, Seen};

pub struct Heads {
    recogniser: Recogniser,
    pub inherited: Inherited,
    /// False if nothing is read.
    are_read: bool,
    /// True if the severities or times of lines above are needed.
    are_inherited: bool,
}

impl Heads {
    /// are_read: true if heads are needed though nothing is inherited.
    pub fn new(
        grammar: Arc<Grammar>,
        inherited: Inherited,
        are_read: bool,
        are_inherited: bool,
    ) -> Self {
        let are_read = are_read || are_inherited;
        Self { recogniser: Recogniser::new(grammar), inherited, are_read, are_inherited }
    }

    /// Begins another block.
    pub fn begin(&mut self, block: &[u8]) {
        self.recogniser.begin();
        if self.are_read {
            self.inherited.begin(block);
        }
    }

    /// Reads the head of a line. line: its place, without its line feed.
    pub fn read(&mut self, block: &[u8], line: &Range<usize>) -> Seen {
        if !self.are_read {
            return Seen::default();
        }
        let seen = self.recogniser.seen_in(block, line.clone(), self.inherited.is_plain);
        if self.are_inherited {
            if self.inherited.at < line.start {
                self.inherited.catch_up(&mut self.recogniser, block, line.start);
            }
            self.inherited.take(&seen, &block[line.clone()]);
            self.inherited.at = (line.end + 1).min(block.len());
        }
        seen
    }

    /// Ends a block: reads what was skipped of it, as far as lines below inherit of that.
    pub fn end(&mut self, block: &[u8]) {
        if self.are_inherited {
            self.inherited.catch_up(&mut self.recogniser, block, block.len());
        }
        self.recogniser.end(block);
    }

    /// Gives back what is only of use while lines are read.
    pub fn rest(&mut self) {
        self.recogniser.rest();
        self.inherited.rest();
    }

    /// True if a line itself shows ERROR or above.
    pub fn is_error(&self, seen: &Seen) -> bool {
        self.recogniser.is_error(seen)
    }

    /// The state behind the last line.
    pub fn heritage(&self) -> Heritage {
        self.inherited.heritage(&self.recogniser)
    }

    /// Goes on behind a line that was not read.
    pub fn go_on(&mut self, heritage: &Heritage) {
        self.recogniser.is_below_heading = heritage.is_below_heading;
        if self.are_inherited {
            self.inherited.go_on(heritage);
        }
    }
}
