// SPDX-License-Identifier: Apache-2.0
//! The words of a log, which is compared with others.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Grammar;
use crate::selection::known;

/// The words of a log, with which renderers compare lines of another log.
#[pyclass(module = "oslogserve_core", weakref)]
pub struct Known(pub Arc<known::Known>);

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

    /// The words in a list that another process has finished with.
    #[staticmethod]
    fn of_list(py: Python<'_>, list: &[u8]) -> PyResult<Self> {
        let known = py.detach(|| known::Known::of_list(list));
        let known = known.ok_or_else(|| PyValueError::new_err("it is no list of words"))?;
        Ok(Self(Arc::new(known)))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let known = self.unshared()?;
        let list = py.detach(|| known.finish());
        Ok(PyBytes::new(py, &list))
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
