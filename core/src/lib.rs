// SPDX-License-Identifier: Apache-2.0
//! The native core of oslogserve: its line renderer, and how it opens a log on disk.
//!
//! Only this file and the structs that it exchanges with Python know of Python.

mod ansi;
mod cause;
mod cause_rules;
mod chapter_rules;
mod chapters;
mod contents;
mod cursor;
mod faults;
mod filter;
mod fragments;
mod grammar;
mod head;
mod heads;
mod html;
mod ids;
mod index;
mod inflate;
mod inherited;
mod jsonl;
mod kinds;
mod known;
mod line_buffer;
mod lines;
mod links;
mod members;
mod merge;
mod opening;
mod output;
mod overwritten;
mod patterns;
mod recognise;
mod renderer;
mod required;
mod screen;
mod search;
mod select;
mod selection;
mod step;
mod steps;
mod summary;
mod text;
mod times;
mod tokens;
mod totals;
mod user_formats;
mod view;
mod vocabulary;
mod words;

use std::io;
use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{IntoPyDict, PyBytes};

use crate::filter::Filter;
use crate::head::REACH;
use crate::html::Html;
use crate::jsonl::Jsonl;
use crate::known::Comparison;
use crate::search::Search;
use crate::select::Selector;
use crate::selection::{Pattern, Selection, Tally, Wanted};
use crate::summary::Summary;
use crate::text::Text;
use crate::totals::Totals;
use crate::view::View;

#[pymodule]
mod oslogserve_core {
    use super::*;

    #[pymodule_export]
    use super::{
        Contents, Grammar, Index, Inflater, Known, Merge, Renderer, check_line_pattern, kind_of,
        line_feeds, open_beneath, state_count,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("LIMITS", LIMITS.into_py_dict(module.py())?)?;
        module.add("INTERFACE", INTERFACE)
    }
}

/// The number of the interface to Python. It is raised together with the one in
/// `oslogserve/native.py`, which refuses a native core of another number.
const INTERFACE: u32 = 20;

macro_rules! limits {
    ($($module:ident::$name:ident)*) => {
        &[$((concat!(stringify!($module), ".", stringify!($name)), $module::$name as i64)),*]
    };
}

/// Limits that Python has to know.
const LIMITS: &[(&str, i64)] = limits! {
    select::CONTEXT_BYTES select::LINE_BYTES select::NO_TIME select::TAIL_BYTES select::UNTIMED
    select::UNTIMED_LINES
    head::MOST_CONTENTS head::MOST_FIELDS head::MOST_TOKENS head::MOST_WORDS head::PLAIN_REACH head::REACH
    cause::REACH
    step::GAP step::LONGEST step::PARAGRAPH step::REPORT step::RING step::WORD_GAP step::WORD_REACH
    step::SURVIVED
    chapters::LONGEST_NAME chapters::MOST chapters::MOST_FAILED chapters::MOST_OPEN
};

/// The grammar of heads, compiled once.
#[pyclass(frozen, module = "oslogserve_core")]
struct Grammar(Arc<grammar::Grammar>);

#[pymethods]
impl Grammar {
    #[new]
    fn new(data: grammar::Data, causes: cause_rules::Data) -> PyResult<Self> {
        let grammar = grammar::Grammar::new(data, causes).map_err(PyValueError::new_err)?;
        Ok(Self(Arc::new(grammar)))
    }

    /// A time as a line shows it in ISO 8601. written: when the log was last written, in seconds
    /// since 1970.
    fn iso(&self, time: &[u8], written: i64) -> Option<String> {
        let iso = times::Clock::new(Arc::clone(&self.0.readable), written).iso(time)?;
        Some(String::from_utf8_lossy(&iso).into_owned())
    }
}

/// Bytes that take longer to render than another thread takes to hand the interpreter back.
const WORTH_DETACHING: usize = 32 * 1024;

/// The searches of a selection, compiled.
fn compiled(patterns: &[Pattern]) -> PyResult<Vec<Search>> {
    let searches = patterns.iter().map(|one| Search::new(&one.pattern));
    searches.collect::<Result<_, _>>().map_err(PyValueError::new_err)
}

fn filter(
    grammar: &grammar::Grammar,
    selection: &Selection,
    comparison: Option<Comparison>,
) -> PyResult<Filter> {
    let rank = |level: &String| {
        let rank = grammar.data.severities.iter().position(|name| name == level.as_bytes());
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

/// The renderer of one log. Boxed: what searches needs memory of a wider alignment than Python gives.
#[pyclass(module = "oslogserve_core")]
struct Renderer {
    renderer: Box<renderer::Renderer>,
    /// Bytes from which on the interpreter is handed to other threads meanwhile.
    worth_detaching: usize,
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (grammar, wanted, written, longest, known=None))]
    fn new(
        grammar: &Grammar,
        wanted: Wanted,
        written: i64,
        longest: usize,
        known: Option<PyRef<'_, Known>>,
    ) -> PyResult<Self> {
        let Grammar(grammar) = grammar;
        if longest < REACH {
            let fault = format!("longest is less than the {REACH} bytes looked at");
            return Err(PyValueError::new_err(fault));
        }
        let known = known.map(|known| Arc::clone(&known.0));
        let clock = times::Clock::new(Arc::clone(&grammar.readable), written);
        let view: Box<dyn View> = match &wanted.view[..] {
            "html" => {
                let marked = compiled(&wanted.selection.searches)?;
                let most = wanted.selection.most_matches;
                let (link, label) = (wanted.link.clone(), wanted.label.clone());
                Box::new(Html::new(grammar, link, marked, most, longest, label))
            }
            "text" => Box::new(Text::new(wanted.label.clone())),
            "jsonl" => {
                let label = wanted.label.clone();
                Box::new(Jsonl::new(grammar, clock.clone(), longest, label))
            }
            "summary" => Box::new(Summary::new(grammar, clock.clone(), known.is_some())),
            other => return Err(PyValueError::new_err(format!("no such view: {other}"))),
        };
        let filter = filter(grammar, &wanted.selection, known.map(Comparison::new))?;
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

    /// Ends, times and `reached` of the Rows of `oslogserve.lines.selection`, of what the last call gave.
    fn rows<'py>(&mut self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64) {
        let (ends, times, reached) = self.renderer.selector.rows();
        (packed(py, &ends), packed(py, &times), reached)
    }

    /// Collects an index: of a summary with all lines, before anything is fed.
    fn collect_index(&mut self, interval: u64) {
        self.renderer.collect_index(interval);
    }

    fn blocks<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.renderer.blocks().map(|blocks| PyBytes::new(py, &blocks))
    }

    /// Notes the blocks that cannot hold what is searched for. words, ids: of Contents.
    fn leave_out(&mut self, index: &Index, words: &[u8], ids: &[u8]) -> PyResult<()> {
        let left_out = self.renderer.selector.leave_out(&index.0.blocks, words, ids);
        left_out.map_err(PyValueError::new_err)
    }

    fn may_pass_over(&self, index: &Index) -> bool {
        self.renderer.selector.may_pass_over(&index.0.blocks)
    }

    fn pass_over(&mut self, index: &Index, place: usize) -> usize {
        let blocks = index.0.blocks.get(place..).unwrap_or_default();
        place + self.renderer.pass_over(blocks)
    }

    /// The fields of a Tally of `oslogserve.lines.selection`.
    fn tally(&self) -> Tally {
        self.renderer.tally()
    }

    /// The Totals of `oslogserve.lines.summary`; None for another view.
    fn totals(&mut self) -> Option<Totals> {
        self.renderer.selector.view.totals()
    }
}

/// The words of a log, with which renderers compare lines of another log.
#[pyclass(module = "oslogserve_core", weakref)]
struct Known(Arc<known::Known>);

#[pymethods]
impl Known {
    #[new]
    fn new(grammar: &Grammar) -> Self {
        Self(Arc::new(known::Known::new(Arc::clone(&grammar.0))))
    }

    fn feed(&mut self, py: Python<'_>, piece: &[u8]) -> PyResult<()> {
        let known = self.unshared()?;
        py.detach(|| known.feed(piece));
        Ok(())
    }

    fn finish(&mut self) -> PyResult<()> {
        self.unshared()?.finish();
        Ok(())
    }

    #[getter]
    fn is_full(&self) -> bool {
        self.0.is_full
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }
}

impl Known {
    fn unshared(&mut self) -> PyResult<&mut known::Known> {
        Arc::get_mut(&mut self.0).ok_or_else(|| PyValueError::new_err("a renderer uses it already"))
    }
}

/// Bytes of stored data that take longer to inflate than another thread takes to hand the interpreter back.
const WORTH_DETACHING_INFLATION: usize = 4 * 1024;

/// A compressed log that is being inflated.
#[pyclass(module = "oslogserve_core")]
struct Inflater {
    inflater: inflate::Inflater,
    /// The input, and the place of what is not yet taken of it.
    chunk: Option<PyBackedBytes>,
    at: usize,
}

#[pymethods]
impl Inflater {
    #[new]
    fn new(packing: &str, piece_size: usize) -> Self {
        Self { inflater: inflate::Inflater::new(packing, piece_size), chunk: None, at: 0 }
    }

    fn feed<'py>(&mut self, py: Python<'py>, chunk: PyBackedBytes) -> Bound<'py, PyBytes> {
        self.chunk = Some(chunk);
        self.at = 0;
        self.piece(py)
    }

    /// Begins at a point of a log, see `collect_points`.
    #[staticmethod]
    fn at(packing: &str, piece_size: usize, point: inflate::Point) -> PyResult<Self> {
        let inflater = inflate::Inflater::at(packing, piece_size, &point);
        let inflater = inflater.ok_or_else(|| PyValueError::new_err("no window of a log"))?;
        Ok(Self { inflater, chunk: None, at: 0 })
    }

    fn collect_points(&mut self, interval: u64) {
        self.inflater.collect_points(interval);
    }

    fn take_points(&mut self) -> Vec<inflate::Point> {
        self.inflater.take_points()
    }

    fn more<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let is_taken = self.chunk.is_none() && !self.inflater.is_full();
        (!is_taken && self.inflater.fault().is_none()).then(|| self.piece(py))
    }

    #[getter]
    fn fault(&self) -> Option<(&'static str, String)> {
        self.inflater.fault().map(told)
    }

    #[getter]
    fn fault_at_end(&self) -> Option<(&'static str, String)> {
        self.inflater.fault_at_end().map(told)
    }

    #[getter]
    fn is_one_member(&self) -> bool {
        self.inflater.is_one_member()
    }
}

impl Inflater {
    fn piece<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let chunk = self.chunk.take();
        let mut input = chunk.as_ref().map_or(&[][..], |chunk| &chunk[self.at..]);
        let inflater = &mut self.inflater;
        let piece = if input.len() < WORTH_DETACHING_INFLATION {
            inflater.inflate(&mut input)
        } else {
            py.detach(|| inflater.inflate(&mut input))
        };
        let piece = PyBytes::new(py, piece);
        if !input.is_empty() {
            self.at = chunk.as_ref().map_or(0, |chunk| chunk.len() - input.len());
            self.chunk = chunk;
        }
        piece
    }
}

/// A fault as a reason of Incomplete and a sentence.
fn told(fault: inflate::Fault) -> (&'static str, String) {
    match fault {
        inflate::Fault::Damaged(why) => {
            ("corrupt", format!("the compressed data is damaged: {why}"))
        }
        inflate::Fault::Garbage => {
            ("corrupt", "what follows the compressed data is not gzip".to_owned())
        }
        inflate::Fault::Truncated => ("truncated", "the compressed data ends early".to_owned()),
    }
}

/// The blocks of a log that was read before, see `index.rs`.
#[pyclass(frozen, module = "oslogserve_core")]
struct Index(index::Index);

#[pymethods]
impl Index {
    #[new]
    fn new(blocks: &[u8], ends_a_line: bool, ranks: usize) -> PyResult<Self> {
        let index = index::Index::of_json(blocks, ends_a_line, ranks);
        index.map(Self).map_err(PyValueError::new_err)
    }

    #[getter]
    fn ends_a_line(&self) -> bool {
        self.0.ends_a_line
    }

    fn __len__(&self) -> usize {
        self.0.blocks.len()
    }

    /// Bytes before a block, its size and its checksum.
    fn __getitem__(&self, place: usize) -> PyResult<(u64, u64, u32)> {
        let block = self.0.blocks.get(place).ok_or_else(|| PyIndexError::new_err(place))?;
        Ok((block.at, block.size, block.checksum))
    }

    /// Lines and bytes of the text.
    #[getter]
    fn size(&self) -> (u64, u64) {
        self.0.size()
    }

    /// The place of the block that has the byte `at` of the text.
    fn place_of(&self, at: u64) -> usize {
        self.0.place_of(at)
    }
}

/// The words and ids of a log's blocks, which are fed in order. See `contents.rs`. Boxed as in Renderer.
#[pyclass(module = "oslogserve_core")]
struct Contents(Box<contents::Collector>);

#[pymethods]
impl Contents {
    #[new]
    fn new() -> Self {
        Self(Box::new(contents::Collector::new()))
    }

    fn feed(&mut self, py: Python<'_>, piece: &[u8]) {
        if piece.len() < WORTH_DETACHING {
            self.0.text(piece);
        } else {
            py.detach(|| self.0.text(piece));
        }
    }

    fn end_block(&mut self) {
        self.0.end_block();
    }

    fn finish<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (words, ids) = py.detach(|| self.0.finished());
        (PyBytes::new(py, &words), PyBytes::new(py, ids))
    }
}

/// Numbers as the bytes of an array of them.
fn packed<'py>(py: Python<'py>, numbers: &[i64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// Rows of several logs on their way to one order.
#[pyclass(module = "oslogserve_core")]
struct Merge(merge::Merge<PyBackedBytes>);

/// Rows of `oslogserve.lines.selection`, at least one: an empty array may have no aligned address.
type Rows = (PyBackedBytes, PyBuffer<i64>, PyBuffer<i64>, i64);

#[pymethods]
impl Merge {
    #[new]
    fn new(logs: usize) -> Self {
        Self(merge::Merge::new(logs))
    }

    fn feed(
        &mut self,
        py: Python<'_>,
        log: usize,
        pieces: Vec<Rows>,
        reached: i64,
    ) -> PyResult<()> {
        let rows = |(text, ends, times, _): Rows| {
            Ok(merge::Rows { text, ends: ends.to_vec(py)?, times: times.to_vec(py)? })
        };
        let pieces = pieces.into_iter().map(rows).collect::<PyResult<_>>()?;
        self.0.feed(log, pieces, reached);
        Ok(())
    }

    /// The log whose rows are needed to go on; -1 once there are `most` bytes, -2 for the end.
    fn run(&mut self, py: Python<'_>, most: usize) -> isize {
        match py.detach(|| self.0.run(most)) {
            merge::Pause::Needs(log) => log as isize,
            merge::Pause::Full => -1,
            merge::Pause::Over => -2,
        }
    }

    fn take<'py>(&mut self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (text, ends) = self.0.take();
        (PyBytes::new(py, &text), packed(py, &ends))
    }
}

/// The states of a search's automaton.
/// A hash of the kind of an error.
#[pyfunction]
fn kind_of(text: &[u8]) -> u32 {
    kinds::kind(text)
}

#[pyfunction]
fn state_count(pattern: &str) -> PyResult<usize> {
    search::state_count(pattern).map_err(PyValueError::new_err)
}

/// Raises ValueError that says what the pattern of a user format has to be.
#[pyfunction]
fn check_line_pattern(pattern: &str) -> PyResult<()> {
    user_formats::compiled(pattern).map(drop).map_err(PyValueError::new_err)
}

/// The count of line feeds in a part of a piece, as Python's bytes.count has it.
#[pyfunction]
fn line_feeds(piece: &[u8], start: usize, end: usize) -> usize {
    let part = piece.get(start..end.min(piece.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', part).count()
}

#[pyfunction]
fn open_beneath(
    py: Python<'_>,
    root: &[u8],
    path: &[u8],
    head_size: usize,
    follows_links: bool,
) -> PyResult<opening::OpenFile> {
    py.detach(|| opening::open_beneath(root, path, head_size, follows_links)).map_err(os_error)
}

/// The error with its number, from which Python chooses the class.
#[expect(clippy::needless_pass_by_value)]
fn os_error(error: io::Error) -> PyErr {
    PyOSError::new_err((
        error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error()),
        error.to_string(),
    ))
}
