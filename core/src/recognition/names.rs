// SPDX-License-Identifier: Apache-2.0
//! Small tables by name. A log's lines ask for few names of some lengths, so no name is hashed.

use serde::{Deserialize, Deserializer};

/// Values by name.
#[derive(Clone)]
pub struct Names<T>(Vec<Vec<(Vec<u8>, T)>>);

impl<T: Copy> Names<T> {
    pub fn new(values: impl IntoIterator<Item = (impl Into<Vec<u8>>, T)>) -> Self {
        let mut by_length: Vec<Vec<_>> = Vec::new();
        for (name, value) in values {
            let name = name.into();
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

/// Of names with blanks between them.
impl<'de> Deserialize<'de> for Names<()> {
    fn deserialize<D: Deserializer<'de>>(names: D) -> Result<Self, D::Error> {
        let names = String::deserialize(names)?;
        Ok(Self::new(names.split_whitespace().map(|name| (name, ()))))
    }
}
