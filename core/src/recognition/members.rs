// SPDX-License-Identifier: Apache-2.0
//! Time and severity in the members of a JSON object, or in logfmt's pairs.

use std::ops::Range;

use memchr::memchr2;

use crate::cursor::{Cursor, is_blank, is_space, is_word};
use crate::recognition::grammar::{Caches, Grammar, group_at};

/// What members say.
#[derive(Default)]
pub struct Members {
    /// The time's place; empty for none.
    pub time: Range<usize>,
    pub rank: Option<usize>,
}

impl Members {
    fn is_complete(&self) -> bool {
        !self.time.is_empty() && self.rank.is_some()
    }

    fn if_any(self) -> Option<Self> {
        (!self.time.is_empty() || self.rank.is_some()).then_some(self)
    }
}

/// What a JSON object at a place says; None if nothing. Members of nested objects do not count.
pub fn of_json(grammar: &Grammar, caches: &mut Caches, text: &[u8], at: usize) -> Option<Members> {
    let mut found = Members::default();
    let mut at = at + 1;
    while !found.is_complete() {
        let Some((name, end)) = name_at(text, at) else {
            break;
        };
        at = end;
        if grammar.severities.keys.wrapper.contains(name) {
            if let Some(inner) = object_at(text, at) {
                at = inner;
                continue;
            }
        }
        let Some(end) = scalar_end(text, at) else {
            at = nested_end(text, at);
            continue;
        };
        if found.rank.is_none() {
            found.rank = rank(grammar, name, unquoted(&text[at..end]));
        }
        if found.time.is_empty() && grammar.severities.keys.time.contains(name) {
            found.time = time(grammar, caches, text, at, end);
        }
        at = end;
    }
    found.if_any()
}

/// What logfmt's pairs at a place say; None if nothing.
pub fn of_pairs(grammar: &Grammar, caches: &mut Caches, text: &[u8], at: usize) -> Option<Members> {
    let mut found = Members::default();
    let mut cursor = Cursor::new(text, at);
    while !found.is_complete() {
        let Some((name, value)) = pair_at(&mut cursor) else {
            break;
        };
        if found.rank.is_none() && !grammar.severities.keys.setting.contains(name) {
            found.rank = rank(grammar, name, unquoted(&text[value.clone()]));
        }
        if found.time.is_empty() {
            if grammar.severities.keys.time.contains(name) {
                found.time = time(grammar, caches, text, value.start, value.end);
            } else if let Some(audit) = group_at(&grammar.audit, text, value.start) {
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
        [digit @ b'0'..=b'7'] if name == b"PRIORITY" => {
            Some(grammar.severities.syslog(digit - b'0'))
        }
        _ => None,
    }
}

fn time(
    grammar: &Grammar,
    caches: &mut Caches,
    text: &[u8],
    at: usize,
    end: usize,
) -> Range<usize> {
    let at = at + usize::from(text.get(at) == Some(&b'"'));
    let text = &text[..end];
    let found = grammar.time_at(caches, text, at);
    found.or_else(|| grammar.epoch.scan(text, at)).unwrap_or_default()
}
