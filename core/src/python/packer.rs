// SPDX-License-Identifier: Apache-2.0
//! A text that is compressed.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::packing;

/// A text that is compressed as Zstandard.
#[pyclass(module = "oslogserve_core")]
pub struct Packer(packing::Packer);

#[pymethods]
impl Packer {
    #[new]
    fn new() -> PyResult<Self> {
        packing::Packer::new().map(Self).map_err(PyOSError::new_err)
    }

    fn feed<'py>(&mut self, py: Python<'py>, piece: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let packed = py.detach(|| self.0.feed(piece)).map_err(PyOSError::new_err)?;
        Ok(PyBytes::new(py, &packed))
    }

    fn finish<'py>(&mut self, py: Python<'py>, is_whole: bool) -> PyResult<Bound<'py, PyBytes>> {
        let packed = self.0.finish(is_whole).map_err(PyOSError::new_err)?;
        Ok(PyBytes::new(py, &packed))
    }
}
