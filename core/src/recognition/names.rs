// SPDX-License-Identifier: Apache-2.0
//! Small tables by name. A log's lines ask for few names of some lengths, so no name is hashed.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;

/// Values by name.
pub struct Names<T>(Vec<Vec<(Vec<u8>, T)>>);

impl<T: Copy> Names<T> {
    pub fn new(values: impl IntoIterator<Item = (Vec<u8>, T)>) -> Self {
        let mut by_length: Vec<Vec<_>> = Vec::new();
        for (name, value) in values {
            if by_length.len() <= name.len() {
                by_length.resize_with(name.len() + 1, Vec::new);
            }
            by_length[name.len()].push((name, value));
        }
        Self(by_length)
    }

    /// The value of a name.
    pub fn get(&self, name: &[u8]) -> Option<T> {
        self.find(name, |known| known == name)
    }

    /// The value of a name in any case. The table's names are in upper case.
    pub fn get_in_any_case(&self, name: &[u8]) -> Option<T> {
        self.find(name, |known| known.eq_ignore_ascii_case(name))
    }

    /// True if the name is in the table.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.get(name).is_some()
    }

    fn find(&self, name: &[u8], is_it: impl Fn(&[u8]) -> bool) -> Option<T> {
        let found = self.0.get(name.len())?.iter().find(|(known, _)| is_it(known));
        found.map(|&(_, value)| value)
    }
}

/// A table of Python's set of names.
pub fn of_set(set: &Bound<'_, PyAny>) -> PyResult<Names<()>> {
    let names: HashSet<Vec<u8>> = set.extract()?;
    Ok(Names::new(names.into_iter().map(|name| (name, ()))))
}

/// A table of Python's ranks by name.
pub fn of_ranks(ranks: &Bound<'_, PyAny>) -> PyResult<Names<usize>> {
    Ok(Names::new(ranks.extract::<HashMap<Vec<u8>, usize>>()?))
}
