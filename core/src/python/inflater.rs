// SPDX-License-Identifier: Apache-2.0
//! A compressed log that is being inflated.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::decode;
use crate::decode::decoder::{Decoder, Fault, Point};
use crate::python::{MOST, MOST_PIECE, within};

/// Bytes of stored data that take longer to inflate than another thread takes to hand the interpreter back.
const WORTH_DETACHING_INFLATION: usize = 4 * 1024;

/// A compressed log that is being inflated.
#[pyclass(module = "oslogserve_core")]
pub struct Inflater {
    decoder: Box<dyn Decoder>,
    /// The input, and the place of what is not yet taken of it.
    chunk: Option<PyBackedBytes>,
    at: usize,
}

#[pymethods]
impl Inflater {
    #[new]
    fn new(packing: &str, piece_size: usize) -> PyResult<Self> {
        within("piece_size", piece_size as u64, 1..=MOST_PIECE)?;
        Self::of(decode::decoder(packing, piece_size))
    }

    fn feed<'py>(&mut self, py: Python<'py>, chunk: PyBackedBytes) -> Bound<'py, PyBytes> {
        self.chunk = Some(chunk);
        self.at = 0;
        self.piece(py)
    }

    /// Begins at a point of a log, see `collect_points`.
    #[staticmethod]
    fn at(packing: &str, piece_size: usize, point: Point) -> PyResult<Self> {
        within("piece_size", piece_size as u64, 1..=MOST_PIECE)?;
        Self::of(decode::decoder_at(packing, piece_size, &point))
    }

    fn collect_points(&mut self, interval: u64) -> PyResult<()> {
        within("interval", interval, 1..=MOST)?;
        self.decoder.collect_points(interval);
        Ok(())
    }

    fn take_points(&mut self) -> Vec<Point> {
        self.decoder.take_points()
    }

    fn more<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let is_taken = self.chunk.is_none() && !self.decoder.is_full();
        (!is_taken && self.decoder.fault().is_none()).then(|| self.piece(py))
    }

    #[getter]
    fn fault(&self) -> Option<(&'static str, String)> {
        self.decoder.fault().map(told)
    }

    #[getter]
    fn fault_at_end(&self) -> Option<(&'static str, String)> {
        self.decoder.fault_at_end().map(told)
    }

    #[getter]
    fn is_refused(&self) -> bool {
        matches!(self.decoder.fault(), Some(Fault::Refused(_)))
    }

    #[getter]
    fn memory(&self) -> usize {
        self.decoder.memory()
    }

    #[getter]
    fn is_one_member(&self) -> bool {
        self.decoder.is_one_member()
    }
}

impl Inflater {
    fn of(decoder: Result<Box<dyn Decoder>, String>) -> PyResult<Self> {
        Ok(Self { decoder: decoder.map_err(PyValueError::new_err)?, chunk: None, at: 0 })
    }

    fn piece<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let chunk = self.chunk.take();
        let mut input = chunk.as_ref().map_or(&[][..], |chunk| &chunk[self.at..]);
        let decoder = &mut self.decoder;
        let piece = if input.len() < WORTH_DETACHING_INFLATION {
            decoder.decode(&mut input)
        } else {
            py.detach(|| decoder.decode(&mut input))
        };
        let piece = PyBytes::new(py, piece);
        if !input.is_empty() {
            self.at = chunk.as_ref().map_or(0, |chunk| chunk.len() - input.len());
            self.chunk = chunk;
        }
        piece
    }
}

/// A fault as a reason of Incomplete and a sentence.
pub fn told(fault: Fault) -> (&'static str, String) {
    match fault {
        Fault::Damaged(why) => ("corrupt", format!("the compressed data is damaged: {why}")),
        Fault::Refused(why) => ("corrupt", format!("the compressed data cannot be read: {why}")),
        Fault::Garbage(format) => {
            ("corrupt", format!("what follows the compressed data is not {format}"))
        }
        Fault::Truncated => ("truncated", "the compressed data ends early".to_owned()),
    }
}
