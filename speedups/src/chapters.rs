// SPDX-License-Identifier: Apache-2.0
//! The chapters of a log, as `oslogserve/lines/pure/chapters.py` defines them.

use std::sync::Arc;

use memchr::memmem;
use pyo3::{FromPyObject, IntoPyObject};
use regex::bytes::{Captures, Regex};

use crate::grammar::bytes_regex;
use crate::patterns::{Cache, Patterns};
use crate::step::COMMAND;
use crate::times::{Clock, Instant, Origin};

/// Chapters that a summary lists, and those that are open at once.
const MOST: usize = 500;
const MOST_OPEN: usize = 64;
/// Bytes of a name.
const LONGEST_NAME: usize = 200;
const SECOND: i64 = 1_000_000;
const GITLAB: &str = "gitlab";
const TRAVIS: &str = "travis";

/// The ChapterRule of `oslogserve/lines/grammar/chapters.py`: event, outcome, level, tool, pattern.
type RuleData = (String, String, u8, String, Vec<u8>);

/// Attributes of `oslogserve.lines.grammar.native_grammar.NativeChapters`.
#[derive(FromPyObject)]
pub struct Data {
    rules: Vec<RuleData>,
    section: Vec<u8>,
    fold: Vec<u8>,
    overwritten_level: u8,
    seconds: Vec<u8>,
}

/// What a mark of chapters does.
#[derive(Clone, Copy, PartialEq)]
enum Event {
    Begins,
    Within,
    Nests,
    Ends,
    Reports,
    Closes,
    Says,
    Forgives,
}

impl Event {
    fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "begins" => Self::Begins,
            "within" => Self::Within,
            "nests" => Self::Nests,
            "ends" => Self::Ends,
            "reports" => Self::Reports,
            "closes" => Self::Closes,
            "says" => Self::Says,
            "forgives" => Self::Forgives,
            _ => return Err(format!("no such event: {name}")),
        })
    }
}

/// A mark of chapters.
struct Rule {
    event: Event,
    outcome: Option<&'static str>,
    level: u8,
    tool: Arc<str>,
    pattern: Regex,
}

impl Rule {
    fn new((event, outcome, level, tool, pattern): &RuleData) -> Result<Self, String> {
        let outcome = match &outcome[..] {
            "" => None,
            "passed" => Some("passed"),
            "failed" => Some("failed"),
            _ => return Err(format!("no such outcome: {outcome}")),
        };
        let pattern = [br"\A(?:", &pattern[..], b")"].concat();
        Ok(Self {
            event: Event::named(event)?,
            outcome,
            level: *level,
            tool: Arc::from(&tool[..]),
            pattern: bytes_regex(&pattern)?,
        })
    }
}

/// The marks of chapters, compiled once.
pub struct Rules {
    patterns: Patterns,
    rules: Vec<Rule>,
    sections: Regex,
    folds: Regex,
    seconds: Regex,
    level: u8,
    gitlab: Arc<str>,
    travis: Arc<str>,
}

impl Rules {
    /// Errors: the first fault.
    pub fn new(data: &Data) -> Result<Self, String> {
        let patterns: Vec<_> = data.rules.iter().map(|rule| &rule.4[..]).collect();
        Ok(Self {
            patterns: Patterns::new(&patterns)?,
            rules: data.rules.iter().map(Rule::new).collect::<Result<_, _>>()?,
            sections: bytes_regex(&data.section)?,
            folds: bytes_regex(&data.fold)?,
            seconds: bytes_regex(&data.seconds)?,
            level: data.overwritten_level,
            gitlab: Arc::from(GITLAB),
            travis: Arc::from(TRAVIS),
        })
    }

    /// A cache for one thread.
    pub fn cache(&self) -> Cache {
        self.patterns.cache()
    }
}

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
    /// Its place in the list; None if it is not listed.
    place: Option<usize>,
    level: u8,
    tool: Arc<str>,
    name: Vec<u8>,
    time: Option<Instant>,
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
    listed: Vec<Chapter>,
    left_out: u64,
    open: Vec<Open>,
    /// The one that ended last, which a verdict may follow.
    ended: Option<Open>,
}

impl ChapterFinder {
    pub fn new(clock: Clock) -> Self {
        Self { clock, listed: Vec::new(), left_out: 0, open: Vec::new(), ended: None }
    }

    /// Takes a line. has_mark: false if no rule matches its content.
    pub fn add(&mut self, rules: &Rules, cache: &mut Cache, line: &Marked<'_>, has_mark: bool) {
        if !line.hidden.is_empty() {
            self.read_hidden(rules, line);
        }
        if line.is_command {
            let (tool, level) = (&rules.travis, rules.level);
            let name = line.content;
            self.begin(line, &Heading { tool, level, name, shown: name, outcome: None });
        }
        if has_mark {
            self.read(rules, cache, line);
        }
    }

    fn read_hidden(&mut self, rules: &Rules, line: &Marked<'_>) {
        // What is shown is of the next chapter.
        let is_next = !line.content.is_empty() || memmem::find(line.hidden, b"start:").is_some();
        let last = line.number - u64::from(is_next);
        for mark in rules.sections.captures_iter(line.hidden) {
            self.read_section(rules, line, &mark, last);
        }
        for mark in rules.folds.captures_iter(line.hidden) {
            if &mark[2] == b"end" {
                self.end_fold(rules, line, &mark, last);
            } else if &mark[1] == b"fold" && !line.is_command {
                let (tool, level) = (&rules.travis, rules.level);
                let name = if line.content.is_empty() { &mark[3] } else { line.content };
                self.begin(line, &Heading { tool, level, name, shown: name, outcome: None });
            }
        }
    }

    fn read_section(&mut self, rules: &Rules, line: &Marked<'_>, mark: &Captures<'_>, last: u64) {
        let (tool, level) = (&rules.gitlab, rules.level);
        let (micros, name) = (number_in(&mark[2]) * SECOND, &mark[3]);
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
        if let Some(place) = self.open.last().and_then(|opened| opened.place) {
            self.listed[place].begin_micros = Some(micros);
        }
    }

    fn end_fold(&mut self, rules: &Rules, line: &Marked<'_>, mark: &Captures<'_>, last: u64) {
        let Some(place) = self.find(&rules.travis, rules.level, b"") else { return };
        self.close(rules.level + 1, line, place + 1);
        let mut duration = None;
        if let (Some(begin), Some(end)) = (mark.get(4), mark.get(5)) {
            let [begin, end] = [begin, end].map(|nanos| micros_of_nanos(nanos.as_bytes()));
            if let Some(listed) = self.open[place].place {
                self.listed[listed].begin_micros = Some(begin);
            }
            duration = Some(end - begin);
        }
        self.end(place, last, None, duration);
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
        let listed = match self.find(&rule.tool, rule.level, b"") {
            Some(place) => self.open[place].place,
            None => {
                let ended = self.ended.as_ref().filter(|one| one.is_of(&rule.tool, rule.level));
                let listed = ended.and_then(|ended| ended.place);
                if let Some(place) = listed {
                    self.listed[place].last = line.number;
                }
                listed
            }
        };
        let Some(place) = listed else { return };
        let chapter = &mut self.listed[place];
        if rule.event == Event::Forgives || chapter.outcome != Some("failed") {
            chapter.outcome = rule.outcome;
        }
    }

    /// The place of the innermost open chapter of a tool and level, and of a name if there is one.
    fn find(&self, tool: &str, level: u8, name: &[u8]) -> Option<usize> {
        let is_it = |one: &Open| one.is_of(tool, level) && (name.is_empty() || one.name == name);
        self.open.iter().rposition(is_it)
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
        if !text.is_empty() && self.listed.len() < MOST {
            place = Some(self.listed.len());
            let name = String::from_utf8_lossy(&text[..text.len().min(LONGEST_NAME)]).into_owned();
            let begin = self.clock.iso(line.time);
            self.listed.push(Chapter {
                name,
                first: line.number,
                last: 0,
                begin: begin.map(|iso| String::from_utf8_lossy(&iso).into_owned()),
                begin_micros: None,
                micros: None,
                outcome: heading.outcome,
            });
        } else if !text.is_empty() {
            self.left_out += 1;
        }
        self.open.push(Open {
            place,
            level: heading.level,
            tool: Arc::clone(heading.tool),
            name: heading.name.to_vec(),
            time: self.clock.read(line.time),
        });
        self.ended = None;
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
        if let Some(place) = ended.place {
            let chapter = &mut self.listed[place];
            chapter.last = last.max(chapter.first);
            chapter.micros = micros.filter(|&micros| micros >= 0);
            chapter.outcome = chapter.outcome.or(outcome);
        }
        self.ended = Some(ended);
    }

    /// Microseconds from a chapter's beginning to a line, if both have a time.
    fn since(&mut self, begin: Option<Instant>, line: &Marked<'_>) -> Option<i64> {
        let (begin, now) = (begin?, self.clock.read(line.time)?);
        (now.origin == begin.origin).then_some(now.micros - begin.micros)
    }

    /// The chapters, and how many more there were. last: the number of the last line. failed_at: that
    /// of the line that tells why the log failed, whose chapter failed.
    pub fn chapters(&mut self, last: u64, failed_at: Option<u64>) -> (Vec<Chapter>, u64) {
        for one in std::mem::take(&mut self.open) {
            if let Some(place) = one.place {
                self.listed[place].last = last;
            }
        }
        let is_around = |chapter: &&mut Chapter| {
            failed_at.is_some_and(|at| chapter.first <= at && at <= chapter.last)
        };
        if let Some(inner) = self.listed.iter_mut().rev().find(is_around) {
            inner.outcome = inner.outcome.or(Some("failed"));
        }
        (self.listed.clone(), self.left_out)
    }
}

/// False for most of what is written over, such as a progress bar.
pub fn has_marks(hidden: &[u8]) -> bool {
    [&b"section_"[..], b"travis_"].iter().any(|mark| memmem::find(hidden, mark).is_some())
}

fn number_in(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

fn micros_of_nanos(digits: &[u8]) -> i64 {
    number_in(&digits[..digits.len() - 3])
}

fn micros_of_seconds(seconds: &[u8]) -> i64 {
    let mut parts = seconds.splitn(2, |&byte| byte == b'.');
    let whole = parts.next().map_or(0, number_in);
    let fraction = parts.next().unwrap_or_default();
    let scale = 10_i64.pow(6 - fraction.len().min(6) as u32);
    whole * SECOND + number_in(fraction) * scale
}
