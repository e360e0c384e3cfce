// SPDX-License-Identifier: Apache-2.0
//! The chapters of GitLab and Travis, whose marks a terminal writes over.
//!
//! Travis' folds contain commands. A command whose end is marked may print folds, which are in it.

use memchr::memmem;
use regex::bytes::Captures;

use super::{ChapterFinder, Heading, Marked, Open};
use crate::causes::chapter_rules::Rules;
use crate::recognition::times::{Instant, Origin, SECOND, number};

/// A mark of Travis that names the command on its line, or on the next one.
pub(super) struct Announced {
    number: u64,
    name: Vec<u8>,
    is_timed: bool,
}

impl ChapterFinder {
    /// Reads the marks of what is written over.
    pub(super) fn read_hidden(&mut self, rules: &Rules, line: &Marked<'_>) {
        // What is shown is of the next chapter.
        let is_next = !line.content.is_empty() || memmem::find(line.hidden, b"start:").is_some();
        let last = line.number - u64::from(is_next);
        for mark in rules.sections.captures_iter(line.hidden) {
            self.read_section(rules, line, &mark, last);
        }
        // A line that ends a command shows its outcome, which is no title.
        let last_end = memmem::rfind(line.hidden, b":end:").unwrap_or(0);
        for mark in rules.folds.captures_iter(line.hidden) {
            let is_titled = mark.get(0).is_some_and(|mark| mark.end() > last_end);
            let is_timed = &mark[1] == b"time";
            match (&mark[2] == b"start", is_timed) {
                (true, false) if !line.is_command => {
                    let title = if is_titled { line.content } else { b"" };
                    self.begin_fold(rules, line, &mark[3], title);
                }
                (true, _) => {
                    let (number, name) = (line.number, mark[3].to_vec());
                    self.announced = Some(Announced { number, name, is_timed });
                }
                (false, true) => self.end_command(rules, line, &mark, last),
                (false, false) => self.end_fold(rules, line, &mark[3], last),
            }
        }
    }

    fn read_section(&mut self, rules: &Rules, line: &Marked<'_>, mark: &Captures<'_>, last: u64) {
        let (tool, level) = (&rules.gitlab, rules.level);
        let (micros, name) = (number(&mark[2]) * SECOND, &mark[3]);
        if &mark[1] == b"start" {
            self.close(level + 1, line, 0);
            let heading = Heading { tool, level, name, shown: line.content, outcome: None };
            self.open_one(line, &heading);
            if let Some(opened) = self.open.last_mut() {
                opened.time = Some(Instant { micros, offset: None, origin: Origin::Epoch });
                self.date_last(micros);
            }
        } else if let Some(place) = self.find(tool, level, name) {
            self.close(level + 1, line, place + 1);
            let begin = self.open[place].time.map_or(micros, |time| time.micros);
            self.end(place, last, None, Some(micros - begin));
        }
    }

    /// Notes when the innermost open chapter began.
    fn date_last(&mut self, micros: i64) {
        let place = self.open.last().and_then(|opened| opened.place);
        if let Some(chapter) = self.chapter(place) {
            chapter.begin_micros = Some(micros);
        }
    }

    /// Begins a command of Travis. It ends the one before, and may be in a fold.
    pub(super) fn begin_command(&mut self, rules: &Rules, line: &Marked<'_>) {
        let announced = self.announced.take().filter(|one| one.number + 1 >= line.number);
        let (tool, level) = (&rules.travis, rules.level);
        let is_fold = |one: &Open| one.is_of(&rules.fold, level);
        let inner = self.open.iter().rposition(|one| one.is_of(tool, level) || is_fold(one));
        let from = inner.map_or(0, |place| place + usize::from(is_fold(&self.open[place])));
        self.close(level, line, from);
        let name = announced.as_ref().map_or(line.content, |one| &one.name);
        self.open_one(line, &Heading { tool, level, name, shown: line.content, outcome: None });
        self.mark_end(announced.is_some_and(|one| one.is_timed));
    }

    fn end_command(&mut self, rules: &Rules, line: &Marked<'_>, mark: &Captures<'_>, last: u64) {
        let Some(place) = self.find(&rules.travis, rules.level, &mark[3]) else { return };
        self.close_within(place, line, &rules.fold);
        let mut duration = None;
        if let (Some(begin), Some(end)) = (mark.get(4), mark.get(5)) {
            let micros = |nanos: &[u8]| number(&nanos[..nanos.len() - 3]);
            let [begin, end] = [begin, end].map(|nanos| micros(nanos.as_bytes()));
            if let Some(chapter) = self.chapter(self.open[place].place) {
                chapter.begin_micros = Some(begin);
            }
            duration = Some(end - begin);
        }
        self.end(place, last, None, duration);
    }

    /// Begins a fold of Travis. It ends the one before, and may be in a command whose end is marked.
    fn begin_fold(&mut self, rules: &Rules, line: &Marked<'_>, name: &[u8], title: &[u8]) {
        let level = rules.level;
        let command = self.find(&rules.travis, level, b"");
        let command = command.filter(|&place| self.open[place].has_end);
        self.close(level, line, command.map_or(0, |place| place + 1));
        let tool = &rules.fold;
        self.open_one(line, &Heading { tool, level, name, shown: title, outcome: None });
        self.mark_end(true);
    }

    /// Notes whether the end of the innermost open chapter is marked.
    fn mark_end(&mut self, has_end: bool) {
        if let Some(opened) = self.open.last_mut() {
            opened.has_end = has_end;
        }
    }

    /// Ends a fold of Travis, or the command that is on the line with its beginning.
    fn end_fold(&mut self, rules: &Rules, line: &Marked<'_>, name: &[u8], last: u64) {
        let level = rules.level;
        let fold = self.find(&rules.fold, level, name);
        if let Some(place) = fold.or_else(|| self.find(&rules.travis, level, name)) {
            self.close_within(place, line, &rules.travis);
            self.end(place, last, None, None);
        }
    }

    /// Ends what is in a chapter of Travis before a line. left: the tool of what stays open if it has just
    /// begun: the output of an `echo` ends the fold around it, or begins one that goes on.
    fn close_within(&mut self, place: usize, line: &Marked<'_>, left: &str) {
        let level = self.open[place].level;
        for inner in (place + 1..self.open.len()).rev() {
            let begin = self.chapter(self.open[inner].place).map_or(0, |chapter| chapter.first);
            let one = &self.open[inner];
            if one.is_of(left, level) && one.has_end && begin + 1 >= line.number {
                continue;
            }
            let micros = self.since(one.time, line);
            self.end(inner, line.number - 1, None, micros);
        }
    }
}
