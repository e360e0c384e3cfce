// SPDX-License-Identifier: Apache-2.0
//! What a line must hold for a pattern to be found in it: parts of words, and ids.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::index::contents::Required;
use crate::index::ids::{each_id, keys_of};
use crate::index::vocabulary::{Fragment, LEAST_WORD, fold, is_letter, may_be_of_hash};

/// A byte that is known; None for any text.
type Piece = Option<u8>;

/// A byte of which only that is known that it is of no word.
const EDGE: u8 = b'\n';

/// Characters that a search without regard to case takes for a letter of ASCII. See
/// UNFOLDED.
const LIKE_LETTERS: [(char, u8); 2] = [('\u{212a}', b'k'), ('\u{17f}', b's')];

/// What a pattern requires of a line.
pub fn required_by(hir: &Hir) -> Required {
    let mut pieces = vec![None];
    walk(hir, &mut pieces);
    pieces.push(None);
    let mut required = Required::default();
    for run in runs(&pieces) {
        add_words(&run, &mut required.words);
        each_id(&run, |id| keys_of(id, |key| required.keys.push(key)));
    }
    required
}

fn add_words(run: &[u8], words: &mut Vec<Fragment>) {
    let mut at = 0;
    for part in run.split(|&byte| !is_letter(byte)) {
        let end = at + part.len();
        if part.len() >= LEAST_WORD && !may_be_of_hash(part) {
            let text = part.iter().copied().map(fold).collect();
            words.push(Fragment { text, begins: at > 0, ends: end < run.len() });
        }
        at = end + 1;
    }
}

/// The runs of known bytes.
fn runs(pieces: &[Piece]) -> Vec<Vec<u8>> {
    let runs = pieces.split(Option::is_none);
    runs.map(|run| run.iter().flatten().copied().collect()).collect()
}

/// Adds what a match holds, from its beginning to its end.
fn walk(hir: &Hir, pieces: &mut Vec<Piece>) {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => pieces.extend(literal.0.iter().copied().map(Some)),
        HirKind::Class(class) => pieces.push(one_of(class)),
        // Nothing is known behind a match: a long line is searched as if it ended earlier.
        HirKind::Look(Look::StartLF | Look::WordAscii) => pieces.extend([None, Some(EDGE)]),
        HirKind::Concat(parts) => parts.iter().for_each(|part| walk(part, pieces)),
        HirKind::Capture(capture) => walk(&capture.sub, pieces),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            let mut inner = Vec::new();
            walk(&repetition.sub, &mut inner);
            match inner[..] {
                [Some(byte)] if !is_letter(byte) => pieces.push(Some(EDGE)),
                _ => {
                    pieces.push(None);
                    pieces.extend(inner);
                    pieces.push(None);
                }
            }
        }
        HirKind::Look(_) | HirKind::Repetition(_) | HirKind::Alternation(_) => pieces.push(None),
    }
}

/// The letter that all characters of a class are, or EDGE if none is a letter.
fn one_of(class: &Class) -> Piece {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
    };
    let holds = |letter: u8| {
        ranges.iter().any(|range| range.0 <= u32::from(letter) && u32::from(letter) <= range.1)
    };
    if !(0..=0x7f).any(|byte| is_letter(byte) && holds(byte)) {
        return Some(EDGE);
    }
    let letter_of = |character: u32| {
        let found = LIKE_LETTERS.iter().find(|(like, _)| u32::from(*like) == character);
        let ascii = u8::try_from(character).ok().filter(|&byte| is_letter(byte));
        ascii.map(|byte| byte.to_ascii_lowercase()).or(found.map(|found| found.1))
    };
    let letter = letter_of(ranges.first()?.0)?;
    let size: u32 = ranges.iter().map(|range| (range.1 - range.0).saturating_add(1)).sum();
    let is_same = |range: &(u32, u32)| {
        letter_of(range.0) == Some(letter) && letter_of(range.1) == Some(letter)
    };
    (size <= 3 && ranges.iter().all(is_same)).then_some(letter)
}
