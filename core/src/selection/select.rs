// SPDX-License-Identifier: Apache-2.0
//! The lines that a selection leaves.
//!
//! Lines that cannot be shown are skipped unread. What the lines below inherit of them is found out only
//! where such a line is read.

mod last;
mod needs;
mod passing;
mod row_times;
mod show;
mod skip;

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use crate::counts::Counter;
use crate::index::Indexer;
use crate::merge::Rows;
use crate::recognition::grammar::Grammar;
use crate::recognition::inherited::Inherited;
use crate::recognition::recognise::{Recogniser, Seen};
use crate::recognition::times::{Clock, TimeRange};
use crate::selection::filter::Filter;
use crate::selection::fragments::Fragments;
use crate::selection::line_buffer::LineBuffer;
use crate::selection::{Page, Selection, Tally, Wanted};
use crate::shown::{Line, Role};
use crate::views::view::View;

use last::Last;
use needs::Needs;
use row_times::RowTimes;

/// Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
pub const CONTEXT_BYTES: usize = 1024 * 1024;
pub const TAIL_BYTES: usize = 16 * 1024 * 1024;
/// Lines of a tail that are held only because `show` names them.
const TAIL_OTHERS: usize = 10_000;
/// Bytes of one line that a page shows.
pub const LINE_BYTES: usize = 4 * 1024 * 1024;

/// The time of lines before a log's first one; and of all lines of a log in which none of the first
/// `UNTIMED_LINES` shows a time.
pub const NO_TIME: i64 = i64::MIN;
pub const UNTIMED: i64 = i64::MAX;
pub const UNTIMED_LINES: u64 = 1000;

/// Selects the lines of one log for a view.
pub struct Selector {
    pub view: Box<dyn View>,
    recogniser: Recogniser,
    selection: Selection,
    filter: Filter,
    page: Option<Page>,
    fragments: Fragments,
    /// Lines around each hit.
    context: u64,
    needs: Needs,
    /// Bytes of a line that are searched.
    longest: usize,
    /// The next line's number.
    number: u64,
    /// Lines that the limit still lets through.
    remaining: Option<u64>,
    inherited: Inherited,
    /// Lines that are shown if a hit follows.
    before: LineBuffer,
    /// The last line of the context behind the last hit.
    context_end: u64,
    tail: LineBuffer,
    /// The place in the block that skipping led to: it is not to be skipped.
    candidates: Range<usize>,
    /// The first line of the gap before the next one shown.
    gap_start: u64,
    /// The number of the last line shown.
    shown: u64,
    /// Bytes of the lines shown.
    shown_bytes: u64,
    /// Bytes of one line that are shown, and what is left of them for the last one.
    line_bytes: usize,
    room: usize,
    /// The tail, once it is known that no line follows.
    ending: VecDeque<Line<'static>>,
    /// True if nothing more can be shown.
    pub is_done: bool,
    counter: Counter,
    tally: Tally,
    /// True if lines are shown as rows.
    has_rows: bool,
    times: RowTimes,
    /// Collects what is known of the lines; None if no index is made.
    indexer: Option<Box<Indexer>>,
    /// None where all rows may be shown.
    last: Option<Last>,
    /// First lines of the blocks that cannot hold what is searched for.
    lacking: HashSet<u64>,
}

impl Selector {
    /// longest: bytes of a line that are searched.
    pub fn new(
        view: Box<dyn View>,
        grammar: Arc<Grammar>,
        clock: Clock,
        wanted: Wanted,
        filter: Filter,
        longest: usize,
    ) -> Self {
        let needs = Needs::of(&wanted, &filter);
        let Wanted { view: name, mut selection, page, label, by_time, .. } = wanted;
        let context = selection.context.unwrap_or(0);
        Self {
            view,
            inherited: Inherited::new(
                Arc::clone(&grammar),
                clock,
                by_time || selection.has_times(),
                name == "summary",
                name == "html",
            ),
            recogniser: Recogniser::new(grammar),
            page: page.filter(|_| name == "html"),
            fragments: Fragments::new(
                std::mem::take(&mut selection.shown_ranges),
                std::mem::take(&mut selection.show),
            ),
            context: context as u64,
            needs,
            longest,
            number: 1,
            // The limit takes the first lines of the tail.
            remaining: selection.limit.filter(|_| selection.tail.is_none()),
            before: LineBuffer::new(context, 0, CONTEXT_BYTES.min(longest)),
            context_end: 0,
            tail: LineBuffer::new(selection.tail.unwrap_or(0), TAIL_OTHERS, TAIL_BYTES),
            candidates: 0..0,
            gap_start: selection.first.max(selection.after + 1),
            shown: 0,
            shown_bytes: 0,
            line_bytes: if name == "html" { LINE_BYTES } else { usize::MAX },
            room: 0,
            ending: VecDeque::new(),
            is_done: false,
            counter: Counter::default(),
            tally: Tally::default(),
            has_rows: label.is_some(),
            times: RowTimes::new(by_time),
            indexer: None,
            last: None,
            lacking: HashSet::new(),
            selection,
            filter,
        }
    }

    /// Collects an index from here on: of a log's summary with all lines. See Indexer.
    pub fn collect_index(&mut self, interval: u64) {
        let (ranks, heritage) = (self.inherited.ranks(), self.inherited.heritage(&self.recogniser));
        self.indexer = Some(Box::new(Indexer::new(interval, ranks, heritage)));
    }

    /// Adds text to the index that is collected. may_begin: true if a block may begin behind it.
    pub fn index_text(&mut self, text: &[u8], may_begin: bool) {
        let Some(indexer) = &mut self.indexer else { return };
        indexer.text(text);
        if may_begin && indexer.is_due() {
            indexer.next_block(self.number, self.inherited.heritage(&self.recogniser));
        }
    }

    /// JSON of the index's blocks, once the log has ended; None if none were collected.
    pub fn index_blocks(&mut self) -> Option<Vec<u8>> {
        Some(self.indexer.take()?.finished(self.number))
    }

    /// What came of the selection.
    pub fn tally(&self) -> Tally {
        let is_undated = self.inherited.is_undated && !self.tally.ended_early;
        Tally { severities: self.counter.counts(), is_undated, ..self.tally.clone() }
    }

    /// The first line so far that has more bytes than are shown.
    pub fn cut_line(&self) -> Option<u64> {
        self.tally.cut_line
    }

    /// Empties what the last piece gave.
    pub fn clear(&mut self) {
        self.view.output().clear();
        self.times.clear_rows();
    }

    /// The rows that the last piece gave, without their text, see Rows in `lines/selection.py`.
    pub fn rows(&mut self) -> Rows {
        let (ends, times, named) = self.times.take_rows();
        self.view.output().give_back();
        let mut reached = self.reached();
        if reached != NO_TIME {
            reached = self.times.first.take().unwrap_or(reached);
        }
        Rows { text: Vec::new(), ends, times, reached, named }
    }

    /// Holds the rows until they are taken. most_waiting: bytes of rows above the log's first time.
    pub fn hold_rows(&mut self, most_waiting: usize) {
        self.times.hold(most_waiting);
    }

    /// True if rows are held until they are taken.
    pub fn holds_rows(&self) -> bool {
        self.times.are_held()
    }

    /// Bytes of the rows since they were last taken.
    pub fn rows_size(&mut self) -> usize {
        self.view.output().written().len()
    }

    /// Takes the rows of a log that is merged. Those above its first time get that time. They wait for it,
    /// and are UNTIMED as all others if they have more than `most_waiting` bytes, or the log ends.
    pub fn take_rows(&mut self, is_end: bool) -> Rows {
        if self.times.start.is_none() {
            self.times.start = self.found_start(is_end);
        }
        let Some(start) = self.times.start else {
            return Rows { reached: NO_TIME, ..Rows::default() };
        };
        let (ends, mut times, named) = self.times.take_rows();
        if times.first().is_some_and(|first| *first < start) {
            times.iter_mut().for_each(|time| *time = start.max(*time));
        }
        let reached = self.reached().max(start);
        Rows { text: self.view.output().take(), ends, times, reached, named }
    }

    /// The time of the rows above the log's first time; None if that may follow.
    fn found_start(&self, is_end: bool) -> Option<i64> {
        self.times.found_start(self.reached() != NO_TIME, is_end)
    }

    /// No later row has an earlier time.
    fn reached(&self) -> i64 {
        self.before.first().map_or(self.times.latest, |held| held.latest)
    }

    /// Takes lines, or the beginning of a long one.
    pub fn block(&mut self, block: &[u8]) {
        self.view.begin();
        self.filter.begin();
        self.recogniser.begin();
        self.candidates = 0..0;
        self.look_for_begin();
        if self.needs.heads {
            self.inherited.begin(block);
        }
        let mut at = 0;
        while at < block.len() && !self.is_done {
            if !self.needs.no_choice {
                if self.is_over() && !self.needs.all_lines {
                    self.tally.ended_early = true;
                    return self.finish();
                }
                let next = self.skip(block, at);
                if next > at {
                    self.skipped(&block[at..next]);
                    at = next;
                    continue;
                }
            }
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |found| at + found);
            self.line(block, at..end);
            self.number += 1;
            at = (end + 1).min(block.len());
        }
        if self.needs.inherited {
            self.inherited.catch_up(&mut self.recogniser, block, block.len());
        }
        self.recogniser.end(block);
    }

    /// Gives back what is only of use while lines are read.
    pub fn rest(&mut self) {
        self.recogniser.rest();
        self.inherited.rest();
    }

    /// Ends the selection. What was held back of the tail is shown by `show_ending`.
    pub fn finish(&mut self) {
        if std::mem::replace(&mut self.is_done, true) {
            return;
        }
        let before = self.before.take();
        self.put_all_named(before);
        self.tally.dropped = self.tail.missing();
        self.ending = self.tail.take();
        self.remaining = self.selection.limit;
    }

    /// True if only lines that `show` names are shown from here on.
    fn is_over(&mut self) -> bool {
        if self.is_behind_window() {
            return true;
        }
        if self.remaining == Some(0) {
            self.cut(self.number);
        }
        self.remaining == Some(0)
    }

    fn is_behind_window(&self) -> bool {
        self.selection.last.is_some_and(|last| self.number > last)
    }

    /// Notes the first line behind the limit.
    fn cut(&mut self, number: u64) {
        if self.tally.cut_at.is_none() {
            self.tally.cut_at = Some(number);
            self.tally.cut_from = Some(self.begin_of(number));
        }
    }

    /// The first line that the next answer must read: the hit whose context contains this line, else
    /// this line.
    fn begin_of(&self, number: u64) -> u64 {
        if number <= self.context_end { self.context_end - self.context } else { number }
    }

    /// Takes a line. content: its place, without its line feed.
    fn line(&mut self, block: &[u8], content: Range<usize>) {
        self.tally.lines = self.number;
        let seen = if self.needs.heads { self.read_head(block, &content) } else { Seen::default() };
        if self.times.are_wanted {
            let time = self.inherited.time.and_then(|instant| instant.on_clock_of(Some(0)));
            self.times.line(time, self.number);
            self.see_time();
        }
        let rest_of_block = &block[content.start..];
        let text = &rest_of_block[..rest_of_block.len().min(content.len() + 1)];
        let is_open = self.is_in_window();
        let rank = self.inherited.rank;
        if let Some(indexer) = &mut self.indexer {
            indexer.line(self.number, rank, seen.severity.unwrap_or(0), self.inherited.time);
            indexer.size(content.len());
        }
        let is_error = self.recogniser.is_error(&seen);
        let mut is_new = None;
        let is_hit = is_open
            && self.filter.passes(block, content, rank, self.longest)
            && (!self.filter.new_only
                || *is_new.insert(self.filter.is_new(text, self.longest, is_error)));
        let is_near = self.number <= self.context_end;
        let is_named = self.fragments.lead_to(self.number, text, &seen);
        let role = if is_hit {
            Role::Hit
        } else if is_named {
            Role::Shown
        } else if is_open && (is_near || self.context > 0) {
            Role::Context
        } else {
            return;
        };
        let time_above = self.inherited.time_above(&seen);
        let line = Line {
            number: self.number,
            text: Cow::Borrowed(text),
            rest_of_block: Some(rest_of_block),
            rank: seen.severity.unwrap_or(rank),
            seen,
            inherits: self.inherited.is_inherited(),
            role,
            is_named,
            is_kept: is_open,
            latest: self.times.latest,
            moment: self.inherited.time,
            shows_time: self.inherited.shows_time,
            is_new: is_new.unwrap_or_else(|| self.filter.is_new(text, self.longest, is_error)),
            time_above,
        };
        if is_hit {
            self.put_hit(&line);
        } else if is_near && is_open {
            self.put(&line);
        } else if self.context > 0 && !is_near {
            let left = self.before.add(line.to_owned());
            self.put_all_named(left);
        } else {
            self.put_named(&line);
        }
    }

    /// Counts a hit, whether or not it is shown.
    fn count(&mut self, hit: &Line<'_>) {
        if hit.number <= self.selection.after {
            return;
        }
        self.tally.matched += 1;
        self.tally.new += u64::from(hit.is_new);
        if self.needs.counts {
            self.counter.add(hit.seen.severity.unwrap_or(0), hit.number);
        }
    }

    fn read_head(&mut self, block: &[u8], line: &Range<usize>) -> Seen {
        let seen = self.recogniser.seen_in(block, line.clone(), self.inherited.is_plain);
        if self.needs.inherited {
            if self.inherited.at < line.start {
                self.inherited.catch_up(&mut self.recogniser, block, line.start);
            }
            self.inherited.take(&seen, &block[line.clone()]);
            self.inherited.at = (line.end + 1).min(block.len());
        }
        seen
    }

    fn is_in_window(&self) -> bool {
        let Selection { first, last, since, until, .. } = &self.selection;
        let time = |range: &TimeRange| {
            self.inherited.time.and_then(|instant| instant.on_clock_of(range.offset))
        };
        let is_since = |since: &TimeRange| time(since).is_some_and(|time| time >= since.first);
        let is_until = |until: &TimeRange| time(until).is_none_or(|time| time <= until.last);
        self.number >= *first
            && last.is_none_or(|last| self.number <= last)
            && since.as_ref().is_none_or(is_since)
            && until.as_ref().is_none_or(is_until)
    }
}
