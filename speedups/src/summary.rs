// SPDX-License-Identifier: Apache-2.0
//! What a log's lines come to, as `oslogserve/lines/summary.py` defines it, which makes JSON of it.

use std::collections::BTreeMap;

use pyo3::IntoPyObject;

use crate::ansi;
use crate::grammar::Grammar;
use crate::times::{Clock, Origin};
use crate::view::{Line, View};

const MOST_BUCKETS: i64 = 200;
const DAY: i64 = 8_640_000;
/// Hundredths of seconds. Each is a multiple of the one before, so that buckets merge whole.
#[rustfmt::skip]
const WIDTHS: [i64; 18] = [
    1, 10, 100, 500, 1000, 3000, 6000, 30_000, 60_000, 180_000, 360_000, DAY / 4,
    DAY, 7 * DAY, 28 * DAY, 364 * DAY, 3640 * DAY, 36_400 * DAY,
];
const HUNDREDTH: i64 = 10_000;

/// Lines of a severity: how many, and the number of the first.
#[derive(Clone, Copy, Default, IntoPyObject)]
pub struct Count(u64, u64);

/// Counts by rank; ranks without lines are left out.
pub type Counts = BTreeMap<usize, Count>;

/// Counts lines by severity.
#[derive(Default)]
pub struct Counter(Vec<Count>);

impl Counter {
    /// Counts a line.
    #[inline]
    pub fn add(&mut self, rank: usize, number: u64) {
        if self.0.len() <= rank {
            self.0.resize(rank + 1, Count::default());
        }
        let Count(lines, first) = &mut self.0[rank];
        if *lines == 0 {
            *first = number;
        }
        *lines += 1;
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.0.iter().copied().enumerate().filter(|(_, count)| count.0 > 0).collect()
    }
}

/// What came of a log, as the Totals of `oslogserve/lines/summary.py`.
#[derive(IntoPyObject)]
pub struct Totals {
    first_time: Option<String>,
    last_time: Option<String>,
    severities: Counts,
    /// Microseconds of a bucket.
    width: i64,
    buckets: Vec<Bucket>,
}

/// The lines of a time range.
#[derive(Clone, IntoPyObject)]
struct Bucket {
    /// Microseconds since 1970.
    start: i64,
    first_line: u64,
    /// How many, by rank.
    severities: Vec<u64>,
}

/// Adds up the lines that a selection leaves.
pub struct Summary {
    clock: Clock,
    /// How many there are.
    ranks: usize,
    severities: Counter,
    first_time: Vec<u8>,
    last_time: Vec<u8>,
    /// Microseconds of the last line that had a time.
    now: Option<i64>,
    /// The place of the buckets' width among all.
    width: usize,
    /// By their start, in widths.
    buckets: BTreeMap<i64, Bucket>,
}

impl Summary {
    /// For one log.
    pub fn new(grammar: &Grammar, clock: Clock) -> Self {
        Self {
            clock,
            ranks: grammar.severities.len(),
            severities: Counter::default(),
            first_time: Vec::new(),
            last_time: Vec::new(),
            now: None,
            width: 0,
            buckets: BTreeMap::new(),
        }
    }

    fn bucket_width(&self) -> i64 {
        WIDTHS[self.width] * HUNDREDTH
    }

    fn take_time(&mut self, text: &[u8]) {
        let Some(instant) = self.clock.read(text) else {
            return;
        };
        if self.first_time.is_empty() {
            self.first_time.extend_from_slice(text);
        }
        self.last_time.clear();
        self.last_time.extend_from_slice(text);
        if instant.origin == Origin::Epoch {
            self.now = Some(instant.micros);
        }
    }

    fn add_to_bucket(&mut self, now: i64, rank: usize, number: u64) {
        let start = now.div_euclid(self.bucket_width());
        let before = self.buckets.len();
        let severities = || vec![0; self.ranks];
        let new = || Bucket { start, first_line: number, severities: severities() };
        let bucket = self.buckets.entry(start).or_insert_with(new);
        bucket.severities[rank] += 1;
        if self.buckets.len() > before {
            self.widen();
        }
    }

    /// Merges buckets until there are not too many of them.
    fn widen(&mut self) {
        while let (Some((first, _)), Some((last, _))) =
            (self.buckets.first_key_value(), self.buckets.last_key_value())
            && last - first >= MOST_BUCKETS
        {
            let ratio = WIDTHS[self.width + 1] / WIDTHS[self.width];
            self.width += 1;
            for (start, bucket) in std::mem::take(&mut self.buckets) {
                let start = start.div_euclid(ratio);
                let Some(merged) = self.buckets.get_mut(&start) else {
                    self.buckets.insert(start, Bucket { start, ..bucket });
                    continue;
                };
                merged.first_line = merged.first_line.min(bucket.first_line);
                let counts = merged.severities.iter_mut().zip(bucket.severities);
                counts.for_each(|(merged, count)| *merged += count);
            }
        }
    }
}

impl View for Summary {
    fn line(&mut self, line: &Line<'_>) {
        let rank = line.seen.severity.unwrap_or(0);
        self.severities.add(rank, line.number);
        if !line.seen.time.is_empty() {
            self.take_time(&ansi::without(&line.text[line.seen.time.clone()]));
        }
        if let Some(now) = self.now {
            self.add_to_bucket(now, rank, line.number);
        }
    }

    fn more(&mut self, _text: &[u8], _has_end: bool) {}

    fn totals(&self) -> Option<Totals> {
        let width = self.bucket_width();
        let iso = |time: &[u8]| {
            self.clock.iso(time).map(|iso| String::from_utf8_lossy(iso.as_bytes()).into_owned())
        };
        let at_start = |bucket: &Bucket| Bucket {
            start: bucket.start.saturating_mul(width),
            ..bucket.clone()
        };
        Some(Totals {
            first_time: iso(&self.first_time),
            last_time: iso(&self.last_time),
            severities: self.severities.counts(),
            width,
            buckets: self.buckets.values().map(at_start).collect(),
        })
    }
}
