// SPDX-License-Identifier: Apache-2.0
//! Time and severity in the members of a JSON object, or in logfmt's pairs.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::cursor::{Cursor, is_blank, is_space, is_word};
use crate::recognition::grammar::{Caches, Grammar, group_at};
use crate::recognition::names::Names;
use crate::terminal::ansi;

/// The member of a journal that has syslog's number.
const PRIORITY: &[u8] = b"PRIORITY";

/// What members say.
#[derive(Default)]
pub struct Members {
    /// The time's place; empty for none.
    pub time: Range<usize>,
    pub rank: Option<usize>,
    /// The rank of a journal's text that shows none.
    pub default: Option<usize>,
}

impl Members {
    fn is_complete(&self) -> bool {
        !self.time.is_empty() && self.rank.is_some()
    }

    fn if_any(self) -> Option<Self> {
        (!self.time.is_empty() || self.rank.or(self.default).is_some()).then_some(self)
    }
}

/// What a JSON object at a place says; None if nothing. Members of nested objects do not count.
pub fn of_json(grammar: &Grammar, caches: &mut Caches, text: &[u8], at: usize) -> Option<Members> {
    let mut found = Members::default();
    let mut is_in_level = false;
    let mut at = at + 1;
    while !found.is_complete() {
        let Some((name, end)) = name_at(text, at) else {
            break;
        };
        at = end;
        let is_time = may_name_time(grammar, name);
        let is_level = grammar.severities.keys.level.contains(name);
        if grammar.severities.keys.wrapper.contains(name) || is_time || is_level {
            if let Some(inner) = object_at(text, at) {
                (at, is_in_level) = (inner, is_level);
                continue;
            }
        }
        let Some(end) = scalar_end(text, at) else {
            at = nested_end(text, at);
            continue;
        };
        if found.rank.is_none() {
            let name = if is_in_level && name == b"name" { b"level" } else { name };
            let rank = rank(grammar, name, unquoted(&text[at..end]));
            *(if name == PRIORITY { &mut found.default } else { &mut found.rank }) = rank;
        }
        if found.time.is_empty() && is_time {
            found.time = time(grammar, caches, text, name, at..end);
        }
        at = end;
    }
    found.if_any()
}

/// The first line that is not blank of the text that an object at a place quotes, without escapes, and the place of
/// its string; one that is cut ends the text.
pub fn quoted<'t>(
    names: &Names<()>,
    text: &'t [u8],
    at: usize,
) -> Option<(Range<usize>, Cow<'t, [u8]>)> {
    let mut at = text.get(at).filter(|&&byte| byte == b'{').map(|_| at + 1)?;
    let place = loop {
        let (name, start) = name_at(text, at)?;
        if text.get(start) == Some(&b'"') && names.contains(name) {
            break start..string_end(text, start).unwrap_or(text.len());
        }
        at = scalar_end(text, start).unwrap_or_else(|| nested_end(text, start));
    };
    let string = &text[place.clone()];
    let plain = &string[1..string.len().max(2) - 1];
    if memchr(b'\\', plain).is_none() {
        return Some((place, Cow::Borrowed(plain)));
    }
    let decoded = serde_json::from_slice::<String>(string).map(String::into_bytes);
    let decoded = decoded.unwrap_or_else(|_| plain.to_vec());
    let is_shown = |line: &&[u8]| !line.trim_ascii().is_empty();
    let line = decoded.split(|&byte| byte == b'\n').find(is_shown).unwrap_or_default();
    Some((place, Cow::Owned(ansi::without(line.trim_ascii_end()).into_owned())))
}

/// What logfmt's pairs at a place say; None if nothing.
pub fn of_pairs(grammar: &Grammar, caches: &mut Caches, text: &[u8], at: usize) -> Option<Members> {
    let mut found = Members::default();
    let mut cursor = Cursor::new(text, at);
    while !found.is_complete() {
        let Some((name, value)) = pair_at(&mut cursor) else {
            break;
        };
        let is_prose = name == PRIORITY && value.end < text.len();
        if found.rank.is_none() && !grammar.severities.keys.setting.contains(name) && !is_prose {
            found.rank = rank(grammar, name, unquoted(&text[value.clone()]));
        }
        if found.time.is_empty() {
            if may_name_time(grammar, name) {
                found.time = time(grammar, caches, text, name, value);
            } else if let Some(audit) = group_at(&grammar.times.audit, text, value.start) {
                found.time = audit;
            }
        }
    }
    found.if_any()
}

fn name_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let mut cursor = Cursor::new(text, at);
    cursor.run(usize::MAX, |byte| matches!(byte, b' ' | b'\t' | b',' | b'}' | b']'));
    let start = cursor.at;
    let end = string_end(text, start)?;
    cursor.at = end;
    cursor.blanks();
    cursor.skip(b":")?;
    cursor.blanks();
    Some((&text[start + 1..end - 1], cursor.at))
}

/// The end of the string that begins at a place; None where there is none.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
        if at > text.len() {
            return None;
        }
    }
}

fn scalar_end(text: &[u8], at: usize) -> Option<usize> {
    if let Some(end) = string_end(text, at) {
        return Some(end);
    }
    let mut cursor = Cursor::new(text, at);
    cursor.some(usize::MAX, |byte| {
        !is_space(byte) && !matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',')
    })?;
    Some(cursor.at)
}

/// The place behind the brackets in which an object stands.
fn object_at(text: &[u8], at: usize) -> Option<usize> {
    let run =
        text[at..].iter().take_while(|&&byte| matches!(byte, b'[' | b'{' | b' ' | b'\t')).count();
    text[at..at + run].iter().rposition(|&byte| byte == b'{').map(|last| at + last + 1)
}

/// The end of an array or object at a place; the text's end if it is not closed.
fn nested_end(text: &[u8], at: usize) -> usize {
    let mut depth = 0_i64;
    let mut at = at;
    while at < text.len() {
        match text[at] {
            b'"' => {
                let Some(end) = string_end(text, at) else {
                    break; // a string without an end
                };
                at = end - 1;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 1;
        if depth <= 0 {
            return at;
        }
    }
    text.len()
}

fn pair_at<'t>(cursor: &mut Cursor<'t>) -> Option<(&'t [u8], Range<usize>)> {
    let name = cursor
        .some(usize::MAX, |byte| is_word(byte) || matches!(byte, b'.' | b'@' | b'/' | b'-'))?;
    cursor.skip(b"=")?;
    let start = cursor.at;
    let text = cursor.rest();
    let quoted =
        string_end(text, 0).filter(|&end| text.get(end).is_none_or(|&byte| is_blank(byte)));
    match quoted {
        Some(end) => cursor.at += end,
        None => {
            cursor.run(usize::MAX, |byte| !is_space(byte) && byte != b'"');
        }
    }
    let value = start..cursor.at;
    cursor.is_before_blank().then(|| cursor.blanks())?;
    Some((name, value))
}

/// Python's strip(b'"').
fn unquoted(value: &[u8]) -> &[u8] {
    let start = value.iter().take_while(|&&byte| byte == b'"').count();
    let end = value.iter().rposition(|&byte| byte != b'"').map_or(start, |last| last + 1);
    &value[start..end]
}

fn rank(grammar: &Grammar, name: &[u8], value: &[u8]) -> Option<usize> {
    if grammar.severities.keys.level.contains(name) {
        return grammar.severities.rank_of_value(value);
    }
    if grammar.severities.keys.number.contains(name) {
        return grammar.severities.rank_of_number(value);
    }
    match value {
        [digit @ b'0'..=b'7'] if name == PRIORITY => Some(grammar.severities.syslog(digit - b'0')),
        _ => None,
    }
}

/// True if a member of this name says a time, whatever the unit.
fn may_name_time(grammar: &Grammar, name: &[u8]) -> bool {
    let times = &grammar.severities.keys.time;
    times.contains(name) || times.contains(in_unit(name).0)
}

/// A name without the unit at its end, and the digits of a time in this unit since 1970.
fn in_unit(name: &[u8]) -> (&[u8], Option<usize>) {
    let is_in_word = |byte: &&u8| byte.is_ascii_lowercase();
    let tail = name.iter().rev().take_while(is_in_word).count();
    let start = name.len() - tail;
    let is_begun = start > 0 && tail > 0 && name[start - 1].is_ascii_uppercase();
    let word = name[start - usize::from(is_begun)..].to_ascii_lowercase();
    let digits = match &word[..] {
        b"s" | b"sec" | b"secs" | b"second" | b"seconds" => 10,
        b"ms" | b"msec" | b"milli" | b"millis" | b"milliseconds" => 13,
        b"us" | b"usec" | b"micro" | b"micros" | b"microseconds" => 16,
        b"ns" | b"nsec" | b"nano" | b"nanos" | b"nanoseconds" => 19,
        _ => return (name, None),
    };
    let base = &name[..name.len() - word.len()];
    (base.strip_suffix(b"_").unwrap_or(base), Some(digits))
}

/// The place of the time in a member's value; empty for none.
fn time(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    name: &[u8],
    value: Range<usize>,
) -> Range<usize> {
    let at = value.start + usize::from(text.get(value.start) == Some(&b'"'));
    let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_known = grammar.severities.keys.time.contains(name);
    if !is_known && in_unit(name).1.is_none_or(|in_unit| digits != in_unit) {
        return 0..0;
    }
    let found = grammar.times.members.scan(text, at);
    found
        .or_else(|| grammar.times.at(&mut caches.times, &text[..value.end], at))
        .unwrap_or_default()
}
