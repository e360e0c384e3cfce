// SPDX-License-Identifier: Apache-2.0
//! Decompresses a stored log: `deflate` reads gzip and its kin, `zstd` Zstandard.
//!
//! All output before a damage is given. A log may be cut anywhere, and padded with zeros, as tar and dd do.
//! A gzip has any number of members, and Zstandard any number of frames.

pub mod decoder;
mod deflate;
pub mod zstd;

use decoder::{Decoder, Point};

/// packing: gzip, zlib, deflate or zstd. size: bytes of a piece of output. Errors: that there is no such packing.
pub fn decoder(packing: &str, size: usize) -> Result<Box<dyn Decoder>, String> {
    match packing {
        "zstd" => Ok(Box::new(zstd::Zstd::new(size))),
        "gzip" | "zlib" | "deflate" => Ok(Box::new(deflate::Deflate::new(packing, size))),
        other => Err(format!("packing: there is no {other}")),
    }
}

/// One that begins at a point of a log. Errors: what is wrong with the point, too.
pub fn decoder_at(packing: &str, size: usize, point: &Point) -> Result<Box<dyn Decoder>, String> {
    match packing {
        "gzip" | "zlib" | "deflate" => Ok(Box::new(deflate::Deflate::at(packing, size, point)?)),
        _ => decoder(packing, size),
    }
}
