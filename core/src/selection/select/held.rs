// SPDX-License-Identifier: Apache-2.0
//! What is held back of the lines that a selection leaves: the context of hits, and the tail. The limit
//! applies to what is left of it.

use std::collections::VecDeque;

use super::sheet::Sheet;
use crate::selection::Selection;
use crate::selection::line_buffer::LineBuffer;
use crate::shown::Line;

/// Bytes of the lines before a hit that are held back, in case one comes, and of the last lines.
pub const CONTEXT_BYTES: usize = 1024 * 1024;
pub const TAIL_BYTES: usize = 16 * 1024 * 1024;
/// Lines of a tail that are held only because `show` names them.
const TAIL_OTHERS: usize = 10_000;

pub struct Held {
    pub sheet: Sheet,
    /// The last line that was sent before.
    after: u64,
    /// Lines around each hit.
    context: u64,
    /// Lines that are shown if a hit follows.
    before: LineBuffer,
    /// The last line of the context behind the last hit.
    context_end: u64,
    /// None if all lines are shown.
    tail: Option<LineBuffer>,
    /// The tail, once it is known that no line follows, and the limit that takes its first lines.
    ending: VecDeque<Line<'static>>,
    limit: Option<u64>,
    /// Lines that the limit still lets through.
    remaining: Option<u64>,
    /// The first line behind the limit, and the one that an answer with it must read first.
    pub cut: Option<(u64, u64)>,
    /// Lines of the tail that could not be held.
    pub dropped: usize,
}

impl Held {
    /// longest: bytes of a line that are searched.
    pub fn new(sheet: Sheet, selection: &Selection, longest: usize) -> Self {
        let context = selection.context.unwrap_or(0);
        Self {
            sheet,
            after: selection.after,
            context: context as u64,
            before: LineBuffer::new(context, 0, CONTEXT_BYTES.min(longest)),
            context_end: 0,
            tail: selection.tail.map(|tail| LineBuffer::new(tail, TAIL_OTHERS, TAIL_BYTES)),
            ending: VecDeque::new(),
            limit: selection.limit,
            remaining: selection.limit.filter(|_| selection.tail.is_none()),
            cut: None,
            dropped: 0,
        }
    }

    /// True if a line is in the context behind a hit.
    pub fn is_near(&self, number: u64) -> bool {
        number <= self.context_end
    }

    /// True if hits have a context.
    pub fn has_context(&self) -> bool {
        self.context > 0
    }

    /// True if only the last lines are shown.
    pub fn has_tail(&self) -> bool {
        self.tail.is_some()
    }

    /// The first line that may be shown if a hit follows.
    pub fn first(&self) -> Option<&Line<'static>> {
        self.before.first()
    }

    /// Takes a hit, which shows the lines before it.
    pub fn put_hit(&mut self, hit: &Line<'_>) {
        if self.context > 0 {
            let first = hit.number.saturating_sub(self.context);
            for before in self.before.take() {
                if before.is_kept && before.number >= first {
                    self.put(&before);
                } else {
                    self.put_named(&before);
                }
            }
        }
        self.put(hit);
        self.context_end = hit.number + self.context;
    }

    /// Takes a line that is shown if a hit follows.
    pub fn put_before(&mut self, line: &Line<'_>) {
        let left = self.before.add(line.to_owned());
        self.put_all_named(left);
    }

    /// Takes a line that is shown, unless it was sent before or the limit is reached.
    pub fn put(&mut self, line: &Line<'_>) {
        if line.number <= self.after {
            return;
        }
        let is_kept = self.remaining != Some(0);
        if self.takes_one(line) {
            self.pass_on(line, is_kept);
        }
    }

    /// Takes a line that is shown only if `show` names it.
    pub fn put_named(&mut self, line: &Line<'_>) {
        if line.is_named && line.number > self.after {
            self.pass_on(line, false);
        }
    }

    fn put_all_named(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        lines.into_iter().for_each(|line| self.put_named(&line));
    }

    /// Takes more of a line.
    pub fn rest_of_line(&mut self, number: u64, text: &[u8]) {
        if self.sheet.shows(number) {
            return self.sheet.rest_of_line(text);
        }
        let left = self.before.extend(number, text);
        self.put_all_named(left);
        let left = self.tail.as_mut().map(|tail| tail.extend(number, text));
        self.show_all(left.into_iter().flatten());
    }

    /// Forgets the lines before a hit.
    pub fn forget_before(&mut self) {
        self.before.take();
    }

    /// True if the limit is reached. number: of the next line.
    pub fn is_over(&mut self, number: u64) -> bool {
        let is_over = self.remaining == Some(0);
        if is_over {
            self.cut_at(number);
        }
        is_over
    }

    /// True if the line is shown: the limit is not reached, or `show` names the line.
    fn takes_one(&mut self, line: &Line<'_>) -> bool {
        if self.remaining == Some(0) {
            self.cut_at(line.number);
            return line.is_named;
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        true
    }

    fn cut_at(&mut self, number: u64) {
        let from = self.begin_of(number);
        self.cut.get_or_insert((number, from));
    }

    /// The first line that the next answer must read: the hit whose context contains this line, else
    /// this line.
    fn begin_of(&self, number: u64) -> u64 {
        if self.is_near(number) { self.context_end - self.context } else { number }
    }

    fn pass_on(&mut self, line: &Line<'_>, is_kept: bool) {
        let Some(tail) = &mut self.tail else { return self.show(line) };
        let left = tail.add(Line { is_kept, ..line.to_owned() });
        self.show_all(left);
    }

    fn show_all(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        lines.into_iter().for_each(|line| self.show(&line));
    }

    fn show(&mut self, line: &Line<'_>) {
        let from = self.begin_of(line.number);
        self.sheet.show(line, from);
    }

    /// Takes the end of the lines. What was held back of the tail is shown by `show_ending`.
    pub fn finish(&mut self) {
        let before = self.before.take();
        self.put_all_named(before);
        if let Some(tail) = &mut self.tail {
            self.dropped = tail.missing();
            self.ending = tail.take();
        }
        self.remaining = self.limit;
    }

    /// Shows lines of the tail until so many bytes were written. True if there are more.
    pub fn show_ending(&mut self, most: usize) -> bool {
        while let Some(line) = self.ending.pop_front() {
            if !line.is_kept || self.takes_one(&line) {
                self.show(&line);
            }
            if self.sheet.view.output().written().len() >= most {
                return true;
            }
        }
        false
    }

    /// Ends the view. lines: the number of the log's last line.
    pub fn end(&mut self, lines: u64) {
        self.sheet.end(lines, self.cut.is_some());
    }
}
