// SPDX-License-Identifier: Apache-2.0
//! Hashes of words, by keys that nobody knows.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;

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

    /// Gives the hash, in a pool, of each word and of each pair of neighbours, and the places of its words.
    pub fn each(&self, words: &[u64], pool: u64, mut take: impl FnMut(u64, Range<usize>)) {
        for (place, &word) in words.iter().enumerate() {
            take(word ^ pool, place..place + 1);
        }
        for (place, pair) in words.windows(2).enumerate() {
            take(self.mix(pair[0], pair[1]) ^ pool, place..place + 2);
        }
    }

    /// The hash of all words of a line, in their order, and of its pools; 0 for a line without words that
    /// is in the pool of all lines alone.
    pub fn all(&self, words: &[u64], pools: &[u64]) -> u64 {
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
