// SPDX-License-Identifier: Apache-2.0
//! What a terminal does not show of a line, as `oslogserve/lines/pure/overwritten.py` defines it.

use std::ops::Range;

use memchr::memrchr;

use crate::ansi;

pub const RETURN: u8 = b'\r';
/// What all marks of sections begin with.
pub const SECTION: &[u8] = b"##[";

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of the time before a mark.
const LONGEST_TIME: usize = 40;

/// What is not shown of a line.
pub struct Overwritten {
    pub place: Range<usize>,
    /// What it leaves behind the rest of the line, which is shorter.
    pub left: Vec<u8>,
}

/// What is not shown of a line; None for nothing.
pub fn overwritten_in(text: &[u8]) -> Option<Overwritten> {
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    if let Some(end) = memrchr(RETURN, &text[..size]) {
        let left = left(&text[..end], &text[end + 1..size]);
        return Some(Overwritten { place: 0..end + 1, left });
    }
    Some(Overwritten { place: section(text)?, left: Vec::new() })
}

/// The place of a section's mark.
fn section(text: &[u8]) -> Option<Range<usize>> {
    let mut at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let is_of_time = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'T' | b':' | b'.' | b'-');
    let time = text[at..].iter().take(LONGEST_TIME).take_while(is_of_time).count();
    if time > 0 && text[at + time..].starts_with(b"Z ") {
        at += time + 2;
    }
    let marks: [&[u8]; 2] = [b"##[group]", b"##[endgroup]"];
    let mark = marks.iter().find(|mark| text[at..].starts_with(mark))?;
    Some(at..at + mark.len())
}

/// What was written before and reaches beyond all that was written later.
fn left(before: &[u8], last: &[u8]) -> Vec<u8> {
    let mut left = Vec::new();
    let mut reached = width(last);
    let mut is_erased = erases(last);
    for written in before.rsplit(|&byte| byte == RETURN) {
        if is_erased {
            break;
        }
        let width = width(written);
        if width > reached {
            left.extend_from_slice(behind(&ansi::without(written), reached));
            reached = width;
        }
        is_erased = erases(written);
    }
    left
}

/// True if a text erases what was written before: `K` the line, `J` the screen.
fn erases(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = ansi::next_sequence(text, at..text.len()) {
        if matches!(found.last, b'K' | b'J') {
            return true;
        }
        at = found.place.end;
    }
    false
}

/// True for the first byte of a character.
fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Characters, each of which takes one column here.
fn width(text: &[u8]) -> usize {
    ansi::without(text).iter().filter(|&&byte| begins_character(byte)).count()
}

/// The text behind so many characters, of which it has more.
fn behind(text: &[u8], width: usize) -> &[u8] {
    let starts = text.iter().enumerate().filter(|&(_, &byte)| begins_character(byte));
    let start = starts.map(|(at, _)| at).nth(width).unwrap_or(text.len());
    &text[start..]
}
