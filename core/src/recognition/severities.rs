// SPDX-License-Identifier: Apache-2.0
//! Severities, and the words, letters and numbers that logs use for them: `core/grammar/severities.toml`, compiled.

use serde::Deserialize;
use toml::Spanned;

use crate::recognition::names::Names;
use crate::tables::{Pieces, Tables};

/// Letters of the longest word.
const LONGEST_WORD: usize = 16;

/// A severity, and the words that mean it.
type Meaning = (Spanned<String>, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    severities: Vec<String>,
    plain: Vec<Meaning>,
    cut: Vec<Meaning>,
    said: Vec<Meaning>,
    placed: Vec<Meaning>,
    letters: Vec<Meaning>,
    numbers: Vec<Meaning>,
    syslog: [Spanned<String>; 8],
    numbered: Vec<Spanned<String>>,
    keys: Keys,
}

/// Names of members.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    pub level: Names<()>,
    pub time: Names<()>,
    pub number: Names<()>,
    pub setting: Names<()>,
    pub wrapper: Names<()>,
    pub text: Names<()>,
}

/// The severities. A rank is a severity's place among the names.
pub struct Severities {
    pub names: Vec<String>,
    /// Ranks by words in upper case.
    pub words: Vec<(String, usize)>,
    /// The same by a word's length, each word packed into a number.
    by_length: [Vec<(u128, usize)>; LONGEST_WORD + 1],
    letters: Vec<(u8, usize)>,
    numbers: Names<usize>,
    syslog: Vec<usize>,
    numbered: Vec<usize>,
    pub keys: Keys,
    /// For patterns of tokens: the words by their strictness, and the letters.
    pub pieces: Pieces,
}

impl Severities {
    /// Errors: the row at fault, and its fault.
    pub fn new(tables: &Tables) -> Result<Self, String> {
        let (file, read) = tables.read::<File>("severities.toml")?;
        let rank = |name: &Spanned<String>| {
            rank_of(&read.severities, name.get_ref()).map_err(|told| file.fault(name, told))
        };
        let meanings = |rows: &[Meaning]| {
            let mut found = Vec::new();
            for (name, words) in rows {
                let rank = rank(name)?;
                for word in words.split_whitespace() {
                    if word.len() > LONGEST_WORD {
                        let told = format!("{word} has more than {LONGEST_WORD} letters");
                        return Err(file.fault(name, told));
                    }
                    found.push((word.to_owned(), rank));
                }
            }
            Ok::<_, String>(found)
        };
        let ranks = |names: &[Spanned<String>]| names.iter().map(rank).collect::<Result<_, _>>();
        let mut words = Vec::new();
        let mut pieces = Pieces::new();
        let by_strictness = [
            ("plain", &read.plain),
            ("cut", &read.cut),
            ("said", &read.said),
            ("placed", &read.placed),
        ];
        for (name, rows) in by_strictness {
            let found = meanings(rows)?;
            let joined = |form: fn(&str) -> String| {
                found.iter().map(|(word, _)| form(word)).collect::<Vec<_>>().join("|")
            };
            pieces.insert(name.to_uppercase(), joined(str::to_owned));
            pieces.insert(name.to_owned(), joined(str::to_ascii_lowercase));
            pieces.insert(capitalised(name), joined(capitalised));
            words.extend(found);
        }
        let mut by_length = [const { Vec::new() }; LONGEST_WORD + 1];
        for (word, rank) in &words {
            by_length[word.len()].extend(packed(word.as_bytes()).map(|key| (key, *rank)));
        }
        let letters = meanings(&read.letters)?;
        pieces.insert("LETTERS".into(), letters.iter().map(|(letter, _)| &letter[..]).collect());
        Ok(Self {
            by_length,
            words,
            letters: letters.iter().map(|(letter, rank)| (letter.as_bytes()[0], *rank)).collect(),
            numbers: Names::new(meanings(&read.numbers)?),
            syslog: ranks(&read.syslog)?,
            numbered: ranks(&read.numbered)?,
            keys: read.keys,
            pieces,
            names: read.severities,
        })
    }

    /// Errors: that there is none of the name.
    pub fn named(&self, name: &str) -> Result<usize, String> {
        rank_of(&self.names, name)
    }

    /// The rank of a level's word, in any case, or of its letter.
    pub fn rank_of(&self, name: &[u8]) -> Option<usize> {
        self.rank_of_word(name).or_else(|| match name {
            [letter] => self.letter(*letter),
            _ => None,
        })
    }

    pub fn rank_of_word(&self, name: &[u8]) -> Option<usize> {
        let key = packed(name)?;
        self.by_length[name.len()].iter().find_map(|&(word, rank)| (word == key).then_some(rank))
    }

    pub fn letter(&self, letter: u8) -> Option<usize> {
        self.letters.iter().find_map(|&(known, rank)| (known == letter).then_some(rank))
    }

    /// The rank of one of syslog's digits, 0 to 7.
    pub fn syslog(&self, digit: u8) -> usize {
        self.syslog[usize::from(digit)]
    }

    /// The rank of a member's value.
    pub fn rank_of_value(&self, value: &[u8]) -> Option<usize> {
        let word = self.rank_of_word(value.trim_ascii());
        word.or_else(|| self.numbers.get(value)).or_else(|| self.rank_of(value))
    }

    /// The rank of one of OpenTelemetry's numbers, of which each severity has four, from 1.
    pub fn rank_of_number(&self, value: &[u8]) -> Option<usize> {
        let is_number = matches!(value, [b'1'..=b'9'] | [b'1' | b'2', b'0'..=b'9']);
        let digits = value.iter().filter(|_| is_number);
        let number = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        self.numbered.get(number.checked_sub(1)? / 4).copied()
    }
}

fn rank_of(names: &[String], name: &str) -> Result<usize, String> {
    names
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| format!("there is no severity {name}"))
}

fn capitalised(word: &str) -> String {
    let (first, others) = word.split_at_checked(1).unwrap_or((word, ""));
    first.to_ascii_uppercase() + &others.to_ascii_lowercase()
}

/// A word in upper case as a number, unless it is too long.
fn packed(word: &[u8]) -> Option<u128> {
    let mut upper = [0; LONGEST_WORD];
    upper.get_mut(..word.len())?.copy_from_slice(word);
    upper.make_ascii_uppercase();
    Some(u128::from_le_bytes(upper))
}
