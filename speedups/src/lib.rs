// SPDX-License-Identifier: Apache-2.0
//! The native core of oslogserve: its line renderer, and how it opens a log on disk.
//!
//! `oslogserve/lines` and `oslogserve/sources/open_beneath.py` are the definition, and this gives the
//! same. Only this file knows of Python; the others are bytes in, bytes out, like their twins.

mod anchor;
mod ansi;
mod cursor;
mod grammar;
mod head;
mod held;
mod html;
mod inherited;
mod jsonl;
mod lines;
mod links;
mod members;
mod opening;
mod output;
mod recognise;
mod renderer;
mod search;
mod select;
mod selection;
mod shapes;
mod summary;
mod text;
mod times;
mod user_formats;
mod view;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::head::REACH;
use crate::html::Html;
use crate::jsonl::Jsonl;
use crate::output::Output;
use crate::recognise::Seen;
use crate::renderer::Shown;
use crate::search::Search;
use crate::select::Selector;
use crate::selection::{Page, Selection, TimeSpan};
use crate::summary::Summary;
use crate::text::Text;

#[pymodule]
mod oslogserve_speedups {
    use super::*;

    #[pymodule_export]
    use super::Clock;
    #[pymodule_export]
    use super::Grammar;
    #[pymodule_export]
    use super::Renderer;
    #[pymodule_export]
    use super::open_beneath;

    #[pymodule_export]
    use super::UnsupportedPattern;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

create_exception!(
    oslogserve_speedups,
    UnsupportedPattern,
    PyValueError,
    "A pattern of a search that RE2 alone takes."
);

/// The grammar of heads, compiled once.
#[pyclass(frozen, module = "oslogserve_speedups")]
struct Grammar(Arc<grammar::Grammar>);

#[pymethods]
impl Grammar {
    #[new]
    fn new(data: grammar::Data) -> PyResult<Self> {
        let grammar = grammar::Grammar::new(data).map_err(PyValueError::new_err)?;
        Ok(Self(Arc::new(grammar)))
    }

    /// Of a line: where its time stands, its severity's name, where its program's name stands, and
    /// whether it goes on with the line above.
    fn seen<'py>(&self, py: Python<'py>, line: &[u8]) -> SeenParts<'py> {
        let seen = Seen::of(&self.0, line, false);
        let severity = seen.severity.map_or(&b""[..], |rank| &self.0.severities[rank]);
        (
            (seen.time.start, seen.time.end),
            PyBytes::new(py, severity),
            (seen.program.start, seen.program.end),
            seen.continues,
        )
    }

    /// The times of one log: for the tests that hold it to its twin.
    fn clock(&self, written: i64) -> Clock {
        Clock(times::Clock::new(Arc::clone(&self.0.readable), written))
    }
}

type Place = (usize, usize);
type SeenParts<'py> = (Place, Bound<'py, PyBytes>, Place, bool);

/// Bytes that take longer to render than another thread takes to hand the interpreter back.
const WORTH_DETACHING: usize = 32 * 1024;

/// A time of `oslogserve.lines.clock`.
#[derive(FromPyObject)]
struct Span {
    first: i64,
    last: i64,
    offset: Option<i16>,
}

impl From<Span> for TimeSpan {
    fn from(Span { first, last, offset }: Span) -> Self {
        Self { first, last, offset }
    }
}

#[derive(FromPyObject)]
struct Pattern {
    pattern: String,
}

/// A Wanted of `oslogserve.lines.selection`.
#[derive(FromPyObject)]
struct Wanted {
    view: String,
    selection: SelectionData,
    link: Vec<u8>,
    page: Option<(u64, u64)>,
}

/// A Selection of `oslogserve.lines.selection`.
#[derive(FromPyObject)]
struct SelectionData {
    first: u64,
    last: Option<u64>,
    since: Option<Span>,
    until: Option<Span>,
    level: Option<String>,
    searches: Vec<Pattern>,
    without: Vec<Pattern>,
    context: Option<usize>,
    limit: Option<u64>,
    tail: Option<usize>,
    show: Vec<Vec<u8>>,
    after: u64,
}

impl SelectionData {
    fn selection(
        self,
        grammar: &grammar::Grammar,
        page: Option<(u64, u64)>,
    ) -> PyResult<Selection> {
        let (lines, anchors): (Vec<_>, Vec<_>) =
            self.show.into_iter().partition(|shown| shown.starts_with(b"L"));
        let number = |line: Vec<u8>| String::from_utf8_lossy(&line[1..]).parse().ok();
        let mut shown_lines: Vec<u64> = lines.into_iter().filter_map(number).collect();
        shown_lines.sort_unstable();
        Ok(Selection {
            first: self.first,
            last: self.last,
            since: self.since.map(TimeSpan::from),
            until: self.until.map(TimeSpan::from),
            floor: self.level.map(|level| floor(grammar, &level)).transpose()?,
            searches: searches(&self.searches)?,
            without: searches(&self.without)?,
            context: self.context,
            after: self.after,
            limit: self.limit,
            tail: self.tail,
            shown_lines,
            shown_anchors: anchors,
            page: page.map(|(size, elements)| Page { size, elements }),
        })
    }
}

fn searches(patterns: &[Pattern]) -> PyResult<Vec<Search>> {
    let made = patterns.iter().map(|one| Search::new(&one.pattern));
    made.collect::<Result<_, _>>().map_err(UnsupportedPattern::new_err)
}

fn floor(grammar: &grammar::Grammar, level: &str) -> PyResult<usize> {
    let mut words = grammar.severities.iter();
    let rank = words.position(|word| word == level.as_bytes());
    rank.ok_or_else(|| PyValueError::new_err(format!("no such level: {level}")))
}

/// One log on its way. Boxed: what searches needs memory of a wider alignment than Python gives.
#[pyclass(module = "oslogserve_speedups")]
struct Renderer(Box<renderer::Renderer>);

#[pymethods]
impl Renderer {
    #[new]
    fn new(grammar: &Grammar, wanted: Wanted, written: i64, longest: usize) -> PyResult<Self> {
        let Grammar(grammar) = grammar;
        if longest < REACH {
            let told = format!("longest is less than the {REACH} bytes looked at");
            return Err(PyValueError::new_err(told));
        }
        let Wanted { view, selection, link, page } = wanted;
        let clock = times::Clock::new(Arc::clone(&grammar.readable), written);
        let shown = match &view[..] {
            "html" => {
                let marked = searches(&selection.searches)?;
                Shown::Html(Html::new(grammar, link, marked, longest))
            }
            "text" => Shown::Text(Text::default()),
            "jsonl" => Shown::Jsonl(Jsonl::new(grammar, clock.clone(), longest)),
            "summary" => Shown::Summary(Summary::new(grammar, clock.clone()), Output::default()),
            _ => return Err(PyValueError::new_err(format!("no such view: {view}"))),
        };
        let selection = selection.selection(grammar, page.filter(|_| view == "html"))?;
        let selector = Selector::new(Arc::clone(grammar), clock, selection, longest);
        Ok(Self(Box::new(renderer::Renderer::new(selector, shown, longest))))
    }

    fn feed<'py>(&mut self, py: Python<'py>, piece: &[u8]) -> Bound<'py, PyBytes> {
        let made = if piece.len() < WORTH_DETACHING {
            self.0.feed(piece)
        } else {
            py.detach(|| self.0.feed(piece))
        };
        PyBytes::new(py, made)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.finish())
    }

    #[getter]
    fn done(&self) -> bool {
        self.0.done()
    }

    /// Into a Tally of `oslogserve.lines.selection`.
    fn tell(&self, into: &Bound<'_, PyAny>) -> PyResult<()> {
        let (tally, bytes) = self.0.tally();
        into.setattr("lines", tally.lines)?;
        into.setattr("bytes", bytes)?;
        into.setattr("matched", tally.matched)?;
        into.setattr("sent", tally.sent)?;
        into.setattr("cut_at", tally.cut_at)?;
        into.setattr("cut_from", tally.cut_from)?;
        into.setattr("dropped", tally.dropped)?;
        into.setattr("next_page", tally.next_page)?;
        into.setattr("elements", tally.elements)?;
        let counts = self.0.counts().iter().enumerate().filter(|(_, count)| count.lines > 0);
        let severities: BTreeMap<_, _> =
            counts.map(|(rank, count)| (rank, (count.lines, count.first))).collect();
        into.setattr("severities", severities)
    }
}

/// The times of one log: for the tests that hold it to its twin.
#[pyclass(frozen, module = "oslogserve_speedups")]
struct Clock(times::Clock);

#[pymethods]
impl Clock {
    fn read(&self, text: &[u8]) -> Option<(i64, Option<i16>, &'static str)> {
        let instant = self.0.read(text)?;
        Some((instant.micros, instant.offset, instant.origin.name()))
    }

    fn iso(&self, text: &[u8]) -> Option<String> {
        self.0.iso(text).map(|iso| String::from_utf8_lossy(iso.as_bytes()).into_owned())
    }

    /// Of the time that the text tells.
    fn on_clock_of(&self, text: &[u8], offset: Option<i16>) -> Option<i64> {
        self.0.read(text)?.on_clock_of(offset)
    }
}

/// Descriptor, whether it is a folder, size, seconds and nanoseconds of its time, inode, first bytes.
type OpenFile<'py> = (Option<RawFd>, bool, u64, i64, i64, u64, Bound<'py, PyBytes>);

#[pyfunction]
fn open_beneath<'py>(
    py: Python<'py>,
    root: &[u8],
    path: &[u8],
    head_size: usize,
) -> PyResult<OpenFile<'py>> {
    let found = py.detach(|| opening::open_beneath(root, path, head_size)).map_err(os_error)?;
    let status = &found.status;
    Ok((
        found.file.map(File::into_raw_fd),
        status.is_dir(),
        status.size(),
        status.mtime(),
        status.mtime_nsec(),
        status.ino(),
        PyBytes::new(py, &found.head),
    ))
}

/// With its number, of which Python makes the class.
#[expect(clippy::needless_pass_by_value)]
fn os_error(error: io::Error) -> PyErr {
    PyOSError::new_err((
        error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error()),
        error.to_string(),
    ))
}
