// SPDX-License-Identifier: Apache-2.0
//! The fragment that leads to a moment, as `oslogserve/lines/anchor.py` defines it.

/// The anchor of a time without control sequences.
pub fn of(time: &[u8]) -> Vec<u8> {
    std::iter::once(b'_').chain(time.iter().copied().map(in_anchor)).collect()
}

fn in_anchor(byte: u8) -> u8 {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-') { byte } else { b'_' }
}

/// True if it is the anchor of this time.
pub fn is_of(anchor: &[u8], time: &[u8]) -> bool {
    anchor.len() == time.len() + 1
        && anchor[0] == b'_'
        && anchor[1..].iter().zip(time).all(|(&one, &other)| one == in_anchor(other))
}
