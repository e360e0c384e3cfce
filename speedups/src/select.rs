// SPDX-License-Identifier: Apache-2.0
//! Which lines are shown, as `oslogserve/lines/select.py` defines it.
//!
//! The definition looks at each line. This passes over those that can change nothing, and finds
//! out what it passed over (the severity and the time that a line inherits) only where a line that
//! is looked at depends on it, from there backwards.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use crate::anchor;
use crate::ansi;
use crate::grammar::Grammar;
use crate::held::{Held, Kept};
use crate::inherited::Inherited;
use crate::lines::{after_lines, count_lines, line_start, lines_before};
use crate::recognise::Seen;
use crate::search::Search;
use crate::selection::{Page, Selection, TimeSpan};
use crate::times::Clock;
use crate::view::{Line, Role, View};

/// Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
const CONTEXT_BYTES: usize = 1024 * 1024;
const TAIL_BYTES: usize = 16 * 1024 * 1024;

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
    grammar: Arc<Grammar>,
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
    pub fn new(grammar: Arc<Grammar>, clock: Clock, asked: Selection, longest: usize) -> Self {
        Self {
            inherited: Inherited::new(
                Arc::clone(&grammar),
                clock,
                asked.since.is_some() || asked.until.is_some(),
            ),
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
            counts: vec![Count::default(); grammar.severities.len()],
            grammar,
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
        view.begin();
        if V::SEES || !self.is_whole {
            self.inherited.begin(block);
        }
        if self.is_whole {
            return self.whole_block(block, view);
        }
        let patterns = self.asked.searches.iter_mut().chain(&mut self.asked.without);
        patterns.for_each(Search::begin);
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
            self.inherited.catch_up(block, block.len());
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
                seen = Seen::of(&self.grammar, text, self.inherited.is_plain);
                self.inherited.take(&seen, text);
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
                    rank: seen.severity.unwrap_or(self.inherited.rank),
                    inherits: self.inherited.is_inherited(),
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
            Place::Before => {
                let dropped = self.before.extend(part, has_end);
                return self.out_of_before(dropped, view);
            }
            Place::Tail => self.tail.extend(part, has_end),
        };
        self.brought_in(dropped, view);
    }

    /// What is held.
    pub fn finish<V: View>(&mut self, view: &mut V) {
        if self.done {
            return;
        }
        self.done = true;
        let before = self.before.taken();
        self.out_of_before(before, view);
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
                Seen::of(&self.grammar, text, self.inherited.is_plain)
            });
        }
        let seen = seen.unwrap_or_default();
        let line = Line {
            number: self.number,
            text,
            rest: Some(&block[at..]),
            has_end: end < block.len(),
            seen: &seen,
            rank: seen.severity.unwrap_or(self.inherited.rank),
            inherits: self.inherited.is_inherited(),
            role,
        };
        if is_hit {
            let context = self.asked.context.unwrap_or(0) as u64;
            for kept in self.before.taken() {
                if kept.role == Role::Shown || kept.number + context >= self.number {
                    self.put(&kept.line(), false, view);
                }
            }
            self.put(&line, true, view);
            self.near = self.number + context;
        } else if self.number <= self.near || self.asked.context.unwrap_or(0) == 0 {
            self.put(&line, false, view);
        } else {
            // What is shown too: behind those that stand before a hit to come.
            let gone = self.before.add(&line);
            self.out_of_before(gone, view);
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
        self.inherited.catch_up(block, at);
        let seen = Seen::of(&self.grammar, &block[at..end], self.inherited.is_plain);
        self.inherited.take(&seen, &block[at..end]);
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
        if asked.floor.is_some_and(|floor| self.inherited.rank < floor) {
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

    /// Of the lines that no longer wait for a hit: those that are shown without one.
    fn out_of_before<V: View>(&mut self, gone: impl IntoIterator<Item = Kept>, view: &mut V) {
        self.place = Place::Before;
        for kept in gone.into_iter().filter(|kept| kept.role == Role::Shown) {
            self.put(&kept.line(), false, view);
            if kept.number < self.tally.lines {
                self.place = Place::Before;
            }
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
