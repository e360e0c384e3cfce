// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs on their way to one order.

use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::python::{MOST, MOST_PIECE, packed, place, within};
use crate::selection::select::log_times::NO_TIME;
use crate::{last_rows, merge};

/// Logs of a merge, for each of which there is room at once.
const MOST_LOGS: u64 = 64 * 1024;

/// Rows of one log on their way to a merge, which takes them.
#[pyclass(module = "oslogserve_core")]
pub struct MergedRows(pub Option<merge::Rows>);

#[pymethods]
impl MergedRows {
    /// No rows, of a log of which nothing is known yet.
    #[new]
    fn new() -> Self {
        Self(Some(merge::Rows { reached: NO_TIME, ..merge::Rows::default() }))
    }

    /// Bytes of the rows.
    #[getter]
    fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |rows| rows.text.len())
    }

    /// No later row has an earlier time.
    #[getter]
    fn reached(&self) -> Option<i64> {
        self.0.as_ref().map(|rows| rows.reached)
    }
}

/// The last rows of several logs that are merged, see `last_rows.rs`. For several threads.
#[pyclass(frozen, module = "oslogserve_core")]
pub struct LastRows(pub Arc<Mutex<last_rows::LastRows>>);

#[pymethods]
impl LastRows {
    #[new]
    fn new(most: u64) -> PyResult<Self> {
        within("most", most, 0..=MOST)?;
        Ok(Self(Arc::new(Mutex::new(last_rows::LastRows::new(most)))))
    }
}

/// Rows of several logs on their way to one order.
#[pyclass(module = "oslogserve_core")]
pub struct Merge(merge::Merge);

#[pymethods]
impl Merge {
    #[new]
    fn new(logs: usize) -> PyResult<Self> {
        within("logs", logs as u64, 0..=MOST_LOGS)?;
        Ok(Self(merge::Merge::new(logs)))
    }

    fn feed(&mut self, log: usize, rows: &mut MergedRows) -> PyResult<()> {
        let rows = rows.0.take().ok_or_else(|| PyValueError::new_err("the rows were merged"))?;
        self.0.feed(log, rows).map_err(PyValueError::new_err)
    }

    /// The logs whose rows come to their end first, at most so many.
    fn ending_first(&self, most: usize) -> Vec<usize> {
        self.0.ending_first(most)
    }

    /// The log whose rows are needed to go on; -1 once there are `most` bytes, -2 for the end.
    fn run(&mut self, py: Python<'_>, most: usize) -> PyResult<isize> {
        within("most", most as u64, 1..=MOST_PIECE)?;
        Ok(match py.detach(|| self.0.run(most)) {
            merge::Pause::Needs(log) => log as isize,
            merge::Pause::Full => -1,
            merge::Pause::Over => -2,
        })
    }

    /// The fields of a Merged, and `named` last.
    fn take<'py>(
        &mut self,
        py: Python<'py>,
    ) -> (Bound<'py, PyBytes>, [Bound<'py, PyBytes>; 3], i64) {
        let merged = self.0.take();
        let numbers = [merged.ends, merged.run_ends, merged.run_logs];
        (PyBytes::new(py, &merged.text), numbers.map(|one| packed(py, &one)), place(merged.named))
    }
}
