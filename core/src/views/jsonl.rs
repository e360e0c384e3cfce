// SPDX-License-Identifier: Apache-2.0
//! JSON lines: one object for each line.

use crate::lines::without_line_feed;
use crate::recognition::grammar::Grammar;
use crate::recognition::times::Clock;
use crate::shown::Line;
use crate::terminal::ansi;
use crate::views::output::Output;
use crate::views::view::View;

/// The objects of lines.
pub struct Jsonl {
    out: Output,
    /// Names of severities by rank.
    names: Vec<String>,
    clock: Clock,
    /// Bytes of a line; the rest of its text is left out.
    longest: usize,
    is_open: bool,
    is_cut: bool,
    is_new: bool,
    /// The first member of each row; None for the objects of one log.
    label: Option<Vec<u8>>,
}

impl Jsonl {
    pub fn new(grammar: &Grammar, clock: Clock, longest: usize, label: Option<Vec<u8>>) -> Self {
        Self {
            out: Output::default(),
            names: grammar.severities.names.clone(),
            clock,
            longest,
            is_open: false,
            is_cut: false,
            is_new: false,
            label,
        }
    }

    fn put_time(&mut self, line: &Line<'_>) {
        match self.clock.iso(&line.time()) {
            Some(iso) => {
                self.out.put(b"\"");
                put_string(&iso, &mut self.out);
                self.out.put(b"\"");
            }
            None => self.out.put(b"null"),
        }
    }
}

impl View for Jsonl {
    fn line(&mut self, line: &Line<'_>) {
        self.finish();
        self.is_open = true;
        let content = line.content();
        self.is_cut = content.len() > self.longest;
        self.is_new = line.is_new;
        self.out.put_all([b"{", self.label.as_deref().unwrap_or_default(), b"\"line\": "]);
        self.out.put(itoa::Buffer::new().format(line.number).as_bytes());
        self.out.put(b", \"time\": ");
        self.put_time(line);
        self.out.put(b", \"severity\": \"");
        self.out.put(self.names[line.seen.severity.unwrap_or(0)].as_bytes());
        self.out.put(b"\", \"text\": \"");
        let text = &content[..content.len().min(self.longest)];
        put_string(&ansi::without(text.strip_suffix(b"\r").unwrap_or(text)), &mut self.out);
        if self.label.is_some() {
            self.is_cut = content.len() >= self.longest;
            self.finish();
        }
    }

    fn rest_of_line(&mut self, text: &[u8]) {
        self.is_cut |= !without_line_feed(text).is_empty();
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.out.put(b"\"");
            if self.is_new {
                self.out.put(b", \"new\": true");
            }
            self.out.put(if self.is_cut { b", \"cut\": true}\n" } else { b"}\n" });
        }
    }

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }
}

/// Puts the inside of a string; what is no UTF-8 is replaced.
pub fn put_string(text: &[u8], out: &mut Output) {
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
