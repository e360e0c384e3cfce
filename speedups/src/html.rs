// SPDX-License-Identifier: Apache-2.0
//! A line as an element, as `oslogserve/lines/render.py` defines it.

use crate::formats::{Formats, Seen};
use crate::output::Output;

const END: &[u8] = b"\n</span>";

/// Marks lines up.
pub struct Html {
    /// For each severity: the class of a line that shows it, and of one that inherits it.
    classes: Vec<[Vec<u8>; 2]>,
    inherited: [usize; 2],
}

impl Html {
    /// A log begins with the lowest severity.
    pub fn new(formats: &Formats) -> Self {
        let class =
            |word: &Vec<u8>, more: &[u8]| [b"\" class=\"", &word[..], more, b"\">"].concat();
        let classes = formats.words().iter();
        Self {
            classes: classes.map(|word| [class(word, b""), class(word, b" more")]).collect(),
            inherited: [0, 0],
        }
    }

    /// A line's beginning: all of it, or the part that there is.
    pub fn begin(&mut self, number: u64, line: &[u8], seen: Seen, out: &mut Output) {
        let [rank, more] = match seen.severity {
            Some(rank) => {
                self.inherited = [rank, 1];
                [rank, 0]
            }
            None => self.inherited,
        };
        out.put(b"<span id=\"L");
        out.put_number(number);
        out.put(&self.classes[rank][more]);
        let (time, rest) = line.split_at(seen.time);
        if !time.is_empty() {
            out.put(b"<a name=\"_");
            out.put_mapped(time, anchor);
            out.put(b"\" href=\"#_");
            out.put_mapped(time, anchor);
            out.put(b"\">");
            out.put(time);
            out.put(b"</a>");
        }
        out.put_escaped(rest);
    }

    /// More of a line.
    pub fn go_on(&self, part: &[u8], out: &mut Output) {
        out.put_escaped(part);
    }

    /// A line's end.
    pub fn end(&self, out: &mut Output) {
        out.put(END);
    }
}

/// A time goes into its anchor with these replaced, and all behind a first `_`.
fn anchor(byte: u8) -> u8 {
    match byte {
        b'-' | b':' | b' ' | b'.' | b',' | b'T' => b'_',
        other => other,
    }
}
