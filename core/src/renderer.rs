// SPDX-License-Identifier: Apache-2.0
//! Pieces of a log to the bytes of a view.
//!
//! The result depends on the log alone, never on how it was cut: a line is read only when it is
//! complete or when more of it is there than anything reads.

use memchr::{memchr, memrchr};

use crate::index::Block;
use crate::merge::Rows;
use crate::selection::Tally;
use crate::selection::select::Selector;

/// The renderer of one log.
pub struct Renderer {
    pub selector: Selector,
    /// Bytes of a line that are held back until its end is seen.
    longest: usize,
    /// A line without its end.
    unfinished: Vec<u8>,
    /// True if the beginning of a line was passed on before its end.
    inside_line: bool,
    bytes: u64,
    is_ended: bool,
}

/// Bytes of a view that are written at a time when the log has ended.
const PIECE: usize = 256 * 1024;

impl Renderer {
    /// A renderer at a log's beginning.
    pub fn new(selector: Selector, longest: usize) -> Self {
        Self {
            selector,
            longest,
            unfinished: Vec::new(),
            inside_line: false,
            bytes: 0,
            is_ended: false,
        }
    }

    /// Takes the rows that are held.
    pub fn take_rows(&mut self) -> Rows {
        self.selector.take_rows(self.is_ended)
    }

    /// What a piece gave to the view; nothing if rows are held.
    fn given(&mut self) -> &[u8] {
        if self.selector.holds_rows() { &[] } else { self.selector.view().output().written() }
    }

    fn clear(&mut self) {
        if !self.selector.holds_rows() {
            self.selector.clear();
        }
    }

    /// Takes the text up to its first line feed: the end of a line that began in a piece before.
    fn end_line(&mut self, text: &[u8]) {
        if std::mem::take(&mut self.inside_line) {
            return self.selector.rest_of_line(text);
        }
        let mut line = std::mem::take(&mut self.unfinished);
        line.extend_from_slice(text);
        self.selector.block(&line);
    }

    /// Takes the beginning of a line, or more of it.
    fn hold_back(&mut self, text: &[u8]) {
        if self.inside_line {
            return self.selector.rest_of_line(text);
        }
        self.unfinished.extend_from_slice(text);
        if self.unfinished.len() >= self.longest {
            let beginning = std::mem::take(&mut self.unfinished);
            self.selector.block(&beginning);
            self.inside_line = true;
        }
    }

    /// Passes over blocks of an index from the first one on, where that changes nothing of the answer.
    /// Returns the place of the first one that has to be read. blocks: the first begins with the next byte.
    /// may_go_on: true if the last one may have more lines than it says.
    pub fn pass_over(&mut self, blocks: &[Block], may_go_on: bool) -> usize {
        let mut place = 0;
        while let [block, behind @ ..] = &blocks[place..] {
            let heritage = behind.first().map(|next| &next.heritage);
            let is_open = may_go_on && behind.is_empty();
            if is_open
                || self.selector.is_done
                || !self.selector.pass_over(&blocks[place..], heritage)
            {
                break;
            }
            self.bytes += block.size;
            place += 1;
        }
        place
    }

    /// Collects an index. interval: bytes of text from block to block.
    pub fn collect_index(&mut self, interval: u64) {
        self.selector.collect_index(interval);
    }

    /// JSON of the blocks of an index, once the log has ended; None if none were collected.
    pub fn blocks(&mut self) -> Option<Vec<u8>> {
        self.selector.index_blocks()
    }

    /// Adds the last piece to the index, and begins a block of it where one is due.
    fn index(&mut self, piece: &[u8]) {
        let lines = piece.len().saturating_sub(self.unfinished.len());
        let may_begin = lines > 0 && !self.inside_line;
        self.selector.index_text(&piece[..lines], may_begin);
        self.selector.index_text(&piece[lines..], false);
    }

    /// What a piece of the log adds to the view.
    pub fn feed(&mut self, piece: &[u8]) -> &[u8] {
        self.clear();
        self.bytes += piece.len() as u64;
        let mut rest = piece;
        if self.inside_line || !self.unfinished.is_empty() {
            if let Some(end) = memchr(b'\n', rest) {
                self.end_line(&rest[..=end]);
                rest = &rest[end + 1..];
            }
        }
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        self.selector.block(&rest[..end]);
        self.hold_back(&rest[end..]);
        self.index(piece);
        self.selector.rest();
        self.given()
    }

    /// What was held back, and the end of the view: to be called until it gives nothing.
    pub fn finish(&mut self) -> &[u8] {
        self.clear();
        let unfinished = std::mem::take(&mut self.unfinished);
        self.selector.block(&unfinished);
        self.selector.check_block();
        self.selector.finish();
        if !self.selector.show_ending(PIECE) && !std::mem::replace(&mut self.is_ended, true) {
            self.selector.end();
        }
        self.given()
    }

    /// What came of the selection.
    pub fn tally(&self) -> Tally {
        Tally { bytes: self.bytes, ..self.selector.tally() }
    }
}
