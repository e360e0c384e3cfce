// SPDX-License-Identifier: Apache-2.0
//! The table of formats, compiled: its rows come taken apart, as `oslogserve/lines/pieces.py` has
//! them.

use regex_syntax::hir::{Hir, Look};

use crate::automaton::{Backward, Forward, Found};
use crate::glance::Glance;
use crate::own::OwnRow;
use crate::pattern;

/// What stands before the severity's word, its words by rank, what is behind it.
pub struct Piece {
    /// A pattern.
    pub before: Vec<u8>,
    /// Patterns; none where the piece has no word.
    pub words: Vec<(Vec<u8>, usize)>,
    /// No word character follows the word.
    pub is_whole: bool,
    /// A pattern.
    pub behind: Vec<u8>,
    /// The severity of what has no word.
    pub rank: Option<usize>,
    /// What is behind the match is looked at like a line.
    pub has_content: bool,
}

/// An operator's pattern, and its words by rank.
pub type Own = (Vec<u8>, Vec<(Vec<u8>, usize)>);

/// A table of rows.
pub struct Rows {
    /// The severities, lowest first; the first is that of lines which show none.
    pub severities: Vec<Vec<u8>>,
    /// Patterns; a line may begin with the first one.
    pub times: Vec<Vec<u8>>,
    /// What stands before which of these times.
    pub places: Vec<(Vec<u8>, usize)>,
    /// What is behind a time.
    pub timed: Vec<Piece>,
    /// What is at the beginning of what does not begin with a time.
    pub untimed: Vec<Piece>,
    /// Last bytes of lines, and their severity.
    pub endings: Vec<(Vec<u8>, usize)>,
    /// They come before the others.
    pub own: Vec<Own>,
    /// No more of a line is looked at.
    pub head: usize,
    /// So many lines may be within each other.
    pub deepest: usize,
}

/// The rows, compiled.
pub struct Formats {
    severities: Vec<Vec<u8>>,
    /// At lines that show a time or a severity at their beginning.
    pub(crate) glance: Glance,
    pub(crate) time: Forward,
    pub(crate) places: Forward,
    /// For each of the places, its time; found backward from its end.
    pub(crate) times_at: Vec<usize>,
    pub(crate) times: Vec<Backward>,
    pub(crate) timed: Pieces,
    pub(crate) untimed: Pieces,
    endings: Vec<(Vec<u8>, usize)>,
    /// The bytes that these end in.
    may_end: [bool; 256],
    pub(crate) own: Vec<OwnRow>,
    pub(crate) deepest: usize,
    /// As many bytes of a line decide on its time and severity.
    pub reach: usize,
}

impl Formats {
    /// Tells of the first pattern at fault.
    pub fn new(rows: Rows) -> Result<Self, String> {
        if rows.severities.is_empty() {
            return Err("there are no severities".into());
        }
        // A time goes into attributes as it is, so it must hold nothing that escaping would change.
        let times = all(&rows.times, |time| pattern::parsed(time, b"\r\n&<>\""))?;
        let first = times.first().ok_or("there are no times")?;
        let places = all(&rows.places, |(before, time)| {
            let time = times.get(*time).ok_or("there is no such time")?;
            Ok(Hir::concat(vec![pattern::parsed(before, b"")?, whole(time)]))
        })?;
        let (time, places) = (Forward::new(&[whole(first)])?, Forward::new(&places)?);
        let untimed = Pieces::new(&rows.untimed)?;
        Ok(Self {
            glance: Glance::new(&[&time, &places, &untimed.forward]),
            time,
            places,
            times_at: rows.places.iter().map(|&(_, time)| time).collect(),
            times: all(&times, |time| Backward::new(std::slice::from_ref(time)))?,
            timed: Pieces::new(&rows.timed)?,
            untimed,
            severities: rows.severities,
            own: all(&rows.own, |(pattern, words)| OwnRow::new(pattern, words))?,
            may_end: last_bytes(&rows.endings),
            endings: rows.endings,
            deepest: rows.deepest,
            reach: rows.head,
        })
    }

    /// The severities, lowest first.
    pub fn severities(&self) -> &[Vec<u8>] {
        &self.severities
    }

    /// Of a line whose beginning shows none.
    pub(crate) fn severity_by_end(&self, line: &[u8]) -> Option<usize> {
        if !line.last().is_some_and(|&last| self.may_end[usize::from(last)]) {
            return None;
        }
        self.endings.iter().find(|(suffix, _)| line.ends_with(suffix)).map(|&(_, rank)| rank)
    }
}

fn last_bytes(endings: &[(Vec<u8>, usize)]) -> [bool; 256] {
    let mut last = [false; 256];
    for (suffix, _) in endings {
        if let Some(&byte) = suffix.last() {
            last[usize::from(byte)] = true;
        }
    }
    last
}

fn all<T, U>(many: &[T], one: impl Fn(&T) -> Result<U, String>) -> Result<Vec<U>, String> {
    many.iter().map(one).collect()
}

/// Python's (?!\w) over bytes.
fn whole(pattern: &Hir) -> Hir {
    Hir::concat(vec![pattern.clone(), Hir::look(Look::WordEndHalfAscii)])
}

/// Many, and which of them a text begins with.
pub(crate) struct Pieces {
    pub(crate) forward: Forward,
    pieces: Vec<Compiled>,
}

struct Compiled {
    /// Finds the word and what is behind it, from the end of a match; the ranks of its patterns.
    words: Option<(Backward, Vec<usize>)>,
    rank: Option<usize>,
    has_content: bool,
}

/// What a text begins with.
#[derive(Clone, Copy)]
pub(crate) struct FoundPiece {
    pub(crate) end: usize,
    pub(crate) rank: Option<usize>,
    pub(crate) has_content: bool,
}

impl Pieces {
    fn new(pieces: &[Piece]) -> Result<Self, String> {
        Ok(Self { forward: Forward::new(&all(pieces, forward)?)?, pieces: all(pieces, compiled)? })
    }

    /// And how many bytes it was told by; one more than there are where also by their end.
    pub(crate) fn find(&self, text: &[u8]) -> (Option<FoundPiece>, usize) {
        let (found, read) = self.forward.find_and_read(text);
        (found.map(|found| self.told(text, found)), read)
    }

    /// What was found by `forward`.
    pub(crate) fn told(&self, text: &[u8], found: Found) -> FoundPiece {
        let piece = &self.pieces[found.pattern];
        let rank = match &piece.words {
            Some((words, ranks)) => words.find(&text[..found.at]).map(|found| ranks[found.pattern]),
            None => piece.rank,
        };
        FoundPiece { end: found.at, rank, has_content: piece.has_content }
    }
}

fn forward(piece: &Piece) -> Result<Hir, String> {
    let before = pattern::parsed(&piece.before, b"")?;
    if piece.words.is_empty() {
        return Ok(before);
    }
    let words = all(&piece.words, |(words, _)| pattern::parsed(words, b""))?;
    let word = Hir::alternation(words);
    let word = if piece.is_whole { whole(&word) } else { word };
    Ok(Hir::concat(vec![before, word, pattern::parsed(&piece.behind, b"")?]))
}

fn compiled(piece: &Piece) -> Result<Compiled, String> {
    let words = if piece.words.is_empty() {
        None
    } else {
        let behind = pattern::without_looks(&pattern::parsed(&piece.behind, b"")?);
        let words = all(&piece.words, |(words, _)| {
            Ok(Hir::concat(vec![pattern::parsed(words, b"")?, behind.clone()]))
        })?;
        let ranks = piece.words.iter().map(|&(_, rank)| rank).collect();
        Some((Backward::new(&words)?, ranks))
    };
    Ok(Compiled { words, rank: piece.rank, has_content: piece.has_content })
}
