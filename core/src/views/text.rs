// SPDX-License-Identifier: Apache-2.0
//! Lines as they are, and as rows.

use crate::shown::Line;
use crate::views::output::Output;
use crate::views::view::View;

pub struct Text {
    out: Output,
    /// What each row begins with; None for lines as they are.
    label: Option<Vec<u8>>,
}

impl Text {
    pub fn new(label: Option<Vec<u8>>) -> Self {
        Self { out: Output::default(), label }
    }
}

impl View for Text {
    fn line(&mut self, line: &Line<'_>) {
        let Some(label) = &self.label else {
            return self.out.put(&line.text);
        };
        let mut digits = itoa::Buffer::new();
        let number = digits.format(line.number).as_bytes();
        self.out.put_all([label, number, b":", line.content(), b"\n"]);
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        self.out.put(text);
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }
}
