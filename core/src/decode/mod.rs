// SPDX-License-Identifier: Apache-2.0
//! Decodes a stored log: `deflate` reads gzip and its kin, `zstd` Zstandard, `utf16` text in UTF-16.
//!
//! All output before a damage is given. A log may be cut anywhere, and padded with zeros, as tar and dd do.
//! A gzip has any number of members, and Zstandard any number of frames.

pub mod decoder;
mod deflate;
mod utf16;
pub mod zstd;

use decoder::{Decoder, Point};
use utf16::Utf16;

const BIG_ENDIAN: &str = "utf-16be";
const LITTLE_ENDIAN: &str = "utf-16le";

/// packing: gzip, zlib, deflate, zstd, utf-16be or utf-16le. size: bytes of a piece of output.
/// Errors: that there is no such packing.
pub fn decoder(packing: &str, size: usize) -> Result<Box<dyn Decoder>, String> {
    match packing {
        "zstd" => Ok(Box::new(zstd::Zstd::new(size))),
        "gzip" | "zlib" | "deflate" => Ok(Box::new(deflate::Deflate::new(packing, size))),
        BIG_ENDIAN | LITTLE_ENDIAN => Ok(Box::new(Utf16::new(packing == BIG_ENDIAN, size))),
        other => Err(format!("packing: there is no {other}")),
    }
}

/// One that begins at a point of a log. Errors: what is wrong with the point, too.
pub fn decoder_at(packing: &str, size: usize, point: &Point) -> Result<Box<dyn Decoder>, String> {
    match packing {
        "gzip" | "zlib" | "deflate" => Ok(Box::new(deflate::Deflate::at(packing, size, point)?)),
        BIG_ENDIAN | LITTLE_ENDIAN => Ok(Box::new(Utf16::at(packing == BIG_ENDIAN, size, point))),
        _ => decoder(packing, size),
    }
}
