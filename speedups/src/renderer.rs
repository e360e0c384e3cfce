// SPDX-License-Identifier: Apache-2.0
//! Pieces of a log to the bytes of a view: what `blocks`, `filter` and `render` do in
//! `oslogserve/lines`, in one pass over each line.
//!
//! The result depends on the log alone, never on how it was cut: a line is looked at only when it
//! is whole or when more of it is there than the formats can reach.

use std::sync::Arc;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

use crate::formats::{Formats, Seen};
use crate::html::Html;
use crate::output::Output;

/// What becomes of the lines that are shown.
pub enum View {
    /// Elements.
    Html(Html),
    /// The lines themselves.
    Text,
}

/// One log on its way.
pub struct Renderer {
    formats: Arc<Formats>,
    view: View,
    /// The lowest severity that is shown; none where no line is left out.
    floor: Option<usize>,
    /// Lines that may still be shown.
    left: u64,
    /// A line is held back until its end is seen; this bounds what is held.
    longest: usize,
    held: Vec<u8>,
    number: u64,
    /// What is being shown, if it is a line that goes on in the next piece.
    inside_line: bool,
    /// Whether this line is shown, and those behind it that have no severity of their own.
    keeping: bool,
    out: Output,
}

impl Renderer {
    /// For one log.
    pub fn new(
        formats: Arc<Formats>,
        view: View,
        floor: Option<usize>,
        limit: Option<u64>,
        longest: usize,
    ) -> Self {
        Self {
            formats,
            view,
            floor,
            left: limit.unwrap_or(u64::MAX),
            longest,
            held: Vec::new(),
            number: 1,
            inside_line: false,
            keeping: floor.unwrap_or(0) == 0,
            out: Output::default(),
        }
    }

    /// The limit was reached.
    pub fn done(&self) -> bool {
        self.left == 0
    }

    /// What a piece of the log adds to the view.
    pub fn feed(&mut self, piece: &[u8]) -> &[u8] {
        self.out.clear();
        let mut rest = piece;
        if !self.held.is_empty()
            && let Some(end) = memchr(b'\n', rest)
        {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(&rest[..=end]);
            self.whole_lines(&held);
            held.clear();
            self.held = held;
            rest = &rest[end + 1..];
        }
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        self.whole_lines(&rest[..end]);
        self.unfinished(&rest[end..]);
        self.out.written()
    }

    /// What is held, and the end of a last line that had none.
    pub fn finish(&mut self) -> &[u8] {
        self.out.clear();
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.begin(&held);
            self.inside_line = true;
        }
        if std::mem::take(&mut self.inside_line)
            && self.keeping
            && let View::Html(html) = &self.view
        {
            html.end(&mut self.out);
        }
        self.out.written()
    }

    fn unfinished(&mut self, part: &[u8]) {
        if self.done() {
            return;
        }
        if self.inside_line {
            self.go_on(part);
            return;
        }
        self.held.extend_from_slice(part);
        if self.held.len() >= self.longest {
            let held = std::mem::take(&mut self.held);
            self.begin(&held);
            self.inside_line = true;
        }
    }

    fn whole_lines(&mut self, lines: &[u8]) {
        let mut rest = lines;
        if self.inside_line
            && let Some((part, behind)) = split_line(rest)
        {
            self.go_on(part);
            self.end();
            self.inside_line = false;
            rest = behind;
        }
        let formats = Arc::clone(&self.formats);
        let mut words = Words::new(formats.finders(self.floor));
        while !self.done() {
            if !self.keeping {
                rest = self.skipped(rest, lines, &mut words);
            }
            let Some((line, behind)) = split_line(rest) else {
                return;
            };
            self.begin(line);
            self.end();
            rest = behind;
        }
    }

    /// While lines are left out, only one that holds a word of the level can be shown.
    fn skipped<'l>(&mut self, rest: &'l [u8], lines: &'l [u8], words: &mut Words) -> &'l [u8] {
        let from = lines.len() - rest.len();
        let word = words.next_in(lines, from).unwrap_or(lines.len());
        let line = memrchr(b'\n', &lines[from..word]).map_or(from, |at| from + at + 1);
        if let View::Html(_) = self.view {
            self.number += memchr_iter(b'\n', &lines[from..line]).count() as u64;
        }
        &lines[line..]
    }

    fn begin(&mut self, line: &[u8]) {
        let mut seen = Seen::default();
        if self.floor.is_some() || matches!(self.view, View::Html(_)) {
            seen = self.formats.seen_in(line);
        }
        if let Some(rank) = seen.severity {
            self.keeping = rank >= self.floor.unwrap_or(0);
        }
        if self.keeping {
            match &mut self.view {
                View::Html(html) => html.begin(self.number, line, seen, &mut self.out),
                View::Text => self.out.put(line),
            }
        }
    }

    fn go_on(&mut self, part: &[u8]) {
        if self.keeping {
            match &self.view {
                View::Html(html) => html.go_on(part, &mut self.out),
                View::Text => self.out.put(part),
            }
        }
    }

    fn end(&mut self) {
        self.number += 1;
        if self.keeping {
            self.left -= 1;
            match &self.view {
                View::Html(html) => html.end(&mut self.out),
                View::Text => self.out.put(b"\n"),
            }
        }
    }
}

fn split_line(lines: &[u8]) -> Option<(&[u8], &[u8])> {
    memchr(b'\n', lines).map(|end| (&lines[..end], &lines[end + 1..]))
}

/// Where words next stand in a block; each byte of it is searched once for each word.
struct Words<'f> {
    /// A word and where it was last found.
    found: Vec<(&'f Finder<'static>, Option<usize>)>,
}

impl<'f> Words<'f> {
    fn new(finders: &'f [Finder<'static>]) -> Self {
        Self { found: finders.iter().map(|finder| (finder, Some(0))).collect() }
    }

    /// The first of them at `from` or behind it, which grows from call to call.
    fn next_in(&mut self, block: &[u8], from: usize) -> Option<usize> {
        for (finder, at) in &mut self.found {
            if at.is_some_and(|at| at <= from) {
                *at = finder.find(&block[from..]).map(|at| from + at);
            }
        }
        self.found.iter().filter_map(|(_, at)| *at).min()
    }
}
