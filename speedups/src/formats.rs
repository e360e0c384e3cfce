// SPDX-License-Identifier: Apache-2.0
//! The time and the severity that a line shows: `oslogserve/lines/recognise.py` once more.
//!
//! The rows come taken apart, as `oslogserve/lines/pieces.py` has them.

use std::borrow::Cow;
use std::ops::Range;

use regex_syntax::hir::{Hir, Look};

use crate::ansi;
use crate::automaton::{Backward, Forward};
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
    time: Forward,
    places: Forward,
    /// For each of the places, its time; found backward from its end.
    times_at: Vec<usize>,
    times: Vec<Backward>,
    timed: Pieces,
    untimed: Pieces,
    endings: Vec<(Vec<u8>, usize)>,
    /// The bytes that these end in.
    may_end: [bool; 256],
    own: Vec<OwnRow>,
    deepest: usize,
    /// As many bytes of a line decide on its time and severity.
    pub reach: usize,
}

/// What a line shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Where its time stands; empty where it shows none.
    pub time: Range<usize>,
    /// The rank of its own severity.
    pub severity: Option<usize>,
    /// There are control sequences in what was looked at.
    pub has_sequences: bool,
}

impl Seen {
    /// In what has no control sequences.
    pub fn new(time: Range<usize>, severity: Option<usize>) -> Self {
        Self { time, severity, has_sequences: false }
    }
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
        Ok(Self {
            time: Forward::new(&[whole(first)])?,
            places: Forward::new(&places)?,
            times_at: rows.places.iter().map(|&(_, time)| time).collect(),
            times: all(&times, |time| Backward::new(std::slice::from_ref(time)))?,
            timed: Pieces::new(&rows.timed)?,
            untimed: Pieces::new(&rows.untimed)?,
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

    /// Looks at a line without its end, or at no less than the first `reach` bytes of one.
    pub fn seen_in(&self, line: &[u8]) -> Seen {
        let head = &line[..line.len().min(self.reach)];
        match ansi::without(head) {
            Cow::Borrowed(head) => self.seen_in_plain(head),
            Cow::Owned(plain) => {
                let seen = self.seen_in_plain(&plain);
                Seen { time: ansi::moved(seen.time, head), has_sequences: true, ..seen }
            }
        }
    }

    fn seen_in_plain(&self, head: &[u8]) -> Seen {
        let head = head.strip_suffix(b"\r").unwrap_or(head);
        let mut seen = self.line_at(head, 0, self.deepest);
        if seen.severity.is_none()
            && head.last().is_some_and(|&last| self.may_end[usize::from(last)])
        {
            let mut endings = self.endings.iter();
            seen.severity =
                endings.find(|(suffix, _)| head.ends_with(suffix)).map(|&(_, rank)| rank);
        }
        match self.own.iter().find_map(|row| row.seen_in(head)) {
            None => seen,
            Some(own) => {
                let time = if own.time.is_empty() { seen.time } else { own.time };
                Seen::new(time, own.severity.or(seen.severity))
            }
        }
    }

    /// Of a line within a line; the time's place is that in `text`.
    fn line_at(&self, text: &[u8], at: usize, depth: usize) -> Seen {
        match self.time.find(&text[at..]) {
            Some(found) if ends_time(&text[at + found.at..]) => {
                let end = at + found.at;
                Seen::new(at..end, self.behind_time(text, end, depth))
            }
            _ => self.untimed_at(text, at, depth),
        }
    }

    fn behind_time(&self, text: &[u8], at: usize, depth: usize) -> Option<usize> {
        let found = self.timed.find(&text[at..])?;
        let inner = if found.has_content && depth > 0 {
            self.line_at(text, at + found.end, depth - 1).severity
        } else {
            None
        };
        inner.or(found.rank)
    }

    /// Of what does not begin with a time.
    fn untimed_at(&self, text: &[u8], at: usize, depth: usize) -> Seen {
        let Some(found) = self.untimed.find(&text[at..]) else {
            let time = self.time_inside(text, at);
            let end = time.end;
            let severity = if time.is_empty() { None } else { self.behind_time(text, end, depth) };
            return Seen::new(time, severity);
        };
        if !found.has_content {
            return Seen::new(self.time_inside(text, at), found.rank);
        }
        if depth == 0 {
            return Seen::new(0..0, found.rank);
        }
        let inner = self.line_at(text, at + found.end, depth - 1);
        Seen { severity: inner.severity.or(found.rank), ..inner }
    }

    fn time_inside(&self, text: &[u8], at: usize) -> Range<usize> {
        match self.places.find(&text[at..]) {
            Some(found) if ends_time(&text[at + found.at..]) => {
                let end = at + found.at;
                let time = &self.times[self.times_at[found.pattern]];
                time.find(&text[at..end]).map_or(0..0, |found| at + found.at..end)
            }
            _ => 0..0,
        }
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

/// Python's (?!:\d), of what is behind a time.
fn ends_time(behind: &[u8]) -> bool {
    !matches!(behind, [b':', b'0'..=b'9', ..])
}

struct Pieces {
    forward: Forward,
    pieces: Vec<Compiled>,
}

struct Compiled {
    /// Finds the word and what is behind it, from the end of a match; the ranks of its patterns.
    words: Option<(Backward, Vec<usize>)>,
    rank: Option<usize>,
    has_content: bool,
}

struct FoundPiece {
    end: usize,
    rank: Option<usize>,
    has_content: bool,
}

impl Pieces {
    fn new(pieces: &[Piece]) -> Result<Self, String> {
        Ok(Self { forward: Forward::new(&all(pieces, forward)?)?, pieces: all(pieces, compiled)? })
    }

    fn find(&self, text: &[u8]) -> Option<FoundPiece> {
        let found = self.forward.find(text)?;
        let piece = &self.pieces[found.pattern];
        let rank = match &piece.words {
            Some((words, ranks)) => words.find(&text[..found.at]).map(|found| ranks[found.pattern]),
            None => piece.rank,
        };
        Some(FoundPiece { end: found.at, rank, has_content: piece.has_content })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(before: &str, words: &[(&str, usize)], behind: &str) -> Piece {
        Piece {
            before: before.into(),
            words: words.iter().map(|&(word, rank)| (word.into(), rank)).collect(),
            is_whole: true,
            behind: behind.into(),
            rank: None,
            has_content: false,
        }
    }

    fn formats(time: &str, timed: Vec<Piece>) -> Result<Formats, String> {
        Formats::new(Rows {
            severities: vec![b"NONE".into(), b"INFO".into(), b"ERROR".into()],
            times: vec![time.into()],
            places: vec![(br"\[{1,9}".into(), 0)],
            timed,
            untimed: vec![],
            endings: vec![(b"!".into(), 2)],
            own: vec![],
            head: 30,
            deepest: 1,
        })
    }

    const WORDS: &[(&str, usize)] = &[("INFO", 1), ("ERROR", 2)];

    #[test]
    fn the_first_alternative_wins_not_the_longest_nor_the_lowest() {
        let timed = vec![piece(" ", WORDS, ""), piece(" ERROR x: ", WORDS, "(?::|\\z)")];
        let formats = formats(r"\d|\d\d", timed).unwrap();
        assert_eq!(formats.seen_in(b"1 ERROR x: INFO").severity, Some(2));
        assert_eq!(formats.seen_in(b"1 ERRORS x: INFO").severity, None);
        assert_eq!(formats.seen_in(b"12 INFO").time, 0..2);
        assert_eq!(formats.seen_in(b"123 INFO").time, 0..0);
    }

    #[test]
    fn a_word_is_told_by_what_is_behind_it() {
        let formats = formats(r"\d", vec![piece(" ", WORDS, r"(?::\w|\z)")]).unwrap();
        assert_eq!(formats.seen_in(b"1 ERROR:x").severity, Some(2));
        assert_eq!(formats.seen_in(b"1 INFO").severity, Some(1));
        assert_eq!(formats.seen_in(b"1 INFO:").severity, None);
    }

    #[test]
    fn a_time_is_found_behind_what_stands_before_it() {
        let formats = formats(r"\d\d?", vec![]).unwrap();
        assert_eq!(formats.seen_in(b"[[[12]").time, 3..5);
        assert_eq!(formats.seen_in(b"[[[12:3]").time, 0..0);
    }

    #[test]
    fn what_is_behind_the_reach_changes_nothing() {
        let formats = formats(r"\d", vec![piece(r" \S+ ", WORDS, "")]).unwrap();
        for size in 20..30 {
            let line = [b"1 ", &b"x".repeat(size)[..], b" INFO and more and more!"].concat();
            let seen = formats.seen_in(&line[..formats.reach]);
            assert_eq!(formats.seen_in(&line), seen);
            assert_eq!(seen.severity.is_some(), size < 24);
        }
    }

    #[test]
    fn a_time_that_escaping_would_change_is_refused() {
        assert!(formats(r"[\d<]", vec![]).is_err());
        assert!(formats(r"\d", vec![piece("<", WORDS, "")]).is_ok());
    }
}
