// SPDX-License-Identifier: Apache-2.0
//! The grammar of lines, as Python gets it.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::causes::cause_rules::Causes;
use crate::recognition::{grammar, times, user_formats};
use crate::tables::Tables;

/// The grammar of heads and the rules of causes, compiled once.
#[pyclass(frozen, module = "oslogserve_core")]
pub struct Grammar {
    pub heads: Arc<grammar::Grammar>,
    pub causes: Arc<Causes>,
}

#[pymethods]
impl Grammar {
    #[new]
    #[pyo3(signature = (formats, tables=HashMap::new()))]
    fn new(formats: Vec<user_formats::Data>, tables: HashMap<String, String>) -> PyResult<Self> {
        let tables = Tables::new(tables);
        let heads = grammar::Grammar::new(&formats, &tables).map_err(PyValueError::new_err)?;
        let causes = Causes::new(&tables, &heads.severities).map_err(PyValueError::new_err)?;
        Ok(Self { heads: Arc::new(heads), causes: Arc::new(causes) })
    }

    /// A time as a line shows it in ISO 8601. written: when the log was last written, in seconds
    /// since 1970.
    fn iso(&self, time: &[u8], written: i64) -> Option<String> {
        let iso = times::Clock::new(Arc::clone(&self.heads.readable), written).iso(time)?;
        Some(String::from_utf8_lossy(&iso).into_owned())
    }
}
