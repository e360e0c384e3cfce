// SPDX-License-Identifier: Apache-2.0
//! The data of the grammar of heads, as `oslogserve/lines` hands it over, compiled once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::causes::cause_rules::{self, Causes};
use crate::cursor::is_word;
use crate::recognition::heads;
use crate::recognition::names::{self, Names};
use crate::recognition::patterns::{Cache, Literals, Patterns, Pool, Row, beginning, expression};
use crate::recognition::repeated;
use crate::recognition::times::Layouts;
use crate::recognition::tokens::{Rule, Table};
use crate::recognition::user_formats::{self, UserFormats};
use pyo3::FromPyObject;
use regex::bytes::Regex;

/// Letters of the longest word.
const LONGEST_WORD: usize = 16;

/// The attributes of `oslogserve.lines.grammar.native_grammar.NativeGrammar`.
#[derive(FromPyObject)]
pub struct Data {
    pub severities: Vec<Vec<u8>>,
    pub words: Vec<(Vec<u8>, usize)>,
    pub letters: Vec<(u8, usize)>,
    pub syslog: Vec<usize>,
    #[pyo3(from_py_with = names::of_ranks)]
    pub numbers: Names<usize>,
    pub tokens: Vec<Rule>,
    pub times: Vec<Row>,
    pub klog: Vec<Row>,
    pub epoch: Vec<Row>,
    pub day_of_year: Vec<Row>,
    pub uptime: Row,
    pub audit: Row,
    pub dated_thing: Row,
    pub readable: Vec<Row>,
    pub exceptions: Vec<(Row, usize)>,
    pub endings: Vec<(Vec<u8>, usize)>,
    pub location: Row,
    pub location_words: Row,
    pub progress: Row,
    pub continuation: Row,
    #[pyo3(from_py_with = names::of_set)]
    pub level_keys: Names<()>,
    #[pyo3(from_py_with = names::of_set)]
    pub time_keys: Names<()>,
    #[pyo3(from_py_with = names::of_set)]
    pub number_keys: Names<()>,
    pub numbered: Vec<usize>,
    #[pyo3(from_py_with = names::of_set)]
    pub setting_keys: Names<()>,
    #[pyo3(from_py_with = names::of_set)]
    pub wrappers: Names<()>,
    /// With the ranks of its words.
    pub user_formats: Vec<(Row, HashMap<Vec<u8>, usize>)>,
}

/// Ranks of words by their length, each word packed into a number.
type Words = [Vec<(u128, usize)>; LONGEST_WORD + 1];

/// The grammar: its data, and what was compiled of that.
pub struct Grammar {
    pub data: Data,
    words: Words,
    pub tokens: Table,
    /// Found wherever a time may stand.
    times: Patterns,
    pub klog: PlacedTimes,
    pub epoch: PlacedTimes,
    pub day_of_year: PlacedTimes,
    /// Their first group is a time.
    pub uptime: Regex,
    pub audit: Regex,
    /// Matches the end of a line: a time alone on the next one is no time of the log.
    pub dated_thing: Regex,
    /// All that a clock reads.
    pub readable: Arc<Layouts>,
    exceptions: Patterns,
    /// The last bytes of endings.
    may_end: [bool; 256],
    location: Regex,
    /// One of these words is in all that `location` matches.
    pub location_words: Literals,
    /// PROGRESS and CONTINUATION.
    continuation: Patterns,
    pub user_formats: UserFormats,
    pub causes: Causes,
    // Ranks.
    pub trace: usize,
    pub error: usize,
    pub critical: usize,
    unused_caches: Pool<Caches>,
}

/// The caches of a grammar's automatons, for one thread at a time.
pub struct Caches {
    pub heads: heads::Cache,
    pub repeated: repeated::Cache,
    pub tokens: Vec<Cache>,
    pub times: Cache,
    exceptions: Cache,
    continuation: Cache,
    pub user_formats: user_formats::Cache,
}

impl Grammar {
    /// Errors: the first row at fault, and its fault.
    pub fn new(data: Data, causes: cause_rules::Data) -> Result<Self, String> {
        let mut may_end = [false; 256];
        for last in data.endings.iter().filter_map(|(end, _)| end.last()) {
            may_end[usize::from(*last)] = true;
        }
        let rank_of = |name: &[u8]| data.severities.iter().position(|severity| severity == name);
        Ok(Self {
            trace: rank_of(b"TRACE").ok_or("there is no TRACE")?,
            error: rank_of(b"ERROR").ok_or("there is no ERROR")?,
            critical: rank_of(b"CRITICAL").ok_or("there is no CRITICAL")?,
            unused_caches: Pool::default(),
            words: words_by_length(&data.words)?,
            tokens: Table::new(&data.tokens)?,
            times: Patterns::new(&data.times)?,
            klog: PlacedTimes(beginning(&data.klog)?),
            epoch: PlacedTimes(beginning(&data.epoch)?),
            day_of_year: PlacedTimes(beginning(&data.day_of_year)?),
            uptime: beginning([&data.uptime])?,
            audit: beginning([&data.audit])?,
            dated_thing: expression(&data.dated_thing)?,
            readable: Arc::new(Layouts::new(&data.readable)?),
            exceptions: Patterns::new(data.exceptions.iter().map(|(row, _)| row))?,
            may_end,
            location: expression(&data.location)?,
            location_words: Literals::new(&data.location_words)?,
            continuation: Patterns::new([&data.progress, &data.continuation])?,
            user_formats: UserFormats::new(&data.user_formats)?,
            causes: Causes::new(causes)?,
            data,
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            heads: heads::Cache::default(),
            repeated: repeated::Cache::default(),
            tokens: self.tokens.caches(),
            times: self.times.cache(),
            exceptions: self.exceptions.cache(),
            continuation: self.continuation.cache(),
            user_formats: self.user_formats.cache(),
        })
    }

    /// Takes caches back, for another thread.
    pub fn reuse(&self, caches: Caches) {
        self.unused_caches.give_back(caches);
    }

    /// The place of the time at `at`; None where there is none.
    pub fn time_at(&self, caches: &mut Caches, text: &[u8], at: usize) -> Option<Range<usize>> {
        text.get(at).filter(|&&first| first != b' ')?;
        let (_, end) = self.times.first_at(&mut caches.times, text, at)?;
        Some(at..without_guard(text, end))
    }

    /// The rank of a level's word, in any case, or of its letter.
    pub fn rank_of(&self, name: &[u8]) -> Option<usize> {
        self.rank_of_word(name).or_else(|| match name {
            [letter] => self.letter(*letter),
            _ => None,
        })
    }

    fn rank_of_word(&self, name: &[u8]) -> Option<usize> {
        let key = packed(name)?;
        self.words[name.len()].iter().find_map(|&(word, rank)| (word == key).then_some(rank))
    }

    pub fn letter(&self, letter: u8) -> Option<usize> {
        self.data.letters.iter().find_map(|&(known, rank)| (known == letter).then_some(rank))
    }

    /// The rank of one of syslog's digits, 0 to 7.
    pub fn syslog(&self, digit: u8) -> usize {
        self.data.syslog[usize::from(digit)]
    }

    /// The rank of a member's value.
    pub fn rank_of_value(&self, value: &[u8]) -> Option<usize> {
        let word = self.rank_of_word(value.trim_ascii());
        word.or_else(|| self.data.numbers.get(value)).or_else(|| self.rank_of(value))
    }

    /// The rank of one of OpenTelemetry's numbers, of which each severity has four, from 1.
    pub fn rank_of_number(&self, value: &[u8]) -> Option<usize> {
        let is_number = matches!(value, [b'1'..=b'9'] | [b'1' | b'2', b'0'..=b'9']);
        let digits = value.iter().filter(|_| is_number);
        let number = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        self.data.numbered.get(number.checked_sub(1)? / 4).copied()
    }

    /// The rank of the first exception that matches at a place.
    pub fn exception(&self, caches: &mut Caches, text: &[u8], at: usize) -> Option<usize> {
        let (row, _) = self.exceptions.first_at(&mut caches.exceptions, text, at)?;
        Some(self.data.exceptions[row].1)
    }

    /// The rank of the severity behind a location in a file.
    pub fn location(&self, text: &[u8]) -> Option<usize> {
        if self.location_words.find(text).is_none() || !self.location.is_match(text) {
            return None;
        }
        let found = self.location.captures(text)?;
        if let Some(letter) = found.get(2) {
            return self.letter(letter.as_bytes()[0]);
        }
        self.rank_of_word(found.get(1)?.as_bytes()).or_else(|| self.rank_of_word(b"INFO"))
    }

    pub fn ending(&self, text: &[u8]) -> Option<usize> {
        text.last().filter(|&&last| self.may_end[usize::from(last)])?;
        self.data.endings.iter().find(|(end, _)| text.ends_with(end)).map(|&(_, rank)| rank)
    }

    /// True if a line continues the one above by its shape.
    pub fn continues(&self, caches: &mut Caches, text: &[u8]) -> bool {
        let found = self.continuation.first_at(&mut caches.continuation, text, 0);
        found.is_some_and(|(row, _)| row == 1)
    }
}

fn words_by_length(words: &[(Vec<u8>, usize)]) -> Result<Words, String> {
    let mut by_length = [const { Vec::new() }; LONGEST_WORD + 1];
    for (word, rank) in words {
        let key = packed(word).ok_or_else(|| {
            format!("{}: it has more than {LONGEST_WORD} letters", String::from_utf8_lossy(word))
        })?;
        by_length[word.len()].push((key, *rank));
    }
    Ok(by_length)
}

/// A word in upper case as a number, unless it is too long.
fn packed(word: &[u8]) -> Option<u128> {
    let mut upper = [0; LONGEST_WORD];
    upper.get_mut(..word.len())?.copy_from_slice(word);
    upper.make_ascii_uppercase();
    Some(u128::from_le_bytes(upper))
}

/// Layouts of times that are found in some places only.
pub struct PlacedTimes(Regex);

impl PlacedTimes {
    /// The place of the time at `at`; None where there is none.
    pub fn scan(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let found = self.0.find(text.get(at..)?)?;
        Some(at..without_guard(text, at + found.end()))
    }
}

/// The place of the first group of a pattern that matches at a place.
pub fn group_at(pattern: &Regex, text: &[u8], at: usize) -> Option<Range<usize>> {
    let group = pattern.captures(text.get(at..)?)?.get(1)?;
    Some(at + group.start()..at + group.end())
}

/// The end of a time whose pattern ended there, behind its guard.
fn without_guard(text: &[u8], end: usize) -> usize {
    match &text[..end] {
        [.., b':', last] if !last.is_ascii_digit() => end - 2,
        [.., last] if !is_word(*last) => end - 1,
        _ => end,
    }
}
