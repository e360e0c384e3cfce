// SPDX-License-Identifier: Apache-2.0
//! Lines that are held back until it is known whether they are shown.

use std::collections::VecDeque;

use crate::recognise::Seen;
use crate::view::{Line, Role};

/// A line that is held back.
pub struct Kept {
    /// In the whole log.
    pub number: u64,
    text: Vec<u8>,
    has_end: bool,
    seen: Seen,
    rank: usize,
    inherits: bool,
    /// Why it is shown.
    pub role: Role,
}

impl Kept {
    /// As it was added.
    pub fn line(&self) -> Line<'_> {
        Line {
            number: self.number,
            text: &self.text,
            rest: None,
            has_end: self.has_end,
            seen: &self.seen,
            rank: self.rank,
            inherits: self.inherits,
            role: self.role,
        }
    }

    fn size(&self) -> usize {
        self.text.len() + usize::from(self.has_end)
    }
}

/// The last lines, as many and as large as may be held.
pub struct Held {
    lines: VecDeque<Kept>,
    most: usize,
    added: usize,
    size: usize,
    left: usize,
    /// Of a line that is gone, to be used again.
    spare: Vec<u8>,
}

impl Held {
    /// Bytes, too, are bounded.
    pub fn new(most: usize, size: usize) -> Self {
        Self { lines: VecDeque::new(), most, added: 0, size, left: size, spare: Vec::new() }
    }

    /// Lines that there was no room for.
    pub fn missing(&self) -> usize {
        self.most.min(self.added) - self.lines.len()
    }

    /// Gives those that had to go for it and are shown nevertheless.
    pub fn add(&mut self, line: &Line<'_>) -> Vec<Kept> {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        text.extend_from_slice(line.text);
        let kept = Kept {
            number: line.number,
            text,
            has_end: line.has_end,
            seen: line.seen.clone(),
            rank: line.rank,
            inherits: line.inherits,
            role: line.role,
        };
        self.push(kept)
    }

    /// Of the line that was added last; where it was too large by itself, the rest of it is
    /// dropped too.
    pub fn extend(&mut self, part: &[u8], has_end: bool) -> Vec<Kept> {
        let Some(mut last) = self.lines.pop_back() else {
            return Vec::new();
        };
        self.added -= 1;
        self.left += last.size();
        last.text.extend_from_slice(part);
        last.has_end = has_end;
        self.push(last)
    }

    fn push(&mut self, kept: Kept) -> Vec<Kept> {
        self.added += 1;
        let size = kept.size();
        self.lines.push_back(kept);
        let mut gone = Vec::new();
        let mut needed = size;
        while self.lines.len() > self.most || needed > self.left {
            let Some(first) = self.lines.pop_front() else {
                break;
            };
            // What was added is not yet taken from what is left.
            if self.lines.is_empty() {
                needed = 0;
            } else {
                self.left += first.size();
            }
            if first.role == Role::Shown {
                gone.push(first);
            } else {
                self.spare = first.text;
            }
        }
        self.left -= needed;
        gone
    }

    pub fn taken(&mut self) -> VecDeque<Kept> {
        self.left = self.size;
        std::mem::take(&mut self.lines)
    }
}
