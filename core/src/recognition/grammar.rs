// SPDX-License-Identifier: Apache-2.0
//! The grammar of heads, of the tables of `core/grammar`, compiled once.

use std::ops::Range;

use regex::bytes::Regex;

use crate::recognition::exceptions::{self, Exceptions};
use crate::recognition::heads;
use crate::recognition::layouts::Times;
use crate::recognition::patterns::{Cache, Pool};
use crate::recognition::repeated;
use crate::recognition::severities::Severities;
use crate::recognition::tokens::Table;
use crate::recognition::user_formats::{self, UserFormats};
use crate::tables::Tables;

/// The grammar.
pub struct Grammar {
    pub severities: Severities,
    pub tokens: Table,
    pub times: Times,
    pub exceptions: Exceptions,
    pub user_formats: UserFormats,
    // Ranks.
    pub trace: usize,
    pub warning: usize,
    pub error: usize,
    pub critical: usize,
    unused_caches: Pool<Caches>,
}

/// The caches of a grammar's automatons, for one thread at a time.
pub struct Caches {
    pub heads: heads::Cache,
    pub repeated: repeated::Cache,
    pub tokens: Vec<Cache>,
    pub times: Cache,
    pub exceptions: exceptions::Cache,
    pub user_formats: user_formats::Cache,
}

impl Grammar {
    /// Errors: the first row at fault, and its fault.
    pub fn new(formats: &[user_formats::Data], tables: &Tables) -> Result<Self, String> {
        let severities = Severities::new(tables)?;
        Ok(Self {
            trace: severities.named("TRACE")?,
            warning: severities.named("WARNING")?,
            error: severities.named("ERROR")?,
            critical: severities.named("CRITICAL")?,
            unused_caches: Pool::default(),
            tokens: Table::new(tables, &severities)?,
            times: Times::new(tables)?,
            exceptions: Exceptions::new(tables, &severities)?,
            user_formats: UserFormats::new(formats, &severities)?,
            severities,
        })
    }

    /// Caches for one thread: used ones, or new ones.
    pub fn caches(&self) -> Caches {
        self.unused_caches.take(|| Caches {
            heads: heads::Cache::default(),
            repeated: repeated::Cache::default(),
            tokens: self.tokens.caches(),
            times: self.times.cache(),
            exceptions: self.exceptions.cache(),
            user_formats: self.user_formats.cache(),
        })
    }

    /// Takes caches back, for another thread.
    pub fn reuse(&self, caches: Caches) {
        self.unused_caches.give_back(caches);
    }
}

/// The place of the first group of a pattern that matches at a place.
pub fn group_at(pattern: &Regex, text: &[u8], at: usize) -> Option<Range<usize>> {
    let group = pattern.captures(text.get(at..)?)?.get(1)?;
    Some(at + group.start()..at + group.end())
}
