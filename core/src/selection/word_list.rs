// SPDX-License-Identifier: Apache-2.0
//! The words that a log is compared by, as bytes: another process takes them, and does not read the log.
//!
//! Hashes would take less time to read, but twice as many bytes. And their keys would have to be told.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes of all words that are listed, and how many words and pairs are: with their numbers 5 MiB of memory. The
/// list ends before a log's table is large. Real logs have a tenth of that.
const MOST_TEXT: usize = 256 * 1024;
const MOST_ENTRIES: usize = 128 * 1024;

/// Pools of lines, see `log_words.rs`.
pub const POOLS: usize = 3;

/// A word, or a pair of neighbours, by numbers of words: they count from 1. The second one is 0 for a word alone.
type Entry = (u32, u32);

/// Of what is a keyed hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Collects the list while a log is read.
#[derive(Default)]
pub struct WordList {
    /// All words, each with a line feed, and their numbers by their hashes.
    text: Vec<u8>,
    numbers: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    entries: [Vec<Entry>; POOLS],
    count: usize,
}

impl WordList {
    /// Adds a word, or the pair of it and the next one. Each is a word and its hash. False if there is no room.
    pub fn add(&mut self, pool: usize, word: (&[u8], u64), next: Option<(&[u8], u64)>) -> bool {
        let first = self.number(word);
        let second = next.map_or(Some(0), |next| self.number(next));
        let entry = first.zip(second).filter(|_| self.count < MOST_ENTRIES);
        self.count += 1;
        self.entries[pool].extend(entry);
        entry.is_some()
    }

    fn number(&mut self, (word, hash): (&[u8], u64)) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&hash) {
            return Some(number);
        }
        if self.text.len() + word.len() >= MOST_TEXT {
            return None;
        }
        self.text.extend_from_slice(word);
        self.text.push(b'\n');
        let number = self.numbers.len() as u32 + 1;
        self.numbers.insert(hash, number);
        Some(number)
    }

    /// The list as bytes. is_full: see LogWords.
    pub fn finished(mut self, is_full: bool) -> Vec<u8> {
        let mut bytes = vec![u8::from(is_full)];
        write(self.numbers.len() as u32, &mut bytes);
        bytes.append(&mut self.text);
        for mut entries in self.entries {
            entries.sort_unstable();
            let mut rest = &entries[..];
            for word in 1..=self.numbers.len() as u32 {
                let (own, others) = rest.split_at(rest.partition_point(|entry| entry.0 == word));
                rest = others;
                write(own.len() as u32, &mut bytes);
                let mut last = 0;
                for entry in own {
                    write(entry.1 - last, &mut bytes);
                    last = entry.1;
                }
            }
        }
        bytes
    }
}

/// Writes a number, seven bits a byte, the lowest first.
fn write(number: u32, bytes: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number: u32 = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Gives each entry of a list: its pool, and one word or two. Returns `is_full`; None for bytes that are no list.
pub fn each_entry<'b>(
    bytes: &'b [u8],
    mut take: impl FnMut(usize, &'b [u8], Option<&'b [u8]>),
) -> Option<bool> {
    let (&is_full, mut rest) = bytes.split_first()?;
    let count = read(&mut rest)? as usize;
    let mut words = Vec::new();
    while words.len() < count {
        let size = memchr::memchr(b'\n', rest).filter(|&size| size > 0)?;
        words.push(&rest[..size]);
        rest = &rest[size + 1..];
    }
    for pool in 0..POOLS {
        for &word in &words {
            let mut last = 0;
            for _ in 0..read(&mut rest)? {
                last = read(&mut rest)?.checked_add(last)?;
                let next = last.checked_sub(1).map(|place| words.get(place as usize));
                take(pool, word, next.map_or(Some(None), |next| next.map(|next| Some(*next)))?);
            }
        }
    }
    (is_full < 2 && rest.is_empty()).then_some(is_full == 1)
}
