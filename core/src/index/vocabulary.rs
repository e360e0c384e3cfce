// SPDX-License-Identifier: Apache-2.0
//! The vocabulary of a log: its words, and in which blocks each of them stands.
//!
//! A word is a run of letters of ASCII and underscores, without regard to case. Words that may be of a hash
//! are left out.

use memchr::{memchr_iter, memmem};

use crate::hasher::{Hasher, padded};

/// Bytes of the shortest word.
pub const LEAST_WORD: usize = 3;
/// Words of a log, bytes of all of them, and of the sets of their blocks. A log has more only where words
/// are made at random.
const MOST_WORDS: usize = 64 * 1024;
const MOST_TEXT: usize = 1024 * 1024;
const MOST_SETS: usize = 4 * 1024 * 1024;

/// Bytes that are looked at at once: a word is shorter.
const CHUNK: usize = 64;
/// Bytes of the longest word that is remembered, and how many words are.
const LONGEST_SEEN: usize = size_of::<Bits>();
const REMEMBERED: usize = 8192;
const FOLDED: u64 = u64::from_ne_bytes([0x20; 8]);

/// Characters, as UTF-8, that a search without regard to case takes for a letter of ASCII. A text with one is
/// not told by its words.
pub const UNFOLDED: [&[u8]; 2] = [b"\xe2\x84\xaa", b"\xc5\xbf"];

/// True for a byte of a word.
#[inline]
pub const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// The byte of a word without its case.
#[inline]
pub const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

/// True if a hash may have the word, or no letter is in it: such a word tells nothing.
pub fn may_be_of_hash(word: &[u8]) -> bool {
    word.iter().all(|&byte| matches!(fold(byte), b'a'..=b'f' | UNDERSCORE))
}

const UNDERSCORE: u8 = fold(b'_');

/// A bit for each byte that is of a word, the lowest for the first one.
#[inline]
fn letters_of(chunk: &[u8; CHUNK]) -> u64 {
    let are_letters = chunk.map(|byte| u8::from(is_letter(byte)));
    are_letters.chunks_exact(8).rev().fold(0, |all, eight| {
        // The product has the lowest bits of the bytes in its highest byte.
        let product = u64::from_le_bytes(padded(eight)).wrapping_mul(0x0102_0408_1020_4080);
        all << 8 | product >> 56
    })
}

/// The first bytes of a word as numbers, folded, with zeros behind it.
type Bits = [u64; 4];

/// The bits of the word with which a text begins, if it has so many bytes at most.
#[inline]
fn bits_of(rest: &[u8], size: usize) -> Bits {
    let bytes: [u8; LONGEST_SEEN] = beginning(rest);
    let bits = |place: usize| {
        let eight = u64::from_le_bytes(beginning(&bytes[8 * place..]));
        (eight | FOLDED) & MASKS[size.saturating_sub(8 * place).min(8)]
    };
    [bits(0), bits(1), bits(2), bits(3)]
}

/// The bits of so many bytes.
const MASKS: [u64; 9] = {
    let mut masks = [0; 9];
    let mut size = 1;
    while size <= 8 {
        masks[size] = u64::MAX >> (64 - 8 * size);
        size += 1;
    }
    masks
};

/// The beginning of a text, with zeros behind it if it is shorter.
#[inline]
fn beginning<const SIZE: usize>(text: &[u8]) -> [u8; SIZE] {
    text.first_chunk().copied().unwrap_or_else(|| padded(text))
}

/// A word that was seen.
#[derive(Clone, Copy, Default)]
struct Seen {
    bits: Bits,
    number: u32,
}

/// Collects the vocabulary of a log.
pub struct Vocabulary {
    hasher: Hasher,
    /// All words, folded, and the end of each. Number 0 is that of words that are left out.
    text: Vec<u8>,
    ends: Vec<u32>,
    /// Numbers of words by their hashes; 0 is an empty place. A power of two places.
    table: Vec<u32>,
    /// Words that were seen last.
    seen: Vec<Seen>,
    /// Bits of the words in the current block, and in each one before.
    current: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    /// True for blocks that may have other words too.
    are_open: Vec<bool>,
    is_open: bool,
    /// True once there is no room for sets: all further blocks may have any word.
    is_full: bool,
    /// Words of the blocks that have sets.
    kept: usize,
    /// Memory for a word.
    folded: Vec<u8>,
}

impl Vocabulary {
    pub fn new() -> Self {
        Self {
            hasher: Hasher::new(),
            text: Vec::new(),
            ends: vec![0],
            table: vec![0; 1024],
            seen: vec![Seen::default(); REMEMBERED],
            current: vec![0],
            blocks: Vec::new(),
            are_open: Vec::new(),
            is_open: false,
            is_full: false,
            kept: 1,
            folded: Vec::new(),
        }
    }

    /// Takes text in which no word is cut.
    pub fn take(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() && !self.is_open {
            let rest = &text[at..];
            let letters = letters_of(&beginning(rest));
            // The last one, if it may go on, is taken with the next chunk.
            let open = letters.leading_ones();
            if open as usize == CHUNK {
                at += self.skip_long(rest);
                continue;
            }
            let mut starts = letters & (letters >> 1) & (letters >> 2) & !(letters << 1);
            starts &= u64::MAX >> open;
            while starts != 0 {
                let start = starts.trailing_zeros();
                let size = (!(letters >> start)).trailing_zeros();
                self.add(&rest[start as usize..], size as usize);
                starts &= starts - 1;
            }
            at += CHUNK - open as usize;
        }
    }

    /// Passes over a word that is too long. Returns its size.
    fn skip_long(&mut self, rest: &[u8]) -> usize {
        let size = rest.iter().position(|&byte| !is_letter(byte)).unwrap_or(rest.len());
        self.is_open |= !may_be_of_hash(&rest[..size]);
        size
    }

    /// Adds the word with which a text begins.
    #[inline]
    fn add(&mut self, rest: &[u8], size: usize) {
        let word = &rest[..size];
        if size > LONGEST_SEEN {
            self.add_unseen(word);
            return;
        }
        let bits = bits_of(rest, size);
        let place = self.hasher.mix(bits[0] ^ bits[2], bits[1] ^ bits[3]) as usize % REMEMBERED;
        let seen = &self.seen[place];
        // A comparison of the arrays would wait for their numbers to be stored.
        let unlike = bits.iter().zip(seen.bits).fold(0, |all, (one, other)| all | (one ^ other));
        if unlike == 0 {
            self.current[seen.number as usize / 8] |= 1 << (seen.number % 8);
        } else if let Some(number) = self.add_unseen(word) {
            self.seen[place] = Seen { bits, number: number as u32 };
        }
    }

    /// The number of a word, which is added; None if there is no room for it.
    #[inline(never)]
    fn add_unseen(&mut self, word: &[u8]) -> Option<usize> {
        let mut folded = std::mem::take(&mut self.folded);
        folded.clear();
        folded.extend(word.iter().copied().map(fold));
        let number = if may_be_of_hash(word) { Some(0) } else { self.number_of(&folded) };
        self.folded = folded;
        match number {
            Some(number) => self.current[number / 8] |= 1 << (number % 8),
            None => self.is_open = true,
        }
        number
    }

    /// The number of a folded word; None if there is no room for it.
    fn number_of(&mut self, word: &[u8]) -> Option<usize> {
        let mut at = self.place_of(word);
        if self.table[at] != 0 {
            return Some(self.table[at] as usize);
        }
        if self.ends.len() > MOST_WORDS || self.text.len() + word.len() > MOST_TEXT {
            return None;
        }
        if self.table.len() < 2 * (self.ends.len() + 1) {
            self.grow();
            at = self.place_of(word);
        }
        let number = self.ends.len();
        self.text.extend_from_slice(word);
        self.ends.push(self.text.len() as u32);
        self.table[at] = number as u32;
        self.current.resize(number / 8 + 1, 0);
        Some(number)
    }

    /// The place of a word in the table, or the empty one where it belongs.
    fn place_of(&self, word: &[u8]) -> usize {
        let mask = self.table.len() - 1;
        let mut at = self.hasher.word(word, 0..word.len()) as usize & mask;
        while self.table[at] != 0 && self.word(self.table[at] as usize) != word {
            at = (at + 1) & mask;
        }
        at
    }

    fn word(&self, number: usize) -> &[u8] {
        &self.text[self.ends[number - 1] as usize..self.ends[number] as usize]
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 1..self.ends.len() {
            let at = self.place_of(self.word(number));
            self.table[at] = number as u32;
        }
    }

    /// From here on the current block may have any word.
    pub fn give_up(&mut self) {
        self.is_open = true;
    }

    /// Ends a block.
    pub fn end_block(&mut self) {
        let size = self.current.len();
        self.is_full |= size.max(1) * (self.blocks.len() + 1) > MOST_SETS;
        if !self.is_full {
            self.blocks.push(std::mem::replace(&mut self.current, vec![0; size]));
            self.are_open.push(self.is_open);
            self.kept = self.ends.len();
        }
        self.is_open = self.is_full;
    }

    /// All blocks that have sets, for Words::parse.
    pub fn finished(&self) -> Vec<u8> {
        let mut numbers: Vec<usize> = (1..self.kept).collect();
        numbers.sort_unstable_by_key(|&number| self.word(number));
        let size: usize = numbers.iter().map(|&number| self.word(number).len() + 1).sum();
        let mut bytes = Vec::new();
        bytes.extend((self.blocks.len() as u32).to_le_bytes());
        bytes.extend((size as u32 + 1).to_le_bytes());
        bytes.extend(bits(self.are_open.iter().copied()));
        bytes.push(b'\n');
        for &number in &numbers {
            bytes.extend_from_slice(self.word(number));
            bytes.push(b'\n');
        }
        for number in numbers {
            let has = |block: &Vec<u8>| {
                block.get(number / 8).is_some_and(|byte| byte & 1 << (number % 8) != 0)
            };
            bytes.extend(bits(self.blocks.iter().map(has)));
        }
        bytes
    }
}

/// The bytes of bits, the lowest first.
fn bits(flags: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (place, flag) in flags.enumerate() {
        if place % 8 == 0 {
            bytes.push(0);
        }
        bytes[place / 8] |= u8::from(flag) << (place % 8);
    }
    bytes
}

/// A part of a word, folded.
#[derive(Clone)]
pub struct Fragment {
    pub text: Vec<u8>,
    /// True if the word begins with it, or ends with it.
    pub begins: bool,
    pub ends: bool,
}

/// The vocabulary of a log that was read before. It may come from anywhere.
pub struct Words<'v> {
    /// Of how many blocks it knows.
    blocks: usize,
    /// Bits of those that may have other words.
    are_open: &'v [u8],
    /// A line feed, and each word with one behind it.
    text: &'v [u8],
    /// Bits of the blocks of each word.
    sets: &'v [u8],
}

impl<'v> Words<'v> {
    /// Errors: what is wrong with the bytes.
    pub fn parse(bytes: &'v [u8]) -> Result<Self, &'static str> {
        let cut = "the vocabulary is cut short";
        let (blocks, rest) = bytes.split_first_chunk().ok_or(cut)?;
        let (size, rest) = rest.split_first_chunk().ok_or(cut)?;
        let blocks = u32::from_le_bytes(*blocks) as usize;
        let (are_open, rest) = rest.split_at_checked(blocks.div_ceil(8)).ok_or(cut)?;
        let size = u32::from_le_bytes(*size) as usize;
        let (text, sets) = rest.split_at_checked(size).ok_or(cut)?;
        if !(text.starts_with(b"\n") && text.ends_with(b"\n")) {
            return Err("the vocabulary is no list of words");
        }
        let words = memchr_iter(b'\n', text).count() - 1;
        if words.checked_mul(are_open.len()) != Some(sets.len()) {
            return Err("a word has no blocks");
        }
        Ok(Self { blocks, are_open, text, sets })
    }

    /// Clears the places of blocks that cannot hold all of these.
    pub fn narrow(&self, fragments: &[Fragment], places: &mut [bool]) {
        for fragment in fragments {
            let found = self.blocks_with(fragment);
            for (place, may_hold) in places.iter_mut().take(self.blocks).enumerate() {
                *may_hold &= found[place / 8] & 1 << (place % 8) != 0;
            }
        }
    }

    /// Bits of the blocks that may hold a part of a word.
    fn blocks_with(&self, fragment: &Fragment) -> Vec<u8> {
        let Fragment { text, begins, ends } = fragment;
        let mut needle = vec![b'\n'; usize::from(*begins)];
        needle.extend_from_slice(text);
        needle.extend(ends.then_some(b'\n'));
        let mut blocks = self.are_open.to_vec();
        let (mut word, mut counted) = (0, 1);
        for found in memmem::find_iter(self.text, &needle) {
            let at = found + usize::from(*begins);
            word += memchr_iter(b'\n', self.text.get(counted..at).unwrap_or_default()).count();
            counted = at.max(counted);
            let set = &self.sets[word * blocks.len()..][..blocks.len()];
            blocks.iter_mut().zip(set).for_each(|(all, one)| *all |= one);
        }
        blocks
    }
}
