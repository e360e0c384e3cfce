// SPDX-License-Identifier: Apache-2.0
//! Kinds of errors: those of a kind differ in their numbers, ids and quoted texts only.

use crc32fast::Hasher;
use memchr::memchr;

/// A hash of an error's kind.
pub fn kind(text: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    let (mut at, mut taken) = (0, 0);
    while at < text.len() {
        let Some(end) = end_of_variable(text, at) else {
            at += 1;
            continue;
        };
        hasher.update(&text[taken..at]);
        hasher.update(b"#");
        taken = end;
        at = end.max(at + 1);
    }
    hasher.update(&text[taken..]);
    hasher.finalize()
}

/// The end of a number, an id or a quoted text that begins at a place; None if none does.
fn end_of_variable(text: &[u8], at: usize) -> Option<usize> {
    let above = at.checked_sub(1).map(|above| text[above]);
    if !above.is_some_and(|byte| byte.is_ascii_hexdigit()) {
        let letters = count(&text[at..], |byte| matches!(byte, b'a'..=b'f' | b'A'..=b'F'));
        let rest = &text[at + letters..];
        if rest.first().is_some_and(u8::is_ascii_digit) {
            let id = count(rest, |byte| byte == b'-' || byte.is_ascii_hexdigit());
            return Some(at + letters + id);
        }
    }
    above.filter(|&byte| byte == b'\'')?;
    memchr(b'\'', &text[at..]).map(|size| at + size)
}

fn count(text: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| !is_in(byte)).unwrap_or(text.len())
}
