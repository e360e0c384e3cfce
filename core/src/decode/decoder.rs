// SPDX-License-Identifier: Apache-2.0
//! What all decoders of a stored log are: the pieces that they give, their faults, and their points.

use pyo3::{FromPyObject, IntoPyObject};

/// Why the rest of a log is missing.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    Damaged(&'static str),
    /// It is sound, but cannot be decompressed here.
    Refused(&'static str),
    /// It ends early.
    Truncated,
    /// What follows the last member or frame is none of this format.
    Garbage(&'static str),
}

/// A place in the stored bytes from which on they can be decompressed.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct Point {
    /// The next stored byte, and the bits of the one before it that belong to the next block.
    pub stored: u64,
    pub bits: u8,
    pub bit_count: u8,
    /// Bytes of text before it.
    pub at: u64,
    /// The text before it to which the stream may refer, as raw deflate; empty at a frame of Zstandard.
    pub window: Vec<u8>,
}

/// A log that is being decompressed.
pub trait Decoder: Send + Sync {
    /// Takes what it can of the input, whose rest is left, and gives the next piece. A piece that is not
    /// full means that all input is taken, or that there is a fault.
    fn decode(&mut self, input: &mut &[u8]) -> &[u8];

    /// True if the piece is full, so that there may be more output of the same input.
    fn is_full(&self) -> bool;

    /// Why nothing more comes; None as long as there may be more.
    fn fault(&self) -> Option<Fault>;

    /// The fault of a log that ends here.
    fn fault_at_end(&self) -> Option<Fault>;

    /// True if all so far is exactly one complete gzip member or frame of Zstandard.
    fn is_one_member(&self) -> bool;

    /// Bytes of memory that it holds.
    fn memory(&self) -> usize;

    /// Collects points from here on: behind each multiple of `interval` bytes of text, the next possible one.
    fn collect_points(&mut self, interval: u64);

    /// The points that were collected.
    fn take_points(&mut self) -> Vec<Point>;
}

/// The points of a log, a certain number of bytes of text apart.
pub struct Points {
    interval: u64,
    next: u64,
    pub found: Vec<Point>,
}

impl Points {
    pub fn new(interval: u64) -> Self {
        Self { interval, next: interval, found: Vec::new() }
    }

    /// True if the last point is far enough before a place in the text.
    pub fn is_due(&self, at: u64) -> bool {
        at >= self.next
    }

    pub fn add(&mut self, point: Point) {
        self.next = (point.at / self.interval + 1) * self.interval;
        self.found.push(point);
    }
}
