// SPDX-License-Identifier: Apache-2.0
//! The chapters of a log: the commands, tasks, stages and tests of a build.
//!
//! Chapters nest: one that is open may hold others of its level or deeper. The first MOST are listed, and
//! those of the others that failed.

mod sections;

use std::collections::BTreeMap;
use std::sync::Arc;

use memchr::memmem;
use pyo3::IntoPyObject;

use self::sections::Announced;
use crate::causes::chapter_rules::{Event, Rule, Rules};
use crate::causes::group::COMMAND;
use crate::recognition::patterns::Cache;
use crate::recognition::times::{Clock, Instant, SECOND, micros_of_fraction, number};

/// Chapters that a summary lists; those that failed behind them; and those that are open at once.
pub const MOST: usize = 500;
pub const MOST_FAILED: usize = 100;
pub const MOST_OPEN: usize = 64;
/// Bytes of a name.
pub const LONGEST_NAME: usize = 200;

/// A line that may have a mark of chapters.
pub struct Marked<'l> {
    pub number: u64,
    /// What is behind its time and blanks.
    pub content: &'l [u8],
    /// What is written over.
    pub hidden: &'l [u8],
    /// Its own time; empty for none.
    pub time: &'l [u8],
    /// True if Travis begins a command at it.
    pub is_command: bool,
}

/// The Chapter of `oslogserve/lines/summary.py`.
#[derive(Clone, IntoPyObject)]
pub struct Chapter {
    name: String,
    first: u64,
    last: u64,
    begin: Option<String>,
    begin_micros: Option<i64>,
    micros: Option<i64>,
    outcome: Option<&'static str>,
}

/// A chapter that has not ended.
#[derive(Clone)]
struct Open {
    /// How many chapters began before it; None if it has no name.
    place: Option<usize>,
    level: u8,
    tool: Arc<str>,
    name: Vec<u8>,
    time: Option<Instant>,
    /// True for a fold of Travis, and for a command of it whose end is marked.
    has_end: bool,
}

impl Open {
    fn is_of(&self, tool: &str, level: u8) -> bool {
        *self.tool == *tool && self.level == level
    }
}

/// What begins a chapter.
struct Heading<'h> {
    tool: &'h Arc<str>,
    level: u8,
    name: &'h [u8],
    /// What names it, if that is not empty.
    shown: &'h [u8],
    outcome: Option<&'static str>,
}

/// Finds the chapters of one log.
pub struct ChapterFinder {
    clock: Clock,
    /// Those that are listed, or may be, by their place.
    kept: BTreeMap<usize, Chapter>,
    count: usize,
    /// Those that failed behind the first MOST.
    failed: usize,
    open: Vec<Open>,
    /// The one that ended last, which a verdict may follow.
    ended: Option<Open>,
    announced: Option<Announced>,
}

impl ChapterFinder {
    pub fn new(clock: Clock) -> Self {
        let kept = BTreeMap::new();
        let (open, ended, announced) = (Vec::new(), None, None);
        Self { clock, kept, count: 0, failed: 0, open, ended, announced }
    }

    /// Takes a line. has_mark: false if no rule matches its content.
    pub fn add(&mut self, rules: &Rules, cache: &mut Cache, line: &Marked<'_>, has_mark: bool) {
        if !line.hidden.is_empty() {
            self.read_hidden(rules, line);
        }
        if line.is_command && !line.content.is_empty() {
            self.begin_command(rules, line);
        }
        if has_mark {
            self.read(rules, cache, line);
        }
    }

    fn read(&mut self, rules: &Rules, cache: &mut Cache, line: &Marked<'_>) {
        let Some((number, _)) = rules.patterns.first_at(cache, line.content, 0) else { return };
        let rule = &rules.rules[number];
        let Some(mark) = rule.pattern.captures(line.content) else { return };
        let groups: Vec<_> = mark.iter().skip(1).flatten().map(|group| group.as_bytes()).collect();
        let groups: Vec<_> = groups.into_iter().filter(|group| !group.is_empty()).collect();
        let name = &groups.join(&b' ')[..];
        let (tool, level, outcome) = (&rule.tool, rule.level, rule.outcome);
        let heading = Heading { tool, level, name, shown: name, outcome };
        match rule.event {
            Event::Begins => self.begin(line, &heading),
            Event::Within => {
                if self.open.iter().any(|one| one.tool == rule.tool) {
                    self.begin(line, &heading);
                }
            }
            Event::Nests => {
                self.close(level + 1, line, 0);
                self.open_one(line, &heading);
            }
            Event::Ends | Event::Reports => self.end_named(rules, rule, line, &heading),
            Event::Closes => self.close(level, line, 0),
            Event::Says | Event::Forgives => self.say(line, rule),
            Event::Hidden => {
                let (number, time, hidden) = (line.number, line.time, line.content);
                let marked = Marked { number, time, hidden, content: b"", is_command: false };
                self.read_hidden(rules, &marked);
            }
        }
    }

    fn end_named(&mut self, rules: &Rules, rule: &Rule, line: &Marked<'_>, heading: &Heading<'_>) {
        if let Some(place) = self.find(&rule.tool, rule.level, heading.name) {
            self.close(rule.level + 1, line, place + 1);
            let micros = match rules.seconds.captures(line.content) {
                Some(seconds) => Some(micros_of_seconds(&seconds[1])),
                None => self.since(self.open[place].time, line),
            };
            self.end(place, line.number, rule.outcome, micros);
        } else if rule.event == Event::Reports {
            self.begin(line, heading);
        }
    }

    fn say(&mut self, line: &Marked<'_>, rule: &Rule) {
        let open = self.find(&rule.tool, rule.level, b"");
        let ended = self.ended.as_ref().filter(|one| one.is_of(&rule.tool, rule.level));
        let found = open.map(|place| &self.open[place]).or(ended);
        let Some(chapter) = self.chapter(found.and_then(|found| found.place)) else { return };
        if open.is_none() {
            chapter.last = line.number;
        }
        if rule.event == Event::Forgives || chapter.outcome != Some("failed") {
            chapter.outcome = rule.outcome;
        }
    }

    /// The place of the innermost open chapter of a tool and level, and of a name if there is one.
    fn find(&self, tool: &str, level: u8, name: &[u8]) -> Option<usize> {
        let is_it = |one: &Open| one.is_of(tool, level) && (name.is_empty() || one.name == name);
        self.open.iter().rposition(is_it)
    }

    /// The chapter of a place.
    fn chapter(&mut self, place: Option<usize>) -> Option<&mut Chapter> {
        self.kept.get_mut(&place?)
    }

    /// Begins a chapter. Ends those of its level or deeper.
    fn begin(&mut self, line: &Marked<'_>, heading: &Heading<'_>) {
        self.close(heading.level, line, 0);
        self.open_one(line, heading);
    }

    fn open_one(&mut self, line: &Marked<'_>, heading: &Heading<'_>) {
        if self.open.len() == MOST_OPEN {
            self.end(MOST_OPEN - 1, line.number - 1, None, None);
        }
        let text = heading.shown.strip_prefix(COMMAND).unwrap_or(heading.shown);
        let text = if text.is_empty() { heading.name } else { text };
        let mut place = None;
        if !text.is_empty() {
            place = Some(self.count);
            let name = String::from_utf8_lossy(&text[..text.len().min(LONGEST_NAME)]).into_owned();
            let begin = self.clock.iso(line.time);
            let chapter = Chapter {
                name,
                first: line.number,
                last: 0,
                begin: begin.map(|iso| String::from_utf8_lossy(&iso).into_owned()),
                begin_micros: None,
                micros: None,
                outcome: heading.outcome,
            };
            self.kept.insert(self.count, chapter);
            self.count += 1;
        }
        self.open.push(Open {
            place,
            level: heading.level,
            tool: Arc::clone(heading.tool),
            name: heading.name.to_vec(),
            time: self.clock.read(line.time),
            has_end: false,
        });
        self.follow_ended(None);
    }

    /// Makes `ended` the one that ended last. The one before it has its outcome now.
    fn follow_ended(&mut self, ended: Option<Open>) {
        if let Some(before) = std::mem::replace(&mut self.ended, ended) {
            self.settle(before.place);
        }
    }

    /// Drops a chapter behind the first MOST unless it failed.
    fn settle(&mut self, place: Option<usize>) {
        let Some(place) = place.filter(|&place| place >= MOST) else { return };
        let has_failed = self.kept[&place].outcome == Some("failed");
        if has_failed && self.failed < MOST_FAILED {
            self.failed += 1;
        } else {
            self.kept.remove(&place);
        }
    }

    /// Ends the chapters of a level or deeper before a line, the innermost first. from: the place of the
    /// first that may end.
    fn close(&mut self, level: u8, line: &Marked<'_>, from: usize) {
        for place in (from..self.open.len()).rev() {
            if self.open[place].level >= level {
                let micros = self.since(self.open[place].time, line);
                self.end(place, line.number - 1, None, micros);
            }
        }
    }

    fn end(&mut self, place: usize, last: u64, outcome: Option<&'static str>, micros: Option<i64>) {
        let ended = self.open.remove(place);
        if let Some(chapter) = self.chapter(ended.place) {
            chapter.last = last.max(chapter.first);
            chapter.micros = micros.filter(|&micros| micros >= 0);
            chapter.outcome = chapter.outcome.or(outcome);
        }
        self.follow_ended(Some(ended));
    }

    /// Microseconds from a chapter's beginning to a line, if both have a time.
    fn since(&mut self, begin: Option<Instant>, line: &Marked<'_>) -> Option<i64> {
        let (begin, now) = (begin?, self.clock.read(line.time)?);
        (now.origin == begin.origin).then_some(now.micros - begin.micros)
    }

    /// The chapters, and how many more there were. last: the number of the last line. failed_at: that
    /// of the line that tells why the log failed, whose chapter failed.
    pub fn chapters(&mut self, last: u64, failed_at: Option<u64>) -> (Vec<Chapter>, u64) {
        let open = std::mem::take(&mut self.open);
        for one in &open {
            if let Some(chapter) = self.chapter(one.place) {
                chapter.last = last;
            }
        }
        let is_around = |chapter: &&mut Chapter| {
            failed_at.is_some_and(|at| chapter.first <= at && at <= chapter.last)
        };
        if let Some(inner) = self.kept.values_mut().rev().find(is_around) {
            inner.outcome = inner.outcome.or(Some("failed"));
        }
        self.follow_ended(None);
        open.iter().for_each(|one| self.settle(one.place));
        let chapters: Vec<_> = self.kept.values().cloned().collect();
        let more = (self.count - chapters.len()) as u64;
        (chapters, more)
    }
}

/// False for most of what is written over, such as a progress bar.
pub fn has_marks(hidden: &[u8]) -> bool {
    [&b"section_"[..], b"travis_"].iter().any(|mark| memmem::find(hidden, mark).is_some())
}

fn micros_of_seconds(seconds: &[u8]) -> i64 {
    let mut parts = seconds.splitn(2, |&byte| byte == b'.');
    let whole = parts.next().map_or(0, number);
    whole * SECOND + micros_of_fraction(parts.next().unwrap_or_default())
}
