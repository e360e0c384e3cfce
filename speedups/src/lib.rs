// SPDX-License-Identifier: Apache-2.0
//! The native core of oslogserve: its line renderer, and how it opens a log on disk.
//!
//! `oslogserve/lines` and `oslogserve/sources/opening.py` are the definition, and this gives the same.
//! Only this file knows of
//! Python; the others are bytes in, bytes out, like their twins.

mod clock;
mod formats;
mod html;
mod opening;
mod output;
mod pattern;
mod renderer;

use std::fs::File;
use std::io;
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::html::Html;
use crate::renderer::View;

#[pymodule]
mod oslogserve_speedups {
    use super::*;

    #[pymodule_export]
    use super::Clock;
    #[pymodule_export]
    use super::Formats;
    #[pymodule_export]
    use super::Renderer;
    #[pymodule_export]
    use super::opened;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The table of formats, compiled once.
#[pyclass(frozen, module = "oslogserve_speedups")]
struct Formats(Arc<formats::Formats>);

#[pymethods]
impl Formats {
    #[new]
    fn new(times: Vec<Vec<u8>>, leads: Vec<Vec<u8>>, severities: Vec<Vec<u8>>) -> PyResult<Self> {
        formats::Formats::new(&slices(&times), &slices(&leads), &slices(&severities))
            .map(|formats| Self(Arc::new(formats)))
            .map_err(PyValueError::new_err)
    }

    #[getter]
    fn reach(&self) -> usize {
        self.0.reach
    }
}

/// Bytes that take longer to render than another thread takes to hand the interpreter back.
const WORTH_DETACHING: usize = 32 * 1024;

fn slices(rows: &[Vec<u8>]) -> Vec<&[u8]> {
    rows.iter().map(Vec::as_slice).collect()
}

/// One log on its way.
#[pyclass(module = "oslogserve_speedups")]
struct Renderer(renderer::Renderer);

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (formats, view, level=None, limit=None, longest=1024 * 1024))]
    fn new(
        formats: &Formats,
        view: &str,
        level: Option<&str>,
        limit: Option<u64>,
        longest: usize,
    ) -> PyResult<Self> {
        let formats = &formats.0;
        let view = match view {
            "html" => View::Html(Html::new(formats)),
            "text" => View::Text,
            _ => return Err(PyValueError::new_err(format!("no such view: {view}"))),
        };
        let floor = level.map(|level| floor(formats, level)).transpose()?;
        if longest < formats.reach {
            let told = format!("longest is less than the {} bytes looked at", formats.reach);
            return Err(PyValueError::new_err(told));
        }
        Ok(Self(renderer::Renderer::new(Arc::clone(formats), view, floor, limit, longest)))
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
}

fn floor(formats: &formats::Formats, level: &str) -> PyResult<usize> {
    let mut words = formats.words().iter();
    let rank = words.position(|word| word == level.as_bytes());
    rank.ok_or_else(|| PyValueError::new_err(format!("no such level: {level}")))
}

/// The times of one log: for the tests that hold it to its twin.
#[pyclass(frozen, module = "oslogserve_speedups")]
struct Clock(clock::Clock);

#[pymethods]
impl Clock {
    #[new]
    fn new(written: i64) -> Self {
        Self(clock::Clock::new(written))
    }

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
type Opened<'py> = (Option<RawFd>, bool, u64, i64, i64, u64, Bound<'py, PyBytes>);

#[pyfunction]
fn opened<'py>(py: Python<'py>, root: &[u8], path: &[u8], most: usize) -> PyResult<Opened<'py>> {
    let found = py.detach(|| opening::opened(root, path, most)).map_err(os_error)?;
    let status = &found.status;
    Ok((
        found.file.map(File::into_raw_fd),
        status.is_dir(),
        status.size(),
        status.mtime(),
        status.mtime_nsec(),
        status.ino(),
        PyBytes::new(py, &found.first),
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
