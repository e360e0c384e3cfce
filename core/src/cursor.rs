// SPDX-License-Identifier: Apache-2.0
//! Small steps through a text.

/// A place in a text. A step that does not fit leaves it anywhere: copy it before.
#[derive(Clone, Copy)]
pub struct Cursor<'t> {
    text: &'t [u8],
    pub at: usize,
}

const WORD: u8 = 1;
const SPACE: u8 = 2;
const FIELD: u8 = 4;
/// The classes of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD | FIELD,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'<' | b'>' => 0,
            b'|' | b',' | b'=' | b'"' | b'\'' | b';' => 0,
            _ => FIELD,
        };
        byte += 1;
    }
    classes
};

/// True for Python's \w over bytes.
pub fn is_word(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & WORD != 0
}

/// True for Python's \s over bytes.
pub fn is_space(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & SPACE != 0
}

/// True for what no field of a head holds.
pub fn is_delimiter(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & FIELD == 0
}

pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at }
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// True before blanks, and at the text's end.
    pub fn is_before_blank(&self) -> bool {
        self.peek().is_none_or(is_blank)
    }

    pub fn starts_with(&self, text: &[u8]) -> bool {
        self.rest().starts_with(text)
    }

    pub fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.starts_with(text).then(|| self.at += text.len())
    }

    /// Takes the bytes of a kind, `most` of them at most.
    pub fn run(&mut self, most: usize, is_in: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = self.rest();
        let most = rest.len().min(most);
        let size = rest[..most].iter().position(|&byte| !is_in(byte)).unwrap_or(most);
        self.at += size;
        &rest[..size]
    }

    /// Takes them as `run`; None where there is none.
    pub fn some(&mut self, most: usize, is_in: impl Fn(u8) -> bool) -> Option<&'t [u8]> {
        let run = self.run(most, is_in);
        (!run.is_empty()).then_some(run)
    }

    pub fn digits(&mut self) -> Option<&'t [u8]> {
        self.some(usize::MAX, |byte| byte.is_ascii_digit())
    }

    pub fn blanks(&mut self) {
        self.run(usize::MAX, is_blank);
    }

    pub fn spaces(&mut self) {
        self.run(usize::MAX, |byte| byte == b' ');
    }
}
