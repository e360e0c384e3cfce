// SPDX-License-Identifier: Apache-2.0
//! The classes and functions that Python gets. Next to the structs that both exchange, nothing else knows of Python.

pub mod functions;
pub mod grammar;
pub mod index;
pub mod inflater;
pub mod log_words;
pub mod masking;
pub mod merge;
pub mod packer;
pub mod patterns;
pub mod renderer;

use std::ops::RangeInclusive;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes that take longer to render than another thread takes to hand the interpreter back.
const WORTH_DETACHING: usize = 32 * 1024;

/// Bytes of a piece of output, which is made room for at once.
const MOST_PIECE: u64 = 16 * 1024 * 1024;
/// Any other number, such as of lines: the sum of two is a number, too.
const MOST: u64 = 1 << 62;

/// Raises ValueError for a number outside a range.
fn within(name: &str, number: u64, range: RangeInclusive<u64>) -> PyResult<()> {
    if range.contains(&number) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(PyValueError::new_err(format!("{name}: {number} is not from {least} to {most}")))
}

/// Numbers as the bytes of an array of them.
fn packed<'py>(py: Python<'py>, numbers: &[i64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// The place of a row; -1 for none.
fn place(row: Option<usize>) -> i64 {
    row.map_or(-1, |row| row as i64)
}
