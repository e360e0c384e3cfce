// SPDX-License-Identifier: Apache-2.0
//! The totals of a summary, as Python gets them.

use pyo3::IntoPyObject;

use crate::causes::chapters::Chapter;
use crate::counts::Counts;

/// What `oslogserve/lines/summary.py` makes a Summary of.
#[derive(IntoPyObject)]
pub struct Totals {
    pub first_time: Option<String>,
    pub last_time: Option<String>,
    pub severities: Counts,
    pub new: Option<Counts>,
    /// Microseconds of a bucket.
    pub width: i64,
    pub buckets: Vec<Bucket>,
    pub errors: Vec<Error>,
    pub cause: Option<CauseLine>,
    /// The first failures beside the cause.
    pub other_failures: Vec<CauseLine>,
    pub failed: bool,
    /// True if a verdict says so.
    pub verdict: bool,
    /// True if its last words say that all went well.
    pub passed: bool,
    pub chapters: Vec<Chapter>,
    pub more_chapters: u64,
}

/// The lines that tell why a log failed, or its end.
#[derive(IntoPyObject)]
pub struct CauseLine {
    pub line: u64,
    pub last: u64,
    pub time: Option<String>,
    pub text: String,
    pub why: &'static str,
    /// The first line of the step that failed, if that shows nothing and the cause is of an earlier one.
    pub silent_step: Option<u64>,
    /// That of the step that failed.
    pub exit_code: Option<i64>,
    /// The contents of its first lines.
    pub told: Vec<String>,
    /// As of an Error.
    pub new: Option<bool>,
}

/// A line at ERROR or above.
#[derive(Clone, IntoPyObject)]
pub struct Error {
    pub line: u64,
    pub time: Option<String>,
    pub text: String,
    /// True if the log that it is compared with has no like of it; None if it is not compared.
    pub new: Option<bool>,
}

/// The lines of a time range.
#[derive(Clone, IntoPyObject)]
pub struct Bucket {
    /// Microseconds since 1970.
    pub start: i64,
    pub first_line: u64,
    /// How many, by rank.
    pub severities: Vec<u64>,
}
