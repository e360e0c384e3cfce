// SPDX-License-Identifier: Apache-2.0
//! Anchors: fragments of URLs that link to a moment in a log.

/// Puts the anchor of a time without control sequences in place of what the buffer holds.
pub fn put_anchor(time: &[u8], anchor: &mut Vec<u8>) {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-');
    anchor.clear();
    anchor.push(b'_');
    anchor.extend(time.iter().map(|&byte| if is_kept(byte) { byte } else { b'_' }));
}
