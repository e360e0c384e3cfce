// SPDX-License-Identifier: Apache-2.0
//! What a line shows: `oslogserve/lines/recognise.py` once more.

use std::borrow::Cow;
use std::ops::Range;

use crate::ansi;
use crate::grammar::Grammar;
use crate::head::{REACH, read_head};

/// What a line shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Where its time stands, with the colours within it; empty where it shows none.
    pub time: Range<usize>,
    /// The rank of its own severity.
    pub severity: Option<usize>,
    /// Where the name of its program stands, behind its level: of errors, and of what may belong to
    /// one.
    pub program: Range<usize>,
    /// It shows neither, and its shape says that it goes on with the line above.
    pub continues: bool,
    /// There are control sequences in what was looked at.
    pub has_sequences: bool,
}

/// Bytes of a program's name that are compared.
const LONGEST_PROGRAM: usize = 64;

impl Seen {
    /// Of a line without its end, or of no less than the first `REACH` bytes of one. is_plain: it is
    /// known to have no escape sequences.
    pub fn of(grammar: &Grammar, line: &[u8], is_plain: bool) -> Self {
        let head = &line[..line.len().min(REACH)];
        if is_plain {
            return Self::of_plain(grammar, head);
        }
        match ansi::without(head) {
            Cow::Borrowed(head) => Self::of_plain(grammar, head),
            Cow::Owned(plain) => {
                let seen = Self::of_plain(grammar, &plain);
                let time = ansi::moved(seen.time, head);
                let program = ansi::moved(seen.program, head);
                Self { time, program, has_sequences: true, ..seen }
            }
        }
    }

    fn of_plain(grammar: &Grammar, text: &[u8]) -> Self {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let head = read_head(grammar, text);
        let mut seen = Self { time: head.time, severity: head.rank, ..Self::default() };
        if let Some((time, severity)) =
            grammar.user_formats.iter().find_map(|format| format.seen_in(text))
        {
            seen.time = if time.is_empty() { seen.time } else { time };
            seen.severity = severity.or(seen.severity);
        }
        if let Some(rank) = seen.severity {
            if rank == grammar.trace || rank >= grammar.error {
                seen.program = program_at(text, head.behind);
            }
        } else if seen.time.is_empty() {
            seen.continues = grammar.continues(text);
        }
        seen
    }
}

fn program_at(text: &[u8], behind: usize) -> Range<usize> {
    let is_part = |byte: &u8| !b" \t:|]".contains(byte);
    let Some(start) = text[behind..].iter().position(is_part).map(|size| behind + size) else {
        return behind..behind;
    };
    let size = text[start..].iter().take(LONGEST_PROGRAM).take_while(|byte| is_part(byte)).count();
    start..start + size
}
