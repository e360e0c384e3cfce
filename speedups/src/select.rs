// SPDX-License-Identifier: Apache-2.0
//! Which lines are shown, as `oslogserve/lines/select.py` defines it.
//!
//! The definition looks at each line. This passes over those that can change nothing, and finds
//! out what it passed over (the severity and the time that a line inherits) only where a line that
//! is looked at depends on it, from there backwards.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use crate::anchor;
use crate::ansi;
use crate::clock::{Clock, Instant};
use crate::formats::Formats;
use crate::recognise::{Recogniser, Seen};
use crate::search::Search;

/// Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
const CONTEXT_BYTES: usize = 1024 * 1024;
const TAIL_BYTES: usize = 16 * 1024 * 1024;

/// A query's time: its first and its last microsecond.
pub struct TimeSpan {
    /// Of a line that is not before it.
    pub first: i64,
    /// Of a line that is not after it.
    pub last: i64,
    /// Of its zone, in minutes.
    pub offset: Option<i16>,
}

/// In the order in which it is applied.
pub struct Selection {
    /// Numbers in the whole log.
    pub first: u64,
    /// None: to the end.
    pub last: Option<u64>,
    /// By the time of a line, or of the one before.
    pub since: Option<TimeSpan>,
    /// As `since`.
    pub until: Option<TimeSpan>,
    /// The lowest severity that is shown; none where no line is left out for it.
    pub floor: Option<usize>,
    /// What all hits hold.
    pub searches: Vec<Search>,
    /// What none holds.
    pub without: Vec<Search>,
    /// Lines around each hit.
    pub context: Option<usize>,
    /// What is left up to it was sent already.
    pub after: u64,
    /// Lines, from the beginning of what is left.
    pub limit: Option<u64>,
    /// Lines, from its end.
    pub tail: Option<usize>,
    /// Numbers of lines that are brought in, in order.
    pub shown_lines: Vec<u64>,
    /// Anchors of such lines.
    pub shown_anchors: Vec<Vec<u8>>,
    /// As much as is shown; the next line behind it is not.
    pub page: Option<Page>,
}

/// What a browser's memory grows with.
#[derive(Clone, Copy)]
pub struct Page {
    /// Bytes of lines.
    pub size: u64,
    /// Of the view.
    pub elements: u64,
}

impl Selection {
    fn is_whole(&self) -> bool {
        let is_filtered = self.floor.is_some()
            || self.since.is_some()
            || self.until.is_some()
            || !self.searches.is_empty()
            || !self.without.is_empty();
        let is_cut = self.first > 1
            || self.after > 0
            || self.last.or(self.limit).is_some()
            || self.tail.is_some();
        let has_gaps = self.context.is_some()
            || !self.shown_lines.is_empty()
            || !self.shown_anchors.is_empty();
        !is_filtered && !is_cut && !has_gaps
    }
}

/// Why a line is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    /// It is what was asked for.
    Hit,
    /// It stands near a hit.
    Context,
    /// It was brought in.
    Shown,
}

/// A line, or as much of it as there is.
pub struct Line<'l> {
    /// In the whole log.
    pub number: u64,
    /// Without its end.
    pub text: &'l [u8],
    /// Of the block, from this line on; none of a line that was held back.
    pub rest: Option<&'l [u8]>,
    /// More of it may come where it has none.
    pub has_end: bool,
    /// Nothing where the view does not need it.
    pub seen: &'l Seen,
    /// Its own severity, or that of the last line that had one; the lowest before the first.
    pub rank: usize,
    /// That severity is inherited.
    pub inherits: bool,
    /// Why it is shown.
    pub role: Role,
}

/// What becomes of the lines that are shown.
pub trait View {
    /// It shows severities or times.
    const SEES: bool;
    /// It shows the severity that a line inherits.
    const INHERITS: bool;
    /// It counts lines that are not shown.
    const READS_ALL: bool;
    /// Hits are counted by severity.
    const COUNTS: bool;
    /// It has so many.
    fn elements(&self) -> u64 {
        0
    }
    /// The next lines are of another block.
    fn begin(&mut self) {}
    /// The next line.
    fn line(&mut self, line: &Line<'_>);
    /// More of the line before; its end may be in it.
    fn part(&mut self, part: &[u8], has_end: bool);
    /// Lines that are not shown.
    fn gap(&mut self, first: u64, last: u64);
}

/// What came of it.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    /// Lines looked at.
    pub lines: u64,
    /// Hits.
    pub matched: u64,
    /// Lines shown.
    pub sent: u64,
    /// The first line that was not looked at, since the limit was reached before.
    pub cut_at: Option<u64>,
    /// The hit in whose context it stands, else itself.
    pub cut_from: Option<u64>,
    /// Lines of the tail that there was no room for.
    pub dropped: usize,
    /// The first line that the page had no room for.
    pub next_page: Option<u64>,
    /// Of the view.
    pub elements: u64,
}

/// Hits of one severity of their own.
#[derive(Clone, Copy, Default)]
pub struct Count {
    /// How many.
    pub lines: u64,
    /// The number of the first one.
    pub first: u64,
}

/// Where more of a long line goes.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Nowhere,
    View,
    Before,
    Tail,
}

/// One log on its way.
pub struct Selector {
    recogniser: Recogniser,
    clock: Clock,
    asked: Selection,
    longest: usize,
    /// The next line's.
    number: u64,
    left: Option<u64>,
    inherited: Inherited,
    before: Held,
    /// The last line of the context behind the last hit.
    near: u64,
    tail: Held,
    /// Of the block: what was not passed over, and need not be tried again.
    dense: Range<usize>,
    /// The first line of the gap before the next one shown.
    unshown: u64,
    place: Place,
    is_whole: bool,
    /// Bytes of the lines shown.
    used: u64,
    done: bool,
    /// What came of it.
    pub tally: Tally,
    /// By rank.
    pub counts: Vec<Count>,
}

impl Selector {
    /// longest: bytes of a line that are searched.
    pub fn new(formats: Arc<Formats>, clock: Clock, asked: Selection, longest: usize) -> Self {
        Self {
            inherited: Inherited {
                wants_time: asked.since.is_some() || asked.until.is_some(),
                ..Inherited::default()
            },
            before: Held::new(asked.context.unwrap_or(0), CONTEXT_BYTES),
            tail: Held::new(asked.tail.unwrap_or(0), TAIL_BYTES),
            number: 1,
            left: asked.limit,
            near: 0,
            dense: 0..0,
            unshown: asked.first,
            place: Place::Nowhere,
            is_whole: asked.is_whole(),
            used: 0,
            done: false,
            tally: Tally::default(),
            counts: vec![Count::default(); formats.severities().len()],
            recogniser: Recogniser::new(formats),
            clock,
            asked,
            longest,
        }
    }

    /// Nothing more can be shown.
    pub fn done(&self) -> bool {
        self.done
    }

    /// Whole lines, or one that goes on.
    pub fn block<V: View>(&mut self, block: &[u8], view: &mut V) {
        self.recogniser.begin(block);
        view.begin();
        if self.is_whole {
            return self.whole_block(block, view);
        }
        let patterns = self.asked.searches.iter_mut().chain(&mut self.asked.without);
        patterns.for_each(Search::begin);
        self.inherited.at = 0;
        self.dense = 0..0;
        let mut at = 0;
        while at < block.len() && !self.done {
            at = self.passed::<V>(block, at);
            self.end_behind::<V>(view);
            if at >= block.len() || self.done {
                break;
            }
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |found| at + found);
            self.line(block, at, end, view);
            self.number += 1;
            at = (end + 1).min(block.len());
        }
        if V::INHERITS || self.decides_by_state() {
            self.inherited.catch_up(&mut self.recogniser, &self.clock, block, block.len());
        }
    }

    /// Where nothing is left out: what the rest comes to, without its questions.
    fn whole_block<V: View>(&mut self, block: &[u8], view: &mut V) {
        let mut at = 0;
        while at < block.len() {
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |found| at + found);
            let text = &block[at..end];
            let mut seen = Seen::default();
            if V::SEES {
                seen = self.recogniser.seen_in(text);
                self.inherited.take(&seen, &self.clock, text);
            }
            if V::COUNTS {
                self.count(self.number, &seen);
            }
            self.place = Place::View;
            self.give(
                &Line {
                    number: self.number,
                    text,
                    rest: Some(&block[at..]),
                    has_end: end < block.len(),
                    seen: &seen,
                    rank: self.inherited.rank.unwrap_or(0),
                    inherits: self.inherited.is_shown(),
                    role: Role::Hit,
                },
                view,
            );
            self.number += 1;
            at = end + 1;
        }
        let lines = self.number - 1;
        self.tally = Tally { lines, matched: lines, ..self.tally };
    }

    fn count(&mut self, number: u64, seen: &Seen) {
        let count = &mut self.counts[seen.severity.unwrap_or(0)];
        if count.lines == 0 {
            count.first = number;
        }
        count.lines += 1;
    }

    /// More of the line before.
    pub fn part<V: View>(&mut self, part: &[u8], has_end: bool, view: &mut V) {
        let dropped = match self.place {
            Place::Nowhere => return,
            Place::View => {
                self.used += part.len() as u64 + u64::from(has_end);
                return view.part(part, has_end);
            }
            Place::Before => self.before.extend(part, has_end),
            Place::Tail => self.tail.extend(part, has_end),
        };
        if self.place == Place::Tail {
            self.brought_in(dropped, view);
        }
    }

    /// What is held.
    pub fn finish<V: View>(&mut self, view: &mut V) {
        if self.done {
            return;
        }
        self.done = true;
        self.tally.dropped = self.tail.missing();
        for kept in self.tail.taken() {
            self.give(&kept.line(), view);
        }
        let is_cut = self.tally.cut_at.or(self.tally.next_page).is_some();
        if self.has_gaps() && !is_cut && self.unshown <= self.tally.lines {
            view.gap(self.unshown, self.tally.lines);
        }
    }

    fn reads_all<V: View>(&self) -> bool {
        V::READS_ALL || !self.asked.shown_lines.is_empty() || !self.asked.shown_anchors.is_empty()
    }

    fn has_gaps(&self) -> bool {
        let asked = &self.asked;
        asked.context.is_some() || !asked.shown_lines.is_empty() || !asked.shown_anchors.is_empty()
    }

    fn decides_by_state(&self) -> bool {
        self.asked.floor.is_some() || self.inherited.wants_time
    }

    /// Where the next line begins that could be shown, or that stands before one.
    fn passed<V: View>(&mut self, block: &[u8], at: usize) -> usize {
        if self.number <= self.near
            || !self.asked.shown_anchors.is_empty()
            || block.len() > self.longest
        {
            return at;
        }
        let is_closed = self.is_closed();
        if is_closed && !self.reads_all::<V>() {
            return at;
        }
        if self.dense.contains(&at) {
            return at;
        }
        let asked = &mut self.asked;
        let mut are_hits = false;
        let mut to = if is_closed {
            block.len()
        } else if self.number < asked.first {
            after_lines(block, at, asked.first - self.number)
        } else if !asked.searches.is_empty() {
            let mut hit = Some(at);
            for search in &mut asked.searches {
                let found = hit.and_then(|hit| search.next_in(block, hit));
                hit = found.map(|end| line_start(block, at, end));
            }
            let hit = hit.unwrap_or(block.len());
            self.dense = lines_before(block, at, hit, asked.context.unwrap_or(0))..hit;
            self.dense.start
        } else if let Some(tail) = asked.tail
            && self.left.is_none()
            && self.number > asked.after
            && asked.last.is_none()
            && asked.floor.is_none()
            && asked.without.is_empty()
            && !self.inherited.wants_time
        {
            are_hits = true;
            self.dense = lines_before(block, at, block.len(), tail)..block.len();
            self.dense.start
        } else {
            return at;
        };
        let next = asked.shown_lines.partition_point(|&line| line < self.number);
        if let Some(line) = asked.shown_lines.get(next) {
            to = to.min(after_lines(block, at, line - self.number));
        }
        if to > at {
            let lines = count_lines(&block[at..to]);
            self.number += lines;
            self.tally.matched += if are_hits { lines } else { 0 };
            self.tally.lines = self.number - 1;
            self.place = Place::Nowhere;
        }
        to
    }

    /// No line from here on can be shown.
    fn end_behind<V: View>(&mut self, view: &mut V) {
        if let Some(last) = self.asked.last
            && self.number > last + 1
            && !self.reads_all::<V>()
        {
            self.tally.lines = last;
            self.finish(view);
        }
    }

    fn line<V: View>(&mut self, block: &[u8], at: usize, end: usize, view: &mut V) {
        if self.is_closed() && !self.reads_all::<V>() {
            return self.finish(view);
        }
        self.tally.lines = self.number;
        self.place = Place::Nowhere;
        let text = &block[at..end];
        let mut seen = None;
        if self.decides_by_state() || !self.asked.shown_anchors.is_empty() {
            seen = Some(self.look_at(block, at, end));
        }
        let is_asked_for = self.is_asked_for(text, seen.as_ref());
        let is_open = self.left != Some(0) && self.is_in_window();
        let is_hit = is_open && self.is_hit(block, at, end);
        let role = if is_asked_for {
            Role::Shown
        } else if is_hit {
            Role::Hit
        } else if is_open && (self.number <= self.near || self.asked.context.unwrap_or(0) > 0) {
            Role::Context
        } else {
            return;
        };
        if V::SEES && seen.is_none() {
            seen = Some(if V::INHERITS {
                self.look_at(block, at, end)
            } else {
                self.recogniser.seen_in(text)
            });
        }
        let line = Line {
            number: self.number,
            text,
            rest: Some(&block[at..]),
            has_end: end < block.len(),
            seen: &seen.unwrap_or_default(),
            rank: self.inherited.rank.unwrap_or(0),
            inherits: self.inherited.is_shown(),
            role,
        };
        if is_hit {
            let context = self.asked.context.unwrap_or(0) as u64;
            for kept in self.before.taken() {
                if kept.number + context >= self.number {
                    self.put(&kept.line(), false, view);
                }
            }
            self.put(&line, true, view);
            self.near = self.number + context;
        } else if role == Role::Shown {
            self.before.taken(); // they would come too late
            self.put(&line, false, view);
        } else if self.number <= self.near {
            self.put(&line, false, view);
        } else {
            self.before.add(&line);
            self.place = Place::Before;
        }
    }

    /// No line from here on can be a hit.
    fn is_closed(&mut self) -> bool {
        if self.asked.last.is_some_and(|last| self.number > last) {
            return true;
        }
        if self.left == Some(0) {
            self.cut(self.number);
        }
        self.left == Some(0)
    }

    fn cut(&mut self, number: u64) {
        if self.tally.cut_at.is_none() {
            let is_near = number <= self.near;
            let hit = self.near.saturating_sub(self.asked.context.unwrap_or(0) as u64);
            self.tally.cut_at = Some(number);
            self.tally.cut_from = Some(if is_near { hit } else { number });
        }
    }

    fn look_at(&mut self, block: &[u8], at: usize, end: usize) -> Seen {
        self.inherited.catch_up(&mut self.recogniser, &self.clock, block, at);
        let seen = self.recogniser.seen_in(&block[at..end]);
        self.inherited.take(&seen, &self.clock, &block[at..end]);
        self.inherited.at = (end + 1).min(block.len());
        seen
    }

    fn is_in_window(&self) -> bool {
        let asked = &self.asked;
        let time = |bound: &TimeSpan| {
            self.inherited.time.and_then(|instant| instant.on_clock_of(bound.offset))
        };
        self.number >= asked.first
            && asked.last.is_none_or(|last| self.number <= last)
            && asked
                .since
                .as_ref()
                .is_none_or(|since| time(since).is_some_and(|t| t >= since.first))
            && asked.until.as_ref().is_none_or(|until| time(until).is_none_or(|t| t <= until.last))
    }

    fn is_hit(&mut self, block: &[u8], at: usize, end: usize) -> bool {
        let asked = &mut self.asked;
        if asked.floor.is_some_and(|floor| self.inherited.rank.unwrap_or(0) < floor) {
            return false;
        }
        let longest = self.longest;
        let mut holds = |search: &mut Search| {
            if end - at > longest {
                search.is_in(&block[at..at + longest])
            } else {
                search.next_in(block, at).is_some_and(|found| found <= end)
            }
        };
        asked.searches.iter_mut().all(&mut holds) && !asked.without.iter_mut().any(&mut holds)
    }

    fn is_asked_for(&self, text: &[u8], seen: Option<&Seen>) -> bool {
        let asked = &self.asked;
        if asked.shown_lines.binary_search(&self.number).is_ok() {
            return true;
        }
        if asked.shown_anchors.is_empty() {
            return false;
        }
        let time = seen.map(|seen| ansi::without(&text[seen.time.clone()]));
        time.is_some_and(|time| {
            !time.is_empty() && asked.shown_anchors.iter().any(|shown| anchor::is_of(shown, &time))
        })
    }

    fn put<V: View>(&mut self, line: &Line<'_>, is_hit: bool, view: &mut V) {
        if line.role != Role::Shown {
            if line.number <= self.asked.after {
                self.place = Place::Nowhere;
                return;
            }
            if self.left == Some(0) {
                self.cut(line.number);
                self.place = Place::Nowhere;
                return;
            }
            self.left = self.left.map(|left| left - 1);
        }
        self.tally.matched += u64::from(is_hit);
        if V::COUNTS && is_hit && self.asked.tail.is_none() {
            self.count(line.number, line.seen);
        }
        if self.asked.tail.is_some() {
            self.place = Place::Tail;
            let gone = self.tail.add(line);
            self.brought_in(gone, view);
        } else {
            self.place = Place::View;
            self.give(line, view);
        }
    }

    /// Of the lines that are no longer held: those that are shown wherever they stand.
    fn brought_in<V: View>(&mut self, gone: Vec<Kept>, view: &mut V) {
        for kept in gone.iter().filter(|kept| kept.role == Role::Shown) {
            self.give(&kept.line(), view);
        }
    }

    fn give<V: View>(&mut self, line: &Line<'_>, view: &mut V) {
        let is_full = |page: Page| self.used >= page.size || view.elements() >= page.elements;
        if self.asked.page.is_some_and(is_full) {
            self.tally.next_page.get_or_insert(line.number);
            self.place = Place::Nowhere;
            return;
        }
        self.used += line.text.len() as u64 + u64::from(line.has_end);
        if self.has_gaps() && line.number > self.unshown {
            view.gap(self.unshown, line.number - 1);
        }
        self.unshown = line.number + 1;
        self.tally.sent += 1;
        view.line(line);
    }
}

/// What a line has from those before it.
#[derive(Default)]
struct Inherited {
    /// Where in the block it is known.
    at: usize,
    rank: Option<usize>,
    /// The severity is that of the line looked at.
    is_own: bool,
    time: Option<Instant>,
    wants_time: bool,
}

impl Inherited {
    /// `to`: where a line begins. Backwards, for the last line that shows something decides.
    fn catch_up(&mut self, recogniser: &mut Recogniser, clock: &Clock, block: &[u8], to: usize) {
        let (mut rank, mut time) = (None, None);
        let mut end = to;
        while end > self.at && (rank.is_none() || (self.wants_time && time.is_none())) {
            let start = line_start(block, self.at, end - 1);
            let line = &block[start..end - usize::from(block[end - 1] == b'\n')];
            let seen = recogniser.seen_in(line);
            rank = rank.or(seen.severity);
            if self.wants_time && time.is_none() {
                time = instant(&seen, line, clock);
            }
            end = start;
        }
        if to > self.at {
            self.rank = rank.or(self.rank);
            self.is_own = false;
            self.time = time.or(self.time);
            self.at = to;
        }
    }

    /// Of what no severity is known, nothing is inherited.
    fn is_shown(&self) -> bool {
        !self.is_own && self.rank.is_some_and(|rank| rank > 0)
    }

    fn take(&mut self, seen: &Seen, clock: &Clock, line: &[u8]) {
        self.is_own = seen.severity.is_some();
        self.rank = seen.severity.or(self.rank);
        if self.wants_time {
            self.time = instant(seen, line, clock).or(self.time);
        }
    }
}

fn instant(seen: &Seen, line: &[u8], clock: &Clock) -> Option<Instant> {
    if seen.time.is_empty() {
        return None;
    }
    clock.read(&ansi::without(&line[seen.time.clone()]))
}

/// A line that is held back.
struct Kept {
    number: u64,
    text: Vec<u8>,
    has_end: bool,
    seen: Seen,
    rank: usize,
    inherits: bool,
    role: Role,
}

impl Kept {
    fn line(&self) -> Line<'_> {
        Line {
            number: self.number,
            text: &self.text,
            rest: None,
            has_end: self.has_end,
            seen: &self.seen,
            rank: self.rank,
            inherits: self.inherits,
            role: self.role,
        }
    }

    fn size(&self) -> usize {
        self.text.len() + usize::from(self.has_end)
    }
}

/// The last lines, as many and as large as may be held.
struct Held {
    lines: VecDeque<Kept>,
    most: usize,
    added: usize,
    size: usize,
    left: usize,
    /// Of a line that is gone, to be used again.
    spare: Vec<u8>,
}

impl Held {
    fn new(most: usize, size: usize) -> Self {
        Self { lines: VecDeque::new(), most, added: 0, size, left: size, spare: Vec::new() }
    }

    /// Lines that there was no room for.
    fn missing(&self) -> usize {
        self.most.min(self.added) - self.lines.len()
    }

    /// Gives those that had to go for it and are shown nevertheless.
    fn add(&mut self, line: &Line<'_>) -> Vec<Kept> {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        text.extend_from_slice(line.text);
        let kept = Kept {
            number: line.number,
            text,
            has_end: line.has_end,
            seen: line.seen.clone(),
            rank: line.rank,
            inherits: line.inherits,
            role: line.role,
        };
        self.push(kept)
    }

    /// Of the line that was added last; where it was too large by itself, the rest of it is
    /// dropped too.
    fn extend(&mut self, part: &[u8], has_end: bool) -> Vec<Kept> {
        let Some(mut last) = self.lines.pop_back() else {
            return Vec::new();
        };
        self.added -= 1;
        self.left += last.size();
        last.text.extend_from_slice(part);
        last.has_end = has_end;
        self.push(last)
    }

    fn push(&mut self, kept: Kept) -> Vec<Kept> {
        self.added += 1;
        let size = kept.size();
        self.lines.push_back(kept);
        let mut gone = Vec::new();
        let mut needed = size;
        while self.lines.len() > self.most || needed > self.left {
            let Some(first) = self.lines.pop_front() else {
                break;
            };
            // What was added is not yet taken from what is left.
            if self.lines.is_empty() {
                needed = 0;
            } else {
                self.left += first.size();
            }
            if first.role == Role::Shown {
                gone.push(first);
            } else {
                self.spare = first.text;
            }
        }
        self.left -= needed;
        gone
    }

    fn taken(&mut self) -> VecDeque<Kept> {
        self.left = self.size;
        std::mem::take(&mut self.lines)
    }
}

/// A last one that goes on too.
fn count_lines(lines: &[u8]) -> u64 {
    let goes_on = lines.last().is_some_and(|&last| last != b'\n');
    memchr_iter(b'\n', lines).count() as u64 + u64::from(goes_on)
}

/// Where the line begins in which `at` stands.
fn line_start(block: &[u8], from: usize, at: usize) -> usize {
    memrchr(b'\n', &block[from..at]).map_or(from, |found| from + found + 1)
}

/// So many lines on, or the block's end.
fn after_lines(block: &[u8], at: usize, lines: u64) -> usize {
    let Some(before) = usize::try_from(lines).ok().and_then(|lines| lines.checked_sub(1)) else {
        return at;
    };
    memchr_iter(b'\n', &block[at..]).nth(before).map_or(block.len(), |found| at + found + 1)
}

/// So many lines back, or `from`.
fn lines_before(block: &[u8], from: usize, at: usize, lines: usize) -> usize {
    let mut at = at;
    for _ in 0..lines {
        if at == from {
            break;
        }
        at = line_start(block, from, at - 1);
    }
    at
}
