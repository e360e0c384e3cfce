// SPDX-License-Identifier: Apache-2.0
//! The chapters of GitLab and Travis, whose marks a terminal writes over.
//!
//! Travis' folds contain commands. A command whose end is marked may print folds, which are in it.

use memchr::memmem;
use regex::bytes::Captures;

use crate::causes::chapter_rules::Rules;
use crate::causes::chapters::{Chapters, Heading, Marked, Open};
use crate::recognition::times::{Instant, Origin, SECOND, number};

/// A mark of Travis that names the command on its line, or on the next one.
struct Announced {
    number: u64,
    name: Vec<u8>,
    is_timed: bool,
}

/// Reads the marks of GitLab and Travis.
#[derive(Default)]
pub struct Sections {
    announced: Option<Announced>,
}

impl Sections {
    /// Reads the marks of what is written over.
    pub fn read(&mut self, chapters: &mut Chapters, rules: &Rules, line: &Marked<'_>) {
        // What is shown is of the next chapter.
        let is_next = !line.content.is_empty() || memmem::find(line.hidden, b"start:").is_some();
        let last = line.number - u64::from(is_next);
        for mark in rules.sections.captures_iter(line.hidden) {
            read_section(chapters, rules, line, &mark, last);
        }
        // A line that ends a command shows its outcome, which is no title.
        let last_end = memmem::rfind(line.hidden, b":end:").unwrap_or(0);
        for mark in rules.folds.captures_iter(line.hidden) {
            let is_titled = mark.get(0).is_some_and(|mark| mark.end() > last_end);
            let is_timed = &mark[1] == b"time";
            match (&mark[2] == b"start", is_timed) {
                (true, false) if !line.is_command => {
                    let title = if is_titled { line.content } else { b"" };
                    begin_fold(chapters, rules, line, &mark[3], title);
                }
                (true, _) => {
                    let (number, name) = (line.number, mark[3].to_vec());
                    self.announced = Some(Announced { number, name, is_timed });
                }
                (false, true) => end_command(chapters, rules, line, &mark, last),
                (false, false) => end_fold(chapters, rules, line, &mark[3], last),
            }
        }
    }

    /// Begins a command of Travis. It ends the one before, and may be in a fold.
    pub fn begin_command(&mut self, chapters: &mut Chapters, rules: &Rules, line: &Marked<'_>) {
        let announced = self.announced.take().filter(|one| one.number + 1 >= line.number);
        let (tool, level) = (&rules.travis, rules.level);
        let is_fold = |one: &Open| one.is_of(&rules.fold, level);
        let inner = chapters.open.iter().rposition(|one| one.is_of(tool, level) || is_fold(one));
        let from = inner.map_or(0, |place| place + usize::from(is_fold(&chapters.open[place])));
        chapters.close(level, line, from);
        let name = announced.as_ref().map_or(line.content, |one| &one.name);
        chapters.open_one(line, &Heading { tool, level, name, shown: line.content, outcome: None });
        mark_end(chapters, announced.is_some_and(|one| one.is_timed));
    }
}

fn read_section(
    chapters: &mut Chapters,
    rules: &Rules,
    line: &Marked<'_>,
    mark: &Captures<'_>,
    last: u64,
) {
    let (tool, level) = (&rules.gitlab, rules.level);
    let (micros, name) = (number(&mark[2]) * SECOND, &mark[3]);
    if &mark[1] == b"start" {
        chapters.close(level + 1, line, 0);
        let heading = Heading { tool, level, name, shown: line.content, outcome: None };
        chapters.open_one(line, &heading);
        if let Some(opened) = chapters.open.last_mut() {
            opened.time = Some(Instant { micros, offset: None, origin: Origin::Epoch });
            let place = opened.place;
            if let Some(chapter) = chapters.chapter(place) {
                chapter.begin_micros = Some(micros);
            }
        }
    } else if let Some(place) = chapters.find(tool, level, name) {
        chapters.close(level + 1, line, place + 1);
        let begin = chapters.open[place].time.map_or(micros, |time| time.micros);
        chapters.end(place, last, None, Some(micros - begin));
    }
}

fn end_command(
    chapters: &mut Chapters,
    rules: &Rules,
    line: &Marked<'_>,
    mark: &Captures<'_>,
    last: u64,
) {
    let Some(place) = chapters.find(&rules.travis, rules.level, &mark[3]) else { return };
    close_within(chapters, place, line, &rules.fold);
    let mut duration = None;
    if let (Some(begin), Some(end)) = (mark.get(4), mark.get(5)) {
        let micros = |nanos: &[u8]| number(&nanos[..nanos.len() - 3]);
        let [begin, end] = [begin, end].map(|nanos| micros(nanos.as_bytes()));
        if let Some(chapter) = chapters.chapter(chapters.open[place].place) {
            chapter.begin_micros = Some(begin);
        }
        duration = Some(end - begin);
    }
    chapters.end(place, last, None, duration);
}

/// Begins a fold of Travis. It ends the one before, and may be in a command whose end is marked.
fn begin_fold(
    chapters: &mut Chapters,
    rules: &Rules,
    line: &Marked<'_>,
    name: &[u8],
    title: &[u8],
) {
    let level = rules.level;
    let command = chapters.find(&rules.travis, level, b"");
    let command = command.filter(|&place| chapters.open[place].has_end);
    chapters.close(level, line, command.map_or(0, |place| place + 1));
    let tool = &rules.fold;
    chapters.open_one(line, &Heading { tool, level, name, shown: title, outcome: None });
    mark_end(chapters, true);
}

/// Notes whether the end of the innermost open chapter is marked.
fn mark_end(chapters: &mut Chapters, has_end: bool) {
    if let Some(opened) = chapters.open.last_mut() {
        opened.has_end = has_end;
    }
}

/// Ends a fold of Travis, or the command that is on the line with its beginning.
fn end_fold(chapters: &mut Chapters, rules: &Rules, line: &Marked<'_>, name: &[u8], last: u64) {
    let level = rules.level;
    let fold = chapters.find(&rules.fold, level, name);
    if let Some(place) = fold.or_else(|| chapters.find(&rules.travis, level, name)) {
        close_within(chapters, place, line, &rules.travis);
        chapters.end(place, last, None, None);
    }
}

/// Ends what is in a chapter of Travis before a line. left: the tool of what stays open if it has just
/// begun: the output of an `echo` ends the fold around it, or begins one that goes on.
fn close_within(chapters: &mut Chapters, place: usize, line: &Marked<'_>, left: &str) {
    let level = chapters.open[place].level;
    for inner in (place + 1..chapters.open.len()).rev() {
        let begin = chapters.chapter(chapters.open[inner].place).map_or(0, |chapter| chapter.first);
        let one = &chapters.open[inner];
        if one.is_of(left, level) && one.has_end && begin + 1 >= line.number {
            continue;
        }
        let micros = chapters.since(one.time, line);
        chapters.end(inner, line.number - 1, None, micros);
    }
}

/// False for most of what is written over, such as a progress bar.
pub fn has_marks(hidden: &[u8]) -> bool {
    [&b"section_"[..], b"travis_"].iter().any(|mark| memmem::find(hidden, mark).is_some())
}
