// SPDX-License-Identifier: Apache-2.0
//! Places of lines in a block.

use memchr::{memchr_iter, memrchr};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line, or more of one, without its line feed.
pub fn without_line_feed(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}

/// Where a line's content may begin: behind a byte order mark.
pub fn after_mark(shown: &[u8]) -> usize {
    if shown.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// The number of lines, with a last one that has no end.
pub fn count_lines(lines: &[u8]) -> u64 {
    let goes_on = lines.last().is_some_and(|&last| last != b'\n');
    memchr_iter(b'\n', lines).count() as u64 + u64::from(goes_on)
}

/// The beginning of the line in which `at` stands.
pub fn line_start(block: &[u8], from: usize, at: usize) -> usize {
    memrchr(b'\n', &block[from..at]).map_or(from, |found| from + found + 1)
}

/// The beginning of the line that is so many lines behind `at`, or the block's end.
pub fn after_lines(block: &[u8], at: usize, lines: u64) -> usize {
    let Some(before) = usize::try_from(lines).ok().and_then(|lines| lines.checked_sub(1)) else {
        return at;
    };
    memchr_iter(b'\n', &block[at..]).nth(before).map_or(block.len(), |found| at + found + 1)
}

/// The beginning of the line that is so many lines before `at`, or `from`.
pub fn lines_before(block: &[u8], from: usize, at: usize, lines: usize) -> usize {
    let mut at = at;
    for _ in 0..lines {
        if at == from {
            break;
        }
        at = line_start(block, from, at - 1);
    }
    at
}

/// The place of the next of something that few lines hold, so that most lines are not searched one by one.
///
/// Places are bytes to the block's end.
#[derive(Default)]
pub struct Next {
    /// Where the last search began; where it found something, or ended; and whether it found something.
    from: usize,
    to: usize,
    is_found: bool,
    /// Bytes that it searched at most, unless the line has more.
    reach: usize,
}

/// Bytes that are searched at once where only some lines are asked for; and where all are.
const LEAST_SEARCHED: usize = 64;
const MOST_SEARCHED: usize = 64 * 1024;

impl Next {
    /// The place in a line where it may begin first. size: the line's bytes. rest: of the block, from
    /// the line on. find: its place in a text.
    #[inline]
    pub fn place_in(
        &mut self,
        size: usize,
        rest: &[u8],
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        let (start, end) = (rest.len(), rest.len() - size);
        let is_known =
            start <= self.from && if self.is_found { self.to <= start } else { self.to <= end };
        if !is_known {
            self.search(size, rest, find);
        }
        Some(start - self.to).filter(|&place| self.is_found && place < size)
    }

    /// Searches a line, and those behind it: the more, the longer none was left out.
    fn search(&mut self, size: usize, rest: &[u8], find: impl Fn(&[u8]) -> Option<usize>) {
        let start = rest.len();
        let goes_on = start <= self.from && self.to <= start;
        self.reach = if goes_on { MOST_SEARCHED.min(2 * self.reach) } else { LEAST_SEARCHED };
        let reach = start.min(size.max(self.reach));
        let found = find(&rest[..reach]);
        (self.from, self.to) = (start, start - found.unwrap_or(reach));
        self.is_found = found.is_some();
    }
}
