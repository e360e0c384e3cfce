// SPDX-License-Identifier: Apache-2.0
//! A log's summary.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::causes::cause::CauseFinder;
use crate::causes::cause_rules::Causes;
use crate::causes::group::Cause;
use crate::causes::steps::Ending;
use crate::counts::Counter;
use crate::lines::without_line_feed;
use crate::recognition::grammar::Grammar;
use crate::recognition::times::{Clock, DAY, MINUTE, SECOND};
use crate::shown::Line;
use crate::terminal::ansi;
use crate::views::output::Output;
use crate::views::totals::{Bucket, CauseLine, Error, Totals};
use crate::views::view::View;

const MOST_BUCKETS: i64 = 200;
/// Errors that are held of a log's beginning, and of its end.
const MOST_ERRORS: usize = 64;
/// Bytes of the text of each, and of the line that it is taken from.
pub const LONGEST_ERROR: usize = 300;
const LOOKED_AT: usize = 1024;
/// Microseconds of a bucket. Each is a multiple of the one before, so that buckets merge whole.
#[rustfmt::skip]
const WIDTHS: [i64; 18] = [
    SECOND / 100, SECOND / 10, SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND,
    MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE, 360 * MINUTE,
    DAY, 7 * DAY, 28 * DAY, 364 * DAY, 3640 * DAY, 36_400 * DAY,
];

/// A line at ERROR or above. Most are not the last ones: their memory is used again.
#[derive(Default)]
struct HeldError {
    line: u64,
    time: Vec<u8>,
    text: Vec<u8>,
    is_new: bool,
}

/// Adds up the lines that a selection leaves.
pub struct Summary {
    clock: Clock,
    /// The number of severities, and the rank of ERROR.
    ranks: usize,
    error: usize,
    severities: Counter,
    first_time: Vec<u8>,
    last_time: Vec<u8>,
    /// The place of the buckets' width in WIDTHS.
    width: usize,
    /// By their start.
    buckets: Vec<Bucket>,
    /// The place of the bucket that lines were last added to.
    current: usize,
    first_errors: Vec<HeldError>,
    last_errors: VecDeque<HeldError>,
    /// None once its totals were given.
    causes: Option<CauseFinder>,
    /// Of new lines; None if lines are not compared with another log's.
    new: Option<Counter>,
    /// The number of the last line.
    last: u64,
    /// Stays empty.
    out: Output,
}

impl Summary {
    /// is_compared: true if lines are compared with another log's.
    pub fn new(grammar: &Grammar, causes: Arc<Causes>, clock: Clock, is_compared: bool) -> Self {
        Self {
            ranks: grammar.severities.names.len(),
            error: grammar.error,
            severities: Counter::default(),
            first_time: Vec::new(),
            last_time: Vec::new(),
            width: 0,
            buckets: Vec::new(),
            current: 0,
            first_errors: Vec::new(),
            last_errors: VecDeque::new(),
            new: is_compared.then(Counter::default),
            causes: Some(CauseFinder::new(causes, clock.clone(), is_compared)),
            last: 0,
            clock,
            out: Output::default(),
        }
    }

    fn take_time(&mut self, text: &[u8]) {
        if self.first_time.is_empty() {
            self.first_time.extend_from_slice(text);
        }
        self.last_time.clear();
        self.last_time.extend_from_slice(text);
    }

    fn iso(&mut self, time: &[u8]) -> Option<String> {
        self.clock.iso(time).map(|iso| String::from_utf8_lossy(&iso).into_owned())
    }

    fn add_error(&mut self, line: &Line<'_>) {
        let text = without_line_feed(&line.text[..line.text.len().min(LOOKED_AT)]);
        let text = ansi::without(text.strip_suffix(b"\r").unwrap_or(text));
        let text = &text[..text.len().min(LONGEST_ERROR)];
        let is_full = self.last_errors.len() == MOST_ERRORS;
        let oldest = if is_full { self.last_errors.pop_front() } else { None };
        let mut error = oldest.unwrap_or_default();
        (error.line, error.is_new) = (line.number, line.is_new);
        error.time.clear();
        error.time.extend_from_slice(line.time_above.as_deref().unwrap_or(&line.time()));
        error.text.clear();
        error.text.extend_from_slice(text);
        if self.first_errors.len() < MOST_ERRORS {
            self.first_errors.push(error);
        } else {
            self.last_errors.push_back(error);
        }
    }

    /// The errors that are held, as Python gets them.
    fn take_errors(&mut self) -> Vec<Error> {
        let mut errors = std::mem::take(&mut self.first_errors);
        errors.extend(std::mem::take(&mut self.last_errors));
        let error = |held: HeldError| Error {
            line: held.line,
            time: self.iso(&held.time),
            text: String::from_utf8_lossy(&held.text).into_owned(),
            new: self.new.is_some().then_some(held.is_new),
        };
        errors.into_iter().map(error).collect()
    }

    /// A cause as Python gets it.
    fn cause_line(&mut self, found: Cause) -> CauseLine {
        let shown = &found.first.shown;
        let told = found.told.iter().map(|line| String::from_utf8_lossy(line).into_owned());
        let text = &shown[..shown.len().min(LONGEST_ERROR)];
        CauseLine {
            line: found.first.number,
            last: found.last,
            time: self.iso(&found.first.time),
            text: String::from_utf8_lossy(text).into_owned(),
            why: found.why,
            silent_step: found.silent_step,
            exit_code: found.exit_code,
            told: told.collect(),
            new: self.new.is_some().then_some(found.first.is_new),
        }
    }

    /// The bucket of a time, a new one where there is none.
    fn bucket(&mut self, time: i64) -> &mut Bucket {
        let width = WIDTHS[self.width];
        let is_current = |bucket: &Bucket| (0..width).contains(&(time - bucket.start));
        if !self.buckets.get(self.current).is_some_and(is_current) {
            let start = time - time.rem_euclid(width);
            let place = self.buckets.binary_search_by_key(&start, |bucket| bucket.start);
            self.current = place.unwrap_or_else(|place| {
                let severities = vec![0; self.ranks];
                self.buckets.insert(place, Bucket { start, first_line: u64::MAX, severities });
                place
            });
        }
        &mut self.buckets[self.current]
    }

    /// From the first bucket's start to the last one's.
    fn span(&self) -> i64 {
        match &self.buckets[..] {
            [first, .., last] => last.start - first.start,
            _ => 0,
        }
    }

    /// Merges buckets until there are not too many of them.
    fn widen(&mut self) {
        while self.span() >= MOST_BUCKETS * WIDTHS[self.width] {
            self.width += 1;
            for bucket in std::mem::take(&mut self.buckets) {
                let merged = self.bucket(bucket.start);
                merged.first_line = merged.first_line.min(bucket.first_line);
                for (sum, count) in merged.severities.iter_mut().zip(bucket.severities) {
                    *sum += count;
                }
            }
        }
    }
}

impl View for Summary {
    fn begin(&mut self) {
        self.causes.iter_mut().for_each(CauseFinder::begin);
    }

    fn line(&mut self, line: &Line<'_>) {
        let rank = line.seen.severity.unwrap_or(0);
        self.last = line.number;
        self.severities.add(rank, line.number);
        if line.shows_time {
            self.take_time(&line.time());
        }
        if rank >= self.error {
            self.add_error(line);
        }
        if let Some(causes) = &mut self.causes {
            causes.add(line, &self.last_time);
        }
        if let Some(new) = self.new.as_mut().filter(|_| line.is_new) {
            new.add(rank, line.number);
        }
        if let Some(moment) = line.moment {
            let buckets = self.buckets.len();
            let bucket = self.bucket(moment.micros);
            bucket.first_line = bucket.first_line.min(line.number);
            bucket.severities[rank] += 1;
            if self.buckets.len() > buckets {
                self.widen();
            }
        }
    }

    fn rest_of_line(&mut self, _text: &[u8]) {}

    fn output(&mut self) -> &mut Output {
        &mut self.out
    }

    fn totals(&mut self) -> Option<Totals> {
        let mut causes = self.causes.take()?;
        let (first, last) = (self.first_time.clone(), self.last_time.clone());
        let Ending {
            cause,
            has_failed: failed,
            has_verdict: verdict,
            has_passed: passed,
            failures,
        } = causes.end();
        let failed_at = cause.as_ref();
        let failed_at =
            failed_at.filter(|cause| failed && cause.why != "end" && cause.silent_step.is_none());
        let failed_at = failed_at.map(|cause| cause.first.number);
        let (chapters, more_chapters) = causes.chapters.found.listed(self.last, failed_at);
        let told = cause.as_ref().filter(|cause| cause.why != "end");
        let place = told.map(|cause| cause.first.number);
        let mut others = failures;
        others.retain(|one| Some(one.first.number) != place);
        let cause = cause.map(|cause| self.cause_line(cause));
        let other_failures = others.into_iter().map(|one| self.cause_line(one)).collect();
        Some(Totals {
            first_time: self.iso(&first),
            last_time: self.iso(&last),
            severities: self.severities.counts(),
            new: self.new.as_ref().map(Counter::counts),
            width: WIDTHS[self.width],
            buckets: self.buckets.clone(),
            errors: self.take_errors(),
            cause,
            other_failures,
            failed,
            verdict,
            passed,
            chapters,
            more_chapters,
        })
    }
}
