// SPDX-License-Identifier: Apache-2.0
//! The shapes that tokens of a head have: one function for each pattern of `oslogserve/lines/head.py`.

use std::ops::Range;

use memchr::memchr;

use crate::cursor::{Cursor, is_blank, is_space, is_word};
use crate::times::Layouts;

/// Where the steps lead to, if all fit.
pub fn behind(
    cursor: Cursor<'_>,
    steps: impl FnOnce(&mut Cursor<'_>) -> Option<()>,
) -> Option<usize> {
    let mut cursor = cursor;
    steps(&mut cursor)?;
    Some(cursor.at)
}

pub fn behind_blanks(text: &[u8], at: usize) -> usize {
    let mut cursor = Cursor::new(text, at);
    cursor.blanks();
    cursor.at
}

pub fn scan(layouts: &Layouts, text: &[u8], at: usize) -> Option<Range<usize>> {
    layouts.scan(text, at).map(|end| at..end)
}

/// Python's isupper() of a word.
pub fn is_upper(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

/// Hexadecimal, with a digit in it.
pub fn is_number(name: &[u8]) -> bool {
    let digits = name.strip_prefix(b"0x").unwrap_or(name);
    digits.iter().all(u8::is_ascii_hexdigit) && digits.iter().any(u8::is_ascii_digit)
}

/// The end of a pair of brackets; those in quotes do not count in square ones.
pub fn group_end(text: &[u8], at: usize, open: u8) -> Option<usize> {
    if text.get(at) != Some(&open) {
        return None;
    }
    let close = match open {
        b'[' => return square_end(text, at),
        b'(' => b')',
        b'<' => b'>',
        _ => b'}',
    };
    memchr(close, &text[at..]).map(|size| at + size + 1)
}

fn square_end(text: &[u8], at: usize) -> Option<usize> {
    let first = at + memchr(b']', &text[at..])? + 1;
    let mut at = at + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b']' => return Some(at + 1),
            b'"' => {
                at += 1;
                loop {
                    match text.get(at) {
                        None => return Some(first),
                        Some(b'"') => break,
                        Some(b'\\') => at += 2,
                        Some(_) => at += 1,
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some(first)
}

pub fn word_at(mut cursor: Cursor<'_>) -> Option<&[u8]> {
    let rest = cursor.rest();
    let letters = cursor.some(14, |byte| byte.is_ascii_alphabetic())?.len();
    let digit = usize::from(cursor.one(|byte| byte.is_ascii_digit()).is_some());
    let is_whole = letters <= 13 && !cursor.peek().is_some_and(is_word);
    is_whole.then(|| &rest[..letters + digit])
}

pub fn is_colon_at(mut cursor: Cursor<'_>) -> bool {
    cursor.run(8, is_blank);
    cursor.skip(b":").is_some() && cursor.is_before_blank()
}

pub fn code_at(cursor: Cursor<'_>) -> Option<usize> {
    let number = behind(cursor, |cursor| {
        cursor.skip(b" ")?;
        let _ = cursor.skip(b"#");
        cursor.run(6, |byte| byte.is_ascii_uppercase());
        cursor.digits()?;
        let _ = cursor.skip(b"-D");
        let _ = cursor.skip(b" ");
        cursor.skip(b":")
    });
    number.or_else(|| {
        behind(cursor, |cursor| {
            let _ = cursor.skip(b" ");
            cursor.skip(b"(")?;
            cursor.some(usize::MAX, |byte| byte.is_ascii_lowercase())?;
            cursor.skip(b":")?;
            cursor.digits()?;
            cursor.skip(b")")?;
            let _ = cursor.skip(b" ");
            cursor.skip(b":")
        })
    })
}

/// Whether a colon follows the codes.
pub fn code_in_brackets_at(mut cursor: Cursor<'_>) -> Option<bool> {
    let one = |cursor: &mut Cursor<'_>| {
        cursor.skip(b"[")?;
        cursor.some(64, |byte| is_word(byte) || matches!(byte, b':' | b'.' | b'-'))?;
        cursor.skip(b"]")
    };
    one(&mut cursor)?;
    let mut second = cursor;
    if one(&mut second).is_some() {
        cursor = second;
    }
    let has_colon = cursor.skip(b":").is_some();
    cursor.is_before_blank().then_some(has_colon)
}

pub fn is_value_at(mut cursor: Cursor<'_>) -> bool {
    const VALUES: [&[u8]; 14] = [
        b"true", b"false", b"yes", b"no", b"on", b"off", b"null", b"none", b"{}", b"[]", b"|",
        b"|-", b">", b">-",
    ];
    if cursor.skip(b":").is_none() {
        return false;
    }
    cursor.blanks();
    let rest = cursor.rest();
    VALUES.contains(&rest) || (!rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
}

pub fn is_assigned_at(mut cursor: Cursor<'_>) -> bool {
    let _ = cursor.skip(b":");
    if cursor.some(usize::MAX, is_blank).is_none() {
        return false;
    }
    if cursor.starts_with(b"= ") {
        return true;
    }
    let has_number =
        cursor.some(usize::MAX, |byte| byte.is_ascii_digit() || byte == b'.').is_some();
    let _ = cursor.skip(b"%");
    has_number && cursor.is_end()
}

/// Behind apt's letter.
pub fn is_apt_at(cursor: Cursor<'_>) -> bool {
    matches!(cursor.rest(), [b':', b' ', next, ..] if !next.is_ascii_digit())
}

/// Its end, and whether it is fatal.
pub fn adjective_at(cursor: Cursor<'_>) -> Option<(usize, bool)> {
    const ADJECTIVES: [&[u8]; 6] =
        [b"fatal ", b"internal ", b"runtime ", b"syntax ", b"parse ", b"hint "];
    let rest = cursor.rest();
    let (first, others) = rest.split_first()?;
    if !matches!(first, b'F' | b'f' | b'H' | b'h' | b'I' | b'i' | b'P'..=b'S' | b'p'..=b's') {
        return None;
    }
    let found = ADJECTIVES
        .iter()
        .position(|adjective| *first | 0x20 == adjective[0] && others.starts_with(&adjective[1..]));
    let (size, is_fatal) = match found {
        Some(index) => (ADJECTIVES[index].len(), index == 0),
        None if rest.starts_with(b"FATAL ") => (6, true),
        None => return None,
    };
    let follows = &rest[size..];
    let is_error = [&b"error"[..], b"Error"].iter().any(|error| {
        follows.strip_prefix(*error).is_some_and(|rest| matches!(rest, [b':' | b' ', ..]))
    });
    (is_error || follows.starts_with(b"warning ")).then_some((cursor.at + size, is_fatal))
}

pub fn process_at(cursor: Cursor<'_>) -> Option<usize> {
    behind(cursor, |cursor| {
        if cursor.skip(b"[").is_some() {
            cursor.some(32, |byte| byte != b']' && !is_space(byte))?;
            cursor.skip(b"]:")?;
        } else {
            cursor.skip(b"(")?;
            cursor.some(10, |byte| byte.is_ascii_digit())?;
            cursor.skip(b"):")?;
        }
        cursor.is_before_blank().then_some(())
    })
}

pub fn is_key_at(mut cursor: Cursor<'_>) -> bool {
    let name =
        cursor.some(usize::MAX, |byte| is_word(byte) || matches!(byte, b'.' | b'@' | b'/' | b'-'));
    name.is_some() && cursor.peek() == Some(b'=')
}

pub fn mark_at(mut cursor: Cursor<'_>) -> Option<usize> {
    let first = cursor.peek()?;
    if !first.is_ascii() {
        cursor.run(usize::MAX, |byte| !byte.is_ascii());
        return Some(cursor.at);
    }
    match first {
        b'-' | b'=' => {
            let marks: [&[u8]; 4] = [b"--", b"-", b"=>", b"->"];
            marks.iter().find_map(|mark| {
                let end = behind(cursor, |cursor| cursor.skip(mark))?;
                cursor.moved(end).peek().is_some_and(is_blank).then_some(end)
            })
        }
        b'|' | b':' | b',' | b';' | b']' | b')' | b'>' => Some(cursor.at + 1),
        _ => None,
    }
}

/// The word of a level alone in its brackets, and where these end.
pub fn level_alone_at(mut cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    const BEFORE: [fn(&mut Cursor<'_>) -> Option<()>; 6] = [
        |_| Some(()),
        |cursor| {
            cursor.run(32, |byte| is_word(byte) || byte == b'-');
            cursor.skip(b":")
        },
        |cursor| {
            cursor.some(64, |byte| is_word(byte) || byte == b'.')?;
            cursor.skip(b"#")
        },
        |cursor| {
            cursor.skip(b"ID ")?;
            cursor.digits()?;
            cursor.skip(b" ")?;
            facility_before(cursor)
        },
        facility_before,
        |cursor| cursor.skip(b"DEPRECATION "),
    ];
    cursor.one(|byte| matches!(byte, b'[' | b'(' | b'<'))?;
    cursor.blanks();
    BEFORE.iter().find_map(|before| {
        let mut cursor = cursor;
        before(&mut cursor)?;
        let rest = cursor.rest();
        let letters = cursor.some(13, |byte| byte.is_ascii_alphabetic())?.len();
        let digit = usize::from(cursor.one(|byte| byte.is_ascii_digit()).is_some());
        cursor.blanks();
        cursor.one(|byte| matches!(byte, b']' | b')' | b'>'))?;
        Some((&rest[..letters + digit], cursor.at))
    })
}

fn facility_before(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.some(usize::MAX, |byte| byte.is_ascii_lowercase())?;
    cursor.one(|byte| byte.is_ascii_digit());
    cursor.skip(b".")
}

pub fn level_and_name_at(mut cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    cursor.skip(b"[")?;
    let name = cursor.run(8, |byte| byte.is_ascii_uppercase());
    cursor.some(usize::MAX, |byte| byte == b' ')?;
    cursor.some(usize::MAX, |byte| is_word(byte) || matches!(byte, b':' | b'.'))?;
    cursor.skip(b"] ")?;
    (name.len() >= 3).then_some((name, cursor.at))
}

/// Behind what may stand in brackets before a time: a zone, Chromium's process and thread, a word.
pub fn word_before_time_at(cursor: Cursor<'_>) -> Option<usize> {
    behind(cursor, |cursor| {
        cursor.skip(b"[")?;
        match cursor.peek()? {
            b'A'..=b'Z' => {
                (cursor.run(5, |byte| byte.is_ascii_uppercase()).len() >= 3).then_some(())?;
                cursor.skip(b" ")
            }
            b'a'..=b'z' => {
                cursor.run(16, |byte| byte.is_ascii_lowercase());
                cursor.skip(b" ")
            }
            _ => {
                cursor.digits()?;
                cursor.skip(b":")?;
                let once = cursor.at;
                if cursor.digits().and_then(|_| cursor.skip(b":")).is_none() {
                    cursor.at = once;
                }
                Some(())
            }
        }
    })
}

pub fn level_before_time_at(mut cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    cursor.skip(b"[")?;
    let name = cursor.some(8, |byte| byte.is_ascii_uppercase())?;
    cursor.some(usize::MAX, |byte| byte == b' ')?;
    cursor.peek().filter(u8::is_ascii_digit)?;
    Some((name, cursor.at))
}

pub fn epoch_at(mut cursor: Cursor<'_>) -> Option<Range<usize>> {
    cursor.skip(b"[")?;
    let start = cursor.at;
    (cursor.digits()?.len() == 10).then_some(())?;
    if cursor.skip(b".").is_some() {
        (cursor.digits()?.len() <= 9).then_some(())?;
    }
    let end = cursor.at;
    cursor.skip(b"]")?;
    Some(start..end)
}

pub fn uptime_at(mut cursor: Cursor<'_>) -> Option<Range<usize>> {
    cursor.skip(b"[")?;
    cursor.spaces();
    let start = cursor.at;
    (cursor.digits()?.len() <= 8).then_some(())?;
    cursor.skip(b".")?;
    (cursor.digits()?.len() == 6).then_some(())?;
    let end = cursor.at;
    cursor.skip(b"]")?;
    Some(start..end)
}

/// The end of a generic prefix, and syslog's priority if it is one.
pub fn prefix_at(cursor: Cursor<'_>) -> Option<(usize, Option<u8>)> {
    let end = match cursor.peek()? {
        b'#' => behind(cursor, |cursor| {
            cursor.skip(b"#")?;
            cursor.digits()?;
            cursor.skip(b" ")?;
            let seconds = behind(*cursor, |cursor| {
                cursor.digits()?;
                cursor.skip(b".")?;
                cursor.digits()?;
                cursor.skip(b" ")
            });
            cursor.at = seconds.unwrap_or(cursor.at);
            Some(())
        }),
        b'0'..=b'9' => behind(cursor, |cursor| {
            let digits = cursor.digits()?.len();
            if cursor.skip(b">").is_some() {
                let _ = cursor.skip(b" ");
                return Some(());
            }
            if cursor.skip(b". ").is_some() {
                return Some(());
            }
            (digits <= 3).then_some(())?;
            cursor.skip(b"% ")
        }),
        b'<' => return priority_at(cursor).map(|(end, priority)| (end, Some(priority))),
        b'D' | b'I' | b'W' | b'E' | b'F' | b'A' => behind(cursor, |cursor| {
            cursor.at += 1;
            cursor.skip(b", ")?;
            matches!(cursor.rest(), [b'[', b'0'..=b'9', ..]).then_some(())
        }),
        _ => None,
    };
    end.map(|end| (end, None))
}

fn priority_at(mut cursor: Cursor<'_>) -> Option<(usize, u8)> {
    cursor.skip(b"<")?;
    let digits = cursor.some(3, |byte| byte.is_ascii_digit())?;
    let number = digits.iter().fold(0_u16, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    let is_one = digits.len() < 3 || (100..192).contains(&number);
    cursor.skip(b">").filter(|()| is_one)?;
    let _ = cursor.skip(b"1 ");
    Some((cursor.at, number as u8))
}

pub fn facility_number_at(mut cursor: Cursor<'_>) -> Option<u8> {
    cursor.skip(b"<")?;
    cursor.some(2, |byte| byte.is_ascii_digit())?;
    cursor.skip(b".")?;
    let digit = cursor.one(|byte| matches!(byte, b'0'..=b'7'))?;
    cursor.skip(b">")?;
    Some(digit - b'0')
}

fn facility(cursor: &mut Cursor<'_>) -> Option<()> {
    match cursor.run(8, |byte| byte.is_ascii_lowercase()) {
        b"kern" | b"user" | b"mail" | b"daemon" | b"auth" | b"syslog" | b"lpr" | b"news"
        | b"uucp" | b"cron" | b"authpriv" | b"ftp" => Some(()),
        b"local" => cursor.one(|byte| byte.is_ascii_digit()).map(|_| ()),
        _ => None,
    }
}

pub fn facility_level_at(mut cursor: Cursor<'_>) -> Option<&[u8]> {
    facility(&mut cursor)?;
    cursor.skip(b".")?;
    let name = cursor.some(usize::MAX, |byte| byte.is_ascii_lowercase())?;
    cursor.peek().filter(|&byte| is_blank(byte))?;
    Some(name)
}

pub fn facility_column_at(mut cursor: Cursor<'_>) -> Option<usize> {
    facility(&mut cursor)?;
    cursor.spaces();
    cursor.skip(b":")?;
    let end = cursor.at;
    cursor.some(usize::MAX, |byte| byte.is_ascii_lowercase())?;
    cursor.spaces();
    cursor.skip(b":")?;
    Some(end)
}

pub fn topics_at(mut cursor: Cursor<'_>) -> Option<&[u8]> {
    let rest = cursor.rest();
    let start = cursor.at;
    let is_lower = |byte: u8| byte.is_ascii_lowercase();
    cursor.some(usize::MAX, is_lower)?;
    cursor.skip(b",")?;
    cursor.some(usize::MAX, is_lower)?;
    while cursor.peek() == Some(b',') {
        cursor.at += 1;
        cursor.some(usize::MAX, is_lower)?;
    }
    cursor.peek().filter(|&byte| is_blank(byte))?;
    Some(&rest[..cursor.at - start])
}

pub fn named_level_at(cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    let dotted = behind(cursor, |cursor| {
        cursor.some(usize::MAX, |byte| is_word(byte) || byte == b'-')?;
        cursor.skip(b".")
    });
    let dashed = behind(cursor, |cursor| {
        cursor.some(usize::MAX, |byte| is_word(byte) || byte == b'.')?;
        cursor.skip(b" - ")
    });
    let piped = behind(cursor, |cursor| {
        cursor.skip(b"ovs|")?;
        cursor.digits()?;
        cursor.skip(b"|")?;
        cursor.run(usize::MAX, is_word);
        cursor.skip(b"|")
    });
    [dotted, dashed, piped].into_iter().flatten().find_map(|at| {
        let mut cursor = cursor.moved(at);
        let name = cursor.some(usize::MAX, |byte| byte.is_ascii_uppercase())?;
        cursor.skip(b": ").or_else(|| cursor.skip(b" - ")).or_else(|| cursor.skip(b"|"))?;
        Some((name, cursor.at))
    })
}

/// Behind the letter.
pub fn logcat_at(cursor: Cursor<'_>) -> Option<usize> {
    behind(cursor, |cursor| {
        cursor.at += 1;
        cursor.skip(b"/")?;
        cursor.some(usize::MAX, |byte| is_word(byte) || matches!(byte, b'.' | b'$' | b'-'))?;
        cursor.spaces();
        if cursor.skip(b"(").is_some() {
            cursor.spaces();
            cursor.digits()?;
            cursor.skip(b")")?;
        }
        cursor.skip(b":")
    })
}

pub fn is_letter_at(mut cursor: Cursor<'_>) -> bool {
    cursor.one(|byte| matches!(byte, b'V' | b'D' | b'I' | b'W' | b'E' | b'F' | b'T')).is_some()
        && match *cursor.rest() {
            [b' ', next, ..] => !is_space(next),
            [b':', next, ..] => is_blank(next),
            [b'!', b' ', ..] => true,
            _ => false,
        }
}

pub fn stream_at(cursor: Cursor<'_>) -> Option<usize> {
    behind(cursor, |cursor| {
        cursor.skip(b"stdout ").or_else(|| cursor.skip(b"stderr "))?;
        cursor.one(|byte| matches!(byte, b'F' | b'P'))?;
        cursor.skip(b" ")
    })
}

pub fn report_at(mut cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    cursor.skip(b"=")?;
    let name = cursor.some(usize::MAX, |byte| byte.is_ascii_uppercase())?;
    cursor.skip(b" REPORT====")?;
    let _ = cursor.skip(b" ");
    Some((name, cursor.at))
}

pub fn section_at(mut cursor: Cursor<'_>) -> Option<Range<usize>> {
    cursor.skip(b"section_start:").or_else(|| cursor.skip(b"section_end:"))?;
    let start = cursor.at;
    (cursor.digits()?.len() == 10).then_some(())?;
    (!cursor.peek().is_some_and(is_word)).then_some(start..cursor.at)
}

pub fn cisco_at(mut cursor: Cursor<'_>) -> Option<(u8, usize)> {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    cursor.skip(b"%")?;
    cursor.some(32, is_name)?;
    cursor.skip(b"-")?;
    let digit = cursor.one(|byte| matches!(byte, b'0'..=b'7'))?;
    cursor.skip(b"-")?;
    cursor.some(32, is_name)?;
    cursor.skip(b": ")?;
    Some((digit - b'0', cursor.at))
}

pub fn ornament_at(cursor: Cursor<'_>) -> Option<usize> {
    if cursor.starts_with(b"* ERROR: ") {
        return Some(cursor.at + 2);
    }
    behind(cursor, |cursor| {
        if cursor.skip(b"==> ").is_some() {
            return Some(());
        }
        (cursor.run(4, |byte| byte == b'*').len() >= 2).then_some(())?;
        cursor.skip(b" ")
    })
}

/// The name of its level, and its end.
pub fn command_at(mut cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    let is_lower = |byte: u8| byte.is_ascii_lowercase();
    if cursor.skip(b"##vso[task.logissue ").is_some() {
        return logissue_at(cursor);
    }
    if cursor.skip(b"##[").is_some() {
        let name = cursor.some(usize::MAX, is_lower)?;
        cursor.skip(b"]")?;
        return Some((name, cursor.at));
    }
    cursor.skip(b"::")?;
    let name = cursor.some(usize::MAX, is_lower)?;
    if let [b' ', first, rest @ ..] = cursor.rest()
        && *first != b':'
        && let Some(last) = rest.windows(2).rposition(|pair| pair == b"::")
    {
        return Some((name, cursor.at + 2 + last + 2));
    }
    cursor.skip(b"::")?;
    Some((name, cursor.at))
}

fn logissue_at(cursor: Cursor<'_>) -> Option<(&[u8], usize)> {
    let rest = cursor.rest();
    let within = &rest[..memchr(b']', rest).unwrap_or(rest.len())];
    let semicolons = within.iter().enumerate().rev().filter(|(_, byte)| **byte == b';');
    semicolons.map(|(at, _)| at + 1).chain([0]).find_map(|start| {
        let mut cursor = cursor.moved(cursor.at + start);
        cursor.skip(b"type=")?;
        let name = cursor.some(usize::MAX, |byte| byte.is_ascii_lowercase())?;
        cursor.one(|byte| matches!(byte, b';' | b']'))?;
        Some((name, cursor.at))
    })
}
