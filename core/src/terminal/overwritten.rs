// SPDX-License-Identifier: Apache-2.0
//! What is not shown of a line: text that a terminal would have overwritten.
//!
//! A progress bar is one line, written again and again from its beginning or over its last letters; only its
//! last state is shown. Marks of sections are overwritten by their titles.

use std::borrow::Cow;
use std::iter;

use memchr::memchr2;

use crate::terminal::ansi::{self, BACKSPACE, Effect, Motion, RETURN};
use crate::terminal::screen::{self, Gap};

/// The place of a byte that moves the cursor.
pub fn move_in(text: &[u8]) -> Option<usize> {
    memchr2(RETURN, BACKSPACE, text)
}

/// What is not shown of a line, in order.
pub fn gaps_in(text: &[u8]) -> Vec<Gap> {
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    let line = &text[..size];
    if moves(line) { screen::gaps_in(line) } else { Vec::new() }
}

/// What a terminal shows of a line.
pub fn shown(text: &[u8]) -> Cow<'_, [u8]> {
    if move_in(text).is_none() && !ansi::has_sign(text) {
        return Cow::Borrowed(text);
    }
    let size = text.iter().rposition(|&byte| byte != RETURN).map_or(0, |last| last + 1);
    let line = &text[..size];
    let gaps = gaps_in(line);
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
