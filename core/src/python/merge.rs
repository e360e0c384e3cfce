// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs on their way to one order.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::packed;
use crate::merge;

/// Rows of several logs on their way to one order.
#[pyclass(module = "oslogserve_core")]
pub struct Merge(merge::Merge<PyBackedBytes>);

/// Rows of `oslogserve.lines.selection`, at least one: an empty array may have no aligned address.
type Rows = (PyBackedBytes, PyBuffer<i64>, PyBuffer<i64>, i64);

#[pymethods]
impl Merge {
    #[new]
    fn new(logs: usize) -> Self {
        Self(merge::Merge::new(logs))
    }

    fn feed(
        &mut self,
        py: Python<'_>,
        log: usize,
        pieces: Vec<Rows>,
        reached: i64,
    ) -> PyResult<()> {
        let rows = |(text, ends, times, _): Rows| {
            Ok(merge::Rows { text, ends: ends.to_vec(py)?, times: times.to_vec(py)? })
        };
        let pieces = pieces.into_iter().map(rows).collect::<PyResult<_>>()?;
        self.0.feed(log, pieces, reached);
        Ok(())
    }

    /// The log whose rows are needed to go on; -1 once there are `most` bytes, -2 for the end.
    fn run(&mut self, py: Python<'_>, most: usize) -> isize {
        match py.detach(|| self.0.run(most)) {
            merge::Pause::Needs(log) => log as isize,
            merge::Pause::Full => -1,
            merge::Pause::Over => -2,
        }
    }

    fn take<'py>(&mut self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (text, ends) = self.0.take();
        (PyBytes::new(py, &text), packed(py, &ends))
    }
}
