// SPDX-License-Identifier: Apache-2.0
//! The fragment that leads to a moment, as `oslogserve/lines/anchor.py` defines it.

/// A time goes into its anchor byte by byte, and all behind a first `_`.
pub fn byte(byte: u8) -> u8 {
    match byte {
        b'T' => b'_',
        _ if byte.is_ascii_alphanumeric() => byte,
        _ => b'_',
    }
}

/// Whether an anchor is that of a time.
pub fn is_of(anchor: &[u8], time: &[u8]) -> bool {
    anchor.len() == time.len() + 1
        && anchor[0] == b'_'
        && anchor[1..].iter().zip(time).all(|(&one, &other)| one == byte(other))
}
