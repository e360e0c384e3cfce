// SPDX-License-Identifier: Apache-2.0
//! Lines as elements of a page, as `oslogserve/lines/html.py` defines it.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::anchor;
use crate::ansi::{self, Style};
use crate::formats::Formats;
use crate::output::Output;
use crate::search::Search;
use crate::select::{Line, View};

const END: &[u8] = b"\n</span>";
const REQUEST: &[u8] = b"req-";
/// Of a UUID: digits, and the dashes behind all but the last.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Marks lines up.
pub struct Html {
    /// What was made.
    pub out: Output,
    /// For each severity, of a line that shows it and of one that inherits it, and for each role:
    /// what stands behind its number.
    classes: Vec<[[Vec<u8>; 3]; 2]>,
    /// What an address of this log's page begins with; nothing where there is none.
    link: Vec<u8>,
    /// What is marked.
    searches: Vec<Search>,
    /// Bytes of a line in which colours, request ids and matches are looked for.
    longest: usize,
    /// Bytes of a line in which its formats have looked for control sequences.
    reach: usize,
    request: memmem::Finder<'static>,
    /// A line was begun.
    is_open: bool,
}

impl Html {
    /// link: escaped.
    pub fn new(formats: &Formats, link: Vec<u8>, searches: Vec<Search>, longest: usize) -> Self {
        let class = |word: &[u8], more: &[u8]| {
            [&b""[..], b" context", b" shown"]
                .map(|role| [b"\" class=\"", word, more, role, b"\">"].concat())
        };
        let classes = formats.severities().iter();
        Self {
            out: Output::default(),
            classes: classes.map(|word| [class(word, b""), class(word, b" more")]).collect(),
            link,
            searches,
            longest,
            reach: formats.reach,
            request: memmem::Finder::new(REQUEST),
            is_open: false,
        }
    }

    /// The end of the last line.
    pub fn finish(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.out.put(END);
        }
    }

    fn time(&mut self, time: &[u8], shown: impl FnOnce(&mut Self)) {
        let time = &ansi::without(time);
        self.out.put(b"<a name=\"_");
        self.out.put_mapped(time, anchor::byte);
        self.out.put(b"\" href=\"#_");
        self.out.put_mapped(time, anchor::byte);
        self.out.put(b"\">");
        shown(self);
        self.out.put(b"</a>");
    }

    fn request_link(&mut self, request: &[u8], shown: impl FnOnce(&mut Self)) {
        if self.link.is_empty() {
            return shown(self);
        }
        self.out.put(b"<a href=\"");
        self.out.put(&self.link);
        self.out.put(b"q=");
        self.out.put(request);
        self.out.put(b"\">");
        shown(self);
        self.out.put(b"</a>");
    }

    /// Where nothing but request ids is looked for.
    fn simple(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(found) = request_in(&self.request, rest) {
            self.out.put_escaped(&rest[..found.start]);
            let request = &rest[found.clone()];
            self.request_link(request, |html| html.out.put(request));
            rest = &rest[found.end..];
        }
        self.out.put_escaped(rest);
    }
}

impl View for Html {
    const SEES: bool = true;
    const INHERITS: bool = true;
    const READS_ALL: bool = false;

    fn line(&mut self, line: &Line<'_>) {
        if std::mem::replace(&mut self.is_open, true) {
            self.out.put(b"\n</span><span id=\"L");
        } else {
            self.out.put(b"<span id=\"L");
        }
        self.out.put_number(line.number);
        self.out.put(&self.classes[line.rank][usize::from(line.inherits)][line.role as usize]);
        let (text, rest) = line.text.split_at(line.text.len().min(self.longest));
        let Range { start, end } = line.seen.time.clone();
        let looked_at = text.len().min(self.reach);
        if self.searches.is_empty()
            && !line.seen.has_sequences
            && memchr(ansi::ESCAPE, &text[looked_at..]).is_none()
        {
            self.simple(&text[..start]);
            if start < end {
                let time = &text[start..end];
                self.time(time, |html| html.out.put_escaped(time));
            }
            self.simple(&text[end..]);
        } else {
            let mut inside = Inside::new(text, &self.searches);
            inside.linked(0..start, self);
            if start < end {
                let time = &text[start..end];
                self.time(time, |html| inside.styled(start..end, html));
            }
            inside.linked(end..text.len(), self);
        }
        self.out.put_escaped(rest);
    }

    fn part(&mut self, part: &[u8], _has_end: bool) {
        self.out.put_escaped(part);
    }

    fn gap(&mut self, first: u64, last: u64) {
        self.finish();
        let size = last - first + 1;
        let plural = if size == 1 { "" } else { "s" };
        if self.link.is_empty() {
            let told = format!("<span class=\"gap\">{size} line{plural}\n</span>");
            return self.out.put(told.as_bytes());
        }
        self.out.put(b"<a class=\"gap\" href=\"");
        self.out.put(&self.link);
        self.out.put(format!("lines={first}-{last}\">{size} line{plural}\n</a>").as_bytes());
    }
}

/// A line from left to right: links around colours around marks.
struct Inside<'l> {
    text: &'l [u8],
    style: Style,
    /// The last one first.
    marks: Vec<Range<usize>>,
}

impl<'l> Inside<'l> {
    fn new(text: &'l [u8], searches: &[Search]) -> Self {
        let mut spans = Vec::new();
        for search in searches {
            search.spans_in(text, &mut spans);
        }
        let mut marks = merged(spans);
        marks.reverse();
        Self { text, style: Style::default(), marks }
    }

    fn linked(&mut self, part: Range<usize>, html: &mut Html) {
        let mut at = part.start;
        while !html.link.is_empty()
            && let Some(found) = request_in(&html.request, &self.text[at..part.end])
        {
            let (start, end) = (at + found.start, at + found.end);
            self.styled(at..start, html);
            let request = &self.text[start..end];
            html.request_link(request, |html| self.styled(start..end, html));
            at = end;
        }
        self.styled(at..part.end, html);
    }

    fn styled(&mut self, part: Range<usize>, html: &mut Html) {
        let mut at = part.start;
        while let Some(found) = ansi::next_sequence(self.text, at..part.end) {
            self.in_style(at..found.span.start, html);
            if found.last == b'm' {
                self.style.take(&self.text[found.parameters]);
            }
            at = found.span.end;
        }
        self.in_style(at..part.end, html);
    }

    fn in_style(&mut self, part: Range<usize>, html: &mut Html) {
        let classes = self.style.classes();
        if classes.is_empty() || part.is_empty() {
            return self.marked(part, html);
        }
        html.out.put(format!("<span class=\"{classes}\">").as_bytes());
        self.marked(part, html);
        html.out.put(b"</span>");
    }

    fn marked(&mut self, part: Range<usize>, html: &mut Html) {
        let mut at = part.start;
        while let Some(mark) = self.marks.last().cloned().filter(|mark| mark.start < part.end) {
            let start = mark.start.max(at);
            html.out.put_escaped(&self.text[at..start]);
            at = mark.end.min(part.end).max(start); // it may end in what is not shown
            if start < at {
                html.out.put(b"<mark>");
                html.out.put_escaped(&self.text[start..at]);
                html.out.put(b"</mark>");
            }
            if mark.end > part.end {
                break;
            }
            self.marks.pop();
        }
        html.out.put_escaped(&self.text[at.min(part.end)..part.end]);
    }
}

/// In order, and none touching another.
fn merged(mut spans: Vec<regex_automata::Span>) -> Vec<Range<usize>> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span.range()),
        }
    }
    merged
}

/// The first request id: req- and a UUID.
fn request_in(finder: &memmem::Finder<'_>, text: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(found) = finder.find(&text[at..]) {
        let start = at + found;
        if let Some(end) = uuid_end(text, start + REQUEST.len()) {
            return Some(start..end);
        }
        at = start + 1;
    }
    None
}

fn uuid_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for (index, &digits) in GROUPS.iter().enumerate() {
        if index > 0 {
            if text.get(at) != Some(&b'-') {
                return None;
            }
            at += 1;
        }
        let group = text.get(at..at + digits)?;
        if !group.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        at += digits;
    }
    Some(at)
}
