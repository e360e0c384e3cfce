// SPDX-License-Identifier: Apache-2.0
//! The lines themselves.

use crate::output::Output;
use crate::view::{Line, View};

/// As they are.
#[derive(Default)]
pub struct Text {
    /// What was made.
    pub out: Output,
}

impl View for Text {
    const SEES: bool = false;
    const INHERITS: bool = false;
    const READS_ALL: bool = false;
    const COUNTS: bool = false;

    fn line(&mut self, line: &Line<'_>) {
        self.part(line.text, line.has_end);
    }

    fn part(&mut self, part: &[u8], has_end: bool) {
        self.out.put(part);
        if has_end {
            self.out.put(b"\n");
        }
    }

    fn gap(&mut self, _first: u64, _last: u64) {}
}
