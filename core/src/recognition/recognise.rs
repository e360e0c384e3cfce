// SPDX-License-Identifier: Apache-2.0
//! Recognition of a line's time and severity, by a user format or by the grammar of heads.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::lines::{Next, line_start};
use crate::recognition::grammar::{Caches, Grammar};
use crate::recognition::head::{Head, REACH, read_head};
use crate::recognition::repeated::ShortLine;
use crate::terminal::ansi;

/// What a line shows.
#[derive(Clone, Default)]
pub struct Seen {
    /// The place of its time, with the escape sequences within; empty for none.
    pub time: Range<usize>,
    /// Its severity's rank.
    pub severity: Option<usize>,
    /// The place of what stands behind the severity, for errors and TRACE; else empty.
    pub program: Range<usize>,
    /// True if its time is in the mark of a section: it begins no record.
    pub is_mark: bool,
    /// True if it shows no time and no severity, and continues the line above by its shape.
    pub continues: bool,
    /// True if an escape is in its first REACH bytes.
    pub has_escapes: bool,
    /// What its head says of wrappers; places are without escape sequences.
    pub is_default: bool,
    pub text: u16,
    pub inner: u16,
}

impl Seen {
    /// The time in the line, without escape sequences; empty for none.
    #[inline]
    pub fn time_of<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        self.plain(&line[self.time.clone()])
    }

    /// The program in the line, as its time.
    #[inline]
    pub fn program_of<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        self.plain(&line[self.program.clone()])
    }

    #[inline]
    fn plain<'l>(&self, text: &'l [u8]) -> Cow<'l, [u8]> {
        if self.has_escapes { ansi::without(text) } else { Cow::Borrowed(text) }
    }
}

/// Bytes of a program's name that are compared.
const LONGEST_PROGRAM: usize = 64;
/// Bytes of a line that names the date of a thing.
const LONGEST_HEADING: usize = 256;

/// Before a time of Buildkite's in milliseconds, which a terminal does not show.
const STAMP: &[u8] = b"\x1b_bk;t=";

/// The recogniser of one log.
pub struct Recogniser {
    pub grammar: Arc<Grammar>,
    /// None between two pieces of the log.
    caches: Option<Caches>,
    /// In the block.
    location_words: Next,
    /// True if the last line before the block names the date of a thing.
    pub is_below_heading: bool,
}

impl Recogniser {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Self { grammar, caches: None, location_words: Next::default(), is_below_heading: false }
    }

    /// Begins another block.
    pub fn begin(&mut self) {
        self.location_words = Next::default();
    }

    /// Ends a block, all of whose lines were taken. A piece of the log without a line feed gives an empty one.
    pub fn end(&mut self, block: &[u8]) {
        if !block.is_empty() {
            self.is_below_heading = names_date(&self.grammar, block);
        }
    }

    /// Gives the caches back, which take megabytes: of many logs only those at work have some.
    pub fn rest(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.grammar.reuse(caches);
        }
    }

    /// True if a line itself shows ERROR or above.
    pub fn is_error(&self, seen: &Seen) -> bool {
        seen.severity.is_some_and(|rank| rank >= self.grammar.error)
    }

    /// What the line at a place in a block shows. line: without its line feed, or at least the first
    /// REACH bytes of it. is_plain: it is known to hold no escape sequences.
    pub fn seen_in(&mut self, block: &[u8], line: Range<usize>, is_plain: bool) -> Seen {
        let start = line.start;
        let shown = &block[line.clone()];
        let seen = self.seen_alone(block, line, is_plain);
        let is_of_thing = seen.severity.is_none()
            && is_all(&seen.time, shown)
            && match start {
                0 => self.is_below_heading,
                _ => names_date(&self.grammar, &block[..start]),
            };
        if is_of_thing { Seen { time: 0..0, ..seen } } else { seen }
    }

    /// What the line shows, whatever stands above it.
    fn seen_alone(&mut self, block: &[u8], line: Range<usize>, is_plain: bool) -> Seen {
        let caches = self.caches.get_or_insert_with(|| self.grammar.caches());
        let (grammar, words, size) = (&*self.grammar, &mut self.location_words, line.len());
        let rest = &block[line.start..];
        let head = &rest[..size.min(REACH)];
        if is_plain || !ansi::has_sign(head) {
            return seen_again(grammar, caches, head, &mut || {
                words
                    .place_in(size, rest, |rest| grammar.exceptions.location_words.find(rest))
                    .is_some()
            });
        }
        let seen = seen_in_plain(grammar, caches, &ansi::without(head), &mut || true);
        let mut time = ansi::moved(seen.time, head);
        if time.is_empty() && head.starts_with(STAMP) {
            let digits = head[STAMP.len()..].iter().take_while(|byte| byte.is_ascii_digit());
            time = STAMP.len()..STAMP.len() + digits.count();
        }
        let program = ansi::moved(seen.program, head);
        Seen { time, program, has_escapes: true, ..seen }
    }
}

impl Drop for Recogniser {
    fn drop(&mut self) {
        self.rest();
    }
}

/// True if a line is nothing but its time.
fn is_all(time: &Range<usize>, line: &[u8]) -> bool {
    !time.is_empty()
        && line.len() <= LONGEST_HEADING
        && ansi::without(&line[..time.start]).trim_ascii().is_empty()
        && ansi::without(&line[time.end..]).trim_ascii().is_empty()
}

/// True if the last line of these lines names the date of a thing.
fn names_date(grammar: &Grammar, lines: &[u8]) -> bool {
    let Some(end) = lines.len().checked_sub(1).filter(|&end| lines[end] == b'\n') else {
        return false;
    };
    let from = end.saturating_sub(LONGEST_HEADING);
    let start = line_start(lines, from, end);
    let is_whole = start > from || from == 0;
    is_whole && grammar.times.dated_thing.is_match(&ansi::without(&lines[start..end]))
}

/// As seen_in_plain. Lines that show nothing are remembered.
fn seen_again(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    may_have_location: &mut dyn FnMut() -> bool,
) -> Seen {
    let short = ShortLine::of(text);
    if let Some(continues) = short.and_then(|line| caches.repeated.get(&line)) {
        return Seen { continues, ..Seen::default() };
    }
    let seen = seen_in_plain(grammar, caches, text, may_have_location);
    let shows_nothing = seen.time.is_empty() && seen.severity.is_none() && !seen.is_mark;
    let shows_nothing = shows_nothing && seen.text == 0 && seen.inner == 0;
    if let Some(line) = short.filter(|_| shows_nothing) {
        caches.repeated.put(line, seen.continues);
    }
    seen
}

fn seen_in_plain(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    may_have_location: &mut dyn FnMut() -> bool,
) -> Seen {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let head = read_head(grammar, caches, text, may_have_location);
    let Head { time, rank: severity, is_mark, is_default, text: at, inner, .. } = head;
    let mut seen = Seen { time, severity, is_mark, is_default, text: at, inner, ..Seen::default() };
    if let Some((time, severity)) = grammar.user_formats.seen_in(&mut caches.user_formats, text) {
        seen.time = if time.is_empty() { seen.time } else { time };
        seen.severity = severity.or(seen.severity);
    }
    if let Some(rank) = seen.severity {
        if rank == grammar.trace || rank >= grammar.error {
            seen.program = program_at(text, head.behind);
        }
    } else if seen.time.is_empty() {
        seen.continues = grammar.exceptions.continues(&mut caches.exceptions, text);
    }
    seen
}

fn program_at(text: &[u8], behind: usize) -> Range<usize> {
    let is_in_name = |byte: &u8| !b" \t:|]".contains(byte);
    let Some(start) = text[behind..].iter().position(is_in_name).map(|size| behind + size) else {
        return behind..behind;
    };
    let size =
        text[start..].iter().take(LONGEST_PROGRAM).take_while(|byte| is_in_name(byte)).count();
    start..start + size
}
