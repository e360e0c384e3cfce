// SPDX-License-Identifier: Apache-2.0
//! The grammar of a line's head, as `oslogserve/lines/head.py` defines it: step by step the same.

use std::ops::Range;

use crate::cursor::{Cursor, is_blank, is_in_field, is_space, is_word};
use crate::grammar::{CUT, Grammar, PLACED, PLAIN, SAID};
use crate::members;
use crate::shapes::*;

/// Bytes of a line that are looked at.
pub const REACH: usize = 4096;
/// Bytes and tokens of a head that is plain text.
const PLAIN_REACH: usize = 512;
const MOST_TOKENS: usize = 40;
const MOST_CONTENTS: usize = 8;
const MOST_BARE: usize = 2;
const MOST_FIELDS: usize = 6;

/// What a line shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Where its time stands; empty for none.
    pub time: Range<usize>,
    /// Of its own severity.
    pub rank: Option<usize>,
    /// Where its level ends.
    pub behind: usize,
}

/// What content stands behind.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Start,
    Named,
    Timed,
    Logged,
}

/// The head of a line. text: at most `REACH` bytes of it, without colours, end and `\r`.
pub fn read_head(grammar: &Grammar, text: &[u8]) -> Head {
    let mut reader = Reader {
        grammar,
        text,
        plain: &text[..text.len().min(PLAIN_REACH)],
        head: Head::default(),
        starts: [0; MOST_CONTENTS],
        start_count: 0,
        contents: 0,
        content: 0,
        default: None,
        context: Context::Start,
        bare: 0,
        fields: 0,
        last: b"",
        is_numeric: true,
        is_column: false,
    };
    reader.read();
    reader.head
}

/// One line on its way. Each step takes a token and returns where the next one begins; None where
/// nothing more is to be read.
struct Reader<'t> {
    grammar: &'t Grammar,
    text: &'t [u8],
    /// As much of it as a plain head has.
    plain: &'t [u8],
    head: Head,
    /// Where content began that exceptions may match.
    starts: [usize; MOST_CONTENTS],
    start_count: usize,
    contents: usize,
    /// Where the last one began.
    content: usize,
    /// Counts where the content shows none: syslog's priority.
    default: Option<usize>,
    context: Context,
    /// Words of prose, and fields, since content began.
    bare: usize,
    fields: usize,
    /// The word of prose before the next token.
    last: &'t [u8],
    /// Nothing but numbers so far.
    is_numeric: bool,
    /// Several spaces stand before the next token.
    is_column: bool,
}

impl<'t> Reader<'t> {
    fn read(&mut self) {
        let mut next = self.begin(0, Context::Start);
        for _ in 0..MOST_TOKENS {
            let Some(at) = next.filter(|&at| at < self.plain.len()) else {
                break;
            };
            next = self.token(at).map(|at| {
                let behind = behind_blanks(self.text, at);
                self.is_column = behind - at > 1;
                if self.is_column {
                    self.last = b"";
                }
                behind
            });
        }
        if self.head.rank.is_none() {
            self.head.rank = self.outcome();
        }
    }

    /// The severity of a line whose head shows none.
    fn outcome(&self) -> Option<usize> {
        let (grammar, text) = (self.grammar, self.text);
        let starts = &self.starts[..self.start_count];
        let exception = starts.iter().find_map(|&start| grammar.exception(text, start));
        exception
            .or_else(|| grammar.place(&self.plain[starts.first()?.saturating_sub(1)..]))
            .or(self.default)
            .or_else(|| grammar.ending(text))
    }

    fn cursor(&self, at: usize) -> Cursor<'t> {
        Cursor::new(self.text, at)
    }

    fn plain_cursor(&self, at: usize) -> Cursor<'t> {
        Cursor::new(self.plain, at)
    }

    fn scan(&self, at: usize) -> Option<Range<usize>> {
        scan(&self.grammar.layouts, self.plain, at)
    }

    fn is_logged(&self) -> bool {
        matches!(self.context, Context::Timed | Context::Logged)
    }

    fn found_time(&mut self, time: Range<usize>) {
        if self.head.time.is_empty() {
            self.head.time = time;
        }
    }

    /// Keeps the severity; where no time stood before it, one may stand behind. None: nothing more
    /// is to be read.
    fn found(&mut self, rank: usize, behind: usize) -> Option<usize> {
        self.head.rank = Some(rank);
        self.head.behind = behind;
        let mut at = behind;
        for _ in 0..3 {
            if !self.head.time.is_empty() {
                break;
            }
            let mut cursor = self.cursor(at);
            cursor.run(usize::MAX, |byte| {
                matches!(byte, b' ' | b'\t' | b':' | b',' | b'|' | b']' | b')' | b'>' | b'-')
            });
            let _ = cursor.skip(b"[");
            at = cursor.at;
            let time = self.scan(at).or_else(|| scan(&self.grammar.day_of_year, self.plain, at));
            if let Some(time) = time.or_else(|| uptime_at(self.cursor(at.checked_sub(1)?))) {
                self.found_time(time);
                break;
            }
            at = group_end(self.plain, at.saturating_sub(1), b'[')?;
        }
        None
    }

    fn begin(&mut self, at: usize, context: Context) -> Option<usize> {
        let at = behind_blanks(self.text, at);
        self.contents += 1;
        if self.contents > MOST_CONTENTS || at >= self.plain.len() {
            return None;
        }
        self.context = context;
        (self.bare, self.fields, self.last) = (0, 0, b"");
        (self.is_numeric, self.is_column) = (true, false);
        self.content = at;
        if let Some(time) = self.time_at(at) {
            return self.behind_time(time);
        }
        let is_column_end = context == Context::Timed && self.text[at] == b'|';
        if context != Context::Named && !is_column_end {
            self.starts[self.start_count] = at;
            self.start_count += 1;
        }
        let members = if self.text[at] == b'{' {
            members::of_json(self.grammar, self.text, at)
        } else if is_key_at(self.cursor(at)) {
            members::of_pairs(self.grammar, self.text, at)
        } else {
            None
        };
        if let Some(found) = members {
            self.found_time(found.time);
            self.head.rank = found.rank;
            return None;
        }
        self.layout(at)
    }

    /// Content that has a shape of its own; else where its fields begin.
    fn layout(&mut self, at: usize) -> Option<usize> {
        let first = self.text[at];
        if self.context == Context::Start {
            if let Some((end, priority)) = prefix_at(self.cursor(at)) {
                if let Some(priority) = priority {
                    self.default = Some(self.grammar.syslog(priority % 8));
                }
                return self.begin(end, Context::Start);
            }
            if at == 0 && matches!(first, b'E' | b'W' | b'N') && is_apt_at(self.cursor(1)) {
                return self.found(self.grammar.letter(first)?, 1);
            }
            if first == b's'
                && let Some(epoch) = section_at(self.cursor(at))
            {
                self.found_time(epoch);
                return None;
            }
            if first.is_ascii_lowercase()
                && let Some(end) = facility_column_at(self.cursor(at))
            {
                self.context = Context::Logged;
                return Some(end);
            }
            if matches!(first, b'*' | b'=')
                && let Some(end) = ornament_at(self.cursor(at))
            {
                return self.begin(end, Context::Named);
            }
        }
        if self.context == Context::Named {
            return Some(at);
        }
        if first == b'P' && self.text[at..].starts_with(b"PHP ") {
            return self.begin(at + 4, self.context);
        }
        if self.context == Context::Timed
            && first == b's'
            && let Some(end) = stream_at(self.cursor(at))
        {
            return self.begin(end, Context::Timed);
        }
        self.leveled_layout(at, first)
    }

    /// Content whose shape has a level in it.
    fn leveled_layout(&mut self, at: usize, first: u8) -> Option<usize> {
        let (grammar, text) = (self.grammar, self.text);
        if matches!(first, b'#' | b':')
            && let Some((name, end)) = command_at(self.plain_cursor(at))
        {
            let word = grammar.word(name)?;
            return self.found(word.rank, end);
        }
        if matches!(first, b'I' | b'W' | b'E' | b'F')
            && text.get(at + 1..at + 5).is_some_and(|date| date.iter().all(u8::is_ascii_digit))
            && let Some(time) = scan(&grammar.klog, self.plain, at + 1)
        {
            let end = time.end;
            self.found_time(time);
            return self.found(grammar.letter(first)?, end);
        }
        if matches!(first, b'V' | b'D' | b'I' | b'W' | b'E' | b'F')
            && let Some(end) = logcat_at(self.cursor(at))
        {
            return self.found(grammar.letter(first)?, end);
        }
        if first == b'%'
            && let Some((digit, end)) = cisco_at(self.cursor(at))
        {
            return self.found(grammar.syslog(digit), end);
        }
        if first == b'='
            && let Some((name, end)) = report_at(self.cursor(at))
            && let Some(word) = grammar.word(name)
        {
            return self.found(word.rank, end);
        }
        if (is_word(first) || first == b'-')
            && let Some((name, end)) = named_level_at(self.cursor(at))
            && let Some(word) = grammar.word(name)
        {
            return self.found(word.rank, end);
        }
        Some(at)
    }

    fn token(&mut self, at: usize) -> Option<usize> {
        let first = self.text[at];
        if at != self.content
            && let Some(time) = self.time_at(at)
        {
            return self.behind_time(time);
        }
        if matches!(first, b'[' | b'(' | b'<' | b'{') {
            return self.group(at, first);
        }
        let is_address = first == b':' && self.context == Context::Start;
        if !is_address && let Some(end) = mark_at(self.cursor(at)) {
            return self.mark(at, end);
        }
        if matches!(self.last, b"" | b"root" | b"main") && self.level(at) {
            return None;
        }
        self.field(at)
    }

    fn time_at(&self, at: usize) -> Option<Range<usize>> {
        let first = self.text[at];
        (first.is_ascii_digit() || first.is_ascii_uppercase()).then(|| self.scan(at))?
    }

    fn behind_time(&mut self, time: Range<usize>) -> Option<usize> {
        let mut cursor = self.cursor(time.end);
        cursor.one(|byte| matches!(byte, b']' | b'|' | b':' | b','));
        cursor.blanks();
        self.found_time(time);
        self.begin(cursor.at, Context::Timed)
    }

    fn mark(&mut self, at: usize, end: usize) -> Option<usize> {
        let first = self.text[at];
        self.last = b"";
        if self.is_logged() {
            self.bare = 0;
            if first != b'|' {
                return Some(end);
            }
            let at = behind_blanks(self.text, end);
            let is_table = self.text.get(at) == Some(&b'|');
            return if is_table { None } else { self.begin(at, self.context) };
        }
        if !first.is_ascii() {
            return self.begin(end, Context::Named);
        }
        if first == b'|' {
            let is_prefix = self.contents == 1 && (1..3).contains(&(self.fields + self.bare));
            return if is_prefix { self.begin(end, Context::Start) } else { None };
        }
        self.fields += 1;
        (first == b'-').then_some(end)
    }

    fn group(&mut self, at: usize, first: u8) -> Option<usize> {
        if matches!(first, b'[' | b'<')
            && let Some(found) = self.time_in_brackets(at)
        {
            return found;
        }
        let end = group_end(self.plain, at, first);
        if self.may_hold_level(first)
            && let Some(rank) = self.rank_in_group(at)
        {
            return self.found(rank, end.unwrap_or(at));
        }
        let is_markup = first == b'<' && self.context == Context::Start;
        let end = end.filter(|_| !is_markup)?;
        if self.context == Context::Start && first == b'[' && self.bare == 0 && self.is_numeric {
            return self.begin(end, Context::Start);
        }
        (self.last, self.is_numeric) = (b"", false);
        self.fields += 1;
        (self.fields <= MOST_FIELDS).then_some(end)
    }

    /// Where to read on behind a bracket and a time; None where there is no such time.
    fn time_in_brackets(&mut self, at: usize) -> Option<Option<usize>> {
        let mut inner = self.cursor(at + 1);
        inner.spaces();
        if let Some(time) = self.scan(inner.at) {
            return Some(self.behind_time(time));
        }
        if self.text[at] == b'<' {
            return None;
        }
        if let Some(time) = word_before_time_at(self.cursor(at)).and_then(|end| self.scan(end)) {
            return Some(self.behind_time(time));
        }
        if let Some((name, end)) = level_before_time_at(self.cursor(at))
            && let Some(time) = self.scan(end)
        {
            let end = time.end;
            self.found_time(time);
            let rank = match name {
                [letter] => self.grammar.letter(*letter),
                _ => self.grammar.word(name).map(|word| word.rank),
            };
            return Some(rank.map_or(Some(end), |rank| self.found(rank, end)));
        }
        if self.context == Context::Start {
            let time = epoch_at(self.cursor(at)).or_else(|| uptime_at(self.cursor(at)))?;
            return Some(self.behind_time(time));
        }
        None
    }

    fn may_hold_level(&self, bracket: u8) -> bool {
        match self.context {
            Context::Start => self.bare + self.fields == 0 && matches!(bracket, b'[' | b'<'),
            _ => self.bare <= MOST_BARE,
        }
    }

    fn rank_in_group(&self, at: usize) -> Option<usize> {
        let is_logged = self.is_logged();
        if is_logged && let Some(digit) = facility_number_at(self.cursor(at)) {
            return Some(self.grammar.syslog(digit));
        }
        let (name, end) = level_alone_at(self.plain_cursor(at))
            .or_else(|| level_and_name_at(self.plain_cursor(at)))?;
        let bracket = self.text[at];
        if let [letter] = name {
            let may_be = letter.is_ascii_uppercase() && bracket != b'(';
            return self.grammar.letter(*letter).filter(|_| may_be);
        }
        let word = self.grammar.word(name)?;
        let is_upper = is_upper(name);
        if (bracket != b'[' && !is_upper && !is_logged)
            || (bracket == b'<' && end >= self.text.len())
            || (!is_upper && !is_logged && word.strictness == PLACED)
        {
            return None;
        }
        Some(word.rank)
    }

    /// Keeps the level that stands there, if one does in this place.
    fn level(&mut self, at: usize) -> bool {
        let may_be_one = self.is_logged() || self.fields + self.bare == 0;
        if !may_be_one || !self.text[at].is_ascii_alphabetic() {
            return false;
        }
        let adjective = adjective_at(self.cursor(at));
        let begin = adjective.map_or(at, |(end, _)| end);
        let found = word_at(self.plain_cursor(begin));
        let word = found.and_then(|name| self.grammar.word(name));
        if let (Some(name), Some(word)) = (found, word)
            && self.is_level(name, begin + name.len(), word.strictness)
        {
            let is_fatal = adjective.is_some_and(|(_, is_fatal)| is_fatal);
            let rank = match self.grammar.word(b"FATAL") {
                Some(fatal) if is_fatal && self.context != Context::Named => fatal.rank,
                _ => word.rank,
            };
            self.found(rank, begin + name.len());
            return true;
        }
        if self.is_numeric
            && self.context == Context::Timed
            && is_letter_at(self.cursor(at))
            && let Some(rank) = self.grammar.letter(self.text[at])
        {
            self.found(rank, at + 1);
            return true;
        }
        false
    }

    /// Whether the word is one of a level, by its case, its context and what follows it.
    fn is_level(&self, name: &[u8], end: usize, strictness: u8) -> bool {
        let (context, is_logged, is_upper) = (self.context, self.is_logged(), is_upper(name));
        let follows = self.text.get(end).copied();
        if follows == Some(b'[') {
            if is_upper && self.scan(end + 1).is_some() {
                return true;
            }
            let has_colon = code_in_brackets_at(self.plain_cursor(end));
            return has_colon.is_some_and(|has_colon| is_upper || has_colon);
        }
        if code_at(self.plain_cursor(end)).is_some() {
            return true;
        }
        if is_assigned_at(self.cursor(end))
            || (name == b"fatal" && self.text[end..].starts_with(b": ["))
        {
            return false;
        }
        if is_colon_at(self.plain_cursor(end)) {
            if is_upper || context == Context::Timed {
                return is_logged || strictness != PLACED;
            }
            let is_name =
                matches!(name, b"alert" | b"audit" | b"trace") || is_value_at(self.cursor(end));
            return !is_name && (is_logged || matches!(strictness, PLAIN | SAID));
        }
        if is_upper && is_logged {
            return follows.is_none_or(|byte| {
                matches!(byte, b' ' | b'\t' | b':' | b'|' | b']' | b')' | b'!' | b'/')
            });
        }
        if is_upper {
            let is_plain = matches!(strictness, PLAIN | CUT)
                && follows.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'|' | b'!'));
            return context == Context::Start && (follows == Some(b':') || is_plain);
        }
        if is_logged && self.is_column && self.text[end..].starts_with(b"  ") {
            return strictness != PLACED;
        }
        if name[0].is_ascii_uppercase()
            && follows == Some(b' ')
            && !self.text[end..].starts_with(b" - ")
        {
            return false; // it begins a sentence
        }
        let is_direct = context == Context::Timed && self.fields + self.bare == 0;
        let is_apart = strictness != PLACED && follows.is_some_and(is_blank);
        is_direct && (follows == Some(b'/') || is_apart)
    }

    fn field(&mut self, at: usize) -> Option<usize> {
        let mut cursor = self.plain_cursor(at);
        let mut name = cursor.some(usize::MAX, is_in_field)?;
        if name.iter().all(|byte| b"+$#".contains(byte)) {
            return None; // a shell's prompt, or what it traces
        }
        let mut end = cursor.at;
        let mut is_logged = self.is_logged();
        if is_logged && let Some(rank) = self.rank_in_field(at, end) {
            return self.found(rank, end);
        }
        if let Some(program) = self.program_end(name, end) {
            is_logged |= matches!(self.text.get(end), Some(b'[' | b'('));
            let is_first = self.context == Context::Start && self.fields + self.bare == 0;
            let context = if is_logged { Context::Logged } else { Context::Named };
            return if is_logged || is_first { self.begin(program, context) } else { None };
        }
        if self.text.get(end) == Some(&b'=') {
            let value = self.plain_cursor(end);
            end = behind(value, |cursor| {
                cursor.skip(b"=")?;
                cursor.some(usize::MAX, |byte| !is_space(byte))?;
                cursor.peek().filter(|&byte| is_blank(byte)).map(|_| ())
            })
            .filter(|_| is_logged)?;
            name = &self.plain[value.at..end];
        }
        if name.iter().all(u8::is_ascii_alphabetic) {
            self.bare += 1;
            (self.last, self.is_numeric) = (name, false);
            return (self.bare <= if is_logged { MOST_BARE } else { 1 }).then_some(end);
        }
        self.fields += 1;
        self.last = if name[0] == b'=' { name } else { b"" };
        self.is_numeric = self.is_numeric && is_number(name);
        (is_logged || self.fields <= MOST_FIELDS).then_some(end)
    }

    /// Where content begins behind a program's name; None if the field is none.
    fn program_end(&self, name: &[u8], end: usize) -> Option<usize> {
        if let Some(process) = process_at(self.cursor(end)) {
            return Some(process);
        }
        if self.context == Context::Start && self.text[end..].starts_with(b" : ") {
            return Some(end + 3);
        }
        (name.last() == Some(&b':') && self.cursor(end).is_before_blank()).then_some(end)
    }

    /// The severity that a field names besides something else.
    fn rank_in_field(&self, at: usize, end: usize) -> Option<usize> {
        let grammar = self.grammar;
        if let Some(name) = facility_level_at(self.cursor(at))
            && let Some(word) = grammar.word(name)
        {
            return Some(word.rank);
        }
        if self.text.get(end) == Some(&b',')
            && let Some(topics) = topics_at(self.cursor(at))
        {
            let words = topics.split(|&byte| byte == b',').filter_map(|topic| grammar.word(topic));
            return words.map(|word| word.rank).max();
        }
        self.text.get(end).filter(|&&byte| byte == b'[')?;
        let (name, _) = level_alone_at(self.cursor(end))?;
        grammar.word(name).filter(|_| is_upper(name)).map(|word| word.rank)
    }
}
