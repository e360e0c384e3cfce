// SPDX-License-Identifier: Apache-2.0
//! Marked lines: what a terminal shows of each, and what it tells of a failure. Excerpts are made of them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::causes::cause_rules::{Caches, Mark};
use crate::causes::group::LONGEST;
use crate::cursor::is_space;
use crate::lines::without_line_feed;
use crate::recognition::grammar::Grammar;
use crate::terminal::overwritten;
use crate::views::jsonl::put_string;
use crate::views::output::Output;
use crate::views::view::{Line, View};

/// Bytes of a line's beginning that are read, and bytes of its end.
pub const BEGINNING: usize = 4096;
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

/// Arrays of JSON, the fields of a MarkedLine of `oslogserve.lines.brief.marked`.
pub struct Marked {
    out: Output,
    grammar: Arc<Grammar>,
    /// None once they were given back.
    caches: Option<Caches>,
    /// The end of a line that is longer than BEGINNING, and its bytes so far.
    end: Vec<u8>,
    size: usize,
    is_open: bool,
}

impl Marked {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        let caches = Some(grammar.causes.caches());
        Self { out: Output::default(), grammar, caches, end: Vec::new(), size: 0, is_open: false }
    }

    /// The sign of a line, and where its content begins in what is shown.
    fn sign(&mut self, line: &Line<'_>, shown: &[u8]) -> (Sign, usize) {
        let causes = &self.grammar.causes;
        let Some(caches) = &mut self.caches else { return (Sign::None, 0) };
        let time = line.time();
        let may_have_job_head = time.is_empty();
        let (start, _) = causes.head(caches, shown, time, may_have_job_head);
        let start = start + shown[start..].iter().take_while(|&&byte| is_space(byte)).count();
        let content = &shown[start..];
        let content = &content[..content.len().min(LONGEST)];
        let rank = line.seen.severity.unwrap_or(0);
        let sign = if let Some(mark) = causes.mark(caches, content, true) {
            Sign::Marked(mark)
        } else if causes.is_green(caches, content) {
            Sign::Green
        } else if causes.is_word(caches, content, rank, self.grammar.error) {
            Sign::Word
        } else {
            Sign::None
        };
        (sign, start)
    }

    fn put_end(&mut self, text: &[u8]) {
        self.size += text.len();
        let text = &text[text.len().saturating_sub(END)..];
        let excess = (self.end.len() + text.len()).saturating_sub(END);
        self.end.drain(..excess.min(self.end.len()));
        self.end.extend_from_slice(text);
    }
}

impl View for Marked {
    fn line(&mut self, line: &Line<'_>) {
        self.finish();
        let content = line.content();
        let (beginning, rest) = content.split_at(content.len().min(BEGINNING));
        let shown = overwritten::shown(beginning);
        let (sign, start) = self.sign(line, &shown);
        let name = match sign {
            Sign::Marked(mark) => format!("{mark:?}"),
            Sign::None => String::new(),
            other => format!("{other:?}"),
        };
        let rank = line.seen.severity.unwrap_or(0);
        let (number, is_new) = (line.number, line.is_new);
        let head = format!("[{number}, {rank}, \"{name}\", {start}, {is_new}, \"");
        self.out.put(head.as_bytes());
        put_string(&shown, &mut self.out);
        self.is_open = true;
        self.size = 0;
        self.put_end(rest);
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        self.put_end(without_line_feed(text));
    }

    fn finish(&mut self) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        self.out.put(format!("\", {}, \"", self.size - self.end.len()).as_bytes());
        let end = std::mem::take(&mut self.end);
        let shown = if end.is_empty() { Cow::Borrowed(&end[..]) } else { overwritten::shown(&end) };
        put_string(&shown, &mut self.out);
        self.out.put(b"\"]\n");
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        if let Some(caches) = self.caches.take() {
            self.grammar.causes.reuse(caches);
        }
    }
}
