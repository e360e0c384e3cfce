// SPDX-License-Identifier: Apache-2.0
//! The index of a log, and what the blocks of one hold.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::index::{self, contents};
use crate::python::WORTH_DETACHING;

/// The blocks of a log that was read before, see `index/mod.rs`.
#[pyclass(frozen, module = "oslogserve_core")]
pub struct Index(pub index::Index);

#[pymethods]
impl Index {
    #[new]
    fn new(blocks: &[u8], ends_a_line: bool, ranks: usize) -> PyResult<Self> {
        let index = index::Index::of_json(blocks, ends_a_line, ranks);
        index.map(Self).map_err(PyValueError::new_err)
    }

    #[getter]
    fn ends_a_line(&self) -> bool {
        self.0.ends_a_line
    }

    fn __len__(&self) -> usize {
        self.0.blocks.len()
    }

    /// Bytes before a block, its size and its checksum.
    fn __getitem__(&self, place: usize) -> PyResult<(u64, u64, u32)> {
        let block = self.0.blocks.get(place).ok_or_else(|| PyIndexError::new_err(place))?;
        Ok((block.at, block.size, block.checksum))
    }

    /// Lines and bytes of the text.
    #[getter]
    fn size(&self) -> (u64, u64) {
        self.0.size()
    }

    /// The place of the block that has the byte `at` of the text.
    fn place_of(&self, at: u64) -> usize {
        self.0.place_of(at)
    }
}

/// The words and ids of a log's blocks, which are fed in order. See `index/contents.rs`. Boxed as in Renderer.
#[pyclass(module = "oslogserve_core")]
pub struct Contents(Box<contents::Collector>);

#[pymethods]
impl Contents {
    #[new]
    fn new() -> Self {
        Self(Box::new(contents::Collector::new()))
    }

    fn feed(&mut self, py: Python<'_>, piece: &[u8]) {
        if piece.len() < WORTH_DETACHING {
            self.0.text(piece);
        } else {
            py.detach(|| self.0.text(piece));
        }
    }

    fn end_block(&mut self) {
        self.0.end_block();
    }

    fn finish<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (words, ids) = py.detach(|| self.0.finished());
        (PyBytes::new(py, &words), PyBytes::new(py, ids))
    }
}
