// SPDX-License-Identifier: Apache-2.0
//! The data of the grammar of heads, as `oslogserve/lines` hands it over, compiled once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pyo3::FromPyObject;
use regex::bytes::{Regex, RegexBuilder};
use regex_automata::meta::Regex as Patterns;
use regex_automata::{Anchored, Input};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;

use crate::times::Layouts;
use crate::user_formats::UserFormat;

/// What a word says of its line.
#[derive(Clone, Copy)]
pub struct Word {
    pub rank: usize,
    /// How much must stand around it.
    pub strictness: u8,
}

/// As `oslogserve/lines/severities.py` has them.
pub const PLAIN: u8 = 0;
pub const CUT: u8 = 1;
pub const SAID: u8 = 2;
pub const PLACED: u8 = 3;

/// Letters of the longest word.
const LONGEST_WORD: usize = 16;

/// A pattern, and the ranks of its words.
type UserFormatData = (Vec<u8>, Vec<(Vec<u8>, usize)>);

/// What `oslogserve/lines/native_grammar.py` hands over.
#[derive(FromPyObject)]
pub struct Data {
    pub severities: Vec<Vec<u8>>,
    pub words: Vec<(Vec<u8>, usize, u8)>,
    pub letters: Vec<(u8, usize)>,
    pub syslog: Vec<usize>,
    pub numbers: Vec<(Vec<u8>, usize)>,
    pub layouts: Vec<String>,
    pub readable: Vec<String>,
    pub placed: HashMap<String, Vec<String>>,
    pub exceptions: Vec<(Vec<u8>, usize)>,
    pub endings: Vec<(Vec<u8>, usize)>,
    pub place: Vec<u8>,
    pub place_words: Vec<u8>,
    pub continuation: Vec<u8>,
    pub level_keys: HashSet<Vec<u8>>,
    pub time_keys: HashSet<Vec<u8>>,
    pub wrappers: HashSet<Vec<u8>>,
    pub user_formats: Vec<UserFormatData>,
}

/// The grammar's data, compiled.
pub struct Grammar {
    /// Lowest first; the first is that of lines which show none.
    pub severities: Vec<Vec<u8>>,
    /// By their length, each packed into a number.
    words: [Vec<(u128, Word)>; LONGEST_WORD + 1],
    letters: [Option<usize>; 256],
    syslog: Vec<usize>,
    numbers: HashMap<Vec<u8>, usize>,
    /// Found wherever a time may stand.
    pub layouts: Layouts,
    pub klog: Layouts,
    pub epoch: Layouts,
    pub day_of_year: Layouts,
    /// All that a clock reads.
    pub readable: Arc<Layouts>,
    exceptions: Beginnings,
    exception_ranks: Vec<usize>,
    endings: Vec<(Vec<u8>, usize)>,
    /// The last bytes of endings.
    may_end: [bool; 256],
    place: Regex,
    /// One of which stands in all that `place` matches.
    place_words: Regex,
    continuation: Beginnings,
    level_keys: HashSet<Vec<u8>>,
    time_keys: HashSet<Vec<u8>>,
    wrappers: HashSet<Vec<u8>>,
    pub user_formats: Vec<UserFormat>,
    /// Ranks.
    pub trace: usize,
    pub error: usize,
}

impl Grammar {
    /// Tells of the first pattern at fault.
    pub fn new(data: Data) -> Result<Self, String> {
        let placed = |name: &str| Layouts::new(data.placed.get(name).map_or(&[], |each| &each[..]));
        let mut words = [const { Vec::new() }; LONGEST_WORD + 1];
        for (word, rank, strictness) in &data.words {
            let key = packed(word).ok_or("a word is too long")?;
            words[word.len()].push((key, Word { rank: *rank, strictness: *strictness }));
        }
        let mut letters = [None; 256];
        for (letter, rank) in data.letters {
            letters[usize::from(letter)] = Some(rank);
        }
        let mut may_end = [false; 256];
        for last in data.endings.iter().filter_map(|(end, _)| end.last()) {
            may_end[usize::from(*last)] = true;
        }
        let patterns: Vec<_> = data.exceptions.iter().map(|(pattern, _)| &pattern[..]).collect();
        let user_formats = data.user_formats.iter();
        let rank_of = |name: &[u8]| data.severities.iter().position(|severity| severity == name);
        Ok(Self {
            trace: rank_of(b"TRACE").ok_or("there is no TRACE")?,
            error: rank_of(b"ERROR").ok_or("there is no ERROR")?,
            words,
            letters,
            klog: placed("klog"),
            epoch: placed("epoch"),
            day_of_year: placed("day_of_year"),
            layouts: Layouts::new(&data.layouts),
            readable: Arc::new(Layouts::new(&data.readable)),
            exceptions: Beginnings::new(&patterns)?,
            exception_ranks: data.exceptions.iter().map(|&(_, rank)| rank).collect(),
            may_end,
            place: bytes_regex(&data.place)?,
            place_words: bytes_regex(&data.place_words)?,
            continuation: Beginnings::new(&[&data.continuation])?,
            user_formats: user_formats
                .map(|(pattern, words)| UserFormat::new(pattern, words))
                .collect::<Result<_, _>>()?,
            severities: data.severities,
            syslog: data.syslog,
            numbers: data.numbers.into_iter().collect(),
            endings: data.endings,
            level_keys: data.level_keys,
            time_keys: data.time_keys,
            wrappers: data.wrappers,
        })
    }

    /// In any case of its letters.
    pub fn word(&self, name: &[u8]) -> Option<Word> {
        let key = packed(name)?;
        self.words[name.len()].iter().find_map(|(word, says)| (*word == key).then_some(*says))
    }

    pub fn letter(&self, letter: u8) -> Option<usize> {
        self.letters[usize::from(letter)]
    }

    /// digit: 0 to 7.
    pub fn syslog(&self, digit: u8) -> usize {
        self.syslog[usize::from(digit)]
    }

    /// Of a member's value.
    pub fn rank_of_value(&self, value: &[u8]) -> Option<usize> {
        self.word(value.trim_ascii()).map(|word| word.rank).or_else(|| {
            let letter = if let [letter] = value { self.letter(*letter) } else { None };
            self.numbers.get(value).copied().or(letter)
        })
    }

    pub fn is_level_key(&self, name: &[u8]) -> bool {
        self.level_keys.contains(name)
    }

    pub fn is_time_key(&self, name: &[u8]) -> bool {
        self.time_keys.contains(name)
    }

    pub fn is_wrapper(&self, name: &[u8]) -> bool {
        self.wrappers.contains(name)
    }

    /// Of content that begins there, by the first exception that matches.
    pub fn exception(&self, text: &[u8], at: usize) -> Option<usize> {
        self.exceptions.first_at(text, at).map(|pattern| self.exception_ranks[pattern])
    }

    /// Of a place in a file with a severity behind it.
    pub fn place(&self, text: &[u8]) -> Option<usize> {
        if !self.place_words.is_match(text) || !self.place.is_match(text) {
            return None;
        }
        let name = self.place.captures(text)?.get(1)?;
        self.word(name.as_bytes()).map(|word| word.rank).or_else(|| Some(self.word(b"INFO")?.rank))
    }

    pub fn ending(&self, text: &[u8]) -> Option<usize> {
        text.last().filter(|&&last| self.may_end[usize::from(last)])?;
        self.endings.iter().find(|(end, _)| text.ends_with(end)).map(|&(_, rank)| rank)
    }

    /// A line of this shape goes on with the one above.
    pub fn continues(&self, text: &[u8]) -> bool {
        matches!(text, [b' ' | b'\t', ..]) || self.continuation.first_at(text, 0).is_some()
    }
}

/// A word in upper case as a number, unless it is too long.
fn packed(word: &[u8]) -> Option<u128> {
    let mut upper = [0; LONGEST_WORD];
    upper.get_mut(..word.len())?.copy_from_slice(word);
    upper.make_ascii_uppercase();
    Some(u128::from_le_bytes(upper))
}

/// Patterns of what begins at a place: the first that matches counts.
struct Beginnings {
    patterns: Patterns,
    /// The first bytes of all that they match.
    may_begin: [bool; 256],
}

impl Beginnings {
    fn new(patterns: &[&[u8]]) -> Result<Self, String> {
        let mut may_begin = [false; 256];
        let mut extractor = Extractor::new();
        extractor.limit_class(256).limit_literal_len(1).limit_total(256);
        let mut parsed = Vec::new();
        for pattern in patterns {
            let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
            let hir = parser.parse(text_of(pattern)?).map_err(|error| error.to_string())?;
            match extractor.extract(&hir).literals() {
                Some(firsts) => firsts.iter().for_each(|first| match first.as_bytes() {
                    [byte, ..] => may_begin[usize::from(*byte)] = true,
                    [] => may_begin.fill(true),
                }),
                None => may_begin.fill(true),
            }
            parsed.push(hir);
        }
        let config = Patterns::config().utf8_empty(false);
        let built = Patterns::builder().configure(config).build_many_from_hir(&parsed);
        Ok(Self { patterns: built.map_err(|error| error.to_string())?, may_begin })
    }

    /// The number of the first pattern that matches there.
    fn first_at(&self, text: &[u8], at: usize) -> Option<usize> {
        text.get(at).filter(|&&first| self.may_begin[usize::from(first)])?;
        let input = Input::new(text).anchored(Anchored::Yes).range(at..);
        Some(self.patterns.search_half(&input)?.pattern().as_usize())
    }
}

fn bytes_regex(pattern: &[u8]) -> Result<Regex, String> {
    let builder = RegexBuilder::new(text_of(pattern)?).unicode(false).build();
    builder.map_err(|error| error.to_string())
}

fn text_of(pattern: &[u8]) -> Result<&str, String> {
    str::from_utf8(pattern).map_err(|_| "a pattern holds a byte outside ASCII: write \\xNN".into())
}
