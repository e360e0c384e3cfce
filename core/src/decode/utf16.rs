// SPDX-License-Identifier: Apache-2.0
//! Text in UTF-16 as UTF-8. What is no character becomes U+FFFD, and a byte order mark is left out.

use crate::decode::decoder::{Decoder, Fault, Point, Points};

/// Bytes of the longest character in UTF-8.
const LONGEST: usize = 4;
const BYTE_ORDER_MARK: u16 = 0xfeff;

pub struct Utf16 {
    is_big_endian: bool,
    /// The first byte of a unit, and the first unit of a pair, whose others are not there.
    byte: Option<u8>,
    high: Option<u16>,
    /// The piece.
    out: Vec<u8>,
    /// Bytes of a piece.
    size: usize,
    /// Bytes of input that were taken, and of all output.
    taken: u64,
    given: u64,
    points: Option<Points>,
}

impl Utf16 {
    /// size: bytes of a piece of output; a few more where that is less than a character.
    pub fn new(is_big_endian: bool, size: usize) -> Self {
        Self {
            is_big_endian,
            byte: None,
            high: None,
            out: Vec::new(),
            size,
            taken: 0,
            given: 0,
            points: None,
        }
    }

    /// Begins at a point of a log.
    pub fn at(is_big_endian: bool, size: usize, point: &Point) -> Self {
        Self { taken: point.stored, given: point.at, ..Self::new(is_big_endian, size) }
    }

    fn has_room(&self) -> bool {
        self.out.is_empty() || self.out.len() + 2 * LONGEST <= self.size
    }

    fn put(&mut self, unit: u16) {
        if self.taken == 2 && unit == BYTE_ORDER_MARK {
            return;
        }
        if unit < 0x80 && self.high.is_none() {
            return self.out.push(unit as u8);
        }
        let high = self.high.take();
        if matches!(unit, 0xd800..0xdc00) {
            self.high = Some(unit);
            if high.is_none() {
                return;
            }
        }
        let now = if self.high.is_some() { None } else { Some(unit) };
        for character in char::decode_utf16(high.into_iter().chain(now)) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.out.extend_from_slice(character.encode_utf8(&mut [0; LONGEST]).as_bytes());
        }
    }
}

impl Decoder for Utf16 {
    fn decode(&mut self, input: &mut &[u8]) -> &[u8] {
        self.given += self.out.len() as u64;
        self.out.clear();
        if self.byte.is_none() && self.high.is_none() {
            let (stored, at) = (self.taken, self.given);
            if let Some(points) = self.points.as_mut().filter(|points| points.is_due(at)) {
                points.add(Point { stored, bits: 0, bit_count: 0, at, window: Vec::new() });
            }
        }
        while let Some((&byte, behind)) = input.split_first().filter(|_| self.has_room()) {
            (*input, self.taken) = (behind, self.taken + 1);
            match self.byte.take() {
                None => self.byte = Some(byte),
                Some(first) if self.is_big_endian => self.put(u16::from_be_bytes([first, byte])),
                Some(first) => self.put(u16::from_le_bytes([first, byte])),
            }
        }
        &self.out
    }

    fn is_full(&self) -> bool {
        !self.has_room()
    }

    fn fault(&self) -> Option<Fault> {
        None
    }

    fn fault_at_end(&self) -> Option<Fault> {
        (self.byte.is_some() || self.high.is_some()).then_some(Fault::Truncated)
    }

    fn is_one_member(&self) -> bool {
        false
    }

    fn memory(&self) -> usize {
        self.out.capacity()
    }

    fn collect_points(&mut self, interval: u64) {
        self.points = Some(Points::new(interval));
    }

    fn take_points(&mut self) -> Vec<Point> {
        self.points.take().map_or_else(Vec::new, |points| points.found)
    }
}
