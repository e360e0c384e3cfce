// SPDX-License-Identifier: Apache-2.0
//! Lines that are held back until it is known whether they are shown.

use std::collections::VecDeque;

use crate::shown::Line;

/// The last lines, as many and as large as may be held.
///
/// Next to its capacity it holds some lines that are not kept, see Line.
#[derive(Default)]
pub struct LineBuffer {
    lines: VecDeque<Line<'static>>,
    /// Lines that are kept.
    capacity: usize,
    /// Other lines.
    most_others: usize,
    capacity_bytes: usize,
    kept: usize,
    bytes: usize,
    /// Kept lines that were added.
    added: usize,
}

impl LineBuffer {
    pub fn new(capacity: usize, most_others: usize, capacity_bytes: usize) -> Self {
        Self { capacity, most_others, capacity_bytes, ..Self::default() }
    }

    /// Lines of the last `capacity` ones that could not be held.
    pub fn missing(&self) -> usize {
        self.capacity.min(self.added) - self.kept
    }

    /// The first line that is held.
    pub fn first(&self) -> Option<&Line<'static>> {
        self.lines.front()
    }

    /// Holds a line. Returns those that left for it and are shown nevertheless.
    pub fn add(&mut self, line: Line<'static>) -> Vec<Line<'static>> {
        let kept = usize::from(line.is_kept);
        self.added += kept;
        self.kept += kept;
        self.bytes += line.text.len();
        self.lines.push_back(line);
        let mut left = Vec::new();
        while self.is_too_full() {
            let Some(first) = self.lines.pop_front() else {
                break;
            };
            self.kept -= usize::from(first.is_kept);
            self.bytes -= first.text.len();
            if first.is_named {
                left.push(first);
            }
        }
        left
    }

    fn is_too_full(&self) -> bool {
        self.kept > self.capacity
            || self.lines.len() > self.capacity + self.most_others
            || self.bytes > self.capacity_bytes
    }

    /// Adds to the last line if it has this number. Returns what `add` returns, perhaps that line.
    pub fn extend(&mut self, number: u64, text: &[u8]) -> Vec<Line<'static>> {
        if self.lines.back().is_none_or(|last| last.number != number) {
            return Vec::new();
        }
        let Some(mut last) = self.lines.pop_back() else {
            return Vec::new();
        };
        self.added -= usize::from(last.is_kept);
        self.kept -= usize::from(last.is_kept);
        self.bytes -= last.text.len();
        last.text.to_mut().extend_from_slice(text);
        self.add(last)
    }

    /// Empties the buffer.
    pub fn take(&mut self) -> VecDeque<Line<'static>> {
        (self.kept, self.bytes) = (0, 0);
        std::mem::take(&mut self.lines)
    }
}
