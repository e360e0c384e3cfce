// SPDX-License-Identifier: Apache-2.0
//! Terminal colours, as `oslogserve/lines/pure/ansi.py` defines them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The first byte of every sequence.
pub const ESCAPE: u8 = 0x1b;

/// Bytes of a control sequence's parameters, and of what may stand between them and its end.
const PARAMETERS: usize = 64;
const INTERMEDIATE: usize = 4;

/// A control sequence.
pub struct Sequence {
    pub place: Range<usize>,
    /// The place of its parameters.
    pub parameters: Range<usize>,
    /// Its last byte, which says what it does: `m` sets colours.
    pub last: u8,
}

/// The first sequence in a range of a line.
pub fn next_sequence(line: &[u8], range: Range<usize>) -> Option<Sequence> {
    let mut at = range.start;
    while let Some(found) = memchr(ESCAPE, &line[at..range.end]) {
        let start = at + found;
        if let Some(sequence) = sequence_at(&line[..range.end], start) {
            return Some(sequence);
        }
        at = start + 1;
    }
    None
}

fn sequence_at(line: &[u8], start: usize) -> Option<Sequence> {
    if line[start..].starts_with(b"\x1b(B") {
        let end = start + 3;
        return Some(Sequence { place: start..end, parameters: end..end, last: b'B' });
    }
    if line.get(start + 1) != Some(&b'[') {
        return None;
    }
    let run = |from: usize, most: usize, first: u8, last: u8| {
        let bytes = line[from..].iter().take(most);
        from + bytes.take_while(|&&byte| (first..=last).contains(&byte)).count()
    };
    let parameters = start + 2..run(start + 2, PARAMETERS, b'0', b'?');
    let at = run(parameters.end, INTERMEDIATE, b' ', b'/');
    let &last = line.get(at)?;
    (b'@'..=b'~').contains(&last).then_some(Sequence { place: start..at + 1, parameters, last })
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

/// The look of text at a place in a line. Colours are 0 to 15.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Style {
    /// Bold, dim, italic, underline.
    on: [bool; 4],
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
                22 => self.on[..2].fill(false),
                23 => self.on[2] = false,
                24 => self.on[3] = false,
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
        const NAMES: [&str; 4] = ["bold", "dim", "italic", "underline"];
        let mut classes: Vec<String> = Vec::new();
        classes.extend(NAMES.iter().zip(self.on).filter(|(_, on)| *on).map(|(n, _)| (*n).into()));
        classes.extend(self.foreground.map(|colour| format!("fg{colour}")));
        classes.extend(self.background.map(|colour| format!("bg{colour}")));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_where_it_stands_among_sequences() {
        let text = b"\x1b[2m\x1b[K12\x1b[0m \x1b[31mERROR\x1b(B \x1b[9";
        assert_eq!(&*without(text), b"12 ERROR \x1b[9");
        assert_eq!(&text[moved(0..2, text)], b"12");
        assert_eq!(&text[moved(3..8, text)], b"ERROR");
        assert_eq!(&text[moved(1..4, text)], b"2\x1b[0m \x1b[31mE");
        assert_eq!(moved(0..0, text), 0..0);
    }
}
