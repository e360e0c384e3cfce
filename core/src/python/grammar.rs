// SPDX-License-Identifier: Apache-2.0
//! The grammar of heads, as Python gets it.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::causes::cause_rules;
use crate::recognition::{grammar, times};

/// The grammar of heads, compiled once.
#[pyclass(frozen, module = "oslogserve_core")]
pub struct Grammar(pub Arc<grammar::Grammar>);

#[pymethods]
impl Grammar {
    #[new]
    fn new(data: grammar::Data, causes: cause_rules::Data) -> PyResult<Self> {
        let grammar = grammar::Grammar::new(data, causes).map_err(PyValueError::new_err)?;
        Ok(Self(Arc::new(grammar)))
    }

    /// A time as a line shows it in ISO 8601. written: when the log was last written, in seconds
    /// since 1970.
    fn iso(&self, time: &[u8], written: i64) -> Option<String> {
        let iso = times::Clock::new(Arc::clone(&self.0.readable), written).iso(time)?;
        Some(String::from_utf8_lossy(&iso).into_owned())
    }
}
