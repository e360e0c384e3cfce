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

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes that take longer to render than another thread takes to hand the interpreter back.
const WORTH_DETACHING: usize = 32 * 1024;

/// Numbers as the bytes of an array of them.
fn packed<'py>(py: Python<'py>, numbers: &[i64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// The place of a row; -1 for none.
fn place(row: Option<usize>) -> i64 {
    row.map_or(-1, |row| row as i64)
}
