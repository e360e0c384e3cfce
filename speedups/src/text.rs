// SPDX-License-Identifier: Apache-2.0
//! The lines themselves.

use crate::output::Output;
use crate::view::{Line, View};

/// Writes lines as they are.
#[derive(Default)]
pub struct Text {
    out: Output,
}

impl View for Text {
    fn line(&mut self, line: &Line<'_>) {
        self.more(&line.text, line.has_end);
    }

    fn more(&mut self, text: &[u8], has_end: bool) {
        self.out.put(text);
        if has_end {
            self.out.put(b"\n");
        }
    }

    fn output(&mut self) -> Option<&mut Output> {
        Some(&mut self.out)
    }
}
