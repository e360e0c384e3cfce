// SPDX-License-Identifier: Apache-2.0
//! The renderer of one log.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::python::grammar::Grammar;
use crate::python::index::Index;
use crate::python::log_words::LogWords;
use crate::python::merge::{LastRows, MergedRows};
use crate::python::{MOST, WORTH_DETACHING, packed, place, within};
use crate::recognition::head::REACH;
use crate::recognition::{grammar, times};
use crate::renderer;
use crate::searches::search::Search;
use crate::selection::filter::Filter;
use crate::selection::log_words::Comparison;
use crate::selection::select::Selector;
use crate::selection::{Selection, Tally, Wanted};
use crate::views::html::Html;
use crate::views::jsonl::Jsonl;
use crate::views::marked::Marked;
use crate::views::summary::Summary;
use crate::views::text::Text;
use crate::views::totals::Totals;
use crate::views::view::View;

/// The renderer of one log. Boxed: what searches needs memory of a wider alignment than Python gives.
#[pyclass(module = "oslogserve_core")]
pub struct Renderer {
    renderer: Box<renderer::Renderer>,
    /// Bytes from which on the interpreter is handed to other threads meanwhile.
    worth_detaching: usize,
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (grammar, wanted, written, longest, words=None))]
    fn new(
        grammar: &Grammar,
        wanted: Wanted,
        written: i64,
        longest: usize,
        words: Option<PyRef<'_, LogWords>>,
    ) -> PyResult<Self> {
        let Grammar { heads: grammar, causes } = grammar;
        if longest < REACH {
            let fault = format!("longest is less than the {REACH} bytes looked at");
            return Err(PyValueError::new_err(fault));
        }
        let selection = &wanted.selection;
        let numbers = [
            Some(selection.first),
            selection.last,
            selection.context.map(|lines| lines as u64),
            selection.tail.map(|lines| lines as u64),
            selection.limit,
            Some(selection.after),
            selection.shown_ranges.iter().map(|range| range.1).max(),
        ];
        within("a number of lines", numbers.into_iter().flatten().max().unwrap_or(0), 0..=MOST)?;
        let words = words.map(|words| Arc::clone(&words.0));
        let clock = times::Clock::new(Arc::clone(&grammar.times.readable), written);
        let view: Box<dyn View> = match &wanted.view[..] {
            "html" => {
                let marked = compiled(&wanted.selection.searches)?;
                let (link, label) = (wanted.link.clone(), wanted.label.clone());
                let causes = Arc::clone(causes);
                let html = Html::new(grammar, causes, link, marked, longest, label);
                Box::new(html.naming_all(wanted.names_all))
            }
            "text" => Box::new(Text::new(wanted.label.clone())),
            "jsonl" => {
                let label = wanted.label.clone();
                Box::new(Jsonl::new(grammar, clock.clone(), longest, label))
            }
            "marked" => Box::new(Marked::new(Arc::clone(causes), wanted.beginning)),
            "summary" => {
                let (causes, clock) = (Arc::clone(causes), clock.clone());
                Box::new(Summary::new(grammar, causes, clock, words.is_some()))
            }
            other => return Err(PyValueError::new_err(format!("no such view: {other}"))),
        };
        let filter = filter(grammar, &wanted.selection, words.map(Comparison::new))?;
        // A search may take milliseconds for each KB, and what a tail held back is rendered at once.
        let has_searches = !filter.searches.is_empty() || !filter.without.is_empty();
        let is_costly = has_searches || wanted.selection.tail.is_some();
        let worth_detaching = if is_costly { 0 } else { WORTH_DETACHING };
        let selector = Selector::new(view, Arc::clone(grammar), clock, wanted, filter, longest);
        let renderer = Box::new(renderer::Renderer::new(selector, longest));
        Ok(Self { renderer, worth_detaching })
    }

    fn feed<'py>(&mut self, py: Python<'py>, piece: &[u8]) -> Bound<'py, PyBytes> {
        let rendered = if piece.len() < self.worth_detaching {
            self.renderer.feed(piece)
        } else {
            py.detach(|| self.renderer.feed(piece))
        };
        PyBytes::new(py, rendered)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let rendered = if self.worth_detaching > 0 {
            self.renderer.finish()
        } else {
            py.detach(|| self.renderer.finish())
        };
        PyBytes::new(py, rendered)
    }

    #[getter]
    fn done(&self) -> bool {
        self.renderer.selector.is_done
    }

    /// Ends, times, `reached` and `named` of the Rows of `oslogserve.lines.selection`, of what the last call
    /// gave.
    fn rows<'py>(
        &mut self,
        py: Python<'py>,
    ) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, i64) {
        let rows = self.renderer.selector.rows();
        (packed(py, &rows.ends), packed(py, &rows.times), rows.reached, place(rows.named))
    }

    /// Holds the rows until they are taken. most_waiting: bytes of rows above the log's first time.
    fn hold_rows(&mut self, most_waiting: usize) {
        self.renderer.selector.hold_rows(most_waiting);
    }

    /// Bytes of the rows that are held.
    #[getter]
    fn rows_size(&mut self) -> usize {
        self.renderer.selector.view().output().written().len()
    }

    /// The rows that are held; none while they wait for the log's first time.
    fn take_rows(&mut self) -> MergedRows {
        MergedRows(Some(self.renderer.take_rows()))
    }

    /// Shows only what may be among the last rows of a merge. log: the log's index in it.
    fn show_last(&mut self, rows: &LastRows, log: usize, index: &Index) {
        self.renderer.selector.show_last(Arc::clone(&rows.0), log, &index.0.blocks);
    }

    /// True if a block that was read has not what the index says of it.
    #[getter]
    fn is_index_wrong(&self) -> bool {
        self.renderer.selector.is_index_wrong()
    }

    /// The first line that has more bytes than are shown.
    #[getter]
    fn cut_line(&self) -> Option<u64> {
        self.renderer.selector.cut_line()
    }

    /// Collects an index: of a summary with all lines, before anything is fed.
    fn collect_index(&mut self, interval: u64) -> PyResult<()> {
        within("interval", interval, 1..=MOST)?;
        self.renderer.collect_index(interval);
        Ok(())
    }

    fn blocks<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.renderer.blocks().map(|blocks| PyBytes::new(py, &blocks))
    }

    /// Notes the blocks that cannot hold what is searched for. words, ids: of Contents.
    fn leave_out(&mut self, index: &Index, words: &[u8], ids: &[u8]) -> PyResult<()> {
        let left_out = self.renderer.selector.choice.leave_out(&index.0.blocks, words, ids);
        left_out.map_err(PyValueError::new_err)
    }

    fn may_pass_over(&self, index: &Index) -> bool {
        self.renderer.selector.may_pass_over(&index.0.blocks)
    }

    #[pyo3(signature = (index, place, may_go_on=false))]
    fn pass_over(&mut self, index: &Index, place: usize, may_go_on: bool) -> usize {
        let blocks = index.0.blocks.get(place..).unwrap_or_default();
        place + self.renderer.pass_over(blocks, may_go_on)
    }

    /// The fields of a Tally of `oslogserve.lines.selection`.
    fn tally(&self) -> Tally {
        self.renderer.tally()
    }

    /// See `views/totals.rs`; None for another view, and once they were given.
    fn totals(&mut self) -> Option<Totals> {
        self.renderer.selector.view().totals()
    }
}

pub fn filter(
    grammar: &grammar::Grammar,
    selection: &Selection,
    comparison: Option<Comparison>,
) -> PyResult<Filter> {
    let rank = |level: &String| {
        let rank = grammar.severities.names.iter().position(|name| name == level);
        rank.ok_or_else(|| PyValueError::new_err(format!("no such level: {level}")))
    };
    Ok(Filter {
        floor: selection.level.as_ref().map(rank).transpose()?,
        searches: compiled(&selection.searches)?,
        without: compiled(&selection.without)?,
        new_only: selection.new_only && comparison.is_some(),
        comparison,
    })
}

/// The searches of a selection, compiled.
pub fn compiled(patterns: &[String]) -> PyResult<Vec<Search>> {
    let searches = patterns.iter().map(|one| Search::of(one));
    searches.collect::<Result<_, _>>().map_err(PyValueError::new_err)
}
