// SPDX-License-Identifier: Apache-2.0
//! A log in figures, as `oslogserve/lines/summary.py` defines it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::ansi;
use crate::grammar::Grammar;
use crate::times::{Clock, Origin, civil};
use crate::view::{Line, View};

const MOST_BUCKETS: i64 = 200;
const SECOND: i64 = 1_000_000;
/// The first of January of the year 1.
const EARLIEST: i64 = -62_135_596_800 * SECOND;
const DAY: i64 = 86_400 * SECOND;
/// Microseconds. Each is a multiple of the one before, so that buckets merge whole.
const WIDTHS: [i64; 18] = [
    SECOND / 100,
    SECOND / 10,
    SECOND,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    60 * SECOND,
    300 * SECOND,
    600 * SECOND,
    1800 * SECOND,
    3600 * SECOND,
    6 * 3600 * SECOND,
    DAY,
    7 * DAY,
    28 * DAY,
    364 * DAY,
    3640 * DAY,
    36400 * DAY,
];

/// Lines by severity.
type Counts = Vec<u64>;

/// Of the lines that a selection leaves.
pub struct Summary {
    clock: Clock,
    words: Vec<Vec<u8>>,
    counts: Counts,
    first_lines: Vec<u64>,
    first_time: Vec<u8>,
    last_time: Vec<u8>,
    /// Microseconds, of the last line that had a time.
    now: Option<i64>,
    width: usize,
    buckets: BTreeMap<i64, Bucket>,
    /// The bucket of now: counted here, and not yet in the others.
    current: Option<(i64, Bucket)>,
}

/// Lines of a span of time.
struct Bucket {
    first_line: u64,
    counts: Counts,
}

impl Summary {
    /// For one log.
    pub fn new(grammar: &Grammar, clock: Clock) -> Self {
        let words = grammar.severities.clone();
        Self {
            clock,
            counts: vec![0; words.len()],
            first_lines: vec![0; words.len()],
            words,
            first_time: Vec::new(),
            last_time: Vec::new(),
            now: None,
            width: 0,
            buckets: BTreeMap::new(),
            current: None,
        }
    }

    /// As JSON.
    pub fn finish(&mut self) -> String {
        self.keep_current();
        let width = WIDTHS[self.width];
        let buckets: Vec<String> = self
            .buckets
            .iter()
            .map(|(index, Bucket { first_line, counts })| {
                let time = quoted(start_of(index.saturating_mul(width)).as_bytes());
                let counts =
                    self.named(|rank| (counts[rank] > 0).then(|| counts[rank].to_string()));
                format!(
                    "{{\"time\": {time}, \"first_line\": {first_line}, \"severities\": {counts}}}"
                )
            })
            .collect();
        let severities = self.named(|rank| {
            let (count, first) = (self.counts[rank], self.first_lines[rank]);
            (count > 0).then(|| format!("{{\"count\": {count}, \"first_line\": {first}}}"))
        });
        let seconds = match width / SECOND {
            0 => (width as f64 / SECOND as f64).to_string(),
            whole => whole.to_string(),
        };
        format!(
            "{{\"first_time\": {}, \"last_time\": {}, \"severities\": {severities}, \
             \"histogram\": {{\"seconds\": {seconds}, \"buckets\": [{}]}}}}",
            self.iso(&self.first_time),
            self.iso(&self.last_time),
            buckets.join(", ")
        )
    }

    fn iso(&self, time: &[u8]) -> String {
        self.clock.iso(time).map_or("null".into(), |iso| quoted(iso.as_bytes()))
    }

    fn named(&self, value: impl Fn(usize) -> Option<String>) -> String {
        let words = self.words.iter().enumerate();
        let members = words.filter_map(|(rank, word)| {
            value(rank).map(|value| format!("{}: {value}", quoted(word)))
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
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

    fn keep_current(&mut self) {
        let Some((index, bucket)) = self.current.take() else {
            return;
        };
        add(&mut self.buckets, index, bucket);
        while let (Some((first, _)), Some((last, _))) =
            (self.buckets.first_key_value(), self.buckets.last_key_value())
            && last - first >= MOST_BUCKETS
        {
            let ratio = WIDTHS[self.width + 1] / WIDTHS[self.width];
            self.width += 1;
            for (index, bucket) in std::mem::take(&mut self.buckets) {
                add(&mut self.buckets, index.div_euclid(ratio), bucket);
            }
        }
    }
}

impl View for Summary {
    const SEES: bool = true;
    const INHERITS: bool = false;
    const READS_ALL: bool = true;
    const COUNTS: bool = false;

    fn line(&mut self, line: &Line<'_>) {
        let rank = line.seen.severity.unwrap_or(0);
        self.counts[rank] += 1;
        if self.counts[rank] == 1 {
            self.first_lines[rank] = line.number;
        }
        if !line.seen.time.is_empty() {
            self.take_time(&ansi::without(&line.text[line.seen.time.clone()]));
        }
        let Some(now) = self.now else {
            return;
        };
        let index = now.div_euclid(WIDTHS[self.width]);
        if self.current.as_ref().is_none_or(|(current, _)| *current != index) {
            self.keep_current();
            let index = now.div_euclid(WIDTHS[self.width]);
            let counts = vec![0; self.words.len()];
            self.current = Some((index, Bucket { first_line: line.number, counts }));
        }
        if let Some((_, bucket)) = &mut self.current {
            bucket.counts[rank] += 1;
        }
    }

    fn part(&mut self, _part: &[u8], _has_end: bool) {}

    fn gap(&mut self, _first: u64, _last: u64) {}
}

fn add(buckets: &mut BTreeMap<i64, Bucket>, index: i64, bucket: Bucket) {
    match buckets.entry(index) {
        Entry::Vacant(place) => {
            place.insert(bucket);
        }
        Entry::Occupied(mut place) => {
            let into = place.get_mut();
            into.first_line = into.first_line.min(bucket.first_line);
            into.counts.iter_mut().zip(bucket.counts).for_each(|(into, count)| *into += count);
        }
    }
}

/// Of a bucket, without a zone.
fn start_of(micros: i64) -> String {
    let seconds = micros.max(EARLIEST).div_euclid(SECOND);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = match micros.max(EARLIEST).rem_euclid(SECOND) {
        0 => String::new(),
        fraction => format!(".{:02}", fraction / 10_000),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}")
}

fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", String::from_utf8_lossy(text))
}
