// SPDX-License-Identifier: Apache-2.0
//! The ids of a log's blocks, such as UUIDs and hashes.
//!
//! An id is a run of hexadecimal digits and hyphens. Of each window of `LEAST` bytes in it, one part of
//! `PART` bytes counts: the one with the least hash. So whoever searches for `LEAST` bytes of an id or more
//! knows parts that a block has if it has the id. A block's parts are in a Bloom filter.

use std::collections::VecDeque;

/// Bytes of the shortest id, and of a part.
const LEAST: usize = 32;
const PART: usize = size_of::<u64>();
/// Parts in a window.
const WINDOW: usize = LEAST - PART + 1;

/// Bits of a filter that each part sets. A filter has a byte for each part.
const PROBES: u64 = 5;
/// Parts that are collected for a block before equal ones are removed.
const MOST_COLLECTED: usize = 64 * 1024;
/// Bytes of text for each byte of a filter, at least, unless there are few parts.
const TEXT: u64 = 512;
const FEW: usize = 64;
/// The size of a filter of a block with too many parts.
const ANY: u32 = u32::MAX;

/// Ids that were seen last, and bytes of one that is remembered.
const REMEMBERED: usize = 256;
const LONGEST_REMEMBERED: usize = 48;

pub const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'-'
}

/// Bytes from one sample of a text to the next: each id holds a whole one.
const STRIDE: usize = LEAST - PART;

/// Gives each id of a text.
pub fn each_id(text: &[u8], mut take: impl FnMut(&[u8])) {
    let (mut at, mut end) = (0, 0);
    while let Some(sample) = text.get(at..at + PART) {
        if !sample.iter().fold(true, |all, &byte| all & IS_DIGIT[usize::from(byte)]) {
            at += STRIDE;
            continue;
        }
        let is_other = |&byte: &u8| !is_digit(byte);
        let start = text[end..at].iter().rposition(is_other).map_or(end, |other| end + other + 1);
        end = text[at..].iter().position(is_other).map_or(text.len(), |size| at + size);
        if end - start >= LEAST {
            take(&text[start..end]);
        }
        at = end + 1;
    }
}

const IS_DIGIT: [bool; 256] = {
    let mut are = [false; 256];
    let mut byte = 0;
    while byte < are.len() {
        are[byte] = is_digit(byte as u8);
        byte += 1;
    }
    are
};

/// Gives the keys of the parts of an id that count.
pub fn keys_of(id: &[u8], mut take: impl FnMut(u64)) {
    // Candidates of the windows to come: places and keys, which grow.
    let mut least: VecDeque<(usize, u64)> = VecDeque::with_capacity(WINDOW);
    let mut last = None;
    for (place, part) in id.windows(PART).enumerate() {
        let key = key_of(part);
        while least.back().is_some_and(|other| other.1 >= key) {
            least.pop_back();
        }
        least.push_back((place, key));
        if least[0].0 + WINDOW <= place {
            least.pop_front();
        }
        if place + 1 >= WINDOW && last != Some(least[0].1) {
            last = Some(least[0].1);
            take(least[0].1);
        }
    }
}

/// A hash without a secret: who makes all parts alike gains that a block is read.
fn key_of(part: &[u8]) -> u64 {
    let lower = part.iter().fold(0, |all, byte| all << 8 | u64::from(byte | 0x20));
    let mixed = (lower ^ (lower >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Gives the bits of a key in a filter of so many bytes.
fn bits_of(key: u64, size: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (key >> 32, key & 0xffff_ffff | 1);
    let bits = size as u64 * 8;
    (0..PROBES).map(move |probe| {
        let hash = (first + probe * step) & 0xffff_ffff;
        ((hash * bits) >> 32) as usize
    })
}

/// Collects the filters of a log's blocks.
pub struct Ids {
    /// Of the current block; None for too many.
    keys: Option<Vec<u64>>,
    seen: Vec<Vec<u8>>,
    /// The filters of all blocks: of each its size and its bytes.
    pub filters: Vec<u8>,
}

impl Ids {
    pub fn new() -> Self {
        let seen = vec![Vec::new(); REMEMBERED];
        Self { keys: Some(Vec::new()), seen, filters: Vec::new() }
    }

    /// Takes text in which no id is cut.
    pub fn take(&mut self, text: &[u8]) {
        each_id(text, |id| self.add(id));
    }

    fn add(&mut self, id: &[u8]) {
        let Some(keys) = &mut self.keys else { return };
        if id.len() <= LONGEST_REMEMBERED {
            let hash = key_of(&id[LEAST - PART..LEAST]);
            let seen = &mut self.seen[hash as usize % REMEMBERED];
            if seen == id {
                return;
            }
            seen.clear();
            seen.extend_from_slice(id);
        }
        keys_of(id, |key| keys.push(key));
        if keys.len() >= MOST_COLLECTED {
            *keys = distinct(std::mem::take(keys));
            if keys.len() > MOST_COLLECTED / 2 {
                self.give_up();
            }
        }
    }

    /// From here on the current block may hold any id.
    pub fn give_up(&mut self) {
        self.keys = None;
    }

    /// Ends a block. size: bytes of its text.
    pub fn end_block(&mut self, size: u64) {
        let keys = self.keys.replace(Vec::new()).map(distinct);
        self.seen.iter_mut().for_each(Vec::clear);
        let is_small = |keys: &Vec<u64>| keys.len() <= FEW || keys.len() as u64 <= size / TEXT;
        let Some(keys) = keys.filter(is_small) else {
            return self.filters.extend(ANY.to_le_bytes());
        };
        let mut filter = vec![0; keys.len()];
        for key in keys {
            bits_of(key, filter.len()).for_each(|bit| filter[bit / 8] |= 1 << (bit % 8));
        }
        self.filters.extend((filter.len() as u32).to_le_bytes());
        self.filters.extend(filter);
    }
}

fn distinct(mut keys: Vec<u64>) -> Vec<u64> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Clears the places of blocks that cannot hold all parts of these keys. filters: see Ids; they may
/// come from anywhere. Errors: what is wrong with them.
pub fn narrow(filters: &[u8], keys: &[u64], places: &mut [bool]) -> Result<(), &'static str> {
    let mut rest = filters;
    for may_hold in places {
        let (size, behind) = rest.split_first_chunk().ok_or("filters of ids are missing")?;
        let size = u32::from_le_bytes(*size);
        rest = behind;
        if size == ANY {
            continue;
        }
        let (filter, behind) =
            rest.split_at_checked(size as usize).ok_or("a filter of ids is cut short")?;
        rest = behind;
        let is_set = |bit: usize| filter[bit / 8] & 1 << (bit % 8) != 0;
        *may_hold &=
            keys.iter().all(|&key| !filter.is_empty() && bits_of(key, filter.len()).all(is_set));
    }
    Ok(())
}
