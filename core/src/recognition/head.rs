// SPDX-License-Identifier: Apache-2.0
//! A line's head: where its time is, and which severity it shows.
//!
//! A head is a row of fields: time, host, program, process, thread, name, level. Each program has its own
//! order. The fields are read from left to right as tokens. Reading ends at a level where levels may be, or
//! where the line has become prose. After a prefix, such as a container's name or a syslog program, content
//! begins again. Only the tables of `core/grammar` know programs.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::cursor::{Cursor, is_blank, is_word};
use crate::recognition::grammar::{Caches, Grammar, group_at};
use crate::recognition::members::{self, Members};
use crate::recognition::tokens::{Kind, Position};

/// Bytes of a line that are read.
pub const REACH: usize = 4096;
/// Bytes and tokens of a head that is plain text.
pub const PLAIN_REACH: usize = 512;
pub const MOST_TOKENS: usize = 40;
pub const MOST_CONTENTS: usize = 8;
pub const MOST_WORDS: usize = 2;
pub const MOST_FIELDS: usize = 6;
/// Objects in each other whose text is read.
pub const MOST_NESTED: usize = 4;
/// Bytes of a date that no layout fits.
pub const LONGEST_DATE: usize = 32;

/// What a head shows.
#[derive(Default)]
pub struct Head {
    /// The time's place; empty for none.
    pub time: Range<usize>,
    /// The severity's rank.
    pub rank: Option<usize>,
    /// Where the level ends.
    pub behind: usize,
    /// True if the time is in the mark of a section: it begins no record.
    pub is_mark: bool,
    /// True if the severity is a wrapper's, whose text shows none.
    pub is_default: bool,
    /// Where the text in wrappers begins, behind a time in them; 0 for a line without wrappers.
    pub text: u16,
    /// The same in the text that an object quotes.
    pub inner: u16,
}

/// The head of a line. text: at most `REACH` bytes of it, without colours, end and `\r`.
/// may_have_location: false if the text holds no word of a location in a file.
pub fn read_head(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    may_have_location: &mut dyn FnMut() -> bool,
) -> Head {
    let lead = size_of_lead(text);
    let head = head_within(grammar, caches, &text[lead..], may_have_location, 0);
    let Head { time, behind, text, .. } = head;
    let text = if text > 0 { text + lead as u16 } else { 0 };
    Head { time: time.start + lead..time.end + lead, behind: behind + lead, text, ..head }
}

/// depth: the objects in which the text is quoted.
fn head_within(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    may_have_location: &mut dyn FnMut() -> bool,
    depth: usize,
) -> Head {
    let mut reader = Reader {
        grammar,
        caches,
        may_have_location,
        depth,
        is_wrapped: depth > 0,
        from: None,
        looked: 0,
        text,
        plain: &text[..text.len().min(PLAIN_REACH)],
        head: Head::default(),
        starts: [0; MOST_CONTENTS],
        start_count: 0,
        contents: 0,
        content: Content::new(0, Position::Start),
        default: None,
    };
    reader.read();
    reader.head
}

/// Bytes before a line's text that show nothing: a byte order mark, NULs where a log was cut while it was
/// written to, form feeds.
fn size_of_lead(text: &[u8]) -> usize {
    let mark = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    mark + text[mark..].iter().take_while(|&&byte| matches!(byte, b'\0' | b'\x0c')).count()
}

/// The state of reading one head. A step takes a token and returns where the next one begins; None
/// to stop.
struct Reader<'r> {
    grammar: &'r Grammar,
    caches: &'r mut Caches,
    may_have_location: &'r mut dyn FnMut() -> bool,
    depth: usize,
    /// True if it is quoted, or has a wrapper.
    is_wrapped: bool,
    text: &'r [u8],
    /// The first PLAIN_REACH bytes of the text.
    plain: &'r [u8],
    head: Head,
    /// Where the content behind a time at the line's beginning begins; None for other heads.
    from: Option<usize>,
    /// What was read depends on no byte from here on.
    looked: usize,
    /// Places where content began that exceptions may match.
    starts: [usize; MOST_CONTENTS],
    start_count: usize,
    contents: usize,
    /// The last content.
    content: Content,
    /// The rank of a wrapper or syslog's priority, for content that shows none.
    default: Option<usize>,
}

/// A content, up to the token that is read.
struct Content {
    /// Where it began.
    start: usize,
    /// Start, Named, Timed or Logged.
    context: Position,
    /// Words of prose.
    words: usize,
    fields: usize,
    /// Directly behind a word.
    is_prose: bool,
    /// Nothing but numbers so far.
    is_numeric: bool,
    /// Behind several spaces.
    is_column: bool,
}

impl Content {
    fn new(start: usize, context: Position) -> Self {
        let (is_prose, is_numeric, is_column) = (false, true, false);
        Self { start, context, words: 0, fields: 0, is_prose, is_numeric, is_column }
    }

    fn is_logged(&self) -> bool {
        matches!(self.context, Position::Timed | Position::Logged)
    }

    fn is_first(&self) -> bool {
        self.fields + self.words == 0
    }

    fn position(&self) -> Position {
        match (self.context, self.is_first()) {
            (Position::Timed | Position::Logged, _) if self.is_prose => Position::Prose,
            (Position::Start, true) => Position::FirstStart,
            (Position::Named, true) => Position::FirstNamed,
            (Position::Timed, true) => Position::FirstTimed,
            (Position::Logged, true) => Position::FirstLogged,
            (Position::Timed, false) if self.is_numeric => Position::Numbered,
            (context, _) => context,
        }
    }
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut next = self.begin(0, Position::Start);
        for _ in 0..MOST_TOKENS {
            let Some(at) = next.filter(|&at| at < self.plain.len()) else {
                break;
            };
            next = self.token(at).map(|at| {
                let behind = self.behind_blanks(at);
                self.content.is_column = behind - at > 1 || self.text.get(at) == Some(&b'\t');
                self.content.is_prose &= !self.content.is_column;
                behind
            });
        }
        match (self.head.rank, self.from) {
            (None, _) => self.head.rank = self.outcome(),
            (Some(rank), Some(from)) if self.looked <= self.plain.len() && !self.is_wrapped => {
                let (size, behind) = (self.looked - from, self.head.behind - from);
                self.caches.heads.put(&self.plain[from..], size, rank, behind);
            }
            _ => {}
        }
    }

    /// Notes that what is read depends on the bytes before `end`.
    fn look(&mut self, end: usize) {
        self.looked = self.looked.max(end);
    }

    fn behind_blanks(&mut self, at: usize) -> usize {
        let behind = behind_blanks(self.text, at);
        self.look(behind + 1);
        behind
    }

    /// The rank of a line whose head shows none: by an exception, a place or its ending. What passed shows none.
    fn outcome(&mut self) -> Option<usize> {
        let (grammar, text) = (self.grammar, self.text);
        let found = self.shown_outcome();
        let found =
            found.filter(|&rank| rank < grammar.warning || !grammar.exceptions.has_passed(text));
        self.head.is_default = found.is_none() && self.default.is_some();
        found.or(self.default)
    }

    fn shown_outcome(&mut self) -> Option<usize> {
        let starts = &self.starts[..self.start_count];
        for &start in starts {
            let rank = self.grammar.exceptions.at(&mut self.caches.exceptions, self.text, start);
            if rank.is_some() {
                return rank;
            }
        }
        let first = starts.first().map(|first| first.saturating_sub(1));
        first
            .filter(|_| (self.may_have_location)())
            .and_then(|first| {
                self.grammar.exceptions.location(&self.grammar.severities, &self.plain[first..])
            })
            .or_else(|| self.grammar.exceptions.ending(self.text))
    }

    fn scan(&mut self, at: usize) -> Option<Range<usize>> {
        let found = self.grammar.times.at(&mut self.caches.times, self.plain, at);
        self.look(self.caches.times.looked);
        found
    }

    fn found_time(&mut self, time: Range<usize>) {
        if self.head.time.is_empty() && !self.is_lost(&time) {
            self.head.time = time;
        }
    }

    /// True for the date of a thing, and for a time of day that is a duration or whose date was not read.
    fn is_lost(&self, time: &Range<usize>) -> bool {
        let before = &self.text[time.start.saturating_sub(LONGEST_DATE)..time.start];
        let is_of_day = matches!(self.text[time.clone()], [_, b':', ..] | [_, _, b':', ..]);
        before.iter().any(|&byte| is_word(byte))
            && (is_of_day && self.grammar.times.no_clock.is_match(before)
                || self.grammar.times.thing.is_match(before))
    }

    /// Keeps the severity, and a time behind it if none stood before.
    fn found(&mut self, rank: usize, behind: usize) {
        self.head.rank = Some(rank);
        self.head.behind = behind;
        let mut at = behind;
        for _ in 0..3 {
            if !self.head.time.is_empty() {
                return;
            }
            let is_between = |byte: &u8| b" \t:,|])>-".contains(byte);
            at += self.text[at..].iter().take_while(|byte| is_between(byte)).count();
            at += usize::from(self.text.get(at) == Some(&b'['));
            let day = |reader: &Self| reader.grammar.times.day_of_year.scan(reader.plain, at);
            let uptime = &self.grammar.times.uptime;
            if let Some(time) = self.scan(at).or_else(|| day(self)) {
                self.found_time(time);
            } else if let Some(time) =
                at.checked_sub(1).and_then(|at| group_at(uptime, self.text, at))
            {
                self.found_time(time);
            } else if at > 0 && self.plain.get(at - 1) == Some(&b'[') {
                let Some(size) = memchr(b']', &self.plain[at..]) else {
                    return;
                };
                at += size + 1;
            } else {
                return;
            }
        }
    }

    fn begin(&mut self, at: usize, context: Position) -> Option<usize> {
        let at = self.behind_blanks(at);
        self.contents += 1;
        if self.contents > MOST_CONTENTS || at >= self.plain.len() {
            return None;
        }
        self.content = Content::new(at, context);
        // Cisco's marks of a clock that is not set, and wget's dashes.
        let marks = match self.text[at..] {
            [b'*' | b'.', ..] => 1,
            [b'-', b'-', ..] => 2,
            _ => 0,
        };
        self.look(at + 2 + marks / 2);
        if let Some(time) = self.time_at(at + marks) {
            let is_of_thing = context == Position::Named && is_value(self.text, &time);
            return if is_of_thing { None } else { self.behind_time(time) };
        }
        let is_column_end = context == Position::Timed && self.text[at] == b'|';
        if context != Position::Named && !is_column_end {
            self.starts[self.start_count] = at;
            self.start_count += 1;
        }
        if self.text[at] == b'{' { self.object(at) } else { Some(at) }
    }

    /// Reads a JSON object, and the text of a line in it if it has no level. None if it says something.
    fn object(&mut self, at: usize) -> Option<usize> {
        self.look(usize::MAX);
        let found = members::of_json(self.grammar, self.caches, self.text, at);
        let says_nothing = found.is_none();
        self.found_members(found.unwrap_or_default());
        if self.head.rank.is_none() && self.depth < MOST_NESTED {
            let names = &self.grammar.severities.keys.text;
            if let Some((place, line)) = members::quoted(names, self.text, at) {
                let depth = self.depth + 1;
                let head = head_within(self.grammar, self.caches, &line, &mut || true, depth);
                (self.head.rank, self.head.is_default) = (head.rank, head.is_default);
                self.head.inner = head.inner.max(head.text);
                let (start, time) = (place.start, &line[head.time]);
                let found = memmem::find(&self.text[place], time).filter(|_| !time.is_empty());
                if let Some(at) = found.filter(|_| self.head.time.is_empty()) {
                    self.head.time = start + at..start + at + time.len();
                }
            }
        }
        (says_nothing && self.head.rank.is_none()).then_some(at)
    }

    fn found_members(&mut self, found: Members) {
        if self.head.time.is_empty() {
            self.head.time = found.time;
        }
        self.head.rank = found.rank;
        self.default = self.default.or(found.default);
    }

    fn time_at(&mut self, at: usize) -> Option<Range<usize>> {
        let first = self.plain.get(at)?;
        (first.is_ascii_digit() || first.is_ascii_uppercase()).then(|| self.scan(at))?
    }

    fn behind_time(&mut self, time: Range<usize>) -> Option<usize> {
        let is_mark = self.text.get(time.end).is_some_and(|byte| b"])|:,".contains(byte));
        let behind = time.end + usize::from(is_mark);
        self.look(behind + 1);
        if self.is_wrapped {
            self.move_text(&time);
        }
        if self.contents == 1 && self.start_count == 0 {
            if let Some((rank, size)) = self.caches.heads.get(&self.plain[behind..]) {
                let behind = behind + size;
                self.head = Head { time, rank: Some(rank), behind, ..self.head };
                return None;
            }
            (self.from, self.looked) = (Some(behind), behind);
        }
        if self.start_count > 0
            && self.content.start == time.start
            && self.starts[self.start_count - 1] == time.start
        {
            self.start_count -= 1;
        }
        self.found_time(time);
        self.begin(behind, Position::Timed)
    }

    /// Moves the beginning of the text behind a time with which it begins, and a blank.
    fn move_text(&mut self, time: &Range<usize>) {
        let before = self.text.get(usize::from(self.head.text)..time.start).unwrap_or(b"-");
        if before.iter().all(|byte| b" \t[(".contains(byte)) {
            let behind = &self.text[time.end..];
            let brackets = usize::from(matches!(behind, [b']' | b')', ..]));
            let blanks = usize::from(behind.get(brackets).is_some_and(|&byte| is_blank(byte)));
            self.head.text = (time.end + brackets + blanks) as u16;
        }
    }

    /// Reads a time behind a bracket: where the next step begins; None where there is no time.
    fn time_in_brackets(&mut self, at: usize) -> Option<Option<usize>> {
        let mut inner = Cursor::new(self.text, at + 1);
        inner.spaces();
        if let Some(time) = self.scan(inner.at) {
            return Some(self.behind_time(time));
        }
        let (level, end) = before_time_at(self.text, at)?;
        let time = self.scan(end)?;
        if at == usize::from(self.head.text) && self.text[at + 1].is_ascii_lowercase() {
            (self.is_wrapped, self.head.text) = (true, end as u16);
        }
        let Some(rank) = self.grammar.severities.rank_of(level) else {
            return Some(self.behind_time(time));
        };
        let end = time.end;
        self.found_time(time);
        self.found(rank, end);
        Some(None)
    }

    fn token(&mut self, at: usize) -> Option<usize> {
        if at != self.content.start {
            if let Some(time) = self.time_at(at) {
                return self.behind_time(time);
            }
        }
        if matches!(self.text[at], b'[' | b'<' | b'(') {
            self.look(usize::MAX);
            if let Some(found) = self.time_in_brackets(at) {
                return found;
            }
        }
        let mut position = self.content.position();
        let own = position;
        if own == Position::FirstStart && may_wrap(&self.plain[at..]) {
            position = Position::Wrapped;
        }
        let (kind, end) = loop {
            let tokens = &mut self.caches.tokens;
            let (found, looked) = self.grammar.tokens.token_at(tokens, position, self.plain, at);
            self.look(looked);
            match found {
                Some(found) => break found,
                None if position == own => return None,
                None => position = own,
            }
        };
        if let Some((rank, behind)) = self.level(kind, at, end) {
            self.found(rank, behind);
            return None;
        }
        self.separator(kind, at, end)
    }

    /// The rank of a level, and where it ends.
    fn level(&mut self, kind: Kind, at: usize, end: usize) -> Option<(usize, usize)> {
        let (grammar, text) = (self.grammar, self.text);
        match kind {
            Kind::LineLetter if at > 0 => return None,
            Kind::Letter | Kind::LineLetter => {
                return Some((grammar.severities.letter(text[at])?, at + 1));
            }
            Kind::Digit => {
                let mut pairs = text[at..end].windows(2);
                let pair = pairs
                    .find(|pair| b"-.".contains(&pair[0]) && matches!(pair[1], b'0'..=b'7'))?;
                return Some((grammar.severities.syslog(pair[1] - b'0'), end));
            }
            Kind::Klog => {
                self.look(usize::MAX);
                let time = grammar.times.klog.scan(self.plain, at + 1)?;
                let behind = time.end;
                self.found_time(time);
                return Some((grammar.severities.letter(text[at])?, behind));
            }
            Kind::Column if !self.is_alone_in_column(end) => return None,
            Kind::Default if text[..at].ends_with(b"  ") => {
                let word = Words { text: &text[..end], at }.next()?;
                self.default = grammar.severities.rank_of(&text[word]);
                return None;
            }
            Kind::LastWord if text[at] == b'<' && end == text.len() => return None,
            Kind::FirstWord | Kind::Default | Kind::LastWord | Kind::Fatal | Kind::Column => {}
            _ => return None,
        }
        let words = Words { text: &text[..end], at };
        let mut known = words
            .filter_map(|word| Some((grammar.severities.rank_of(&text[word.clone()])?, word.end)));
        if kind == Kind::LastWord {
            return known.last().map(|(rank, _)| (rank, end));
        }
        let (rank, behind) = known.next()?;
        Some((if kind == Kind::Fatal { grammar.critical } else { rank }, behind))
    }

    /// True if several spaces stand before the token and two behind it.
    fn is_alone_in_column(&mut self, end: usize) -> bool {
        self.look(end + 2);
        self.content.is_column && self.text[end..].starts_with(b"  ")
    }

    /// Begins the content behind a token. None if it ends the head.
    fn separator(&mut self, kind: Kind, at: usize, end: usize) -> Option<usize> {
        match kind {
            Kind::Prefix => self.begin(end, Position::Start),
            Kind::Priority => {
                let digits = self.text[at..end].iter().skip_while(|byte| !byte.is_ascii_digit());
                let digits = digits.take_while(|byte| byte.is_ascii_digit());
                let number = digits.fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
                self.default = Some(self.grammar.severities.syslog((number % 8) as u8));
                self.begin(end, Position::Start)
            }
            Kind::Wrapper | Kind::Default => {
                (self.is_wrapped, self.head.text) = (true, end as u16);
                self.begin(end, self.content.context)
            }
            Kind::Again => self.begin(end, self.content.context),
            Kind::Ornament => self.begin(end, Position::Named),
            Kind::NumberTime | Kind::SectionTime => {
                self.head.is_mark |= kind == Kind::SectionTime;
                self.behind_time(last_number(self.text, at..end)?)
            }
            Kind::Process => self.begin(end, Position::Logged),
            Kind::Program if self.content.is_logged() => self.begin(end, Position::Logged),
            Kind::Program if self.content.context == Position::Start && self.content.is_first() => {
                self.begin(end, Position::Named)
            }
            Kind::Bar if self.content.is_logged() => {
                let behind = self.behind_blanks(end);
                let is_table = self.text.get(behind) == Some(&b'|');
                if is_table { None } else { self.begin(behind, self.content.context) }
            }
            Kind::Bar
                if self.contents == 1
                    && (1..3).contains(&(self.content.fields + self.content.words)) =>
            {
                self.begin(end, Position::Start)
            }
            Kind::Program | Kind::Bar | Kind::Object | Kind::Stop => None,
            _ => self.field(kind, at, end),
        }
    }

    /// Counts a field. None if there were too many.
    fn field(&mut self, kind: Kind, at: usize, end: usize) -> Option<usize> {
        self.content.is_prose = false;
        match kind {
            Kind::Mark => {
                self.content.words = 0;
                return Some(end);
            }
            Kind::Pair | Kind::LastPair => {
                if at == self.content.start {
                    self.look(usize::MAX);
                    if let Some(found) = members::of_pairs(self.grammar, self.caches, self.text, at)
                    {
                        self.found_members(found);
                        return None;
                    }
                }
                if kind == Kind::LastPair {
                    return None;
                }
                self.content.is_prose =
                    self.content.words > 0 || self.content.context != Position::Timed;
            }
            Kind::Group
                if self.content.context == Position::Start
                    && self.text[at] == b'['
                    && self.content.is_numeric
                    && self.content.words == 0 =>
            {
                return self.begin(end, Position::Start);
            }
            Kind::Word | Kind::FirstWord | Kind::Column => return self.word(at),
            _ => {}
        }
        self.content.is_numeric &= matches!(kind, Kind::Number | Kind::Dash);
        self.content.fields += 1;
        let is_unbound = self.content.is_logged() && kind != Kind::Group;
        (is_unbound || self.content.fields <= MOST_FIELDS).then_some(end)
    }

    fn word(&mut self, at: usize) -> Option<usize> {
        let word = Words { text: self.text, at }.next().filter(|word| word.start == at)?;
        self.look(word.end + 1);
        self.content.words += 1;
        self.content.is_prose = !matches!(&self.text[word.clone()], b"root" | b"main");
        self.content.is_numeric = false;
        let most = if self.content.is_logged() { MOST_WORDS } else { 1 };
        (self.content.words <= most).then_some(word.end)
    }
}

/// Runs of letters, digits and underscores.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.iter().position(|&byte| is_word(byte))?;
        let run = self.text[start..].iter().position(|&byte| !is_word(byte));
        self.at = run.map_or(self.text.len(), |size| start + size);
        Some(start..self.at)
    }
}

/// False for most lines: no row of a wrapper begins with their first word, by what follows it.
fn may_wrap(text: &[u8]) -> bool {
    if matches!(text[0], b'A'..=b'Z' | b'"'..=b'\'' | 0x80..) {
        return false;
    }
    let is_in_word = |&&byte: &&u8| is_word(byte) || matches!(byte, b'.' | b'-');
    let size = text.iter().take_while(is_in_word).count();
    match text[size..] {
        [b'(' | b'@' | b'+' | b'=', ..] => size == 0,
        [b'[' | b'/', ..] | [b' ', b' ' | b'|' | b'(', ..] => true,
        [b':', b'a'..=b'z', ..] | [b':', b' ', b'[' | b'|', ..] => true,
        _ => false,
    }
}

/// The place of the last number in a token.
fn last_number(text: &[u8], token: Range<usize>) -> Option<Range<usize>> {
    let found = &text[token.clone()];
    let size = found.iter().rposition(u8::is_ascii_digit)? + 1;
    let is_outside = |byte: &u8| !byte.is_ascii_digit() && *byte != b'.';
    let start = found[..size].iter().rposition(is_outside).map_or(0, |last| last + 1);
    Some(token.start + start..token.start + size)
}

/// True if a label stands before the time, and nothing but a zone or a remark in brackets behind it: it
/// is the date of something, as in the text of a version.
fn is_value(text: &[u8], time: &Range<usize>) -> bool {
    let is_labelled = text[..time.start].trim_ascii_end().ends_with(b":");
    let behind = text[time.end..].trim_ascii();
    let zone = behind.iter().take_while(|byte| b"+-:0123456789".contains(byte)).count();
    is_labelled && matches!(behind[zone..].trim_ascii_start(), [] | [b'(', ..])
}

fn behind_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| is_blank(byte)).count()
}

/// A level in brackets before a time, empty for other text, and where the time begins.
fn before_time_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let mut cursor = Cursor::new(text, at);
    cursor.skip(b"[")?;
    cursor.spaces();
    let is_time = |cursor: &Cursor<'_>| {
        cursor.peek().is_some_and(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    let mut level: &[u8] = b"";
    match cursor.peek()? {
        b'A'..=b'Z' => {
            level = cursor.run(8, |byte| byte.is_ascii_uppercase());
            cursor.some(usize::MAX, |byte| byte == b' ')?;
        }
        b'a'..=b'z' => {
            cursor.run(16, |byte| byte.is_ascii_lowercase());
            cursor.skip(b" ")?;
        }
        _ => {
            cursor.digits()?;
            cursor.skip(b":")?;
            let mut second = cursor;
            if second.digits().and_then(|_| second.skip(b":")).is_some() && is_time(&second) {
                cursor = second;
            }
        }
    }
    is_time(&cursor).then_some((level, cursor.at))
}
