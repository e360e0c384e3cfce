// SPDX-License-Identifier: Apache-2.0
//! The grammar of lines, as Python gets it.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::causes::cause_rules::Causes;
use crate::recognition::recognise::Recogniser;
use crate::recognition::{grammar, times, user_formats};
use crate::tables::Tables;

const HALF_YEAR: i64 = 183 * times::DAY;

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
        let iso = times::Clock::new(Arc::clone(&self.heads.times.readable), written).iso(time)?;
        Some(String::from_utf8_lossy(&iso).into_owned())
    }

    /// When a log was last written, in seconds since 1970, as far as times without a year go: at most half a
    /// year after the last date with a year that its beginning shows, so that they are of the year nearest to it.
    fn written(&self, beginning: &[u8], written: i64) -> i64 {
        let mut recogniser = Recogniser::new(Arc::clone(&self.heads));
        let mut clock = times::Clock::new(Arc::clone(&self.heads.times.readable), written);
        let date = |line: &[u8]| {
            let seen = recogniser.seen_in(line, 0..line.len(), false);
            clock.read_with_year(&seen.time_of(line))
        };
        let last = beginning.split(|&byte| byte == b'\n').filter_map(date).max();
        last.map_or(written, |last| written.min((last + HALF_YEAR) / times::SECOND))
    }
}
