// SPDX-License-Identifier: Apache-2.0
//! The words of a log's lines, to tell which lines of another log have no like in it.

use std::mem;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::hasher::Hasher;
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
/// Lines whose hashes are remembered.
const REMEMBERED: usize = 1 << 13;

/// Pools of lines: a line is like another one only if that is in all of its own pools. All lines are in the
/// first one. Words are hashed anew for each, by these bits.
const ALL: u64 = 0;
const ERRORS: u64 = 0x6a09_e667_f3bc_c908;
const FAILURES: u64 = 0xbb67_ae85_84ca_a73b;
const POOLS: [u64; word_list::POOLS] = [ALL, ERRORS, FAILURES];

/// Puts the hash of each word of a line in place of what the buffer holds. Returns its pools.
#[inline]
fn hash_words(
    hasher: &Hasher,
    line: &[u8],
    is_error: bool,
    words: &mut Vec<u64>,
) -> &'static [u64] {
    words.clear();
    let has_failed = each_word(line, |line, word| words.push(hasher.word(line, word)));
    match (is_error, has_failed) {
        (false, false) => &[ALL],
        (true, false) => &[ERRORS],
        (false, true) => &[FAILURES],
        (true, true) => &[ERRORS, FAILURES],
    }
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
        let places = mem::replace(&mut self.places, vec![0; size]);
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
    /// The hashes of lines that were added last: services repeat theirs, and are read in a tenth less time.
    added: Vec<u64>,
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
            added: vec![0; REMEMBERED],
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
        let line = mem::take(&mut reader.unfinished);
        self.add_lines(reader, &line);
        reader.unfinished = line;
        reader.unfinished.clear();
    }

    fn add_lines(&mut self, reader: &mut Reader, block: &[u8]) {
        reader.recogniser.begin();
        let is_plain = !ansi::has_sign(block);
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
        let pools = hash_words(hasher, line, is_error, &mut reader.words);
        let whole = hasher.all(&reader.words, pools);
        if mem::replace(&mut reader.added[whole as usize % REMEMBERED], whole) == whole {
            return;
        }
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

/// Compares the lines of one log with those of another.
pub struct Comparison {
    other: Arc<LogWords>,
    /// Memory for the words of a line.
    words: Vec<u64>,
}

impl Comparison {
    pub fn new(other: Arc<LogWords>) -> Self {
        Self { other, words: Vec::new() }
    }

    /// True if the other log has no like of the line. is_error: it shows ERROR or above.
    pub fn is_new(&mut self, line: &[u8], is_error: bool) -> bool {
        let pools =
            hash_words(&self.other.hasher, without_line_feed(line), is_error, &mut self.words);
        pools.iter().any(|&pool| self.other.are_new(&self.words, pool))
    }
}
