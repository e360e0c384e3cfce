// SPDX-License-Identifier: Apache-2.0
//! Decompresses Zstandard (RFC 8878), by libzstd, which verifies the checksums of frames.
//!
//! libzstd drops output that it made in the same call before a damage. So it never gets more than a header,
//! or a block, at once.

use zstd_safe::zstd_sys::ZSTD_ErrorCode::{self, *};
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, is_error_kind};

use crate::decode::decoder::{Decoder, Fault, Point, Points};

/// Bytes of the largest window. Memory has one for each log that is read. RFC 9659 forbids larger ones in
/// HTTP, and zstd needs them only for its options --ultra and --long.
pub const MOST_WINDOW: usize = 8 * 1024 * 1024;

/// Bytes of the number at a frame's beginning.
const MAGIC_SIZE: usize = 4;
const MAGIC: u32 = 0xfd2f_b528;
/// The number of a skippable frame, but for its last four bits.
const SKIPPABLE: u32 = 0x184d_2a50;
/// Bytes of a block's header, which libzstd wants together with the block before it.
const BLOCK_HEADER: usize = 3;

/// Where in the stored bytes the next one is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// At a frame's beginning, or behind the last frame.
    Between,
    /// In a frame. libzstd wants so many bytes next.
    Frame { wanted: usize },
}

pub struct Zstd {
    decoder: DCtx<'static>,
    place: Place,
    /// The number at a frame's beginning, as far as it is there.
    magic: Vec<u8>,
    /// The current piece, and its end so far.
    out: Vec<u8>,
    end: usize,
    /// True if libzstd may hold output that had no room.
    is_pending: bool,
    /// Frames with text, and all frames.
    texts: u64,
    frames: u64,
    /// True if something follows the first frame.
    is_followed: bool,
    /// Bytes of input that were taken, and of output before the current piece.
    taken: u64,
    given: u64,
    points: Option<Points>,
    fault: Option<Fault>,
}

impl Zstd {
    /// size: bytes of a piece of output.
    pub fn new(size: usize) -> Self {
        let mut decoder = DCtx::create();
        let is_limited = decoder.set_parameter(DParameter::WindowLogMax(MOST_WINDOW.ilog2()));
        Self {
            decoder,
            place: Place::Between,
            magic: Vec::with_capacity(MAGIC_SIZE),
            out: vec![0; size],
            end: 0,
            is_pending: false,
            texts: 0,
            frames: 0,
            is_followed: false,
            taken: 0,
            given: 0,
            points: None,
            fault: is_limited.err().map(fault_of),
        }
    }

    fn take(&mut self, input: &mut &[u8], size: usize) {
        *input = &input[size..];
        self.taken += size as u64;
    }

    /// Takes zeros behind a frame, and the number at the beginning of the next one.
    fn begin(&mut self, input: &mut &[u8]) {
        self.is_followed |= self.frames > 0 && !input.is_empty();
        if self.frames > 0 && self.magic.is_empty() {
            let zeros = input.iter().take_while(|&&byte| byte == 0).count();
            self.take(input, zeros);
        }
        let taken = input.len().min(MAGIC_SIZE - self.magic.len());
        self.magic.extend_from_slice(&input[..taken]);
        self.take(input, taken);
        if !begins_frame(&self.magic) {
            let behind = Fault::Garbage("Zstandard");
            let first = Fault::Damaged("a header is wrong");
            self.fault = Some(if self.frames > 0 { behind } else { first });
        } else if self.magic.len() == MAGIC_SIZE {
            self.begin_frame();
        }
    }

    fn begin_frame(&mut self) {
        self.frames += 1;
        self.is_followed |= self.frames > 1;
        if self.magic == MAGIC.to_le_bytes() {
            self.texts += 1;
            self.add_point();
        }
        let magic = std::mem::take(&mut self.magic);
        self.feed(&magic);
    }

    /// Collects a point at this frame if the last one is far enough away.
    fn add_point(&mut self) {
        let at = self.given + self.end as u64;
        let stored = self.taken - MAGIC_SIZE as u64;
        if let Some(points) = self.points.as_mut().filter(|points| points.is_due(at)) {
            points.add(Point { stored, bits: 0, bit_count: 0, at, window: Vec::new() });
        }
    }

    fn read_frame(&mut self, input: &mut &[u8], wanted: usize) {
        let most = if wanted > BLOCK_HEADER { wanted - BLOCK_HEADER } else { wanted };
        // What is held comes out first: of a call that fails, nothing would.
        let size = if self.is_pending { 0 } else { input.len().min(most) };
        if size > 0 || self.is_pending {
            let taken = self.feed(&input[..size]);
            self.take(input, taken);
        }
    }

    /// Gives bytes to libzstd, and returns how many it took.
    fn feed(&mut self, bytes: &[u8]) -> usize {
        let mut given = InBuffer::around(bytes);
        let mut out = OutBuffer::around_pos(&mut self.out[..], self.end);
        let wanted = self.decoder.decompress_stream(&mut out, &mut given);
        self.end = out.pos();
        self.is_pending = self.end == self.out.len();
        match wanted {
            Ok(0) => (self.place, self.is_pending) = (Place::Between, false),
            Ok(wanted) => self.place = Place::Frame { wanted },
            Err(code) => self.fault = Some(fault_of(code)),
        }
        given.pos()
    }
}

impl Decoder for Zstd {
    fn decode(&mut self, input: &mut &[u8]) -> &[u8] {
        self.given += self.end as u64;
        self.end = 0;
        while self.fault.is_none() && !self.is_full() {
            let is_all_taken = input.is_empty() && !self.is_pending;
            if is_all_taken {
                break;
            }
            match self.place {
                Place::Between => self.begin(input),
                Place::Frame { wanted } => self.read_frame(input, wanted),
            }
        }
        &self.out[..self.end]
    }

    fn is_full(&self) -> bool {
        self.end == self.out.len()
    }

    fn fault(&self) -> Option<Fault> {
        self.fault
    }

    fn fault_at_end(&self) -> Option<Fault> {
        let is_complete = self.place == Place::Between && self.magic.is_empty() && self.frames > 0;
        self.fault.or((!is_complete).then_some(Fault::Truncated))
    }

    fn is_one_member(&self) -> bool {
        self.texts == 1 && !self.is_followed && self.fault_at_end().is_none()
    }

    fn memory(&self) -> usize {
        self.decoder.sizeof() + self.out.len()
    }

    fn collect_points(&mut self, interval: u64) {
        self.points = Some(Points::new(interval));
    }

    fn take_points(&mut self) -> Vec<Point> {
        self.points.take().map_or_else(Vec::new, |points| points.found)
    }
}

/// True if a frame may begin with these bytes, of which there are at most MAGIC_SIZE.
fn begins_frame(bytes: &[u8]) -> bool {
    let is_text = MAGIC.to_le_bytes().starts_with(bytes);
    let is_skippable = (0..16).any(|kind| (SKIPPABLE + kind).to_le_bytes().starts_with(bytes));
    is_text || is_skippable
}

fn fault_of(code: usize) -> Fault {
    let is = |kind: ZSTD_ErrorCode| is_error_kind(code, kind);
    if is(ZSTD_error_frameParameter_windowTooLarge) {
        Fault::Refused(
            "it needs a window of more than 8 MiB, as of zstd's options --ultra and --long",
        )
    } else if is(ZSTD_error_dictionary_wrong) {
        Fault::Refused("it needs a dictionary")
    } else if is(ZSTD_error_memory_allocation) {
        Fault::Refused("there is no memory for it")
    } else if is(ZSTD_error_checksum_wrong) {
        Fault::Damaged("the checksum at its end is wrong")
    } else {
        Fault::Damaged("invalid Zstandard data")
    }
}
