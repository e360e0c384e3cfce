// SPDX-License-Identifier: Apache-2.0
//! The words of a log's lines, to tell which lines of another log have no like in it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::lines::without_line_feed;
use crate::recognition::grammar::Grammar;
use crate::recognition::recognise::Recogniser;
use crate::selection::word_list::{self, WordList};
use crate::selection::words::{REACH, each_word};
use crate::terminal::ansi;

/// Words and pairs of neighbours that are kept, half of the places of a table.
const MOST: usize = 512 * 1024;
/// A line is new if at least one in so many of its words and pairs is not known.
const SHARE: usize = 5;
/// Lines whose result a comparison remembers.
const REMEMBERED: usize = 1 << 13;

/// Pools of lines: a line is like another one only if that is in all of its own pools. All lines are in the
/// first one. Words are hashed anew for each, by these bits.
const ALL: u64 = 0;
const ERRORS: u64 = 0x6a09_e667_f3bc_c908;
const FAILURES: u64 = 0xbb67_ae85_84ca_a73b;
const POOLS: [u64; word_list::POOLS] = [ALL, ERRORS, FAILURES];

/// Bytes of a word that are hashed at once.
const FIRST: usize = size_of::<u128>();

/// The keyed hash of a word or a pair. Its keys are drawn, since logs are hostile.
#[derive(Clone)]
pub struct Hasher([u64; 2]);

impl Hasher {
    pub fn new() -> Self {
        let state = RandomState::new();
        Self([state.hash_one(1) | 1, state.hash_one(2) | 1])
    }

    #[inline]
    pub fn mix(&self, one: u64, other: u64) -> u64 {
        let product = u128::from(one ^ self.0[0]) * u128::from(other ^ self.0[1]);
        product as u64 ^ (product >> 64) as u64
    }

    /// The hash of a word of a line.
    #[inline]
    pub fn word(&self, line: &[u8], word: Range<usize>) -> u64 {
        let rest = &line[word.start..];
        let first = rest.first_chunk().copied().unwrap_or_else(|| padded(rest));
        let unused = FIRST.saturating_sub(word.len());
        let bits = u128::from_le_bytes(first) & (u128::MAX >> (8 * unused));
        let hash = self.mix(bits as u64 ^ word.len() as u64, (bits >> 64) as u64);
        let others = rest[FIRST.min(word.len())..word.len()].chunks(size_of::<u64>());
        others.fold(hash, |hash, chunk| self.mix(hash, u64::from_le_bytes(padded(chunk))))
    }

    /// Puts the hash of each word of a line in place of what the buffer holds. Returns its pools.
    #[inline]
    fn words(&self, line: &[u8], is_error: bool, words: &mut Vec<u64>) -> &'static [u64] {
        words.clear();
        let has_failed = each_word(line, |line, word| words.push(self.word(line, word)));
        match (is_error, has_failed) {
            (false, false) => &[ALL],
            (true, false) => &[ERRORS],
            (false, true) => &[FAILURES],
            (true, true) => &[ERRORS, FAILURES],
        }
    }

    /// Gives the hash, in a pool, of each word and of each pair of neighbours, and the places of its words.
    fn each(&self, words: &[u64], pool: u64, mut take: impl FnMut(u64, Range<usize>)) {
        for (place, &word) in words.iter().enumerate() {
            take(word ^ pool, place..place + 1);
        }
        for (place, pair) in words.windows(2).enumerate() {
            take(self.mix(pair[0], pair[1]) ^ pool, place..place + 2);
        }
    }

    /// The hash of all words of a line, in their order, and of its pools; 0 for a line without words that
    /// is in the pool of all lines alone.
    fn all(&self, words: &[u64], pools: &[u64]) -> u64 {
        let pool = pools.iter().fold(0, |all, pool| all ^ pool);
        words.iter().fold(pool, |all, &word| self.mix(all, word))
    }
}

/// The bytes with zeros behind them.
pub fn padded<const SIZE: usize>(bytes: &[u8]) -> [u8; SIZE] {
    let mut padded = [0; SIZE];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// Whether a hash was added to a set: `Not` if there was no room for it.
#[derive(Clone, Copy, PartialEq)]
enum Added {
    Now,
    Before,
    Not,
}

/// A set of hashes in a table of a power of two places; 0 is an empty place.
#[derive(Default)]
struct Set {
    places: Vec<u64>,
    size: usize,
}

impl Set {
    /// The place of the hash, or the empty one where it belongs.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        while self.places[at] != 0 && self.places[at] != hash {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        let hash = hash.max(1);
        !self.places.is_empty() && self.places[self.place(hash)] == hash
    }

    /// Adds a hash.
    #[inline]
    fn add(&mut self, hash: u64) -> Added {
        let hash = hash.max(1);
        if self.places.len() < 2 * (self.size + 1) && self.size < MOST {
            self.grow();
        }
        let at = self.place(hash);
        if self.places[at] == hash {
            return Added::Before;
        }
        if self.size == MOST {
            return Added::Not;
        }
        self.places[at] = hash;
        self.size += 1;
        Added::Now
    }

    fn grow(&mut self) {
        let size = (2 * self.places.len()).max(1024);
        let places = std::mem::replace(&mut self.places, vec![0; size]);
        for hash in places {
            if hash != 0 {
                let at = self.place(hash);
                self.places[at] = hash;
            }
        }
    }
}

/// Reads the lines of a log for their words.
struct Reader {
    recogniser: Recogniser,
    /// The beginning of a line whose end was not fed yet.
    unfinished: Vec<u8>,
    /// The lines that were added last, by their words' hash.
    added: Memo,
    /// Memory for the words of a line, for their places in it, and for what is new of them.
    words: Vec<u64>,
    ranges: Vec<Range<usize>>,
    added_now: Vec<(u64, Range<usize>)>,
    /// None if the words take too much room.
    list: Option<WordList>,
}

/// The words and pairs of neighbouring words of a log's lines.
pub struct LogWords {
    hasher: Hasher,
    set: Set,
    /// None once the log was read.
    reader: Option<Reader>,
    /// True if words were left out for MOST.
    pub is_full: bool,
}

impl LogWords {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        let reader = Reader {
            recogniser: Recogniser::new(grammar),
            unfinished: Vec::new(),
            added: Memo::new(),
            words: Vec::new(),
            ranges: Vec::new(),
            added_now: Vec::new(),
            list: Some(WordList::default()),
        };
        Self { hasher: Hasher::new(), set: Set::default(), reader: Some(reader), is_full: false }
    }

    /// Takes a piece of the log, cut anywhere.
    pub fn feed(&mut self, mut piece: &[u8]) {
        let Some(mut reader) = self.reader.take() else { return };
        if !reader.unfinished.is_empty() {
            if let Some(end) = memchr(b'\n', piece) {
                reader.hold_back(&piece[..end]);
                self.add_unfinished(&mut reader);
                piece = &piece[end + 1..];
            }
        }
        let end = memrchr(b'\n', piece).map_or(0, |last| last + 1);
        self.add_lines(&mut reader, &piece[..end]);
        reader.hold_back(&piece[end..]);
        reader.recogniser.rest();
        self.reader = Some(reader);
    }

    /// The words in the list of another process; None if they are no list.
    pub fn of_list(bytes: &[u8]) -> Option<Self> {
        let (hasher, mut set) = (Hasher::new(), Set::default());
        let is_full = word_list::each_entry(bytes, |pool, word, next| {
            let hash_of = |word: &[u8]| hasher.word(word, 0..word.len());
            let hash = next.map_or(hash_of(word), |next| hasher.mix(hash_of(word), hash_of(next)));
            set.add(hash ^ POOLS[pool]);
        })?;
        Some(Self { hasher, set, reader: None, is_full })
    }

    /// Takes the last line. Returns the list of all words; empty if they take too much room.
    pub fn finish(&mut self) -> Vec<u8> {
        let Some(mut reader) = self.reader.take() else { return Vec::new() };
        self.add_unfinished(&mut reader);
        reader.list.map(|list| list.finished(self.is_full)).unwrap_or_default()
    }

    fn add_unfinished(&mut self, reader: &mut Reader) {
        let line = std::mem::take(&mut reader.unfinished);
        self.add_lines(reader, &line);
        reader.unfinished = line;
        reader.unfinished.clear();
    }

    fn add_lines(&mut self, reader: &mut Reader, block: &[u8]) {
        reader.recogniser.begin();
        let is_plain = memchr(ansi::ESCAPE, block).is_none();
        let mut at = 0;
        while at < block.len() {
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |size| at + size);
            let seen = reader.recogniser.seen_in(block, at..end, is_plain);
            let is_error = reader.recogniser.is_error(&seen);
            self.add(reader, &block[at..end], is_error);
            at = end + 1;
        }
    }

    fn add(&mut self, reader: &mut Reader, line: &[u8], is_error: bool) {
        let Self { hasher, set, is_full, .. } = self;
        let pools = hasher.words(line, is_error, &mut reader.words);
        let whole = hasher.all(&reader.words, pools);
        if reader.added.get(whole).is_some() {
            return;
        }
        reader.added.put(whole, false);
        let others = pools.iter().filter(|&&pool| pool != ALL);
        for &pool in [ALL].iter().chain(others) {
            hasher.each(&reader.words, pool, |hash, places| {
                let added = set.add(hash);
                *is_full |= added == Added::Not;
                if added == Added::Now {
                    reader.added_now.push((pool, places));
                }
            });
        }
        reader.list_added(line);
    }

    /// Bytes of memory.
    pub fn size(&self) -> usize {
        size_of::<u64>() * self.set.places.len()
    }

    /// True if a pool has no like of a line.
    fn are_new(&self, words: &[u64], pool: u64) -> bool {
        let (mut total, mut unseen) = (0, 0);
        self.hasher.each(words, pool, |hash, _| {
            total += 1;
            unseen += usize::from(!self.set.contains(hash));
        });
        total > 0 && unseen * SHARE >= total
    }
}

impl Reader {
    /// Lists what was added of a line.
    fn list_added(&mut self, line: &[u8]) {
        let Self { words, ranges, added_now, list, .. } = self;
        if added_now.is_empty() {
            return;
        }
        ranges.clear();
        each_word(line, |_, range| ranges.push(range));
        let word = |place: usize| (&line[ranges[place].clone()], words[place]);
        for (pool, places) in added_now.drain(..) {
            let pool = POOLS.iter().position(|&one| one == pool).unwrap_or_default();
            let next = (places.len() == 2).then(|| word(places.start + 1));
            let is_listed =
                list.as_mut().is_none_or(|list| list.add(pool, word(places.start), next));
            if !is_listed {
                *list = None;
            }
        }
    }

    fn hold_back(&mut self, text: &[u8]) {
        let room = REACH - self.unfinished.len();
        self.unfinished.extend_from_slice(&text[..text.len().min(room)]);
    }
}

/// Results by the hash of a line's words: the last one of each place.
#[derive(Default)]
struct Memo(Vec<(u64, bool)>);

impl Memo {
    fn new() -> Self {
        Self(vec![(0, false); REMEMBERED])
    }

    #[inline]
    fn get(&self, hash: u64) -> Option<bool> {
        let (found, result) = self.0[hash as usize % REMEMBERED];
        (found == hash).then_some(result)
    }

    #[inline]
    fn put(&mut self, hash: u64, result: bool) {
        self.0[hash as usize % REMEMBERED] = (hash, result);
    }
}

/// Compares the lines of one log with those of another.
pub struct Comparison {
    other: Arc<LogWords>,
    memo: Memo,
    /// Memory for the words of a line.
    words: Vec<u64>,
}

impl Comparison {
    pub fn new(other: Arc<LogWords>) -> Self {
        Self { other, memo: Memo::new(), words: Vec::new() }
    }

    /// True if the other log has no like of the line. is_error: it shows ERROR or above.
    pub fn is_new(&mut self, line: &[u8], is_error: bool) -> bool {
        let LogWords { hasher, .. } = &*self.other;
        let pools = hasher.words(without_line_feed(line), is_error, &mut self.words);
        let whole = hasher.all(&self.words, pools);
        self.memo.get(whole).unwrap_or_else(|| {
            let is_new = pools.iter().any(|&pool| self.other.are_new(&self.words, pool));
            self.memo.put(whole, is_new);
            is_new
        })
    }
}
