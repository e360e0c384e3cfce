// SPDX-License-Identifier: Apache-2.0
//! Finds the chapters of a log by the marks of its lines.

use crate::causes::chapter_rules::{Event, Rule, Rules};
use crate::causes::chapters::{Chapters, Heading, Marked};
use crate::causes::sections::Sections;
use crate::recognition::patterns::Cache;
use crate::recognition::times::{Clock, SECOND, micros_of_fraction, number};

/// Finds the chapters of one log.
pub struct ChapterFinder {
    pub found: Chapters,
    sections: Sections,
}

impl ChapterFinder {
    pub fn new(clock: Clock) -> Self {
        Self { found: Chapters::new(clock), sections: Sections::default() }
    }

    /// Takes a line. has_mark: false if no rule matches its content.
    pub fn add(&mut self, rules: &Rules, cache: &mut Cache, line: &Marked<'_>, has_mark: bool) {
        if !line.hidden.is_empty() {
            self.sections.read(&mut self.found, rules, line);
        }
        if let Some(rule) = line.command.filter(|_| !line.content.is_empty()) {
            self.sections.begin_command(&mut self.found, rules, rule, line);
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
        let heading = Heading { tool, level, name, shown: rules.without_prompt(name), outcome };
        match rule.event {
            Event::Begins => self.found.begin(line, &heading),
            Event::Within => {
                if self.found.open.iter().any(|one| one.tool == rule.tool) {
                    self.found.begin(line, &heading);
                }
            }
            Event::Nests => {
                self.found.close(level + 1, line, 0);
                self.found.open_one(line, &heading);
            }
            Event::Ends | Event::Reports => self.end_named(rules, rule, line, &heading),
            Event::Closes => self.found.close(level, line, 0),
            Event::Says | Event::Forgives => {
                let is_final = rule.event == Event::Forgives;
                self.found.say(&rule.tool, level, line.number, outcome, is_final);
            }
            Event::Hidden | Event::Folds | Event::Names | Event::Echoes => {
                let (number, time, hidden) = (line.number, line.time, line.content);
                let marked = Marked { number, time, hidden, content: b"", command: None };
                self.sections.read(&mut self.found, rules, &marked);
            }
        }
    }

    fn end_named(&mut self, rules: &Rules, rule: &Rule, line: &Marked<'_>, heading: &Heading<'_>) {
        if let Some(place) = self.found.find(&rule.tool, rule.level, heading.name) {
            self.found.close(rule.level + 1, line, place + 1);
            let micros = match rules.seconds.captures(line.content) {
                Some(seconds) => Some(micros_of_seconds(&seconds[1])),
                None => self.found.since(self.found.open[place].time, line),
            };
            self.found.end(place, line.number, rule.outcome, micros);
        } else if rule.event == Event::Reports {
            self.found.begin(line, heading);
        }
    }
}

fn micros_of_seconds(seconds: &[u8]) -> i64 {
    let mut parts = seconds.splitn(2, |&byte| byte == b'.');
    let whole = parts.next().map_or(0, number);
    whole * SECOND + micros_of_fraction(parts.next().unwrap_or_default())
}
