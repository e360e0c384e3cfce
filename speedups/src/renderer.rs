// SPDX-License-Identifier: Apache-2.0
//! Pieces of a log to the bytes of a view: what `blocks`, `select` and the views do in
//! `oslogserve/lines`.
//!
//! The result depends on the log alone, never on how it was cut: a line is looked at only when it
//! is complete or when more of it is there than anything looks at.

use memchr::{memchr, memrchr};

use crate::select::Selector;
use crate::selection::Tally;
use crate::summary::Totals;
use crate::view::View;

/// One log on its way.
pub struct Renderer {
    selector: Selector,
    view: Box<dyn View>,
    /// Bytes of a line that are held back until its end is seen.
    longest: usize,
    /// A line without its end.
    unfinished: Vec<u8>,
    /// A line was looked at before its end.
    inside_line: bool,
    bytes: u64,
}

impl Renderer {
    /// For one log.
    pub fn new(selector: Selector, view: Box<dyn View>, longest: usize) -> Self {
        Self { selector, view, longest, unfinished: Vec::new(), inside_line: false, bytes: 0 }
    }

    /// Nothing more can be shown.
    pub fn is_done(&self) -> bool {
        self.selector.is_done()
    }

    /// What came of the selection.
    pub fn tally(&self) -> Tally {
        Tally { bytes: self.bytes, elements: self.view.elements(), ..self.selector.tally() }
    }

    /// What a summary's lines come to.
    pub fn totals(&self) -> Option<Totals> {
        self.view.totals()
    }

    /// What a piece of the log adds to the view.
    pub fn feed(&mut self, piece: &[u8]) -> &[u8] {
        self.clear();
        self.bytes += piece.len() as u64;
        let mut rest = piece;
        if (self.inside_line || !self.unfinished.is_empty())
            && let Some(end) = memchr(b'\n', rest)
        {
            self.end_line(&rest[..end]);
            rest = &rest[end + 1..];
        }
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        self.block(&rest[..end]);
        self.hold_back(&rest[end..]);
        self.written()
    }

    /// What is held back, and the end of the view.
    pub fn finish(&mut self) -> &[u8] {
        self.clear();
        let unfinished = std::mem::take(&mut self.unfinished);
        self.block(&unfinished);
        self.selector.finish(&mut *self.view);
        self.view.finish();
        self.written()
    }

    /// The end of a line that began in a piece before, without its newline.
    fn end_line(&mut self, text: &[u8]) {
        if std::mem::take(&mut self.inside_line) {
            return self.selector.more(text, true, &mut *self.view);
        }
        let mut line = std::mem::take(&mut self.unfinished);
        line.extend_from_slice(text);
        line.push(b'\n');
        self.block(&line);
    }

    /// The beginning of a line, or more of it.
    fn hold_back(&mut self, text: &[u8]) {
        if self.inside_line {
            if !text.is_empty() {
                self.selector.more(text, false, &mut *self.view);
            }
            return;
        }
        self.unfinished.extend_from_slice(text);
        if self.unfinished.len() >= self.longest {
            let beginning = std::mem::take(&mut self.unfinished);
            self.block(&beginning);
            self.inside_line = true;
        }
    }

    fn block(&mut self, block: &[u8]) {
        if !block.is_empty() {
            self.selector.block(block, &mut *self.view);
        }
    }

    fn clear(&mut self) {
        if let Some(out) = self.view.output() {
            out.clear();
        }
    }

    fn written(&mut self) -> &[u8] {
        self.view.output().map_or(&[], |out| out.written())
    }
}
