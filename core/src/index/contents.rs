// SPDX-License-Identifier: Apache-2.0
//! What the blocks of a log hold: their words and ids.

use memchr::memmem::Finder;

use crate::index::ids::{self, Ids, is_digit};
use crate::index::vocabulary::{Fragment, UNFOLDED, Vocabulary, Words, is_letter};

/// Bytes of the longest word or id that is held until its end is there.
const MOST_HELD: usize = 4096;

/// Collects what the blocks of a log hold.
pub struct Collector {
    words: Vocabulary,
    ids: Ids,
    /// Bytes of the current block.
    size: u64,
    /// The end of the text so far, if the next byte may belong to it.
    held: Vec<u8>,
    unfolded: [Finder<'static>; 2],
}

impl Collector {
    pub fn new() -> Self {
        Self {
            words: Vocabulary::new(),
            ids: Ids::new(),
            size: 0,
            held: Vec::new(),
            unfolded: UNFOLDED.map(Finder::new),
        }
    }

    /// Takes the next text of the current block, cut anywhere.
    pub fn text(&mut self, text: &[u8]) {
        let mut text = text;
        self.size += text.len() as u64;
        if let Some(&last) = self.held.last() {
            let goes_on = |pair: &[u8]| !is_joined(pair[0], pair[1]);
            let begin = match text.first() {
                Some(&first) if is_joined(last, first) => {
                    text.windows(2).position(goes_on).map_or(text.len(), |at| at + 1)
                }
                _ => 0,
            };
            self.hold(&text[..begin]);
            if begin == text.len() {
                return;
            }
            self.take_held();
            text = &text[begin..];
        }
        let end = whole(text);
        self.take(&text[..end]);
        self.hold(&text[end..]);
    }

    fn hold(&mut self, text: &[u8]) {
        if self.held.len() + text.len() > MOST_HELD {
            self.words.give_up();
            self.ids.give_up();
            // Only the last byte tells where it ends.
            self.held.clear();
            self.held.extend(text.last());
        } else {
            self.held.extend_from_slice(text);
        }
    }

    fn take_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.take(&held);
        self.held = held;
        self.held.clear();
    }

    /// Takes text in which nothing is cut.
    fn take(&mut self, text: &[u8]) {
        if !text.is_ascii() && self.unfolded.iter().any(|one| one.find(text).is_some()) {
            self.words.give_up();
        }
        self.words.take(text);
        self.ids.take(text);
    }

    /// Ends a block.
    pub fn end_block(&mut self) {
        self.take_held();
        self.words.end_block();
        self.ids.end_block(std::mem::take(&mut self.size));
    }

    /// The words of all blocks, and their ids, for `may_hold`.
    pub fn finished(&self) -> (Vec<u8>, &[u8]) {
        (self.words.finished(), &self.ids.filters)
    }
}

/// True if two bytes may be of the same word, id or character.
fn is_joined(one: u8, next: u8) -> bool {
    let are = |of: fn(u8) -> bool| of(one) && of(next);
    are(is_letter) || are(is_digit) || are(|byte| !byte.is_ascii())
}

/// Bytes of the text in which nothing is cut, whatever follows.
fn whole(text: &[u8]) -> usize {
    let Some(&last) = text.last() else { return 0 };
    if !is_joined(last, last) {
        return text.len();
    }
    text.windows(2).rposition(|pair| !is_joined(pair[0], pair[1])).map_or(0, |at| at + 1)
}

/// What all lines hold in which a pattern is found.
#[derive(Clone, Default)]
pub struct Required {
    pub words: Vec<Fragment>,
    /// Of parts of ids, see `ids.rs`.
    pub keys: Vec<u64>,
}

/// Finds out which blocks may hold all that is required: a place for each. words, ids: of a log that was read
/// before; they may come from anywhere. Errors: what is wrong with them.
pub fn may_hold<'r>(
    words: &[u8],
    ids: &[u8],
    required: impl Iterator<Item = &'r Required>,
    blocks: usize,
) -> Result<Vec<bool>, &'static str> {
    let mut places = vec![true; blocks];
    let words = Words::parse(words)?;
    for required in required {
        words.narrow(&required.words, &mut places);
        if !required.keys.is_empty() {
            ids::narrow(ids, &required.keys, &mut places)?;
        }
    }
    Ok(places)
}
