// SPDX-License-Identifier: Apache-2.0
//! Marked lines: what a terminal shows of each, and what it tells of a failure. Excerpts are made of them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::causes::cause_rules::{Caches, Causes};
use crate::causes::group::LONGEST;
use crate::causes::marks::Mark;
use crate::cursor::is_space;
use crate::lines::without_line_feed;
use crate::recognition::recognise::Seen;
use crate::shown::Line;
use crate::terminal::ansi::RETURN;
use crate::terminal::overwritten;
use crate::views::jsonl::put_string;
use crate::views::output::Output;
use crate::views::view::View;

/// Bytes of a long line's end.
const END: usize = 512;

/// What the line says to who searches for a failure.
#[derive(Debug)]
enum Sign {
    /// By the rules of causes.
    Marked(Mark),
    /// Something that passed, a command, or quoted source.
    Green,
    /// It locates a fault, or has a word of failure.
    Word,
    None,
}

/// Arrays of JSON, the fields of a MarkedLine of `oslogserve.lines.excerpt.lines`.
pub struct Marked {
    out: Output,
    causes: Arc<Causes>,
    /// Bytes of a line's beginning.
    most: usize,
    /// None once they were given back.
    caches: Option<Caches>,
    begun: Option<Begun>,
}

/// A line that is written when its end is known.
struct Begun {
    number: u64,
    rank: usize,
    /// The rank that it inherits, if it has none of its own.
    inherited: usize,
    is_new: bool,
    /// Those of the beginning as it was first.
    sign: Sign,
    start: usize,
    beginning: Vec<u8>,
    /// What is behind the beginning: its last bytes, and how many it has.
    end: Vec<u8>,
    size: usize,
    is_returned: bool,
    is_overwritten: bool,
}

impl Begun {
    /// Takes what is behind the first `most` bytes. Text behind a return is a new beginning.
    fn put(&mut self, text: &[u8], most: usize) {
        for piece in text.split_inclusive(|&byte| byte == RETURN) {
            if self.is_returned && piece[0] != RETURN {
                self.beginning.clear();
                self.end.clear();
                self.size = 0;
                self.is_overwritten = true;
            }
            self.is_returned = piece.ends_with(&[RETURN]);
            let room = if self.is_overwritten { most - self.beginning.len() } else { 0 };
            let (beginning, rest) = piece.split_at(piece.len().min(room));
            self.beginning.extend_from_slice(beginning);
            self.keep(rest);
        }
    }

    fn keep(&mut self, rest: &[u8]) {
        self.size += rest.len();
        let rest = &rest[rest.len().saturating_sub(END)..];
        let excess = (self.end.len() + rest.len()).saturating_sub(END);
        self.end.drain(..excess.min(self.end.len()));
        self.end.extend_from_slice(rest);
    }
}

impl Marked {
    /// most: bytes of a line's beginning.
    pub fn new(causes: Arc<Causes>, most: usize) -> Self {
        let caches = Some(causes.caches());
        Self { out: Output::default(), causes, most, caches, begun: None }
    }

    /// The sign of a line, and where its content begins in what is shown.
    fn sign(&mut self, shown: &[u8], time: Cow<'_, [u8]>, seen: &Seen) -> (Sign, usize) {
        let causes = &self.causes;
        let Some(caches) = &mut self.caches else { return (Sign::None, 0) };
        let may_have_job_head = time.is_empty();
        let (start, _) =
            causes.heads.head(&mut caches.behind_time, shown, time, seen.text, may_have_job_head);
        let start = start + shown[start..].iter().take_while(|&&byte| is_space(byte)).count();
        let quoted = causes.quoted(shown, start, seen.inner);
        let content =
            quoted.as_ref().map_or(&shown[start..], |(text, at)| text[*at..].trim_ascii_start());
        let content = &content[..content.len().min(LONGEST)];
        let mark = causes.marks.of(&mut caches.marks, content, true);
        let sign = if mark == Some(Mark::Chapter) && causes.passed.is_test(content) {
            Sign::Green
        } else if let Some(mark) = mark {
            Sign::Marked(mark)
        } else if causes.passed.is_green(&mut caches.green, content) {
            Sign::Green
        } else if causes.is_word(caches, content, seen.severity.unwrap_or(0)) {
            Sign::Word
        } else {
            Sign::None
        };
        (sign, start)
    }
}

impl View for Marked {
    fn line(&mut self, line: &Line<'_>) {
        self.finish();
        let content = line.content();
        let (beginning, rest) = content.split_at(content.len().min(self.most));
        let rank = line.seen.severity.unwrap_or(0);
        let (sign, start) = self.sign(&overwritten::shown(beginning), line.time(), &line.seen);
        let mut begun = Begun {
            number: line.number,
            rank,
            inherited: if line.inherits { line.rank } else { 0 },
            is_new: line.is_new,
            sign,
            start,
            beginning: beginning.to_vec(),
            end: Vec::new(),
            size: 0,
            is_returned: beginning.ends_with(&[RETURN]),
            is_overwritten: false,
        };
        begun.put(rest, self.most);
        self.begun = Some(begun);
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        if let Some(begun) = &mut self.begun {
            begun.put(without_line_feed(text), self.most);
        }
    }

    fn finish(&mut self) {
        let Some(begun) = self.begun.take() else { return };
        let shown = overwritten::shown(&begun.beginning);
        let (mut sign, mut start) = (begun.sign, begun.start);
        if begun.is_overwritten {
            let seen = Seen { severity: Some(begun.rank), ..Seen::default() };
            (sign, start) = self.sign(&shown, Cow::Borrowed(b""), &seen);
        }
        let name = match sign {
            Sign::Marked(mark) => format!("{mark:?}"),
            Sign::None => String::new(),
            other => format!("{other:?}"),
        };
        let (number, rank, is_new) = (begun.number, begun.rank, begun.is_new);
        let head = format!("[{number}, {rank}, \"{name}\", {start}, {is_new}, \"");
        self.out.put(head.as_bytes());
        put_string(&shown, &mut self.out);
        self.out.put(format!("\", {}, \"", begun.size - begun.end.len()).as_bytes());
        put_string(&overwritten::shown(&begun.end), &mut self.out);
        self.out.put(format!("\", {}]\n", begun.inherited).as_bytes());
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.causes.reuse(caches);
        }
    }
}
