// SPDX-License-Identifier: Apache-2.0
//! Compresses a text as Zstandard, for a log that was stored so and is masked.

use zstd_safe::zstd_sys::ZSTD_EndDirective::{self, *};
use zstd_safe::{CCtx, CParameter, ErrorCode, InBuffer, OutBuffer, get_error_name};

/// zstd's own default.
const LEVEL: i32 = 3;
/// Bytes of output that are made room for at once.
const ROOM: usize = 64 * 1024;

pub struct Packer {
    encoder: CCtx<'static>,
}

impl Packer {
    /// Errors: why libzstd cannot compress, as for all calls.
    pub fn new() -> Result<Self, &'static str> {
        let mut encoder = CCtx::create();
        encoder.set_parameter(CParameter::CompressionLevel(LEVEL)).map_err(get_error_name)?;
        encoder.set_parameter(CParameter::ChecksumFlag(true)).map_err(get_error_name)?;
        Ok(Self { encoder })
    }

    pub fn feed(&mut self, piece: &[u8]) -> Result<Vec<u8>, &'static str> {
        self.packed(piece, ZSTD_e_continue).map_err(get_error_name)
    }

    /// The rest. is_whole: false for a frame without an end.
    pub fn finish(&mut self, is_whole: bool) -> Result<Vec<u8>, &'static str> {
        let end = if is_whole { ZSTD_e_end } else { ZSTD_e_flush };
        self.packed(&[], end).map_err(get_error_name)
    }

    fn packed(&mut self, piece: &[u8], end: ZSTD_EndDirective) -> Result<Vec<u8>, ErrorCode> {
        let mut input = InBuffer::around(piece);
        let mut packed = Vec::new();
        loop {
            let at = packed.len();
            packed.resize(at + ROOM, 0);
            let mut output = OutBuffer::around(&mut packed[at..]);
            let left = self.encoder.compress_stream2(&mut output, &mut input, end)?;
            let size = output.pos();
            packed.truncate(at + size);
            let is_taken = input.pos() == piece.len();
            if is_taken && (left == 0 || matches!(end, ZSTD_e_continue)) {
                return Ok(packed);
            }
        }
    }
}
