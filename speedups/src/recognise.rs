// SPDX-License-Identifier: Apache-2.0
//! The time and the severity that a line shows: `oslogserve/lines/recognise.py` once more.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use crate::ansi;
use crate::automaton::find_both;
use crate::formats::{Formats, FoundPiece};

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

/// Of one log, line by line.
pub struct Recogniser {
    formats: Arc<Formats>,
    recent: Recent,
    /// Of the block: it has no control sequences.
    is_plain: bool,
}

impl Recogniser {
    /// For one log.
    pub fn new(formats: Arc<Formats>) -> Self {
        Self { formats, recent: Recent::default(), is_plain: false }
    }

    /// The next lines are of this block.
    pub fn begin(&mut self, block: &[u8]) {
        self.is_plain = memchr(ansi::ESCAPE, block).is_none();
    }

    /// Looks at a line without its end, or at no less than the first `reach` bytes of one.
    pub fn seen_in(&mut self, line: &[u8]) -> Seen {
        let head = &line[..line.len().min(self.formats.reach)];
        if self.is_plain {
            return self.seen_in_plain(head);
        }
        match ansi::without(head) {
            Cow::Borrowed(head) => self.seen_in_plain(head),
            Cow::Owned(plain) => {
                let seen = self.seen_in_plain(&plain);
                Seen { time: ansi::moved(seen.time, head), has_sequences: true, ..seen }
            }
        }
    }

    fn seen_in_plain(&mut self, head: &[u8]) -> Seen {
        let head = head.strip_suffix(b"\r").unwrap_or(head);
        let mut seen = self.line_at(head, 0, self.formats.deepest);
        let formats = &*self.formats;
        if seen.severity.is_none() {
            seen.severity = formats.severity_by_end(head);
        }
        match formats.own.iter().find_map(|row| row.seen_in(head)) {
            None => seen,
            Some(own) => {
                let time = if own.time.is_empty() { seen.time } else { own.time };
                Seen::new(time, own.severity.or(seen.severity))
            }
        }
    }

    /// Of a line within a line; the time's place is that in `text`.
    fn line_at(&mut self, text: &[u8], at: usize, depth: usize) -> Seen {
        if !self.formats.glance.may_match(&text[at..]) {
            return Seen::default();
        }
        match self.formats.time.find(&text[at..]) {
            Some(found) if ends_time(&text[at + found.at..]) => {
                let end = at + found.at;
                Seen::new(at..end, self.behind_time(text, end, depth))
            }
            _ => self.untimed_at(text, at, depth),
        }
    }

    fn behind_time(&mut self, text: &[u8], at: usize, depth: usize) -> Option<usize> {
        let timed = &self.formats.timed;
        let found = self.recent.find(&text[at..], |text| timed.find(text))?;
        let inner = if found.has_content && depth > 0 {
            self.line_at(text, at + found.end, depth - 1).severity
        } else {
            None
        };
        inner.or(found.rank)
    }

    /// Of what does not begin with a time.
    fn untimed_at(&mut self, text: &[u8], at: usize, depth: usize) -> Seen {
        let formats = &*self.formats;
        let behind = &text[at..];
        let (found, place) = find_both(&formats.untimed.forward, &formats.places, behind);
        let piece = found.map(|found| formats.untimed.told(behind, found));
        let inside = match place {
            Some(place) if ends_time(&behind[place.at..]) => {
                let end = at + place.at;
                let time = &formats.times[formats.times_at[place.pattern]];
                time.find(&text[at..end]).map_or(0..0, |found| at + found.at..end)
            }
            _ => 0..0,
        };
        match piece {
            None if inside.is_empty() => Seen::default(),
            None => {
                let end = inside.end;
                Seen::new(inside, self.behind_time(text, end, depth))
            }
            Some(piece) if !piece.has_content => Seen::new(inside, piece.rank),
            Some(piece) if depth == 0 => Seen::new(0..0, piece.rank),
            Some(piece) => {
                let inner = self.line_at(text, at + piece.end, depth - 1);
                Seen { severity: inner.severity.or(piece.rank), ..inner }
            }
        }
    }
}

/// Python's (?!:\d), of what is behind a time.
fn ends_time(behind: &[u8]) -> bool {
    !matches!(behind, [b':', b'0'..=b'9', ..])
}

/// What was found behind times: a log says much the same there, line by line.
struct Recent(Vec<Known>);

/// A text that was looked at, as far as it decided.
#[derive(Clone, Copy)]
struct Known {
    text: [u8; LONGEST_KNOWN],
    /// Nothing is known where it is 0.
    size: usize,
    found: Option<FoundPiece>,
}

const MOST_KNOWN: usize = 64;
const LONGEST_KNOWN: usize = 48;

impl Default for Recent {
    fn default() -> Self {
        Self(vec![Known { text: [0; LONGEST_KNOWN], size: 0, found: None }; MOST_KNOWN])
    }
}

impl Recent {
    /// find: also tells how many bytes it looked at, one more than there are for the text's end.
    fn find(
        &mut self,
        text: &[u8],
        find: impl Fn(&[u8]) -> (Option<FoundPiece>, usize),
    ) -> Option<FoundPiece> {
        let Some(&first) = text.first_chunk() else {
            return find(text).0;
        };
        let known = &mut self.0[slot(u64::from_le_bytes(first))];
        if known.size > 0 && text.starts_with(&known.text[..known.size]) {
            return known.found;
        }
        let (found, read) = find(text);
        if read <= LONGEST_KNOWN.min(text.len()) {
            known.text[..read].copy_from_slice(&text[..read]);
            known.size = read;
            known.found = found;
        }
        found
    }
}

/// By Fibonacci's multiplier, whose product's first bits depend on all of the word's.
fn slot(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MOST_KNOWN.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Piece, Rows};

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

    fn recogniser(time: &str, timed: Vec<Piece>) -> Recogniser {
        Recogniser::new(Arc::new(formats(time, timed).unwrap()))
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
        let mut lines = recogniser(r"\d|\d\d", timed);
        assert_eq!(lines.seen_in(b"1 ERROR x: INFO").severity, Some(2));
        assert_eq!(lines.seen_in(b"1 ERRORS x: INFO").severity, None);
        assert_eq!(lines.seen_in(b"12 INFO").time, 0..2);
        assert_eq!(lines.seen_in(b"123 INFO").time, 0..0);
    }

    #[test]
    fn a_word_is_told_by_what_is_behind_it() {
        let mut lines = recogniser(r"\d", vec![piece(" ", WORDS, r"(?::\w|\z)")]);
        assert_eq!(lines.seen_in(b"1 ERROR:x").severity, Some(2));
        assert_eq!(lines.seen_in(b"1 INFO").severity, Some(1));
        assert_eq!(lines.seen_in(b"1 INFO:").severity, None);
    }

    #[test]
    fn a_time_is_found_behind_what_stands_before_it() {
        let mut lines = recogniser(r"\d\d?", vec![]);
        assert_eq!(lines.seen_in(b"[[[12]").time, 3..5);
        assert_eq!(lines.seen_in(b"[[[12:3]").time, 0..0);
    }

    #[test]
    fn what_is_behind_the_reach_changes_nothing() {
        let mut lines = recogniser(r"\d", vec![piece(r" \S+ ", WORDS, "")]);
        for size in 20..30 {
            let line = [b"1 ", &b"x".repeat(size)[..], b" INFO and more and more!"].concat();
            let seen = lines.seen_in(&line[..lines.formats.reach]);
            assert_eq!(lines.seen_in(&line), seen);
            assert_eq!(seen.severity.is_some(), size < 24);
        }
    }

    #[test]
    fn a_time_that_escaping_would_change_is_refused() {
        assert!(formats(r"[\d<]", vec![]).is_err());
        assert!(formats(r"\d", vec![piece("<", WORDS, "")]).is_ok());
    }

    #[test]
    fn what_was_found_before_changes_nothing() {
        let lines_anew = || {
            let pieces = vec![piece(" ", WORDS, r"(?: {3}x|\z)"), piece(r" \w+ ", WORDS, " ")];
            recogniser(r"\d", pieces)
        };
        let lines = [
            &b"1 INFO   x"[..],
            b"1 INFO   y",
            b"1 INFO",
            b"1 INFO ",
            b"1 INFO    ",
            b"1 ERROR",
            b"1 ERROR INFO ",
            b"1 ERROR INFO",
            b"1 ERRORS INFO ",
        ];
        for before in lines {
            for line in lines {
                let expected = lines_anew().seen_in(line);
                let mut lines = lines_anew();
                lines.seen_in(before);
                assert_eq!(lines.seen_in(line), expected, "{line:?} behind {before:?}");
                assert_eq!(lines.seen_in(line), expected, "{line:?} behind itself");
            }
        }
    }
}
