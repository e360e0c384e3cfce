// SPDX-License-Identifier: Apache-2.0
//! Lines as JSON, as `oslogserve/lines/jsonl.py` defines it.

use crate::ansi;
use crate::grammar::Grammar;
use crate::output::Output;
use crate::times::Clock;
use crate::view::{Line, View};

/// An object a line.
pub struct Jsonl {
    /// What was made.
    pub out: Output,
    words: Vec<Vec<u8>>,
    clock: Clock,
    /// Bytes of a line: the rest of its text is left out.
    longest: usize,
    is_open: bool,
    is_cut: bool,
}

impl Jsonl {
    /// For one log.
    pub fn new(grammar: &Grammar, clock: Clock, longest: usize) -> Self {
        Self {
            out: Output::default(),
            words: grammar.severities.clone(),
            clock,
            longest,
            is_open: false,
            is_cut: false,
        }
    }

    /// The end of the last line.
    pub fn finish(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let end: &[u8] = if self.is_cut { b"\", \"cut\": true}\n" } else { b"\"}\n" };
            self.out.put(end);
        }
    }

    fn text(&mut self, text: &[u8]) {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        put_string(&ansi::without(text), &mut self.out);
    }
}

impl View for Jsonl {
    const SEES: bool = true;
    const INHERITS: bool = false;
    const READS_ALL: bool = false;
    const COUNTS: bool = false;

    fn line(&mut self, line: &Line<'_>) {
        self.finish();
        self.is_open = true;
        self.is_cut = line.text.len() > self.longest;
        self.out.put(b"{\"line\": ");
        self.out.put(itoa::Buffer::new().format(line.number).as_bytes());
        self.out.put(b", \"time\": ");
        match self.clock.iso(&ansi::without(&line.text[line.seen.time.clone()])) {
            Some(iso) => {
                self.out.put(b"\"");
                put_string(iso.as_bytes(), &mut self.out);
                self.out.put(b"\"");
            }
            None => self.out.put(b"null"),
        }
        self.out.put(b", \"severity\": \"");
        self.out.put(&self.words[line.seen.severity.unwrap_or(0)]);
        self.out.put(b"\", \"text\": \"");
        self.text(&line.text[..line.text.len().min(self.longest)]);
    }

    fn part(&mut self, part: &[u8], _has_end: bool) {
        self.is_cut |= !part.is_empty();
    }

    fn gap(&mut self, _first: u64, _last: u64) {}
}

/// The inside of a string; what is no UTF-8 is replaced.
fn put_string(text: &[u8], out: &mut Output) {
    let text = String::from_utf8_lossy(text);
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.put(&bytes[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.put(b"\\\""),
            b'\\' => out.put(b"\\\\"),
            b'\n' => out.put(b"\\n"),
            b'\r' => out.put(b"\\r"),
            b'\t' => out.put(b"\\t"),
            0x08 => out.put(b"\\b"),
            0x0c => out.put(b"\\f"),
            _ => out.put(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.put(&bytes[from..]);
}
