// SPDX-License-Identifier: Apache-2.0
//! The bytes that go out: a buffer that is written in whole words and escapes as it copies.

/// Escaping looks at so many bytes at once.
const WORD: usize = 8;
/// Most text holds nothing to escape in so many bytes, which are then copied at once.
const BLOCK: usize = 32;
/// The longest entity, `&amp;`.
const LONGEST_ENTITY: usize = 5;
/// Room that is made at first: a small log's page grows into it without being copied.
const FIRST: usize = 16 * 1024;
/// Text is escaped in steps, so that the worst case is reserved for a step, not for the text.
const STEP: usize = 4096;

/// Grows to the largest answer of a renderer and is used again for each.
#[derive(Default)]
pub struct Output {
    /// Longer than what is written: words are stored whole and then overwritten.
    buffer: Vec<u8>,
    end: usize,
}

impl Output {
    /// Forgets what was written.
    pub fn clear(&mut self) {
        self.end = 0;
    }

    /// What was written.
    pub fn written(&self) -> &[u8] {
        &self.buffer[..self.end]
    }

    /// As it is.
    pub fn put(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.buffer[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// One behind the other.
    pub fn put_all<const PARTS: usize>(&mut self, parts: [&[u8]; PARTS]) {
        self.reserve(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            self.buffer[self.end..self.end + part.len()].copy_from_slice(part);
            self.end += part.len();
        }
    }

    /// The first bytes of many. The compiler makes a few moves of it, and no call.
    #[inline]
    pub fn put_first<const MOST: usize>(&mut self, bytes: &[u8; MOST], size: usize) {
        self.reserve(MOST);
        self.buffer[self.end..self.end + MOST].copy_from_slice(bytes);
        self.end += size;
    }

    /// As it is: for what is short and of a known length.
    #[inline]
    pub fn put_short<const SIZE: usize>(&mut self, bytes: &[u8; SIZE]) {
        self.put_first(bytes, SIZE);
    }

    /// For text between tags, and in attributes where it holds no quotes.
    pub fn put_escaped(&mut self, text: &[u8]) {
        for step in text.chunks(STEP) {
            self.reserve(step.len() * LONGEST_ENTITY + 2 * WORD);
            let (blocks, rest) = step.as_chunks::<BLOCK>();
            for block in blocks {
                if is_plain(block) {
                    self.buffer[self.end..self.end + BLOCK].copy_from_slice(block);
                    self.end += BLOCK;
                } else {
                    let (words, _) = block.as_chunks::<WORD>();
                    words.iter().for_each(|word| self.put_escaped_word(*word, WORD));
                }
            }
            let (words, rest) = rest.as_chunks::<WORD>();
            words.iter().for_each(|word| self.put_escaped_word(*word, WORD));
            let mut word = [0; WORD];
            word[..rest.len()].copy_from_slice(rest);
            self.put_escaped_word(word, rest.len());
        }
    }

    fn put_escaped_word(&mut self, word: [u8; WORD], size: usize) {
        let mut bytes = u64::from_le_bytes(word);
        let mut marked = to_escape(bytes);
        let mut left = size;
        while marked != 0 {
            let before = marked.trailing_zeros() as usize / 8;
            self.store(bytes, before);
            bytes >>= 8 * before;
            let (entity, length) = entity(bytes as u8);
            self.store(u64::from_le_bytes(entity), length);
            bytes >>= 8;
            marked = marked >> (8 * before) >> 8;
            left -= before + 1;
        }
        self.store(bytes, left);
    }

    /// Of a word its first bytes.
    fn store(&mut self, word: u64, size: usize) {
        self.buffer[self.end..self.end + WORD].copy_from_slice(&word.to_le_bytes());
        self.end += size;
    }

    fn reserve(&mut self, size: usize) {
        let needed = self.end + size;
        if self.buffer.len() < needed {
            self.buffer.resize(needed.max(2 * self.buffer.len()).max(FIRST), 0);
        }
    }
}

const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; WORD])
}

/// Of a loop without branches the compiler makes vector instructions.
fn is_plain(block: &[u8; BLOCK]) -> bool {
    let mut found = 0;
    for &byte in block {
        found |= u8::from(byte == b'&') | u8::from(byte | (b'<' ^ b'>') == b'>');
    }
    found == 0
}

/// The high bit of each byte that is one of `&`, `<` and `>`. The last two differ in one bit.
fn to_escape(word: u64) -> u64 {
    zeros(word ^ each(b'&')) | zeros((word | each(b'<' ^ b'>')) ^ each(b'>'))
}

/// The high bit of each byte that is zero.
fn zeros(word: u64) -> u64 {
    let low = each(0x7f);
    !(((word & low) + low) | word | low)
}

fn entity(byte: u8) -> ([u8; WORD], usize) {
    match byte {
        b'<' => (*b"&lt;\0\0\0\0", 4),
        b'>' => (*b"&gt;\0\0\0\0", 4),
        _ => (*b"&amp;\0\0\0", 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_escaped_alone_wherever_it_stands() {
        for byte in 0..=255 {
            let entity = match byte {
                b'&' => "&amp;".into(),
                b'<' => "&lt;".into(),
                b'>' => "&gt;".into(),
                _ => vec![byte],
            };
            let entity: Vec<u8> = entity;
            for before in 0..BLOCK + WORD {
                for after in 0..BLOCK {
                    let filler = [b'x', 0xff, 0, b';'][before % 4];
                    let (before, after) = (vec![filler; before], vec![filler; after]);
                    let mut out = Output::default();
                    out.put_escaped(&[&before[..], &[byte], &after[..]].concat());
                    let expected = [&before[..], &entity[..], &after[..]].concat();
                    assert_eq!(out.written(), expected);
                }
            }
        }
    }

    #[test]
    fn the_worst_case_fits() {
        for size in [0, 1, WORD, STEP - 1, STEP, STEP + 1, 3 * STEP + 5] {
            let mut out = Output::default();
            out.put_escaped(&vec![b'&'; size]);
            assert_eq!(out.written(), b"&amp;".repeat(size));
        }
    }
}
