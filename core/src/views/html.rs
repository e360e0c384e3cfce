// SPDX-License-Identifier: Apache-2.0
//! Lines as HTML elements.
//!
//! `<li class=E id=L17><a href=#L17 name=_2013-09-27_18_22_11_248>#</a>2013-09-27 18:22:11.248 ...`
//!
//! Optional end tags and quotes are left out: they would be a third of a large log's page. The style sheet
//! takes the shown number from the link's address. A time is marked by `name`, since `id` has the number.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr3};

use crate::causes::cause_rules::Causes;
use crate::lines::{Next, without_line_feed};
use crate::recognition::grammar::Grammar;
use crate::recognition::head::REACH;
use crate::searches::search::{MOST_MATCHES, MOST_STATES, Search};
use crate::shown::{Line, Role};
use crate::terminal::ansi::{self, Effect, Style};
use crate::terminal::overwritten;
use crate::terminal::screen::Gap;
use crate::views::links::{self, Link, Links, MOST_URLS};
use crate::views::output::Output;
use crate::views::view::View;

/// Digits of the longest number.
const LONGEST_NUMBER: usize = 20;
/// Lines of a block, which a browser does not lay out until it is scrolled to.
const BLOCK: u64 = 256;

/// What few lines of a block hold.
#[derive(Default)]
struct Nexts {
    /// What is to be escaped.
    special: Next,
    moves: Next,
    unseen: Next,
    urls: Next,
    requests: Next,
}

/// The elements of lines.
pub struct Html {
    out: Output,
    /// The first letter of each severity, by rank.
    initials: Vec<u8>,
    causes: Arc<Causes>,
    link: Vec<u8>,
    searches: Vec<Search>,
    /// Matches of each search that are marked in a line. So marking costs at most one search by the largest automaton.
    most_matches: usize,
    /// Bytes of a line in which colours, links and matches are looked for.
    longest: usize,
    next: Nexts,
    /// The anchor of the last time, and a buffer for the next one.
    anchor: Vec<u8>,
    next_anchor: Vec<u8>,
    /// Lines written.
    lines: u64,
    /// Start tags but for those of blocks.
    elements: u64,
    in_block: bool,
    in_line: bool,
    /// The address of a row's log; None for the elements of one log.
    label: Option<Vec<u8>>,
    /// True if each line leads to its time, and not the first one of a time alone.
    names_all: bool,
}

impl Html {
    pub fn new(
        grammar: &Grammar,
        causes: Arc<Causes>,
        link: Vec<u8>,
        searches: Vec<Search>,
        longest: usize,
        label: Option<Vec<u8>>,
    ) -> Self {
        let states: usize = searches.iter().map(|search| search.states).sum();
        Self {
            out: Output::default(),
            initials: grammar.severities.names.iter().map(|name| name.as_bytes()[0]).collect(),
            causes,
            link,
            searches,
            most_matches: (MOST_STATES / states.max(1)).clamp(1, MOST_MATCHES),
            longest,
            next: Nexts::default(),
            anchor: Vec::new(),
            next_anchor: Vec::new(),
            lines: 0,
            elements: 0,
            in_block: false,
            in_line: false,
            label,
            names_all: false,
        }
    }

    pub fn naming_all(self, names_all: bool) -> Self {
        Self { names_all, ..self }
    }

    /// Begins an element. Rows stand in no block.
    fn begin_item(&mut self) {
        if self.label.is_none() {
            if std::mem::replace(&mut self.in_line, true) {
                self.out.put_short(b"\n");
            }
            if !std::mem::replace(&mut self.in_block, true) {
                self.out.put(b"<ol class=b>");
            }
        }
        self.elements += 1;
        self.out.put_short(b"<li");
    }

    fn begin_line(&mut self, line: &Line<'_>) {
        if self.lines > 0 && self.lines % BLOCK == 0 {
            self.finish();
        }
        self.lines += 1;
        self.begin_item();
        if self.label.is_some() && line.is_named {
            // The moment of a job's page, see `oslogserve/pages/job.py`.
            self.out.put(b" id=moment aria-current=true");
        }
        self.class(line);
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(line.number).as_bytes();
        let mut number = [0; LONGEST_NUMBER];
        number[..digits.len()].copy_from_slice(digits);
        if let Some(label) = &self.label {
            self.out.put_all([b"><a href=", label, b"#L"]);
        } else {
            self.out.put_short(b" id=L");
            self.out.put_first(&number, digits.len());
            self.out.put_short(b"><a href=#L");
        }
        self.out.put_first(&number, digits.len());
        self.elements += 1;
        self.name(line);
        if self.label.is_none() {
            return self.out.put_short(b">#</a>");
        }
        self.out.put_short(b">");
        self.out.put_first(&number, digits.len());
        self.out.put_short(b"</a>");
    }

    fn class(&mut self, line: &Line<'_>) {
        let initial = self.initials[line.rank];
        let initial = if line.inherits { initial.to_ascii_lowercase() } else { initial };
        let initial = if line.rank > 0 { &[initial][..] } else { b"" };
        if line.is_new {
            let names = [initial, line.role.class(), b"new"];
            let names = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>();
            let value = names.join(&b' ');
            return match &names[..] {
                [_] => self.out.put_all([b" class=", &value[..]]),
                _ => self.out.put_all([b" class=\"", &value[..], b"\""]),
            };
        }
        match (line.role, initial) {
            (Role::Hit, []) => {}
            (Role::Hit, &[initial, ..]) => {
                self.out.put_short(&[b' ', b'c', b'l', b'a', b's', b's', b'=', initial]);
            }
            (role, []) => self.out.put_all([b" class=", role.class()]),
            (role, _) => self.out.put_all([b" class=\"", initial, b" ", role.class(), b"\""]),
        }
    }

    /// Puts the attribute that leads to a time, on the first of the lines that share it, or on all.
    fn name(&mut self, line: &Line<'_>) {
        if line.seen.time.is_empty() {
            return;
        }
        put_anchor(&line.time(), &mut self.next_anchor);
        if self.names_all || self.next_anchor != self.anchor {
            self.out.put_all([b" name=", &self.next_anchor]);
            std::mem::swap(&mut self.anchor, &mut self.next_anchor);
        }
    }

    /// Begins a link. is_url: false for a request id.
    fn begin_link(&mut self, address: &[u8], is_url: bool) {
        self.elements += 1;
        self.out.put(b"<a href=\"");
        if !is_url {
            self.out.put_all([&self.link, b"q="]);
        }
        self.out.put_escaped(address);
        self.out.put(b"\">");
    }

    /// Puts a link. shown: puts its text.
    fn link(&mut self, text: &[u8], link: &Link, shown: impl FnOnce(&mut Self)) {
        self.begin_link(&text[link.place.clone()], link.is_url);
        shown(self);
        self.out.put(b"</a>");
    }

    /// Puts the text of a line without colours and marks.
    fn simple(&mut self, line: &Line<'_>, text: &[u8], put: fn(&mut Output, &[u8])) {
        let mut at = 0;
        let url = line.place_of(&mut self.next.urls, |rest| links::URLS.find(rest));
        let request = line.place_of(&mut self.next.requests, |rest| links::REQUESTS.find(rest));
        let request = request.filter(|_| !self.link.is_empty());
        if url.is_none() && request.is_none() {
            return put(&mut self.out, text);
        }
        for link in Links::new(text, url, request) {
            put(&mut self.out, &text[at..link.place.start]);
            self.link(text, &link, |html| put(&mut html.out, &text[link.place.clone()]));
            at = link.place.end;
        }
        put(&mut self.out, &text[at..]);
    }

    /// What is not shown of a line.
    fn gaps_in(&mut self, line: &Line<'_>, text: &[u8], has_escapes: bool) -> Vec<Gap> {
        let Nexts { moves, unseen, .. } = &mut self.next;
        let marks = &self.causes.chapters;
        let may_move = has_escapes || line.place_of(moves, overwritten::move_in).is_some();
        let gaps = if may_move { overwritten::gaps_in(text) } else { Vec::new() };
        let may_begin = |rest: &[u8]| marks.unseen_texts.find(rest);
        if !gaps.is_empty() || line.place_of(unseen, may_begin).is_none() {
            return gaps;
        }
        let place = marks.unseen_in(text);
        place.map(|place| Gap { place, blanks: 0, again: 0..0 }).into_iter().collect()
    }
}

impl View for Html {
    fn begin(&mut self) {
        self.next = Nexts::default();
    }

    fn line(&mut self, line: &Line<'_>) {
        self.begin_line(line);
        let content = line.content();
        let (text, rest) = content.split_at(content.len().min(self.longest));
        let looked_at = text.len().min(REACH);
        let has_escapes = line.seen.has_escapes || ansi::has_sign(&text[looked_at..]);
        let gaps = self.gaps_in(line, text, has_escapes);
        if self.searches.is_empty() && gaps.is_empty() && !has_escapes {
            let special =
                line.place_of(&mut self.next.special, |rest| memchr3(b'&', b'<', b'>', rest));
            let put = if special.is_some() { Output::put_escaped } else { Output::put };
            self.simple(line, text, put);
        } else {
            let mut matches = Vec::new();
            for search in &self.searches {
                search.matches_in(text, self.most_matches, &mut matches);
            }
            Inside::new(text, matches).marked_up(&gaps, self);
        }
        self.out.put_escaped(rest);
        if self.label.is_some() {
            self.out.put_short(b"\n");
        }
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        self.out.put_escaped(without_line_feed(text));
    }

    fn gap(&mut self, first: u64, last: u64) {
        self.begin_item();
        self.out.put(b" class=gap>");
        let plural: &[u8] = if first == last { b" line" } else { b" lines" };
        let size = with_separators(last - first + 1);
        let size = size.as_bytes();
        if self.link.is_empty() {
            return self.out.put_all([size, plural]);
        }
        let mut digits = [itoa::Buffer::new(), itoa::Buffer::new()];
        let [begin, end] = &mut digits;
        self.elements += 1;
        let (begin, end) = (begin.format(first).as_bytes(), end.format(last).as_bytes());
        self.out.put_all([b"<a href=\"", &self.link, b"lines=", begin, b"-", end]);
        self.out.put_all([b"\">", size, plural, b"</a>"]);
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.out.put_short(b"\n");
        }
        if std::mem::take(&mut self.in_block) {
            self.out.put(b"</ol>");
        }
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }

    fn elements(&self) -> u64 {
        self.elements
    }
}

/// A text that is marked up from left to right: links around colours around marks. A link of a terminal
/// (OSC 8) goes on to the next one or to the line's end, as colours do.
struct Inside<'l> {
    text: &'l [u8],
    style: Style,
    /// The place of the address of the terminal's link that is open; empty for none.
    address: Range<usize>,
    addresses_left: usize,
    marks: Vec<Range<usize>>,
}

impl<'l> Inside<'l> {
    fn new(text: &'l [u8], matches: Vec<Range<usize>>) -> Self {
        Self {
            text,
            style: Style::default(),
            address: 0..0,
            addresses_left: MOST_URLS,
            marks: merged(matches),
        }
    }

    /// What is not shown stands within <s>, so that what is copied is the log's own.
    fn marked_up(&mut self, gaps: &[Gap], html: &mut Html) {
        let mut at = 0;
        for Gap { place, blanks, again } in gaps {
            self.linked(at..place.start, html);
            self.hidden(place.clone(), html);
            html.out.put(&vec![b' '; *blanks]);
            if !again.is_empty() {
                html.elements += 1;
                html.out.put(b"<i>");
                html.out.put_escaped(&ansi::without(&self.text[again.clone()]));
                html.out.put(b"</i>");
            }
            at = place.end;
        }
        self.linked(at..self.text.len(), html);
    }

    fn hidden(&mut self, place: Range<usize>, html: &mut Html) {
        if place.is_empty() {
            return;
        }
        html.elements += 1;
        html.out.put(b"<s>");
        let mut at = place.start;
        while let Some(found) = memchr(ansi::RETURN, &self.text[at..place.end]) {
            self.linked(at..at + found, html);
            html.out.put(b"&#13;");
            at += found + 1;
        }
        self.linked(at..place.end, html);
        html.out.put(b"</s>");
    }

    fn linked(&mut self, range: Range<usize>, html: &mut Html) {
        let (mut start, mut from) = (range.start, range.start);
        while let Some(found) = ansi::next_sequence(self.text, from..range.end) {
            from = found.place.end;
            if let Effect::Link(address) = found.effect {
                self.in_link(start..found.place.start, html);
                self.open(address);
                start = from;
            }
        }
        self.in_link(start..range.end, html);
    }

    /// Opens a terminal's link. It is text if it is no URL, or if the line has many.
    fn open(&mut self, address: Range<usize>) {
        let is_link = self.addresses_left > 0 && links::is_url(&self.text[address.clone()]);
        self.addresses_left -= usize::from(is_link);
        self.address = if is_link { address } else { 0..0 };
    }

    fn in_link(&mut self, range: Range<usize>, html: &mut Html) {
        if self.address.is_empty() {
            return self.with_own_links(range, html);
        }
        if ansi::without(&self.text[range.clone()]).is_empty() {
            return self.styled(range, html);
        }
        html.begin_link(&self.text[self.address.clone()], true);
        self.styled(range, html);
        html.out.put(b"</a>");
    }

    /// Puts a text with links to what it shows: URLs and request ids.
    fn with_own_links(&mut self, range: Range<usize>, html: &mut Html) {
        let text = &self.text[range.clone()];
        let mut at = range.start;
        for link in Links::new(text, Some(0), (!html.link.is_empty()).then_some(0)) {
            let (start, end) = (range.start + link.place.start, range.start + link.place.end);
            self.styled(at..start, html);
            html.link(text, &link, |html| self.styled(start..end, html));
            at = end;
        }
        self.styled(at..range.end, html);
    }

    fn styled(&mut self, range: Range<usize>, html: &mut Html) {
        let mut at = range.start;
        while let Some(found) = ansi::next_sequence(self.text, at..range.end) {
            self.in_style(at..found.place.start, html);
            if let Effect::Style(parameters) = found.effect {
                self.style.take(&self.text[parameters]);
            }
            at = found.place.end;
        }
        self.in_style(at..range.end, html);
    }

    fn in_style(&mut self, range: Range<usize>, html: &mut Html) {
        if range.is_empty() {
            return;
        }
        let classes = self.style.classes();
        if classes.is_empty() {
            return self.marked(range, html);
        }
        html.elements += 1;
        html.out.put(format!("<span class=\"{classes}\">").as_bytes());
        self.marked(range, html);
        html.out.put(b"</span>");
    }

    fn marked(&self, range: Range<usize>, html: &mut Html) {
        let mut at = range.start;
        let first = self.marks.partition_point(|mark| mark.end <= range.start);
        for mark in self.marks[first..].iter().take_while(|mark| mark.start < range.end) {
            let (start, end) = (mark.start.max(at), mark.end.min(range.end));
            html.out.put_escaped(&self.text[at..start]);
            html.elements += 1;
            html.out.put(b"<mark>");
            html.out.put_escaped(&self.text[start..end]);
            html.out.put(b"</mark>");
            at = end;
        }
        html.out.put_escaped(&self.text[at..range.end]);
    }
}

/// The number with separators of thousands.
fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let separated = digits.char_indices().flat_map(|(at, digit)| {
        let separator = (at > 0 && (digits.len() - at) % 3 == 0).then_some(',');
        separator.into_iter().chain([digit])
    });
    separated.collect()
}

/// The matches in order, those that touch joined.
fn merged(mut matches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    matches.sort_unstable_by_key(|found| (found.start, found.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for found in matches {
        match merged.last_mut() {
            Some(last) if found.start <= last.end => last.end = last.end.max(found.end),
            _ => merged.push(found),
        }
    }
    merged
}

/// What stands in an anchor for each byte of a time.
static IN_ANCHOR: [u8; 256] = {
    let mut bytes = [b'_'; 256];
    let mut byte = 0;
    while byte < 128 {
        let kept = byte as u8;
        if kept.is_ascii_alphanumeric() || matches!(kept, b'+' | b'/' | b'-') {
            bytes[byte] = kept;
        }
        byte += 1;
    }
    bytes
};

/// Puts the anchor of a time without control sequences in place of what the buffer holds.
pub fn put_anchor(time: &[u8], anchor: &mut Vec<u8>) {
    anchor.clear();
    anchor.push(b'_');
    anchor.extend(time.iter().map(|&byte| IN_ANCHOR[usize::from(byte)]));
}
