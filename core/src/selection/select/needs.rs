// SPDX-License-Identifier: Apache-2.0
//! What must be found out of the lines for an answer.

use crate::selection::Wanted;
use crate::selection::filter::Filter;

/// What view and selection need of the lines.
#[derive(Clone, Copy)]
pub struct Needs {
    /// Severities or times.
    pub heads: bool,
    /// Severities or times of lines above.
    pub inherited: bool,
    /// Lines are read, or counted, where none can be a hit any more.
    pub all_lines: bool,
    /// Lines that are left out are shown as gaps.
    pub gaps: bool,
    /// Hits are counted by severity.
    pub counts: bool,
    /// Nothing is left out: each line is a hit.
    pub no_choice: bool,
}

impl Needs {
    pub fn of(wanted: &Wanted, filter: &Filter) -> Self {
        let Wanted { view, selection, .. } = wanted;
        let has_times = wanted.by_time || selection.has_times();
        let has_ranks = matches!(&view[..], "html" | "summary" | "marked");
        let inherited = has_ranks || has_times || filter.floor.is_some();
        let brings_in = !selection.show.is_empty();
        Self {
            heads: view != "text" || inherited || brings_in || filter.comparison.is_some(),
            inherited,
            all_lines: view == "summary" || brings_in,
            gaps: view == "html" && wanted.label.is_none(),
            counts: view == "html" && selection.tail.is_none(),
            no_choice: filter.is_empty() && selection.leaves_all(),
        }
    }
}
