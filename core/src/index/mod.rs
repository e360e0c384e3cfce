// SPDX-License-Identifier: Apache-2.0
//! The index of a log: its blocks, and what is known of the lines of each.
//!
//! A block begins with a line. A renderer passes over blocks whose lines cannot matter to its answer,
//! and goes on as if it had read them: with the next line's number, and what that line inherits.

pub mod contents;
pub mod ids;
pub mod vocabulary;

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

use crate::counts::Count;
use crate::recognition::inherited::Heritage;
use crate::recognition::times::{Instant, MINUTE, Origin, TimeRange};

/// The lines of two ranks, in a block.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub struct Lines {
    /// The rank by which filters see them.
    pub rank: usize,
    /// That of the severity that they show; 0 for none.
    pub own: usize,
    pub count: u64,
    /// The number of the first one.
    pub first: u64,
}

/// The times of a block's lines, each the last one with a date at or above its line.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub struct Times {
    /// In microseconds since 1970: on the lines' own clocks, and in UTC.
    pub earliest: i64,
    pub latest: i64,
    pub earliest_utc: i64,
    pub latest_utc: i64,
    /// The number of the first line with a time, and that time in UTC.
    pub first_line: u64,
    pub first_utc: i64,
}

/// A block of a log's text.
#[derive(Clone, Deserialize, Serialize)]
pub struct Block {
    /// The number of its first line, and bytes of the text before it.
    pub line: u64,
    pub at: u64,
    pub lines: u64,
    pub size: u64,
    /// CRC-32 of its text.
    pub checksum: u32,
    /// Bytes of its longest line.
    pub longest: u64,
    /// What its first line inherits.
    pub heritage: Heritage,
    pub severities: Vec<Lines>,
    /// None if no line has a time.
    pub times: Option<Times>,
}

impl Block {
    /// Lines at a rank or above, as filters see them.
    pub fn at_least(&self, floor: usize) -> u64 {
        self.severities.iter().filter(|lines| lines.rank >= floor).map(|lines| lines.count).sum()
    }

    /// True if lines come before the first time.
    fn has_untimed(&self) -> bool {
        self.times.is_none_or(|times| times.first_line > self.line)
    }

    /// True if no line is before `since` or after `until`, as far as lines have times.
    pub fn is_between(&self, since: Option<&TimeRange>, until: Option<&TimeRange>) -> bool {
        let times = self.times;
        let earliest = |since: &TimeRange| times.map(|times| times.earliest_for(since));
        let latest = |until: &TimeRange| times.map(|times| times.latest_for(until));
        since.is_none_or(|since| {
            !self.has_untimed() && earliest(since).is_some_and(|time| time >= since.first)
        }) && until.is_none_or(|until| latest(until).is_none_or(|time| time <= until.last))
    }

    /// False if all lines are before `since` or after `until`.
    pub fn may_be_between(&self, since: Option<&TimeRange>, until: Option<&TimeRange>) -> bool {
        let latest = |range: &TimeRange| self.times.map(|times| times.latest_for(range));
        let earliest = |range: &TimeRange| self.times.map(|times| times.earliest_for(range));
        since.is_none_or(|since| latest(since).is_some_and(|time| time >= since.first))
            && (self.has_untimed()
                || until.is_none_or(|until| earliest(until).is_none_or(|time| time <= until.last)))
    }
}

impl Times {
    /// number: the line's.
    fn of(number: u64, instant: Instant) -> Self {
        let utc = instant.micros - i64::from(instant.offset.unwrap_or(0)) * MINUTE;
        Self {
            earliest: instant.micros,
            latest: instant.micros,
            earliest_utc: utc,
            latest_utc: utc,
            first_line: number,
            first_utc: utc,
        }
    }

    /// Adds those of later lines.
    fn add(&mut self, other: Self) {
        self.earliest = self.earliest.min(other.earliest);
        self.latest = self.latest.max(other.latest);
        self.earliest_utc = self.earliest_utc.min(other.earliest_utc);
        self.latest_utc = self.latest_utc.max(other.latest_utc);
    }

    /// As Instant::on_clock_of.
    fn earliest_for(&self, range: &TimeRange) -> i64 {
        let utc = |offset| self.earliest_utc.saturating_add(i64::from(offset) * MINUTE);
        range.offset.map_or(self.earliest, utc)
    }

    fn latest_for(&self, range: &TimeRange) -> i64 {
        let utc = |offset| self.latest_utc.saturating_add(i64::from(offset) * MINUTE);
        range.offset.map_or(self.latest, utc)
    }
}

/// Collects the blocks of a log while a summary reads it.
pub struct Indexer {
    /// Bytes of text from one block to the next, and where the next one begins at the earliest: a quarter
    /// behind a multiple of the interval, so that a point of the compression is close before it.
    interval: u64,
    next: u64,
    blocks: Vec<Block>,
    /// Bytes of text so far.
    at: u64,
    checksum: Hasher,
    /// Of the current block: by rank, then by the rank shown.
    severities: Vec<Vec<Count>>,
    times: Option<Times>,
    longest: u64,
    /// The last time that was added: most lines inherit theirs.
    last_time: Option<Instant>,
}

impl Indexer {
    /// ranks: the number of severities. heritage: of the first line.
    pub fn new(interval: u64, ranks: usize, heritage: Heritage) -> Self {
        let mut indexer = Self {
            interval,
            next: interval + interval / 4,
            blocks: Vec::new(),
            at: 0,
            checksum: Hasher::new(),
            severities: vec![vec![Count::default(); ranks]; ranks],
            times: None,
            longest: 0,
            last_time: None,
        };
        indexer.begin(1, heritage);
        indexer
    }

    fn begin(&mut self, line: u64, heritage: Heritage) {
        self.checksum = Hasher::new();
        self.severities.iter_mut().for_each(|counts| counts.fill(Count::default()));
        (self.times, self.last_time, self.longest) = (None, None, 0);
        let at = self.at;
        self.blocks.push(Block {
            line,
            at,
            lines: 0,
            size: 0,
            checksum: 0,
            longest: 0,
            heritage,
            severities: Vec::new(),
            times: None,
        });
    }

    /// Takes a line. rank: by which filters see it. own: of the severity that it shows.
    #[inline]
    pub fn line(&mut self, number: u64, rank: usize, own: usize, time: Option<Instant>) {
        self.severities[rank][own].add(Count(1, number));
        if time.is_some() && time == self.last_time {
            return;
        }
        if let Some(instant) = time.filter(|instant| instant.origin == Origin::Epoch) {
            let one = Times::of(number, instant);
            self.times.get_or_insert(one).add(one);
            self.last_time = time;
        }
    }

    /// Takes the size of a line's text, or as much of it as is read.
    #[inline]
    pub fn size(&mut self, bytes: usize) {
        self.longest = self.longest.max(bytes as u64);
    }

    /// Takes the text of lines, or of parts of lines, in order.
    pub fn text(&mut self, text: &[u8]) {
        self.checksum.update(text);
        self.at += text.len() as u64;
    }

    /// True if a block may begin with the next line.
    pub fn is_due(&self) -> bool {
        self.at >= self.next
    }

    /// Begins a block. line: the next line's number.
    pub fn next_block(&mut self, line: u64, heritage: Heritage) {
        self.end(line);
        let missed = (self.at - self.next) / self.interval;
        self.next += (missed + 1) * self.interval;
        self.begin(line, heritage);
    }

    /// Ends the last block.
    fn end(&mut self, next_line: u64) {
        let counts = self.severities.iter().enumerate().flat_map(|(rank, counts)| {
            counts.iter().enumerate().map(move |(own, count)| (rank, own, *count))
        });
        let counts = counts.filter(|(.., count)| count.0 > 0);
        let severities =
            counts.map(|(rank, own, Count(count, first))| Lines { rank, own, count, first });
        if let Some(block) = self.blocks.last_mut() {
            block.severities = severities.collect();
            block.lines = next_line - block.line;
            block.size = self.at - block.at;
            block.checksum = self.checksum.clone().finalize();
            block.times = self.times;
            block.longest = self.longest;
        }
    }

    /// JSON of the blocks of the whole log. next_line: the number of the line behind the last one.
    pub fn finished(mut self, next_line: u64) -> Vec<u8> {
        self.end(next_line);
        let has_others = self.blocks.len() > 1;
        // The last one may have begun right where the log ends.
        self.blocks.retain(|block| block.size > 0 || !has_others);
        // Only types that can fail to be written make it fail.
        serde_json::to_vec(&self.blocks).unwrap_or_default()
    }
}

/// The blocks of a log that was read before. They may come from anywhere.
pub struct Index {
    pub blocks: Vec<Block>,
    /// True if the last line is complete.
    pub ends_a_line: bool,
}

impl Index {
    /// The index of blocks as JSON. ranks: the number of severities. Errors: what cannot be true of a log.
    pub fn of_json(json: &[u8], ends_a_line: bool, ranks: usize) -> Result<Self, String> {
        let blocks = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        Self::new(blocks, ends_a_line, ranks).map_err(str::to_owned)
    }

    fn new(blocks: Vec<Block>, ends_a_line: bool, ranks: usize) -> Result<Self, &'static str> {
        if blocks.is_empty() {
            return Err("it has no blocks");
        }
        let (mut line, mut at) = (1, 0);
        for block in &blocks {
            if (block.line, block.at) != (line, at) {
                return Err("a block does not begin where the one before ends");
            }
            let is_rank = |lines: &Lines| lines.rank < ranks && lines.own < ranks;
            if !block.severities.iter().all(is_rank) || !block.heritage.fits(ranks) {
                return Err("there is no such severity");
            }
            let counted =
                block.severities.iter().try_fold(0, |sum: u64, lines| sum.checked_add(lines.count));
            if counted != Some(block.lines) {
                return Err("the counts of a block are wrong");
            }
            let ends = line.checked_add(block.lines).zip(at.checked_add(block.size));
            (line, at) =
                ends.filter(|end| end.0 < MOST && end.1 < MOST).ok_or("it is too large")?;
        }
        Ok(Self { blocks, ends_a_line })
    }

    /// Lines and bytes of the text.
    pub fn size(&self) -> (u64, u64) {
        let last = self.blocks.last();
        last.map_or((0, 0), |block| (block.line + block.lines - 1, block.at + block.size))
    }

    /// The place of the block that has the byte `at` of the text.
    pub fn place_of(&self, at: u64) -> usize {
        self.blocks.partition_point(|block| block.at <= at).saturating_sub(1)
    }
}

/// Lines and bytes of a log: fewer than a sum overflows with.
const MOST: u64 = 1 << 62;
