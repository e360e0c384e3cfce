// SPDX-License-Identifier: Apache-2.0
//! The words of a line, for comparisons.
//!
//! Numbers, hashes, addresses, names of temporary files, months and days of the week are no words: they
//! differ from run to run.

use std::ops::Range;

/// Bytes of a line that are compared.
pub const REACH: usize = 16 * 1024;
/// The longest part of an address, and the shortest hash, in hexadecimal digits.
const GROUP: usize = 4;
const HASH: usize = 6;
const CALENDAR: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDecMonTueWedThuFriSatSun";

/// Kinds of bytes, as bits. Those beyond ASCII are letters.
const DIGIT: u8 = 1;
const LETTER: u8 = 2;
const HEXADECIMAL: u8 = 4;
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        if it.is_ascii_digit() {
            kinds[byte] |= DIGIT;
        }
        if it.is_ascii_alphabetic() || !it.is_ascii() {
            kinds[byte] |= LETTER;
        }
        if it.is_ascii_hexdigit() {
            kinds[byte] |= HEXADECIMAL;
        }
        byte += 1;
    }
    kinds
};

/// Gives the line and the place of each word, without those that differ from run to run.
#[inline]
pub fn each_word(line: &[u8], mut take: impl FnMut(&[u8], Range<usize>)) {
    let line = &line[..line.len().min(REACH)];
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let first = KINDS[usize::from(byte)];
        if first == 0 {
            at += 1;
            continue;
        }
        let start = at;
        // The place of the last change between digits and letters, and how many there are.
        let (mut change, mut changes) = (start, 0);
        let (mut all, mut common, mut last) = (first, first, first);
        at += 1;
        // Most words are letters alone.
        while let Some(kind) = kind_at(line, at).filter(|kind| first & kind & LETTER != 0) {
            (common, last) = (common & kind, kind);
            at += 1;
        }
        while let Some(kind) = kind_at(line, at) {
            if kind == 0 {
                break;
            }
            if (kind ^ last) & DIGIT != 0 {
                change = at;
                changes += 1;
            }
            (all, common, last) = (all | kind, common & kind, kind);
            at += 1;
        }
        if line[start..at].starts_with(b"tmp") {
            take(line, start..start + b"tmp".len());
            at = end_of_temporary(line, start);
            continue;
        }
        let word = match changes {
            0 => start..at,
            1 if first & DIGIT != 0 => change..at,
            1 => start..change,
            _ => continue,
        };
        if all & LETTER == 0 || word.len() < 2 {
            continue;
        }
        if common & HEXADECIMAL != 0 {
            let size = at - start;
            let is_hash = size >= HASH && changes > 0;
            if is_hash || (size <= GROUP && is_joined(line, start, at)) {
                continue;
            }
        }
        if !is_of_calendar(&line[word.clone()]) {
            take(line, word);
        }
    }
}

fn kind_at(line: &[u8], at: usize) -> Option<u8> {
    line.get(at).map(|&byte| KINDS[usize::from(byte)])
}

/// True for a part of an address or of a UUID. Parts are joined by colons or hyphens.
fn is_joined(line: &[u8], start: usize, end: usize) -> bool {
    let is_part = |at: usize| line.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let joins = |at: usize| matches!(line.get(at), Some(b':' | b'-'));
    (start >= 2 && joins(start - 1) && is_part(start - 2)) || (joins(end) && is_part(end + 1))
}

#[inline]
fn is_of_calendar(word: &[u8]) -> bool {
    word.len() == 3
        && word[0].is_ascii_uppercase()
        && CALENDAR.chunks_exact(3).any(|name| name == word)
}

/// Where the name of a temporary file ends.
fn end_of_temporary(line: &[u8], start: usize) -> usize {
    let mut end = start + b"tmp".len();
    end += usize::from(line.get(end).is_some_and(|byte| b"./_-".contains(byte)));
    let goes_on = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    end + line[end..].iter().take_while(goes_on).count()
}
