// SPDX-License-Identifier: Apache-2.0
//! What is written of the lines that are shown: as many as a page has room for, with the gaps between
//! them, or rows that are merged with those of other logs.

use std::borrow::Cow;

use super::rows::WrittenRows;
use crate::selection::Page;
use crate::shown::Line;
use crate::views::view::View;

pub struct Sheet {
    pub view: Box<dyn View>,
    /// None if all lines are shown.
    pub page: Option<Page>,
    /// The first line of the gap before the next one shown; None if gaps are not told.
    gap_start: Option<u64>,
    /// Bytes of one line that are shown, and what is left of them for the last one.
    line_bytes: usize,
    room: usize,
    /// The number of the last line shown.
    last: u64,
    /// Bytes of the lines shown.
    bytes: u64,
    /// Lines shown.
    pub sent: u64,
    /// The next page's first line, and the one that an answer with it must read first.
    pub next: Option<(u64, u64)>,
    /// The first line that has more bytes than are shown.
    pub cut_line: Option<u64>,
    /// None if lines are not shown as rows.
    pub rows: Option<WrittenRows>,
}

impl Sheet {
    pub fn new(
        view: Box<dyn View>,
        page: Option<Page>,
        gap_start: Option<u64>,
        line_bytes: usize,
        rows: Option<WrittenRows>,
    ) -> Self {
        Self {
            view,
            page,
            gap_start,
            line_bytes,
            room: 0,
            last: 0,
            bytes: 0,
            sent: 0,
            next: None,
            cut_line: None,
            rows,
        }
    }

    /// Empties what the last piece gave.
    pub fn clear(&mut self) {
        self.view.output().clear();
        if let Some(rows) = &mut self.rows {
            rows.take();
        }
    }

    /// True if this was the last line shown.
    pub fn shows(&self, number: u64) -> bool {
        self.last == number
    }

    /// True if the page has no room for another line.
    fn is_full(&self) -> bool {
        let is_full = |page: Page| self.bytes >= page.size || self.view.elements() >= page.elements;
        self.page.is_some_and(is_full)
    }

    /// Shows a line, if the page has room for it, and the gap before it. from: the line that an answer which
    /// begins with this one must read first.
    pub fn show(&mut self, line: &Line<'_>, from: u64) {
        if self.is_full() {
            self.next.get_or_insert((line.number, from));
            return;
        }
        if let Some(start) = self.gap_start.as_mut() {
            if line.number > *start {
                self.view.gap(*start, line.number - 1);
            }
            *start = line.number + 1;
        }
        self.last = line.number;
        self.sent += 1;
        if self.rows.is_some() {
            return self.show_row(line);
        }
        let text = self.fitting(&line.text, self.line_bytes);
        if text.len() == line.text.len() {
            return self.view.line(line);
        }
        self.view.line(&line.with_text(Cow::Borrowed(text)));
    }

    /// Shows a line as a row, or the bytes of it that are searched: how a log was cut into pieces is not to
    /// be seen.
    fn show_row(&mut self, line: &Line<'_>) {
        let Some(rows) = &mut self.rows else { return };
        let is_cut = line.content().len() >= rows.longest;
        if is_cut {
            self.cut_line.get_or_insert(line.number);
        }
        if rows.last.as_ref().is_some_and(|last| last.is_behind(line)) {
            return;
        }
        if is_cut {
            self.view.line(&line.with_text(Cow::Borrowed(&line.text[..rows.longest])));
        } else {
            self.view.line(line);
        }
        rows.add(self.view.output().written().len(), line);
    }

    /// Takes more of the last line shown.
    pub fn rest_of_line(&mut self, text: &[u8]) {
        if self.rows.is_none() {
            let text = self.fitting(text, self.room);
            self.view.rest_of_line(text);
        }
    }

    /// As much of the last line's text as is shown.
    fn fitting<'t>(&mut self, text: &'t [u8], room: usize) -> &'t [u8] {
        let size = text.len().min(room);
        if size < text.len() {
            self.cut_line.get_or_insert(self.last);
        }
        self.room = room - size;
        self.bytes += size as u64;
        &text[..size]
    }

    /// Ends the view. lines: the number of the log's last line. is_cut: true if lines that belong to the
    /// answer are missing.
    pub fn end(&mut self, lines: u64, is_cut: bool) {
        if let Some(start) = self.gap_start.filter(|start| *start <= lines) {
            if !is_cut && self.next.is_none() {
                self.view.gap(start, lines);
            }
        }
        self.view.finish();
    }
}
