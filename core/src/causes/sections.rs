// SPDX-License-Identifier: Apache-2.0
//! The chapters whose marks a terminal writes over: sections, and folds with commands in them.
//!
//! A command whose end is marked may print folds, which are in it.

use regex::bytes::Captures;

use crate::causes::chapter_rules::{Event, Rule, Rules};
use crate::causes::chapters::{Chapters, Heading, Marked};
use crate::recognition::times::{Instant, Origin, SECOND, number};

/// The most digits of a time in seconds.
const SECONDS: usize = 10;

/// A mark that names the command on its line, or on the next one.
struct Announced {
    number: u64,
    name: Vec<u8>,
    /// True if the command's end is marked.
    has_end: bool,
}

/// Reads the marks.
#[derive(Default)]
pub struct Sections {
    announced: Option<Announced>,
}

impl Sections {
    /// Reads the marks of what is written over.
    pub fn read(&mut self, chapters: &mut Chapters, rules: &Rules, line: &Marked<'_>) {
        let marks = rules.marks_in(line.hidden);
        let begins = marks.iter().any(|(rule, _)| rule.event != Event::Ends);
        // What is shown is of the next chapter.
        let last = line.number - u64::from(begins || !line.content.is_empty());
        let last_end = marks.iter().rposition(|(rule, _)| rule.event == Event::Ends);
        for (place, (rule, mark)) in marks.iter().enumerate() {
            let (tool, level) = (&rule.tool, rule.level);
            let name = mark.name("name").map_or(&b""[..], |name| name.as_bytes());
            // A line that ends a chapter shows its outcome, which is no title.
            let is_titled = last_end.is_none_or(|end| place > end);
            let title = if is_titled { line.content } else { b"" };
            let shown = rules.without_prompt(title);
            let heading = Heading { tool, level, name, shown, outcome: None };
            match rule.event {
                Event::Ends => end(chapters, line, &heading, mark, last),
                Event::Folds if line.command.is_none() => begin_fold(chapters, line, &heading),
                Event::Folds | Event::Names => {
                    let (number, has_end) = (line.number, rule.event == Event::Names);
                    self.announced = Some(Announced { number, name: name.to_vec(), has_end });
                }
                _ => begin_section(chapters, line, &heading, micros(mark, "begin")),
            }
        }
    }

    /// Begins a command. It ends the one before, and may be in a fold.
    pub fn begin_command(
        &mut self,
        chapters: &mut Chapters,
        rules: &Rules,
        rule: &Rule,
        line: &Marked<'_>,
    ) {
        let announced = self.announced.take().filter(|one| one.number + 1 >= line.number);
        let (tool, level) = (&rule.tool, rule.level);
        let inner = chapters.open.iter().rposition(|one| one.is_of(tool, level));
        let from = inner.map_or(0, |place| place + usize::from(chapters.open[place].is_fold));
        chapters.close(level, line, from);
        let name = announced.as_ref().map_or(line.content, |one| &one.name);
        let shown = rules.without_prompt(line.content);
        let opened = chapters.open_one(line, &Heading { tool, level, name, shown, outcome: None });
        opened.has_end = announced.is_some_and(|one| one.has_end);
    }
}

fn begin_section(
    chapters: &mut Chapters,
    line: &Marked<'_>,
    heading: &Heading<'_>,
    begin: Option<i64>,
) {
    chapters.close(heading.level + 1, line, 0);
    let opened = chapters.open_one(line, heading);
    if let Some(micros) = begin {
        opened.time = Some(Instant { micros, offset: None, origin: Origin::Epoch });
        let place = opened.place;
        if let Some(chapter) = chapters.chapter(place) {
            chapter.begin_micros = begin;
        }
    }
}

/// Begins a fold. It ends the one before, and may be in a command whose end is marked.
fn begin_fold(chapters: &mut Chapters, line: &Marked<'_>, heading: &Heading<'_>) {
    let command = chapters.find(heading.tool, heading.level, b"");
    let command = command.filter(|&place| chapters.open[place].has_end);
    chapters.close(heading.level, line, command.map_or(0, |place| place + 1));
    let opened = chapters.open_one(line, heading);
    (opened.is_fold, opened.has_end) = (true, true);
}

/// Ends the innermost chapter of a name, and what is in it. What has just begun stays open in a fold or a command of
/// which it is the other one: the output of an `echo` ends the fold around it, or begins one that goes on.
fn end(
    chapters: &mut Chapters,
    line: &Marked<'_>,
    heading: &Heading<'_>,
    mark: &Captures<'_>,
    last: u64,
) {
    let (tool, level) = (heading.tool, heading.level);
    let Some(place) = chapters.find(tool, level, heading.name) else { return };
    let is_fold = chapters.open[place].is_fold;
    for inner in (place + 1..chapters.open.len()).rev() {
        let begin = chapters.chapter(chapters.open[inner].place).map_or(0, |chapter| chapter.first);
        let one = &chapters.open[inner];
        let is_other = one.is_of(tool, level) && one.is_fold != is_fold;
        if is_other && one.has_end && begin + 1 >= line.number {
            continue;
        }
        let micros = chapters.since(one.time, line);
        chapters.end(inner, line.number - 1, None, micros);
    }
    let (begin, end) = (micros(mark, "begin"), micros(mark, "end"));
    let opened = chapters.open[place].time.map(|time| time.micros);
    let chapter = chapters.chapter(chapters.open[place].place);
    if let Some(chapter) = chapter.filter(|_| begin.is_some()) {
        chapter.begin_micros = begin;
    }
    let duration = end.map(|end| end - begin.or(opened).unwrap_or(end));
    chapters.end(place, last, None, duration);
}

/// A time that a mark has, in seconds or nanoseconds.
fn micros(mark: &Captures<'_>, group: &str) -> Option<i64> {
    let digits = mark.name(group)?.as_bytes();
    Some(match digits.len() {
        ..=SECONDS => number(digits) * SECOND,
        size => number(&digits[..size - 3]),
    })
}
