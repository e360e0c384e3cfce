// SPDX-License-Identifier: Apache-2.0
//! Lines that are held back until it is known whether they are shown.

use std::collections::VecDeque;

use crate::view::{Line, Role};

/// The last lines, as many and as large as may be held.
pub struct LineBuffer {
    lines: VecDeque<Line<'static>>,
    /// Lines.
    capacity: usize,
    capacity_bytes: usize,
    bytes: usize,
    /// Lines that were added.
    added: usize,
}

impl LineBuffer {
    pub fn new(capacity: usize, capacity_bytes: usize) -> Self {
        Self { lines: VecDeque::new(), capacity, capacity_bytes, bytes: 0, added: 0 }
    }

    /// Lines of the last `capacity` ones that could not be held.
    pub fn missing(&self) -> usize {
        self.capacity.min(self.added) - self.lines.len()
    }

    /// The first line that is held.
    pub fn first(&self) -> Option<&Line<'static>> {
        self.lines.front()
    }

    /// Holds a line. Returns those that left for it and are shown nevertheless.
    pub fn add(&mut self, line: Line<'static>) -> Vec<Line<'static>> {
        self.added += 1;
        self.bytes += line.text.len();
        self.lines.push_back(line);
        let mut left = Vec::new();
        while self.lines.len() > self.capacity || self.bytes > self.capacity_bytes {
            let Some(first) = self.lines.pop_front() else {
                break;
            };
            self.bytes -= first.text.len();
            if first.role == Role::Shown {
                left.push(first);
            }
        }
        left
    }

    /// Adds to the last line if it has this number. Returns what `add` returns, perhaps that line.
    pub fn extend(&mut self, number: u64, text: &[u8]) -> Vec<Line<'static>> {
        if self.lines.back().is_none_or(|last| last.number != number) {
            return Vec::new();
        }
        let Some(mut last) = self.lines.pop_back() else {
            return Vec::new();
        };
        self.added -= 1;
        self.bytes -= last.text.len();
        last.text.to_mut().extend_from_slice(text);
        self.add(last)
    }

    /// Empties the buffer.
    pub fn take(&mut self) -> VecDeque<Line<'static>> {
        self.bytes = 0;
        std::mem::take(&mut self.lines)
    }
}
