// SPDX-License-Identifier: Apache-2.0
//! Which of the lines that a selector chose are shown: within its limit, its tail and its page.

use std::borrow::Cow;

use super::Selector;
use crate::selection::Page;
use crate::shown::Line;

impl Selector {
    /// Puts a hit and the lines before it.
    pub(super) fn put_hit(&mut self, hit: &Line<'_>) {
        self.count(hit);
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

    /// Passes a line on, unless it was sent before or the limit is reached.
    pub(super) fn put(&mut self, line: &Line<'_>) {
        if line.number <= self.selection.after {
            return;
        }
        let is_kept = self.remaining != Some(0);
        if self.takes_one(line) {
            self.pass_on(line, is_kept);
        }
    }

    /// True if the line is shown: the limit is not reached, or `show` names the line.
    fn takes_one(&mut self, line: &Line<'_>) -> bool {
        if self.remaining == Some(0) {
            self.cut(line.number);
            return line.is_named;
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        true
    }

    /// Passes the line on if `show` names it.
    pub(super) fn put_named(&mut self, line: &Line<'_>) {
        if line.is_named && line.number > self.selection.after {
            self.pass_on(line, false);
        }
    }

    pub(super) fn put_all_named(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        lines.into_iter().for_each(|line| self.put_named(&line));
    }

    fn pass_on(&mut self, line: &Line<'_>, is_kept: bool) {
        if self.selection.tail.is_none() {
            return self.show(line);
        }
        let left = self.tail.add(Line { is_kept, ..line.to_owned() });
        self.show_all(left);
    }

    fn show_all(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        lines.into_iter().for_each(|line| self.show(&line));
    }

    /// True if the page has no room for another line.
    fn is_full(&self) -> bool {
        let is_full =
            |page: Page| self.shown_bytes >= page.size || self.view.elements() >= page.elements;
        self.page.is_some_and(is_full)
    }

    /// Shows a line, if the page has room for it, and the gap before it.
    fn show(&mut self, line: &Line<'_>) {
        if self.is_full() {
            if self.tally.next_page.is_none() {
                self.tally.next_page = Some(line.number);
                self.tally.next_from = Some(self.begin_of(line.number));
            }
            return;
        }
        if self.needs.gaps && line.number > self.gap_start {
            self.view.gap(self.gap_start, line.number - 1);
        }
        self.shown = line.number;
        self.gap_start = line.number + 1;
        self.tally.sent += 1;
        if self.has_rows {
            return self.show_row(line);
        }
        let text = self.fitting(&line.text, self.line_bytes);
        if text.len() == line.text.len() {
            return self.view.line(line);
        }
        self.view.line(&line.with_text(Cow::Borrowed(text)));
    }

    /// Shows a line as a row, or `longest` bytes of it: how a log was cut into pieces is not to be seen.
    fn show_row(&mut self, line: &Line<'_>) {
        let is_cut = line.content().len() >= self.longest;
        if is_cut {
            self.tally.cut_line.get_or_insert(line.number);
        }
        if self.is_row_before_last(line) {
            return;
        }
        if is_cut {
            self.view.line(&line.with_text(Cow::Borrowed(&line.text[..self.longest])));
        } else {
            self.view.line(line);
        }
        let end = self.view.output().written().len();
        self.times.row(end, line.latest, line.is_named);
    }

    /// Takes more of the line before.
    pub fn rest_of_line(&mut self, text: &[u8]) {
        if self.is_done {
            return;
        }
        let number = self.tally.lines;
        if self.shown == number && self.has_rows {
            return;
        }
        if self.shown == number {
            let text = self.fitting(text, self.room);
            return self.view.rest_of_line(text);
        }
        let left = self.before.extend(number, text);
        self.put_all_named(left);
        let left = self.tail.extend(number, text);
        self.show_all(left);
    }

    /// As much of the last line's text as is shown.
    fn fitting<'t>(&mut self, text: &'t [u8], room: usize) -> &'t [u8] {
        let size = text.len().min(room);
        if size < text.len() {
            self.tally.cut_line.get_or_insert(self.shown);
        }
        self.room = room - size;
        self.shown_bytes += size as u64;
        &text[..size]
    }

    /// Shows lines of the tail until so many bytes were written. True if there are more.
    pub fn show_ending(&mut self, most: usize) -> bool {
        while let Some(line) = self.ending.pop_front() {
            if !line.is_kept || self.takes_one(&line) {
                self.show(&line);
            }
            if self.view.output().written().len() >= most {
                return true;
            }
        }
        false
    }

    /// Ends the view.
    pub fn end(&mut self) {
        let is_cut = self.tally.cut_at.or(self.tally.next_page).is_some();
        if self.needs.gaps && !is_cut && self.gap_start <= self.tally.lines {
            self.view.gap(self.gap_start, self.tally.lines);
        }
        self.view.finish();
    }
}
