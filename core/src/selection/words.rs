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
/// Names of an exit code: alone, or behind one of `BEFORE_NAME`.
const NAMES: [&str; 4] = ["rc", "exit", "exitcode", "returncode"];
const LAST_NAMES: [&str; 4] = ["code", "status", "value", "with"];
const BEFORE_NAME: [&str; 6] = ["exit", "exits", "exited", "return", "returned", "with"];
/// Names of an exit code that ends its line.
const ENDINGS: [&str; 4] = ["returned", "returns", "exited", "exits"];
/// Last words of a line that says that something failed.
const FAILURES: [&str; 4] = ["fail", "failed", "failure", "failures"];
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

/// Gives the line and the place of each word, without those that differ from run to run. Returns whether
/// the line tells of a failed outcome: an exit code other than 0, or a last word such as "FAILED".
#[inline]
pub fn each_word(line: &[u8], mut take: impl FnMut(&[u8], Range<usize>)) -> bool {
    let line = &line[..line.len().min(REACH)];
    let mut at = 0;
    let mut has_failed = false;
    let (mut word_before, mut last_word) = (0..0, 0..0);
    // True until a number follows; from a number other than 0 to the next word.
    let (mut is_last, mut ends_in_number) = (false, false);
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
        if all & LETTER == 0 {
            if std::mem::take(&mut is_last) && !line[word].iter().all(|&digit| digit == b'0') {
                has_failed |= is_exit_code(&line[last_word.clone()], &line[word_before.clone()]);
                ends_in_number = true;
            }
            continue;
        }
        if word.len() < 2 {
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
            word_before = std::mem::replace(&mut last_word, word.clone());
            (is_last, ends_in_number) = (true, false);
            take(line, word);
        }
    }
    let last_word = &line[last_word];
    let is_ending = ends_in_number && is_one_of(last_word, &ENDINGS);
    has_failed || is_ending || is_one_of(last_word, &FAILURES)
}

fn is_one_of(word: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// True for the name of an exit code.
fn is_exit_code(word: &[u8], before: &[u8]) -> bool {
    is_one_of(word, &NAMES) || (is_one_of(word, &LAST_NAMES) && is_one_of(before, &BEFORE_NAME))
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
