// SPDX-License-Identifier: Apache-2.0
//! Patterns of rules.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::searches::search;

/// Patterns that are tried on a line together.
#[pyclass(module = "oslogserve_core", frozen)]
pub struct Patterns(search::Several);

#[pymethods]
impl Patterns {
    #[new]
    #[expect(clippy::needless_pass_by_value)]
    fn new(patterns: Vec<String>) -> PyResult<Self> {
        search::Several::new(&patterns).map(Self).map_err(PyValueError::new_err)
    }

    fn hits(&self, line: &[u8]) -> Vec<usize> {
        self.0.hits(line)
    }
}
