// SPDX-License-Identifier: Apache-2.0
//! Functions that Python calls.

use std::io;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::opening;
use crate::recognition::user_formats;
use crate::searches::search;
use crate::selection::kinds;
use crate::views::links::Links;

/// A hash of the kind of an error.
#[pyfunction]
pub fn kind_of(text: &[u8]) -> u32 {
    kinds::kind(text)
}

/// The states of a search's automaton.
#[pyfunction]
pub fn state_count(pattern: &str) -> PyResult<usize> {
    search::state_count(pattern).map_err(PyValueError::new_err)
}

/// Raises ValueError that says what the pattern of a user format has to be.
#[pyfunction]
pub fn check_line_pattern(pattern: &str) -> PyResult<()> {
    user_formats::compiled(pattern).map(drop).map_err(PyValueError::new_err)
}

/// The count of line feeds in a part of a piece, as Python's bytes.count has it.
#[pyfunction]
pub fn line_feeds(piece: &[u8], start: usize, end: usize) -> usize {
    let part = piece.get(start..end.min(piece.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', part).count()
}

/// The links of a text: where each begins and ends, and whether it is a URL.
#[pyfunction]
pub fn links(text: &[u8]) -> Vec<(usize, usize, bool)> {
    let links = Links::new(text, Some(0), Some(0));
    links.map(|link| (link.place.start, link.place.end, link.is_url)).collect()
}

#[pyfunction]
pub fn open_beneath(
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
pub fn os_error(error: io::Error) -> PyErr {
    PyOSError::new_err((
        error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error()),
        error.to_string(),
    ))
}
