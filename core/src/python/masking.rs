// SPDX-License-Identifier: Apache-2.0
//! Secrets that are replaced, and a text in which they are.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::masking;
use crate::python::WORTH_DETACHING;

/// Values and patterns that are replaced.
#[pyclass(module = "oslogserve_core", frozen)]
pub struct Masks(masking::Masks);

#[pymethods]
impl Masks {
    #[new]
    #[expect(clippy::needless_pass_by_value)]
    fn new(values: Vec<Vec<u8>>, patterns: Vec<String>) -> PyResult<Self> {
        masking::Masks::new(&values, &patterns).map(Self).map_err(PyValueError::new_err)
    }
}

/// A text that is being masked.
#[pyclass(module = "oslogserve_core")]
pub struct Masking {
    masks: Py<Masks>,
    masking: masking::Masking,
}

#[pymethods]
impl Masking {
    #[new]
    fn new(masks: Py<Masks>) -> Self {
        let masking = masking::Masking::new(&masks.get().0);
        Self { masks, masking }
    }

    fn feed<'py>(&mut self, py: Python<'py>, piece: &[u8]) -> Bound<'py, PyBytes> {
        let (masks, masking) = (&self.masks.get().0, &mut self.masking);
        let masked = if piece.len() < WORTH_DETACHING {
            masking.feed(masks, piece)
        } else {
            py.detach(|| masking.feed(masks, piece))
        };
        PyBytes::new(py, &masked)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.masking.finish(&self.masks.get().0))
    }

    #[getter]
    fn counts(&self) -> Vec<u64> {
        self.masking.counts(&self.masks.get().0)
    }
}
