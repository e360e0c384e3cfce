// SPDX-License-Identifier: Apache-2.0
//! Escape sequences of terminals: colours with their CSS classes, links, and what is not shown.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

/// The first byte of every sequence.
const ESCAPE: u8 = 0x1b;
/// The same as `cat -v` and some terminals write it, in a text that was copied.
const CARET: u8 = b'^';
const COPIED: &[u8] = b"^[[";
/// Other bytes that move the cursor.
pub const RETURN: u8 = b'\r';
pub const BACKSPACE: u8 = 0x08;

/// Bytes of a control sequence's parameters, and of what may stand between them and its end.
const PARAMETERS: usize = 64;
const INTERMEDIATE: usize = 4;
/// Bytes of a link's parameters, and of its address.
const LINK_PARAMETERS: usize = 256;
const ADDRESS: usize = 2083;
/// Bytes of a string for the terminal itself.
const STRING: usize = 4096;
/// What Jenkins writes into a log for itself, as text that a terminal conceals: in base64, behind this.
const NOTE: &[u8] = b"\x1b[8mha:";
const END_OF_NOTE: &[u8] = b"\x1b[0m";

/// An escape sequence.
pub struct Sequence {
    pub place: Range<usize>,
    pub effect: Effect,
}

/// What a sequence does.
pub enum Effect {
    /// It sets colours. The place of its parameters.
    Style(Range<usize>),
    /// It begins a link, or ends one. The place of its address.
    Link(Range<usize>),
    /// It moves the cursor, or erases a part of the line.
    Cursor(Motion),
    /// Nothing that a page shows.
    Other,
}

/// What a sequence does to the cursor and its line.
#[derive(Clone, Copy, PartialEq)]
pub enum Motion {
    Forward(usize),
    Back(usize),
    /// To a column, from 0.
    Column(usize),
    Save,
    Restore,
    /// Erases from the cursor on.
    EraseAfter,
    /// Erases up to the cursor and below it.
    EraseBefore,
    EraseAll,
    /// To a row below, or above.
    Rows(i64),
    /// To a row of the screen, and a column from 0 if one is named.
    Place(i64, Option<usize>),
}

/// The place of the first byte that may begin a sequence.
#[inline]
fn sign_in(text: &[u8]) -> Option<usize> {
    memchr2(ESCAPE, CARET, text)
}

/// True if an escape is in a text, or one that was copied.
pub fn has_sign(text: &[u8]) -> bool {
    let Some(at) = sign_in(text) else { return false };
    let rest = &text[at..];
    rest[0] == ESCAPE || memchr(ESCAPE, rest).is_some() || memmem::find(rest, COPIED).is_some()
}

/// The first sequence in a range of a line.
pub fn next_sequence(line: &[u8], range: Range<usize>) -> Option<Sequence> {
    let mut at = range.start;
    while let Some(found) = sign_in(&line[at..range.end]) {
        let start = at + found;
        if let Some(sequence) = sequence_at(&line[..range.end], start) {
            return Some(sequence);
        }
        at = start + 1;
    }
    None
}

/// The sequence that begins at a place.
pub fn sequence_at(line: &[u8], start: usize) -> Option<Sequence> {
    match *line.get(start)? {
        ESCAPE => {}
        CARET => return caret_at(line, start),
        _ => return None,
    }
    match line.get(start + 1)? {
        b'[' => match line.get(start + 2) {
            Some(b'8') => note_at(line, start).or_else(|| control_at(line, start, 2)),
            _ => control_at(line, start, 2),
        },
        b']' => link_at(line, start).or_else(|| string_at(line, start)),
        b'_' => string_at(line, start),
        b'P' | b'^' => {
            string_at(line, start).filter(|found| line[..found.place.end].ends_with(b"\x1b\\"))
        }
        b'(' if line.get(start + 2) == Some(&b'B') => {
            Some(Sequence { place: start..start + 3, effect: Effect::Other })
        }
        saved @ (b'7' | b'8') => {
            let motion = if *saved == b'7' { Motion::Save } else { Motion::Restore };
            Some(Sequence { place: start..start + 2, effect: Effect::Cursor(motion) })
        }
        _ => None,
    }
}

/// The place where a run of some bytes ends.
#[inline(always)]
fn run(line: &[u8], from: usize, most: usize, is_in: impl Fn(u8) -> bool) -> usize {
    from + line[from..].iter().take(most).take_while(|&&byte| is_in(byte)).count()
}

/// A control sequence whose escape was copied as text: one that sets colours or erases. `^[[A` is a key.
#[inline(never)]
fn caret_at(line: &[u8], start: usize) -> Option<Sequence> {
    line[start + 1..].starts_with(b"[[").then(|| control_at(line, start, 3))?.filter(|found| {
        let inner = &line[start + 3..found.place.end];
        matches!(inner.split_last(), Some((b'm' | b'K', digits))
            if digits.iter().all(|&byte| byte.is_ascii_digit() || byte == b';'))
    })
}

/// A note of Jenkins.
fn note_at(line: &[u8], start: usize) -> Option<Sequence> {
    line[start..].starts_with(NOTE).then_some(())?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let end = run(line, start + NOTE.len(), STRING, is_base64);
    line[end..]
        .starts_with(END_OF_NOTE)
        .then(|| Sequence { place: start..end + END_OF_NOTE.len(), effect: Effect::Other })
}

/// size: bytes that introduce it.
#[inline(always)]
fn control_at(line: &[u8], start: usize, size: usize) -> Option<Sequence> {
    let from = start + size;
    let parameters = from..run(line, from, PARAMETERS, |byte| (b'0'..=b'?').contains(&byte));
    let at = run(line, parameters.end, INTERMEDIATE, |byte| (b' '..=b'/').contains(&byte));
    let &last = line.get(at).filter(|last| (b'@'..=b'~').contains(last))?;
    let effect = match last {
        b'm' => Effect::Style(parameters),
        _ if at > parameters.end => Effect::Other,
        _ => motion(last, &line[parameters]).map_or(Effect::Other, Effect::Cursor),
    };
    Some(Sequence { place: start..at + 1, effect })
}

/// Rows of the screen have these numbers, and others have lower ones.
const SCREEN: i64 = 1 << 32;
/// The largest number that counts: no cursor goes so far.
const LARGEST: usize = 1 << 24;

/// The motion of a control sequence without intermediate bytes. None for others, and private ones.
fn motion(last: u8, parameters: &[u8]) -> Option<Motion> {
    let mut numbers = parameters.split(|&byte| byte == b';').map(|digits| {
        let digit = |byte: &u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
        digits.iter().try_fold(0, |sum, byte| Some((sum * 10 + digit(byte)?).min(LARGEST)))
    });
    let number = numbers.next()??;
    let second = numbers.next().flatten().unwrap_or(0).max(1);
    let count = number.max(1);
    let rows = count as i64;
    Some(match last {
        b'C' | b'a' => Motion::Forward(count),
        b'D' => Motion::Back(count),
        b'G' | b'`' => Motion::Column(count - 1),
        b's' => Motion::Save,
        b'u' => Motion::Restore,
        b'K' | b'J' if number == 0 => Motion::EraseAfter,
        b'K' | b'J' if number == 1 => Motion::EraseBefore,
        b'K' | b'J' => Motion::EraseAll,
        b'A' | b'F' => Motion::Rows(-rows),
        b'B' | b'E' => Motion::Rows(rows),
        b'd' => Motion::Place(SCREEN + rows, None),
        b'H' | b'f' => Motion::Place(SCREEN + rows, Some(second - 1)),
        _ => return None,
    })
}

/// OSC 8.
fn link_at(line: &[u8], start: usize) -> Option<Sequence> {
    let begin: &[u8] = b"\x1b]8;";
    line[start..].starts_with(begin).then_some(())?;
    let is_parameter = |byte| (b' '..=b'~').contains(&byte) && byte != b';';
    let separator = run(line, start + begin.len(), LINK_PARAMETERS, is_parameter);
    line.get(separator).filter(|&&byte| byte == b';')?;
    let from = separator + 1;
    let (address, end) = closed(line, from, ADDRESS)?;
    Some(Sequence { place: start..end, effect: Effect::Link(address) })
}

/// OSC, APC, DCS or PM: a string that a terminal keeps to itself, such as a title or Buildkite's times.
fn string_at(line: &[u8], start: usize) -> Option<Sequence> {
    let (_, end) = closed(line, start + 2, STRING)?;
    Some(Sequence { place: start..end, effect: Effect::Other })
}

/// The place of a string of at most so many bytes, and where its terminator ends.
fn closed(line: &[u8], from: usize, most: usize) -> Option<(Range<usize>, usize)> {
    let string = from..run(line, from, most, |byte| byte >= b' ' && byte != 0x7f);
    let ends: [&[u8]; 2] = [b"\x07", b"\x1b\\"];
    let end = ends.iter().find(|end| line[string.end..].starts_with(end))?;
    let behind = string.end + end.len();
    Some((string, behind))
}

/// The text without its sequences.
pub fn without(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = next_sequence(text, 0..text.len()) else {
        return Cow::Borrowed(text);
    };
    let mut plain = Vec::with_capacity(text.len());
    plain.extend_from_slice(&text[..first.place.start]);
    let mut at = first.place.end;
    while let Some(found) = next_sequence(text, at..text.len()) {
        plain.extend_from_slice(&text[at..found.place.start]);
        at = found.place.end;
    }
    plain.extend_from_slice(&text[at..]);
    Cow::Owned(plain)
}

/// The place in a text of a place in the text without sequences, with the sequences within it.
pub fn moved(place: Range<usize>, text: &[u8]) -> Range<usize> {
    if place.is_empty() {
        return place;
    }
    let mut moved = place.clone();
    let mut gone = 0;
    let mut from = 0;
    while let Some(found) = next_sequence(text, from..text.len()) {
        let stood = found.place.start - gone;
        if stood >= place.end {
            break;
        }
        gone += found.place.len();
        if stood <= place.start {
            moved.start = place.start + gone;
        }
        moved.end = place.end + gone;
        from = found.place.end;
    }
    moved
}

/// A terminal's default foreground.
const WHITE: u8 = 7;

/// The look of text at a place in a line. Colours are 0 to 15.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Style {
    /// Bold, dim, italic, underline, strikethrough.
    on: [bool; 5],
    inverse: bool,
    foreground: Option<u8>,
    background: Option<u8>,
}

impl Style {
    /// Changes the style by the parameters of a sequence that ends in `m`.
    pub fn take(&mut self, parameters: &[u8]) {
        let mut codes = parameters
            .split(|byte| matches!(byte, b';' | b':'))
            .filter(|code| code.iter().all(u8::is_ascii_digit))
            .map(|code| {
                code.iter().take(4).fold(0u16, |sum, digit| sum * 10 + u16::from(digit - b'0'))
            });
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Self::default(),
                1..=4 => self.on[usize::from(code) - 1] = true,
                7 => self.inverse = true,
                9 => self.on[4] = true,
                22 => self.on[..2].fill(false),
                23 => self.on[2] = false,
                24 => self.on[3] = false,
                27 => self.inverse = false,
                29 => self.on[4] = false,
                30..=37 => self.foreground = Some((code - 30) as u8),
                90..=97 => self.foreground = Some((code - 90 + 8) as u8),
                40..=47 => self.background = Some((code - 40) as u8),
                100..=107 => self.background = Some((code - 100 + 8) as u8),
                39 => self.foreground = None,
                49 => self.background = None,
                38 => self.foreground = wide(&mut codes),
                48 => self.background = wide(&mut codes),
                _ => {}
            }
        }
    }

    /// CSS classes, separated by spaces; empty for plain text.
    pub fn classes(&self) -> String {
        const NAMES: [&str; 5] = ["bold", "dim", "italic", "underline", "strike"];
        let mut classes: Vec<String> = Vec::new();
        classes.extend(NAMES.iter().zip(self.on).filter(|(_, on)| *on).map(|(n, _)| (*n).into()));
        let (foreground, background) = match (self.foreground, self.background) {
            (None, None) if self.inverse => {
                classes.push("inverse".into());
                (None, None)
            }
            (foreground, background) if self.inverse => (background, foreground.or(Some(WHITE))),
            colours => colours,
        };
        classes.extend(foreground.map(|colour| format!("fg{colour}")));
        classes.extend(background.map(|colour| format!("bg{colour}")));
        classes.join(" ")
    }
}

/// The colour of the 16 that is nearest to one of 256 or to red, green and blue. Takes their codes,
/// and all codes where they are incomplete.
fn wide(codes: &mut impl Iterator<Item = u16>) -> Option<u8> {
    match codes.next() {
        Some(5) => of_256(codes.next()?),
        Some(2) => {
            let mut next = || codes.next().map(|value| (value.min(255) * 6) >> 8);
            Some(of_cube(next()?, next()?, next()?))
        }
        _ => {
            codes.for_each(drop);
            None
        }
    }
}

fn of_256(code: u16) -> Option<u8> {
    match code {
        0..16 => Some(code as u8),
        16..232 => Some(of_cube((code - 16) / 36, (code - 16) / 6 % 6, (code - 16) % 6)),
        232..256 => Some([0, 8, 7, 15][usize::from(code - 232) / 6]),
        _ => None,
    }
}

/// The nearest of the 16 colours. red, green, blue: 0 to 5.
fn of_cube(red: u16, green: u16, blue: u16) -> u8 {
    let most = red.max(green).max(blue);
    if most == 0 {
        return 0;
    }
    let bit = |bit: u8, value: u16| if 2 * value > most { bit } else { 0 };
    bit(1, red) + bit(2, green) + bit(4, blue) + if most > 3 { 8 } else { 0 }
}
