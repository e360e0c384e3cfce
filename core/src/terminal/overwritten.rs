// SPDX-License-Identifier: Apache-2.0
//! What is not shown of a line: text that a terminal would have overwritten, and marks of sections.
//!
//! A progress bar is one line, written again and again from its beginning or over its last letters; only its
//! last state is shown. GitLab's marks of sections are overwritten by their titles. GitHub's are plain text,
//! found here.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::lines::after_mark;
use crate::terminal::ansi::{self, BACKSPACE, Effect, Motion, RETURN};
use crate::terminal::screen::{self, Gap};

/// What all marks of sections begin with.
pub const SECTION: &[u8] = b"##[";

/// Bytes of the time before a mark.
const LONGEST_TIME: usize = 40;

/// The place of a byte that moves the cursor.
pub fn move_in(text: &[u8]) -> Option<usize> {
    memchr2(RETURN, BACKSPACE, text)
}

/// What is not shown of a line, in order.
pub fn gaps_in(text: &[u8]) -> Vec<Gap> {
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    let line = &text[..size];
    let gaps = if moves(line) { screen::gaps_in(line) } else { Vec::new() };
    if gaps.is_empty() {
        let mark = section(text).map(|place| Gap { place, blanks: 0, again: 0..0 });
        return mark.into_iter().collect();
    }
    gaps
}

/// What a terminal shows of a line. Marks of sections are left in it.
pub fn shown(text: &[u8]) -> Cow<'_, [u8]> {
    if move_in(text).is_none() && memchr(ansi::ESCAPE, text).is_none() {
        return Cow::Borrowed(text);
    }
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    let line = &text[..size];
    let gaps = if moves(line) { screen::gaps_in(line) } else { Vec::new() };
    if gaps.is_empty() {
        return ansi::without(line);
    }
    let mut shown = Vec::with_capacity(size);
    let mut at = 0;
    for Gap { place, blanks, again } in gaps {
        shown.extend_from_slice(&ansi::without(&line[at..place.start]));
        shown.resize(shown.len() + blanks, b' ');
        shown.extend_from_slice(&ansi::without(&line[again]));
        at = place.end;
    }
    shown.extend_from_slice(&ansi::without(&line[at..]));
    Cow::Owned(shown)
}

/// True if the cursor moves within its row, or something is erased.
fn moves(line: &[u8]) -> bool {
    let mut at = 0;
    let mut effects = iter::from_fn(|| {
        let found = ansi::next_sequence(line, at..line.len())?;
        at = found.place.end;
        Some(found.effect)
    });
    let is_in_row = |motion| !matches!(motion, Motion::Rows(_) | Motion::Place(..));
    move_in(line).is_some()
        || effects.any(|effect| matches!(effect, Effect::Cursor(motion) if is_in_row(motion)))
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
