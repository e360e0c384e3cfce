// SPDX-License-Identifier: Apache-2.0
//! Anchors, as `oslogserve/lines/pure/anchor.py` defines it.

/// The anchor of a time without control sequences.
pub fn anchor_of(time: &[u8]) -> Vec<u8> {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-');
    let mut anchor = Vec::with_capacity(time.len() + 1);
    anchor.push(b'_');
    anchor.extend(time.iter().map(|&byte| if is_kept(byte) { byte } else { b'_' }));
    anchor
}
