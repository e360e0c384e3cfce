// SPDX-License-Identifier: Apache-2.0
//! The native core of oslogserve: its line renderer, and how it opens a log on disk.
//!
//! Its rooms stand on floors, here from the ground up. A room knows only those on floors below its own, which
//! `tools/core-floors` checks. Only `python/` and the structs that it exchanges with Python know of Python.

// The ground: small tools, and what knows bytes and rows alone.
mod counts;
mod cursor;
mod decode;
mod faults;
mod hasher;
mod last_rows;
mod lines;
mod merge;
mod opening;
mod packing;
mod tables;

mod terminal;

// What a line shows, and what it inherits.
mod recognition;

// What is known of lines that were read.
mod index;
mod shown;

// What is found in lines.
mod causes;
mod searches;

// What texts become.
mod masking;
mod views;

// Which lines are shown, by all that is below.
mod selection;

// Pieces of a log go in, and a view comes out.
mod renderer;

mod python;

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};

use crate::causes::{chapters, found};
use crate::decode::zstd;
use crate::recognition::head;
use crate::recognition::severities::Severities;
use crate::searches::search;
use crate::selection::select::{self, log_times};
use crate::tables::Tables;
use crate::views::summary;

#[pymodule]
mod oslogserve_core {
    use super::*;

    #[pymodule_export]
    use crate::python::{
        functions::{check_line_pattern, kind_of, line_feeds, links, open_beneath, state_count},
        grammar::Grammar,
        index::{Contents, Index},
        inflater::Inflater,
        log_words::LogWords,
        masking::{Masking, Masks},
        merge::{LastRows, Merge, MergedRows},
        packer::Packer,
        patterns::Patterns,
        renderer::Renderer,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("LIMITS", LIMITS.into_py_dict(module.py())?)?;
        let severities =
            Severities::new(&Tables::new(HashMap::new())).map_err(PyValueError::new_err)?;
        module.add("SEVERITIES", PyTuple::new(module.py(), severities.names)?)?;
        module.add("SOURCES", env!("OSLOGSERVE_SOURCES"))?;
        module.add("INTERFACE", env!("OSLOGSERVE_INTERFACE"))
    }
}

macro_rules! limits {
    ($($module:ident::$name:ident)*) => {
        &[$((concat!(stringify!($module), ".", stringify!($name)), $module::$name as i64)),*]
    };
}

/// Limits that Python has to know.
const LIMITS: &[(&str, i64)] = limits! {
    select::CONTEXT_BYTES select::LINE_BYTES select::TAIL_BYTES
    log_times::NO_TIME log_times::UNTIMED log_times::UNTIMED_LINES
    head::LONGEST_DATE head::MOST_CONTENTS head::MOST_FIELDS head::MOST_NESTED head::MOST_TOKENS head::MOST_WORDS
    head::PLAIN_REACH head::REACH
    masking::LONGEST_VALUE masking::SHORTEST_VALUE
    found::MOST_NOTED
    zstd::MOST_WINDOW
    search::MOST_MATCHES search::MOST_STATES
    summary::LONGEST_ERROR chapters::LONGEST_NAME
};
