// SPDX-License-Identifier: Apache-2.0
//! Lines as they are.

use crate::output::Output;
use crate::view::{Line, View};

#[derive(Default)]
pub struct Text {
    out: Output,
}

impl View for Text {
    fn line(&mut self, line: &Line<'_>) {
        self.out.put(&line.text);
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        self.out.put(text);
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }
}
