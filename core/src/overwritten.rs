// SPDX-License-Identifier: Apache-2.0
//! The text of a line that a terminal would have overwritten, and marks of sections.
//!
//! A progress bar is one line, written again and again from its beginning; only its last state is shown.
//! GitLab's marks of sections are overwritten by their titles. GitHub's are plain text, found here.

use std::ops::Range;

use memchr::memrchr;

use crate::lines::after_mark;

pub const RETURN: u8 = b'\r';
/// What all marks of sections begin with.
pub const SECTION: &[u8] = b"##[";

/// Bytes of the time before a mark.
const LONGEST_TIME: usize = 40;

/// The place of what is not shown of a line; None for nothing.
pub fn overwritten_in(text: &[u8]) -> Option<Range<usize>> {
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    let end = memrchr(RETURN, &text[..size]).map(|end| 0..end + 1);
    end.or_else(|| section(text))
}

/// The place of a section's mark.
fn section(text: &[u8]) -> Option<Range<usize>> {
    let mut at = after_mark(text);
    let is_of_time = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'T' | b':' | b'.' | b'-');
    let time = text[at..].iter().take(LONGEST_TIME).take_while(is_of_time).count();
    if time > 0 && text[at + time..].starts_with(b"Z ") {
        at += time + 2;
    }
    let marks: [&[u8]; 2] = [b"##[group]", b"##[endgroup]"];
    let mark = marks.iter().find(|mark| text[at..].starts_with(mark))?;
    Some(at..at + mark.len())
}
