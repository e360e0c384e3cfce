// SPDX-License-Identifier: Apache-2.0
//! Pieces of a log to the bytes of a view: what `blocks`, `filter`, `select` and the views do in
//! `oslogserve/lines`, in one pass.
//!
//! The result depends on the log alone, never on how it was cut: a line is looked at only when it
//! is whole or when more of it is there than anything looks at.

use memchr::{memchr, memrchr};

use crate::html::Html;
use crate::jsonl::Jsonl;
use crate::output::Output;
use crate::select::{Count, Selector, Tally};
use crate::summary::Summary;
use crate::text::Text;
use crate::view::View;

/// What becomes of the lines that are shown.
pub enum Shown {
    /// Elements.
    Html(Html),
    /// The lines themselves.
    Text(Text),
    /// Objects.
    Jsonl(Jsonl),
    /// Figures, once all is over.
    Summary(Summary, Output),
}

/// The same call for each.
macro_rules! in_view {
    ($shown:expr, $view:ident => $call:expr) => {
        match $shown {
            Shown::Html($view) => $call,
            Shown::Text($view) => $call,
            Shown::Jsonl($view) => $call,
            Shown::Summary($view, _) => $call,
        }
    };
}

/// One log on its way.
pub struct Renderer {
    selector: Selector,
    shown: Shown,
    /// A line is held back until its end is seen; this bounds what is held.
    longest: usize,
    held: Vec<u8>,
    /// A line goes on in the next piece.
    inside_line: bool,
    bytes: u64,
}

impl Renderer {
    /// For one log.
    pub fn new(selector: Selector, shown: Shown, longest: usize) -> Self {
        Self { selector, shown, longest, held: Vec::new(), inside_line: false, bytes: 0 }
    }

    /// Nothing more can be shown.
    pub fn done(&self) -> bool {
        self.selector.done()
    }

    /// What came of it, and the bytes looked at.
    pub fn tally(&self) -> (Tally, u64) {
        let elements = in_view!(&self.shown, view => view.elements());
        (Tally { elements, ..self.selector.tally }, self.bytes)
    }

    /// Hits by rank, where the view counts them.
    pub fn counts(&self) -> &[Count] {
        &self.selector.counts
    }

    /// What a piece of the log adds to the view.
    pub fn feed(&mut self, piece: &[u8]) -> &[u8] {
        self.out().clear();
        self.bytes += piece.len() as u64;
        let mut rest = piece;
        if !self.held.is_empty()
            && let Some(end) = memchr(b'\n', rest)
        {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(&rest[..=end]);
            self.lines(&held);
            held.clear();
            self.held = held;
            rest = &rest[end + 1..];
        }
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        self.lines(&rest[..end]);
        self.unfinished(&rest[end..]);
        self.out().written()
    }

    /// What is held, and the end of a last line that had none.
    pub fn finish(&mut self) -> &[u8] {
        self.out().clear();
        let held = std::mem::take(&mut self.held);
        self.block(&held);
        in_view!(&mut self.shown, view => self.selector.finish(view));
        match &mut self.shown {
            Shown::Html(html) => html.finish(),
            Shown::Jsonl(jsonl) => jsonl.finish(),
            Shown::Summary(summary, out) => out.put(summary.finish().as_bytes()),
            Shown::Text(_) => {}
        }
        self.out().written()
    }

    /// The end of a line that goes on, and whole lines.
    fn lines(&mut self, lines: &[u8]) {
        let mut rest = lines;
        if self.inside_line
            && let Some(end) = memchr(b'\n', rest)
        {
            self.part(&rest[..end], true);
            self.inside_line = false;
            rest = &rest[end + 1..];
        }
        self.block(rest);
    }

    fn unfinished(&mut self, part: &[u8]) {
        if self.inside_line {
            return self.part(part, false);
        }
        self.held.extend_from_slice(part);
        if self.held.len() >= self.longest {
            let held = std::mem::take(&mut self.held);
            self.block(&held);
            self.inside_line = true;
        }
    }

    fn block(&mut self, block: &[u8]) {
        if !block.is_empty() {
            in_view!(&mut self.shown, view => self.selector.block(block, view));
        }
    }

    fn part(&mut self, part: &[u8], has_end: bool) {
        if has_end || !part.is_empty() {
            in_view!(&mut self.shown, view => self.selector.part(part, has_end, view));
        }
    }

    fn out(&mut self) -> &mut Output {
        match &mut self.shown {
            Shown::Html(Html { out, .. })
            | Shown::Text(Text { out })
            | Shown::Jsonl(Jsonl { out, .. })
            | Shown::Summary(_, out) => out,
        }
    }
}
