// SPDX-License-Identifier: Apache-2.0
//! The lines that a selection leaves.
//!
//! A line's way: its head is read (`heads`), it is chosen or not (`choice`), it waits for what follows if it
//! is context or tail (`held`), and it is written (`sheet`) as one of a page or as a row of a merge (`rows`,
//! `last`). Each of these knows only those behind it on this way. The selector knows them all, and the
//! number of the next line.
//!
//! Lines that cannot be shown are skipped unread, and blocks of an index are passed over. What the lines
//! below inherit of them is found out only where such a line is read.

mod choice;
mod heads;
mod held;
mod last;
pub mod log_times;
mod rows;
mod sheet;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use memchr::memchr;

use crate::counts::{Count, Counter};
use crate::index::{Block, Indexer};
use crate::last_rows::LastRows;
use crate::lines::count_lines;
use crate::merge::Rows;
use crate::recognition::grammar::Grammar;
use crate::recognition::inherited::{Heritage, Inherited};
use crate::recognition::times::Clock;
use crate::selection::filter::Filter;
use crate::selection::{Tally, Wanted};
use crate::shown::{Line, Role};
use crate::views::view::View;

pub use held::{CONTEXT_BYTES, TAIL_BYTES};

use choice::Choice;
use heads::Heads;
use held::Held;
use last::Last;
use log_times::{LogTimes, NO_TIME};
use rows::WrittenRows;
use sheet::Sheet;

/// Bytes of one line that a page shows.
pub const LINE_BYTES: usize = 4 * 1024 * 1024;

/// Selects the lines of one log for a view.
pub struct Selector {
    heads: Heads,
    pub choice: Choice,
    held: Held,
    times: LogTimes,
    hits: Hits,
    /// The next line's number.
    number: u64,
    /// True if lines are read, or counted, where none can be a hit any more.
    reads_all: bool,
    /// True if nothing more can be shown, and if lines are left unread.
    pub is_done: bool,
    ended_early: bool,
    /// Collects what is known of the lines; None if no index is made.
    indexer: Option<Box<Indexer>>,
}

/// Hits, whether or not they are shown.
#[derive(Default)]
struct Hits {
    matched: u64,
    new: u64,
    /// None if they are not counted by severity.
    by_severity: Option<Counter>,
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
        let Wanted { view: name, selection, page, label, by_time, .. } = wanted;
        let is_page = name == "html";
        let has_times = by_time || selection.has_times();
        let has_ranks = matches!(&name[..], "html" | "summary" | "marked");
        let is_inherited = has_ranks || has_times || filter.floor.is_some();
        let brings_in = !selection.show.is_empty();
        let are_read = name != "text" || brings_in || filter.comparison.is_some();
        let inherited =
            Inherited::new(Arc::clone(&grammar), clock, has_times, name == "summary", is_page);
        let gap_start = selection.first.max(selection.after + 1);
        let sheet = Sheet::new(
            view,
            page.filter(|_| is_page),
            (is_page && label.is_none()).then_some(gap_start),
            if is_page { LINE_BYTES } else { usize::MAX },
            label.map(|_| WrittenRows::new(longest)),
        );
        let by_severity = (is_page && selection.tail.is_none()).then(Counter::default);
        Self {
            heads: Heads::new(grammar, inherited, are_read, is_inherited),
            held: Held::new(sheet, &selection, longest),
            choice: Choice::new(selection, filter, longest),
            times: LogTimes::new(by_time),
            hits: Hits { by_severity, ..Hits::default() },
            number: 1,
            reads_all: name == "summary" || brings_in,
            is_done: false,
            ended_early: false,
            indexer: None,
        }
    }

    /// The view that lines are written to.
    pub fn view(&mut self) -> &mut dyn View {
        &mut *self.held.sheet.view
    }

    /// Collects an index from here on: of a log's summary with all lines. See Indexer.
    pub fn collect_index(&mut self, interval: u64) {
        let (ranks, heritage) = (self.heads.inherited.ranks(), self.heads.heritage());
        self.indexer = Some(Box::new(Indexer::new(interval, ranks, heritage)));
    }

    /// Adds text to the index that is collected. may_begin: true if a block may begin behind it.
    pub fn index_text(&mut self, text: &[u8], may_begin: bool) {
        let Some(indexer) = &mut self.indexer else { return };
        indexer.text(text);
        if may_begin && indexer.is_due() {
            indexer.next_block(self.number, self.heads.heritage());
        }
    }

    /// JSON of the index's blocks, once the log has ended; None if none were collected.
    pub fn index_blocks(&mut self) -> Option<Vec<u8>> {
        Some(self.indexer.take()?.finished(self.number))
    }

    /// What came of the selection, but for the log's bytes.
    pub fn tally(&self) -> Tally {
        let Self { hits, held, .. } = self;
        let sheet = &held.sheet;
        let severities = hits.by_severity.as_ref().map(Counter::counts);
        Tally {
            lines: self.number - 1,
            bytes: 0,
            matched: hits.matched,
            new: hits.new,
            sent: sheet.sent,
            ended_early: self.ended_early,
            cut_at: held.cut.map(|(line, _)| line),
            cut_from: held.cut.map(|(_, from)| from),
            dropped: held.dropped,
            next_page: sheet.next.map(|(line, _)| line),
            next_from: sheet.next.map(|(_, from)| from),
            cut_line: sheet.cut_line,
            elements: sheet.view.elements(),
            severities: severities.unwrap_or_default(),
            is_undated: self.heads.inherited.is_undated && !self.ended_early,
        }
    }

    /// The first line so far that has more bytes than are shown.
    pub fn cut_line(&self) -> Option<u64> {
        self.held.sheet.cut_line
    }

    /// Empties what the last piece gave.
    pub fn clear(&mut self) {
        self.held.sheet.clear();
    }

    /// The rows that the last piece gave, without their text, see Rows in `lines/selection.py`.
    pub fn rows(&mut self) -> Rows {
        let sheet = &mut self.held.sheet;
        let rows = sheet.rows.as_mut().map(WrittenRows::take);
        sheet.view.output().give_back();
        let mut reached = self.reached();
        if reached != NO_TIME {
            reached = self.times.first.take().unwrap_or(reached);
        }
        Rows { reached, ..rows.unwrap_or_default() }
    }

    /// Holds the rows until they are taken. most_waiting: bytes of rows above the log's first time.
    pub fn hold_rows(&mut self, most_waiting: usize) {
        if let Some(rows) = &mut self.held.sheet.rows {
            rows.most_waiting = Some(most_waiting);
        }
    }

    /// True if rows are held until they are taken.
    pub fn holds_rows(&self) -> bool {
        self.held.sheet.rows.as_ref().is_some_and(|rows| rows.most_waiting.is_some())
    }

    /// Takes the rows of a log that is merged. Those above its first time get that time. They wait for it,
    /// and are UNTIMED as all others if they have more than `most_waiting` bytes, or the log ends.
    pub fn take_rows(&mut self, is_end: bool) -> Rows {
        let start = self.start(is_end);
        let reached = self.reached();
        let Sheet { rows, view, .. } = &mut self.held.sheet;
        let (Some(rows), Some(start)) = (rows, start) else {
            return Rows { reached: NO_TIME, ..Rows::default() };
        };
        rows.start = Some(start);
        let mut taken = rows.take();
        if taken.times.first().is_some_and(|first| *first < start) {
            taken.times.iter_mut().for_each(|time| *time = start.max(*time));
        }
        Rows { text: view.output().take(), reached: reached.max(start), ..taken }
    }

    /// The time of the rows above the log's first time; None if that may follow.
    fn start(&self, is_end: bool) -> Option<i64> {
        let rows = self.held.sheet.rows.as_ref()?;
        let first = self.times.first.filter(|_| self.reached() != NO_TIME);
        rows.start.or_else(|| rows.found_start(first, is_end))
    }

    /// No later row has an earlier time.
    fn reached(&self) -> i64 {
        self.held.first().map_or(self.times.latest, |held| held.latest)
    }

    /// Shows only what may be among the last rows of a merge, as far as the index says. log: the index of
    /// the log in the merge.
    pub fn show_last(&mut self, rows: Arc<Mutex<LastRows>>, log: usize, blocks: &[Block]) {
        let last = Last::new(rows, log, blocks, |block| self.choice.hits_of(block));
        if let Some(rows) = &mut self.held.sheet.rows {
            rows.last = Some(last);
        }
    }

    /// True if a block that was read lacks rows that its index says.
    pub fn is_index_wrong(&self) -> bool {
        self.last().is_some_and(|last| last.is_wrong)
    }

    fn last(&self) -> Option<&Last> {
        self.held.sheet.rows.as_ref()?.last.as_ref()
    }

    fn last_mut(&mut self) -> Option<&mut Last> {
        self.held.sheet.rows.as_mut()?.last.as_mut()
    }

    /// False if nearly all blocks must be read, as far as is known before one is.
    pub fn may_pass_over(&self, blocks: &[Block]) -> bool {
        let empty = blocks.iter().filter(|block| self.choice.is_empty(block)).count();
        self.held.sheet.page.is_some()
            || self.held.has_tail()
            || self.last().is_some()
            || empty * 4 > blocks.len()
    }

    /// Passes over the first of the blocks, if that changes nothing of the answer but its counts, which
    /// are known. Blocks begin with the next line. heritage: of the line behind the block.
    pub fn pass_over(&mut self, blocks: &[Block], heritage: Option<&Heritage>) -> bool {
        let [block, ..] = blocks else { return false };
        self.check_block();
        if self.is_over() && !self.reads_all {
            self.end_early();
            return true;
        }
        if !self.counts_unread(blocks) {
            let hits = self.hits.matched;
            if let Some(last) = self.last_mut() {
                last.expect(blocks, hits);
            }
            return false;
        }
        self.held.forget_before();
        if let Some(heritage) = heritage {
            self.heads.go_on(heritage);
        }
        self.heads.inherited.is_undated &= block.times.is_none();
        if self.times.are_wanted {
            self.times.block(block);
        }
        self.advance(block.lines);
        true
    }

    /// Counts the hits of the first block. False if it must be read.
    fn counts_unread(&mut self, blocks: &[Block]) -> bool {
        let [block, behind @ ..] = blocks else { return false };
        let Self { choice, held, .. } = &*self;
        let leaves_out = !choice.is_all || held.sheet.page.is_some() || self.last().is_some();
        if !leaves_out || held.is_near(self.number) || choice.may_name(block) {
            return false;
        }
        if held.sheet.next.is_some() && choice.is_by_rank(self.number) {
            self.count_block(block);
        } else if choice.fill_tail(behind, self.number) {
            self.hits.matched += block.at_least(choice.floor());
        } else if let Some(rows) = self.last().and_then(|last| {
            last.rows_before(blocks, choice.longest, self.times.latest, self.start(false))
        }) {
            self.held.sheet.sent += rows;
            if rows > 0 {
                self.count_block(block);
            }
        } else {
            return self.choice.is_far(block, behind);
        }
        true
    }

    /// Counts the lines of a block as hits that a full page does not show.
    fn count_block(&mut self, block: &Block) {
        let floor = self.choice.floor();
        let mut own: Vec<_> = block.severities.iter().filter(|one| one.rank >= floor).collect();
        own.sort_unstable_by_key(|lines| lines.first);
        for lines in own {
            self.hits.matched += lines.count;
            if let Some(counter) = &mut self.hits.by_severity {
                counter.add_many(lines.own, Count(lines.count, lines.first));
            }
        }
    }

    /// Compares the block that was read with what the index says.
    pub fn check_block(&mut self) {
        let (hits, first) = (self.hits.matched, self.times.first);
        if let Some(last) = self.last_mut() {
            last.check(hits, first);
        }
    }

    /// Takes lines, or the beginning of a long one.
    pub fn block(&mut self, block: &[u8]) {
        self.view().begin();
        self.choice.begin();
        self.heads.begin(block);
        if self.last().is_some() {
            let start = self.start(false);
            if let Some(last) = self.last_mut() {
                last.look_for_begin(start);
            }
        }
        let mut at = 0;
        while at < block.len() && !self.is_done {
            if !self.choice.is_all {
                if self.is_over() && !self.reads_all {
                    return self.end_early();
                }
                let next = self.skip(block, at);
                if next > at {
                    at = next;
                    continue;
                }
            }
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |found| at + found);
            self.line(block, at..end);
            self.number += 1;
            at = (end + 1).min(block.len());
        }
        self.heads.end(block);
    }

    /// Gives back what is only of use while lines are read.
    pub fn rest(&mut self) {
        self.heads.rest();
    }

    /// Ends the selection. What was held back of the tail is shown by `show_ending`.
    pub fn finish(&mut self) {
        if !std::mem::replace(&mut self.is_done, true) {
            self.held.finish();
        }
    }

    fn end_early(&mut self) {
        self.ended_early = true;
        self.finish();
    }

    /// True if only lines that `show` names are shown from here on.
    fn is_over(&mut self) -> bool {
        self.choice.is_behind(self.number) || self.held.is_over(self.number)
    }

    /// Skips lines that cannot be shown. Returns the beginning of the next one.
    fn skip(&mut self, block: &[u8], at: usize) -> usize {
        if self.held.is_near(self.number) || self.times.are_wanted {
            return at;
        }
        let next = self.choice.skip(block, at, self.number);
        if next > at {
            let lines = count_lines(&block[at..next]);
            if self.choice.takes_all(self.number) {
                self.hits.matched += lines;
            }
            self.advance(lines);
        }
        next
    }

    /// Goes behind lines that are not read.
    fn advance(&mut self, lines: u64) {
        self.number += lines;
        let end = self.choice.selection.last.map_or(u64::MAX, |last| last.saturating_add(1));
        if self.number > end && !self.reads_all {
            self.number = end;
            self.end_early();
        }
    }

    /// Takes a line. content: its place, without its line feed.
    fn line(&mut self, block: &[u8], content: Range<usize>) {
        let seen = self.heads.read(block, &content);
        if self.times.are_wanted {
            let time = self.heads.inherited.time;
            self.times.line(time.and_then(|time| time.on_clock_of(Some(0))), self.number);
            let latest = self.times.latest;
            if let Some(last) = self.last_mut() {
                last.see_time(latest);
            }
        }
        let inherited = &self.heads.inherited;
        let rest_of_block = &block[content.start..];
        let text = &rest_of_block[..rest_of_block.len().min(content.len() + 1)];
        let is_open = self.choice.is_open(self.number, inherited.time);
        let rank = inherited.rank;
        if let Some(indexer) = &mut self.indexer {
            indexer.line(self.number, rank, seen.severity.unwrap_or(0), inherited.time);
            indexer.size(content.len());
        }
        let is_error = self.heads.is_error(&seen);
        let is_named = self.choice.names(self.number, text, &seen);
        let Choice { filter, longest, .. } = &mut self.choice;
        let mut is_new = None;
        let is_hit = is_open
            && filter.passes(block, content, rank, *longest)
            && (!filter.new_only || *is_new.insert(filter.is_new(text, *longest, is_error)));
        let is_near = self.held.is_near(self.number);
        let role = if is_hit {
            Role::Hit
        } else if is_named {
            Role::Shown
        } else if is_open && (is_near || self.held.has_context()) {
            Role::Context
        } else {
            return;
        };
        let time_above = inherited.time_above(&seen);
        let line = Line {
            number: self.number,
            text: Cow::Borrowed(text),
            rest_of_block: Some(rest_of_block),
            rank: seen.severity.unwrap_or(rank),
            seen,
            inherits: inherited.is_inherited(),
            role,
            is_named,
            is_kept: is_open,
            latest: self.times.latest,
            moment: inherited.time,
            shows_time: inherited.shows_time,
            is_new: is_new.unwrap_or_else(|| filter.is_new(text, *longest, is_error)),
            time_above,
        };
        if is_hit {
            self.count(&line);
            self.held.put_hit(&line);
        } else if is_near && is_open {
            self.held.put(&line);
        } else if self.held.has_context() && !is_near {
            self.held.put_before(&line);
        } else {
            self.held.put_named(&line);
        }
    }

    /// Counts a hit, unless it was sent before.
    fn count(&mut self, hit: &Line<'_>) {
        if hit.number <= self.choice.selection.after {
            return;
        }
        self.hits.matched += 1;
        self.hits.new += u64::from(hit.is_new);
        if let Some(counter) = &mut self.hits.by_severity {
            counter.add(hit.seen.severity.unwrap_or(0), hit.number);
        }
    }

    /// Takes more of the line before.
    pub fn rest_of_line(&mut self, text: &[u8]) {
        if !self.is_done {
            self.held.rest_of_line(self.number - 1, text);
        }
    }

    /// Shows lines of the tail until so many bytes were written. True if there are more.
    pub fn show_ending(&mut self, most: usize) -> bool {
        self.held.show_ending(most)
    }

    /// Ends the view.
    pub fn end(&mut self) {
        self.held.end(self.number - 1);
    }
}
