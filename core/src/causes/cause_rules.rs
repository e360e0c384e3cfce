// SPDX-License-Identifier: Apache-2.0
//! All that is asked of lines to find a cause, compiled once.

use serde::Deserialize;

use crate::causes::chapter_rules;
use crate::causes::line_rules::{Heads, Passed, Stack, Told, Words};
use crate::causes::marks::{self, Marks};
use crate::recognition::head::MOST_NESTED;
use crate::recognition::members::quoted;
use crate::recognition::names::Names;
use crate::recognition::patterns::{Cache, Pool};
use crate::recognition::severities::Severities;
use crate::tables::{Pieces, Tables};

/// `core/grammar/causes.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    marks: marks::Reading,
    heads: Heads,
    passed: Passed,
    words: Words,
    stack: Stack,
    told: Told,
    pieces: Pieces,
}

/// The caches of the rules' automatons, for one thread at a time.
pub struct Caches {
    pub marks: marks::Caches,
    pub behind_time: Cache,
    pub step_head: Cache,
    pub green: Cache,
    pub chapters: Cache,
}

/// The rules.
pub struct Causes {
    pub marks: Marks,
    pub heads: Heads,
    pub passed: Passed,
    pub words: Words,
    pub stack: Stack,
    pub told: Told,
    pub chapters: chapter_rules::Rules,
    /// Names of members that hold the text of a line.
    texts: Names<()>,
    // Ranks.
    pub warning: usize,
    pub error: usize,
    unused_caches: Pool<Caches>,
}

impl Causes {
    /// Errors: the first row at fault, and its fault.
    pub fn new(tables: &Tables, severities: &Severities) -> Result<Self, String> {
        let (chapters, of_chapters) = chapter_rules::Rules::new(tables)?;
        let (_, data) = tables.read::<Data>("causes.toml")?;
        Ok(Self {
            marks: Marks::new(tables, data.marks, &data.pieces, of_chapters)?,
            heads: data.heads,
            passed: data.passed,
            words: data.words,
            stack: data.stack,
            told: data.told,
            chapters,
            texts: severities.keys.text.clone(),
            warning: severities.named("WARNING")?,
            error: severities.named("ERROR")?,
            unused_caches: Pool::default(),
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            marks: self.marks.caches(),
            behind_time: self.heads.behind_time.cache(),
            step_head: self.heads.step_head.cache(),
            green: self.passed.others.cache(),
            chapters: self.chapters.patterns.cache(),
        })
    }

    /// Takes caches back, for another thread.
    pub fn reuse(&self, caches: Caches) {
        self.unused_caches.give_back(caches);
    }

    /// The text that an object at a place quotes, and where its content begins. inner: see `Head`.
    pub fn quoted(&self, shown: &[u8], at: usize, inner: u16) -> Option<(Vec<u8>, usize)> {
        let mut text = quoted(&self.texts, shown, at)?.1.into_owned();
        for _ in 1..MOST_NESTED {
            let Some((_, line)) = quoted(&self.texts, &text, 0) else { break };
            text = line.into_owned();
        }
        let start = usize::from(inner).min(text.len());
        Some((text, start))
    }

    /// True if the line speaks of a failure.
    pub fn is_word(&self, caches: &mut Caches, content: &[u8], rank: usize) -> bool {
        let is_other = rank >= self.error || (0 < rank && rank < self.warning);
        if content.is_empty() || is_other || self.passed.is_green(&mut caches.green, content) {
            return false;
        }
        if self.words.are_counted(content) {
            return false;
        }
        if self.words.is_weak(content) {
            return true;
        }
        rank != self.warning && self.words.are_in(content)
    }
}
