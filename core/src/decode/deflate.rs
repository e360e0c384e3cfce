// SPDX-License-Identifier: Apache-2.0
//! Inflates gzip with all its members, zlib's format, and raw deflate.

use crc32fast::Hasher;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus as Status;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_COMPUTE_ADLER32, TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER,
    TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{BlockBoundaryState, DecompressorOxide, decompress};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::decode::decoder::{Decoder, Fault, Point, Points};

/// Bytes of output to which a deflate stream may refer.
const WINDOW: usize = 32 * 1024;
/// Bytes of a gzip member's header. A longer one is damaged: names and comments have no limit.
const LONGEST_HEADER: usize = 256 * 1024;
/// Bytes behind a gzip member's data: its checksum and its size.
const TRAILER: usize = 8;

const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The only method of compression.
const DEFLATE: u8 = 8;
/// Flags of a gzip header: fields that follow, and flags without a meaning.
const HAS_CHECKSUM: u8 = 2;
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;
const UNKNOWN: u8 = 0xe0;

/// Where in the stored bytes the next one is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Header,
    Data,
    Trailer,
    /// Behind a member, or behind the only stream of another format.
    Behind,
}

/// How well windows are compressed: level 3 takes two to three times as long, and saves a third of some.
const WINDOW_LEVEL: u8 = 1;

pub struct Deflate {
    is_gzip: bool,
    flags: u32,
    decoder: Box<DecompressorOxide>,
    place: Place,
    /// The bytes of a header or trailer that is not complete.
    held: Vec<u8>,
    /// Output to which the stream may refer, and the current piece behind it.
    out: Vec<u8>,
    /// The beginning of the piece, and its end so far.
    begin: usize,
    end: usize,
    /// The beginning of the member's output.
    base: usize,
    /// Bytes of a piece.
    size: usize,
    checksum: Hasher,
    /// Bytes of the member's text.
    length: u64,
    members: u64,
    /// Bytes of input that were taken, and of all output.
    taken: u64,
    given: u64,
    points: Option<Points>,
    /// True if it began at a point, so that checksums of the whole log are not known.
    is_part: bool,
    /// True if something follows the first member.
    is_followed: bool,
    fault: Option<Fault>,
}

impl Deflate {
    /// packing: gzip, zlib or deflate. size: bytes of a piece of output.
    pub fn new(packing: &str, size: usize) -> Self {
        let is_gzip = packing == "gzip";
        let zlib = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_COMPUTE_ADLER32;
        let flags = if packing == "zlib" { zlib } else { 0 };
        Self {
            is_gzip,
            flags: flags | TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
            decoder: Box::default(),
            place: if is_gzip { Place::Header } else { Place::Data },
            held: Vec::new(),
            out: Vec::new(),
            begin: 0,
            end: 0,
            base: 0,
            size,
            checksum: Hasher::new(),
            length: 0,
            members: 0,
            taken: 0,
            given: 0,
            points: None,
            is_part: false,
            is_followed: false,
            fault: None,
        }
    }

    /// Begins at a point of a log. Errors: what is wrong with it.
    pub fn at(packing: &str, size: usize, point: &Point) -> Result<Self, &'static str> {
        if u32::from(point.bit_count) >= u8::BITS {
            return Err("bit_count: a byte has fewer bits left");
        }
        let window = decompress_to_vec_with_limit(&point.window, WINDOW)
            .map_err(|_| "window: it is no deflate, or too long")?;
        let mut inflater = Self::new(packing, size);
        inflater.flags &= !(TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_COMPUTE_ADLER32);
        inflater.is_part = true;
        inflater.place = Place::Data;
        inflater.out.resize(WINDOW + size, 0);
        inflater.out[..window.len()].copy_from_slice(&window);
        (inflater.begin, inflater.end) = (window.len(), window.len());
        *inflater.decoder = DecompressorOxide::from_block_boundary_state(&BlockBoundaryState {
            num_bits: point.bit_count,
            bit_buf: point.bits,
            ..BlockBoundaryState::default()
        });
        Ok(inflater)
    }

    /// Begins another piece behind the output to which the stream may refer.
    fn make_room(&mut self) {
        self.out.resize(WINDOW + self.size, 0);
        self.given += (self.end - self.begin) as u64;
        if self.end + self.size > self.out.len() {
            let start = self.end - WINDOW;
            self.out.copy_within(start..self.end, 0);
            self.base = self.base.saturating_sub(start);
            self.end = WINDOW;
        }
        self.begin = self.end;
    }

    fn take(&mut self, input: &mut &[u8], size: usize) {
        *input = &input[size..];
        self.taken += size as u64;
    }

    fn step(&mut self, input: &mut &[u8]) {
        match self.place {
            Place::Header => self.read_header(input),
            Place::Data => self.read_data(input),
            Place::Trailer => self.read_trailer(input),
            Place::Behind => self.go_on(input),
        }
    }

    fn read_header(&mut self, input: &mut &[u8]) {
        let before = self.held.len();
        let taken = input.len().min(LONGEST_HEADER - before);
        self.held.extend_from_slice(&input[..taken]);
        let is_other = self.held.get(..2).is_some_and(|magic| magic != MAGIC);
        let is_unknown = |kind: &[u8]| kind[0] != DEFLATE || kind[1] & UNKNOWN != 0;
        if is_other || self.held.get(2..4).is_some_and(is_unknown) {
            self.fault = Some(Fault::Damaged("a header is wrong"));
        } else if let Some(size) = header_size(&self.held) {
            self.take(input, size - before);
            if is_checked(&self.held[..size]) {
                self.begin_member();
            } else {
                self.fault = Some(Fault::Damaged("the checksum of a header is wrong"));
            }
        } else if self.held.len() == LONGEST_HEADER {
            self.fault = Some(Fault::Damaged("a header is too long"));
        } else {
            self.take(input, taken);
        }
    }

    fn begin_member(&mut self) {
        self.held.clear();
        *self.decoder = DecompressorOxide::new();
        self.place = Place::Data;
        self.base = self.end;
        self.is_part = false;
        self.checksum = Hasher::new();
        self.length = 0;
    }

    fn read_data(&mut self, input: &mut &[u8]) {
        let room = &mut self.out[self.base..self.begin + self.size];
        let at = self.end - self.base;
        let (status, taken, given) = decompress(&mut self.decoder, input, room, at, self.flags);
        self.take(input, taken);
        let text = &self.out[self.end..self.end + given];
        if self.is_gzip {
            self.checksum.update(text);
        }
        self.length += given as u64;
        self.end += given;
        match status {
            Status::BlockBoundary => self.add_point(),
            Status::Done if self.is_gzip => self.place = Place::Trailer,
            Status::Done => self.place = Place::Behind,
            Status::NeedsMoreInput | Status::HasMoreOutput => {}
            Status::Adler32Mismatch => self.fault = Some(Fault::Damaged(WRONG_CHECKSUM)),
            _ => self.fault = Some(Fault::Damaged("invalid deflate data")),
        }
    }

    /// Collects a point here if the last one is far enough away.
    fn add_point(&mut self) {
        let at = self.given + (self.end - self.begin) as u64;
        let Some(points) = self.points.as_mut().filter(|points| points.is_due(at)) else { return };
        let Some(state) = self.decoder.block_boundary_state() else { return };
        let start = self.base.max(self.end.saturating_sub(WINDOW));
        points.add(Point {
            stored: self.taken,
            bits: state.bit_buf,
            bit_count: state.num_bits,
            at,
            window: compress_to_vec(&self.out[start..self.end], WINDOW_LEVEL),
        });
    }

    fn read_trailer(&mut self, input: &mut &[u8]) {
        let taken = input.len().min(TRAILER - self.held.len());
        self.held.extend_from_slice(&input[..taken]);
        self.take(input, taken);
        let checksum = self.checksum.clone().finalize().to_le_bytes();
        let is_other = |stored: &[u8]| !self.is_part && stored != checksum;
        if self.held.get(..4).is_some_and(is_other) {
            self.fault = Some(Fault::Damaged(WRONG_CHECKSUM));
        } else if let Some(size) = self.held.get(4..TRAILER) {
            if !self.is_part && size != (self.length as u32).to_le_bytes() {
                self.fault = Some(Fault::Damaged("the size at its end is wrong"));
            }
            self.held.clear();
            self.members += 1;
            self.place = Place::Behind;
        }
    }

    fn go_on(&mut self, input: &mut &[u8]) {
        self.is_followed |= !input.is_empty();
        let zeros = input.iter().take_while(|&&byte| byte == 0).count();
        self.take(input, zeros);
        match input.first() {
            Some(&first) if self.is_gzip && first == MAGIC[0] => self.place = Place::Header,
            Some(_) => self.fault = Some(Fault::Garbage("gzip")),
            None => {}
        }
    }
}

impl Decoder for Deflate {
    fn decode(&mut self, input: &mut &[u8]) -> &[u8] {
        self.make_room();
        while self.fault.is_none() && !self.is_full() {
            let before = input.len();
            self.step(input);
            if before == 0 {
                break;
            }
        }
        &self.out[self.begin..self.end]
    }

    fn is_full(&self) -> bool {
        self.end - self.begin == self.size
    }

    fn fault(&self) -> Option<Fault> {
        self.fault
    }

    fn fault_at_end(&self) -> Option<Fault> {
        let is_complete = self.place == Place::Behind && self.held.is_empty();
        self.fault.or((!is_complete).then_some(Fault::Truncated))
    }

    fn is_one_member(&self) -> bool {
        self.is_gzip && self.members == 1 && !self.is_followed && self.fault_at_end().is_none()
    }

    fn memory(&self) -> usize {
        size_of::<DecompressorOxide>() + self.out.len() + self.held.len()
    }

    fn collect_points(&mut self, interval: u64) {
        self.flags |= TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY;
        self.points = Some(Points::new(interval));
    }

    fn take_points(&mut self) -> Vec<Point> {
        self.points.take().map_or_else(Vec::new, |points| points.found)
    }
}

const WRONG_CHECKSUM: &str = "the checksum at its end is wrong";

/// Bytes of the header of a gzip member; None if it is not all there.
fn header_size(start: &[u8]) -> Option<usize> {
    let flags = *start.get(3)?;
    let mut at = 10;
    if flags & HAS_EXTRA != 0 {
        let size = start.get(10..12)?;
        at += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for field in [HAS_NAME, HAS_COMMENT] {
        if flags & field != 0 {
            at += memchr::memchr(0, start.get(at..)?)? + 1;
        }
    }
    if flags & HAS_CHECKSUM != 0 {
        at += 2;
    }
    (at <= start.len()).then_some(at)
}

/// False for a header with a checksum of other bytes.
fn is_checked(header: &[u8]) -> bool {
    let (fields, checksum) = header.split_at(header.len() - 2);
    header[3] & HAS_CHECKSUM == 0 || checksum == (crc32fast::hash(fields) as u16).to_le_bytes()
}
