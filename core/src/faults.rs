// SPDX-License-Identifier: Apache-2.0
//! What is wrong with a pattern that somebody wrote, in one short sentence.

use regex_syntax::ast::{self, ErrorKind, Span};
use regex_syntax::hir;

/// Characters of a pattern that a sentence quotes.
const LONGEST_PART: usize = 20;

/// The sentence for a pattern that needs more memory than it may.
pub const TOO_LARGE: &str = "it needs too much memory: use fewer or smaller repetitions";

/// The fault of a pattern that the parser refused.
pub fn in_words(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => of_syntax(error),
        regex_syntax::Error::Translate(error) => of_meaning(error),
        _ => "it is not understood".into(),
    }
}

fn of_syntax(error: &ast::Error) -> String {
    let part = part_of(error.pattern(), error.span());
    match error.kind() {
        ErrorKind::GroupUnclosed => "an opening parenthesis is never closed".into(),
        ErrorKind::GroupUnopened => "a closing parenthesis has no opening one".into(),
        ErrorKind::ClassUnclosed => "an opening bracket is never closed".into(),
        ErrorKind::NestLimitExceeded(most) => format!("more than {most} parts are nested"),
        ErrorKind::RepetitionMissing => format!("there is nothing before {part} to repeat"),
        ErrorKind::RepetitionCountInvalid => format!("{part} has its higher number first"),
        ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::RepetitionCountUnclosed
        | ErrorKind::DecimalEmpty
        | ErrorKind::DecimalInvalid => format!("{part} is no number of repetitions"),
        ErrorKind::GroupNameDuplicate { .. } => format!("two groups are named {part}"),
        ErrorKind::GroupNameEmpty
        | ErrorKind::GroupNameInvalid
        | ErrorKind::GroupNameUnexpectedEof => {
            let group = error.pattern()[..error.span().end.offset].rfind("(?").unwrap_or(0);
            let begin = shortened(&error.pattern()[group..]);
            format!("the name of a group is incomplete: {begin}")
        }
        ErrorKind::UnsupportedLookAround => format!("{part} looks around, which is not supported"),
        ErrorKind::ClassRangeInvalid
        | ErrorKind::ClassRangeLiteral
        | ErrorKind::UnicodeClassInvalid => format!("{part} is no class or range of characters"),
        ErrorKind::FlagDanglingNegation
        | ErrorKind::FlagDuplicate { .. }
        | ErrorKind::FlagRepeatedNegation { .. }
        | ErrorKind::FlagUnexpectedEof
        | ErrorKind::FlagUnrecognized => format!("{part} is no known kind of group"),
        _ => format!("{part} is no known escape"),
    }
}

fn of_meaning(error: &hir::Error) -> String {
    let part = part_of(error.pattern(), error.span());
    match error.kind() {
        hir::ErrorKind::UnicodePropertyNotFound | hir::ErrorKind::UnicodePropertyValueNotFound => {
            format!("{part} is no class or range of characters")
        }
        _ => format!("{part} is not understood here"),
    }
}

/// The part of the pattern that is at fault; where that is empty, the repetition that begins there.
fn part_of<'p>(pattern: &'p str, span: &Span) -> &'p str {
    let rest = &pattern[span.start.offset..];
    let size = match span.end.offset - span.start.offset {
        0 if rest.starts_with('{') => rest.find('}').map_or(rest.len(), |end| end + 1),
        0 => rest.chars().next().map_or(0, char::len_utf8),
        size => size,
    };
    shortened(&rest[..size])
}

fn shortened(text: &str) -> &str {
    text.char_indices().nth(LONGEST_PART).map_or(text, |(end, _)| &text[..end])
}
