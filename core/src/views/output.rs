// SPDX-License-Identifier: Apache-2.0
//! A buffer that escapes as it copies.

use memchr::memchr3_iter;

/// Bytes of the first buffer: a small log's page fits.
const FIRST: usize = 16 * 1024;

/// What a view writes. Used again for each piece.
#[derive(Default)]
pub struct Output {
    /// Longer than what is written.
    buffer: Vec<u8>,
    end: usize,
    /// Bytes that will be written, as those before were.
    likely: usize,
}

impl Output {
    /// Empties the buffer. It stays no longer than what is written goes on to need: a long line comes
    /// seldom, and many logs may have one.
    pub fn clear(&mut self) {
        if self.buffer.len() > 4 * self.end.max(FIRST) {
            self.buffer = Vec::new();
        }
        self.end = 0;
    }

    /// Empties the buffer and frees it: of many logs only those at work have one.
    pub fn give_back(&mut self) {
        *self = Self { likely: self.end + self.end / 8, ..Self::default() };
    }

    /// What was written. The buffer is freed, as by give_back().
    pub fn take(&mut self) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.buffer);
        text.truncate(self.end);
        self.give_back();
        text
    }

    /// What was written.
    pub fn written(&self) -> &[u8] {
        &self.buffer[..self.end]
    }

    /// Puts bytes as they are.
    pub fn put(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.buffer[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// Puts several texts as they are.
    pub fn put_all<const COUNT: usize>(&mut self, texts: [&[u8]; COUNT]) {
        self.reserve(texts.iter().map(|text| text.len()).sum());
        for text in texts {
            self.buffer[self.end..self.end + text.len()].copy_from_slice(text);
            self.end += text.len();
        }
    }

    /// Puts the first `size` bytes. The compiler makes a few moves of it, and no call.
    #[inline]
    pub fn put_first<const MOST: usize>(&mut self, bytes: &[u8; MOST], size: usize) {
        self.reserve(MOST);
        self.buffer[self.end..self.end + MOST].copy_from_slice(bytes);
        self.end += size;
    }

    /// Puts a short constant.
    #[inline]
    pub fn put_short<const SIZE: usize>(&mut self, bytes: &[u8; SIZE]) {
        self.put_first(bytes, SIZE);
    }

    /// Puts text for use between tags, or in an attribute if it holds no quotes.
    pub fn put_escaped(&mut self, text: &[u8]) {
        let mut at = 0;
        for special in memchr3_iter(b'&', b'<', b'>', text) {
            let entity: &[u8] = match text[special] {
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                _ => b"&amp;",
            };
            self.put_all([&text[at..special], entity]);
            at = special + 1;
        }
        self.put(&text[at..]);
    }

    fn reserve(&mut self, size: usize) {
        let needed = self.end + size;
        if self.buffer.len() < needed {
            self.buffer.resize(needed.max(2 * self.buffer.len()).max(self.likely).max(FIRST), 0);
        }
    }
}
