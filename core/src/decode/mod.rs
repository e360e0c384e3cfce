// SPDX-License-Identifier: Apache-2.0
//! Decompresses a stored log: `deflate` reads gzip and its kin, `zstd` Zstandard.
//!
//! All output before a damage is given. A log may be cut anywhere, and padded with zeros, as tar and dd do.
//! A gzip has any number of members, and Zstandard any number of frames.

pub mod decoder;
mod deflate;
pub mod zstd;

use decoder::{Decoder, Point};

/// The compression that is Zstandard's; all others are `deflate`'s.
const ZSTD: &str = "zstd";

/// packing: gzip, zlib, deflate or zstd. size: bytes of a piece of output.
pub fn decoder(packing: &str, size: usize) -> Box<dyn Decoder> {
    match packing {
        ZSTD => Box::new(zstd::Zstd::new(size)),
        _ => Box::new(deflate::Deflate::new(packing, size)),
    }
}

/// One that begins at a point of a log. None for a window that is no deflate, or too long.
pub fn decoder_at(packing: &str, size: usize, point: &Point) -> Option<Box<dyn Decoder>> {
    match packing {
        ZSTD => Some(Box::new(zstd::Zstd::new(size))),
        _ => Some(Box::new(deflate::Deflate::at(packing, size, point)?)),
    }
}
