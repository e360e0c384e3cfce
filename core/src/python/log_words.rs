// SPDX-License-Identifier: Apache-2.0
//! The words of a log, which is compared with others.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::python::grammar::Grammar;
use crate::selection::log_words;

/// The words of a log, with which renderers compare lines of another log.
#[pyclass(module = "oslogserve_core", weakref)]
pub struct LogWords(pub Arc<log_words::LogWords>);

#[pymethods]
impl LogWords {
    #[new]
    fn new(grammar: &Grammar) -> Self {
        Self(Arc::new(log_words::LogWords::new(Arc::clone(&grammar.heads))))
    }

    fn feed(&mut self, py: Python<'_>, piece: &[u8]) -> PyResult<()> {
        let words = self.unshared()?;
        py.detach(|| words.feed(piece));
        Ok(())
    }

    /// The words in a list that another process has finished with.
    #[staticmethod]
    fn of_list(py: Python<'_>, list: &[u8]) -> PyResult<Self> {
        let words = py.detach(|| log_words::LogWords::of_list(list));
        let words = words.ok_or_else(|| PyValueError::new_err("it is no list of words"))?;
        Ok(Self(Arc::new(words)))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let words = self.unshared()?;
        let list = py.detach(|| words.finish());
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

impl LogWords {
    fn unshared(&mut self) -> PyResult<&mut log_words::LogWords> {
        Arc::get_mut(&mut self.0).ok_or_else(|| PyValueError::new_err("a renderer uses it already"))
    }
}
