// SPDX-License-Identifier: Apache-2.0
//! What is asked of a line beside its mark: the sections of `core/grammar/causes.toml`, each compiled as it is read.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use memchr::memchr;
use serde::Deserialize;

use crate::lines::after_mark;
use crate::recognition::patterns::{
    Anywhere, Beginning, BeginningOfAny, Cache, Literals, Patterns,
};

/// Bytes of a column before a time, with its tab.
const LONGEST_COLUMN: usize = 24;

/// Bytes of a record's level and name.
const LONGEST_HEAD: usize = 128;

/// What stands before the content of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heads {
    #[serde(deserialize_with = "Patterns::alone")]
    pub behind_time: Patterns,
    #[serde(deserialize_with = "Patterns::alone")]
    pub step_head: Patterns,
    job_head: Beginning,
    record: Beginning,
    item_head: Beginning,
}

impl Heads {
    /// The offset behind a line's time, and the line's own time. text: where the text in its wrappers begins; 0 for
    /// none. has_job_head: true if it may begin with the names of a job and a step.
    pub fn head<'t>(
        &self,
        behind_time: &mut Cache,
        shown: &'t [u8],
        time: Cow<'t, [u8]>,
        text: u16,
        has_job_head: bool,
    ) -> (usize, Cow<'t, [u8]>) {
        if text > 0 {
            return (usize::from(text).min(shown.len()), time);
        }
        let named = if has_job_head { self.job_time(shown) } else { None };
        match named {
            Some(place) => (place.end + 1, Cow::Borrowed(&shown[place])),
            None => (self.behind_time(behind_time, shown, &time), time),
        }
    }

    /// The place of the time behind the names of a job and a step; None for a line without them.
    pub fn job_time(&self, shown: &[u8]) -> Option<Range<usize>> {
        self.job_head.group_in(shown)
    }

    /// The offset behind the time that a line begins with, or has behind its first column; 0 for none.
    fn behind_time(&self, cache: &mut Cache, shown: &[u8], time: &[u8]) -> usize {
        let mark = after_mark(shown);
        if time.is_empty() {
            return mark;
        }
        let columns = &shown[..shown.len().min(LONGEST_COLUMN)];
        let second = iter::once_with(|| memchr(b'\t', columns).map(|tab| tab + 1)).flatten();
        for start in [mark, mark + 1].into_iter().chain(second) {
            if shown.get(start..).is_some_and(|left| left.starts_with(time)) {
                let end = start + time.len();
                let found = self.behind_time.first_at(cache, shown, end);
                return found.map_or(end, |(_, end)| end);
            }
        }
        mark
    }

    /// The offset behind the head of a line of a step, if that begins at `start`.
    #[inline]
    pub fn behind_step_head(&self, cache: &mut Cache, shown: &[u8], start: usize) -> usize {
        let found = self.step_head.first_at(cache, shown, start);
        found.map_or(start, |(_, end)| end)
    }

    /// The item that a text names, and what it says of it.
    pub fn item<'t>(&self, text: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
        Some(text.split_at(self.item_head.end_in(text)?))
    }

    /// True if a line with a level and without a time is a record of a service.
    pub fn is_record(&self, line: &[u8]) -> bool {
        self.record.is_match(&line[..line.len().min(LONGEST_HEAD)])
    }
}

/// Lines that are no error, whatever their severity is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passed {
    tests: BeginningOfAny,
    tests_anywhere: BeginningOfAny,
    hints: Literals,
    retried: Beginning,
    done: Beginning,
    pub others: Patterns,
    results: Vec<(String, String)>,
}

impl Passed {
    /// True if the line is no error, whatever its severity is. cache: that of `others`.
    pub fn is_green(&self, cache: &mut Cache, content: &[u8]) -> bool {
        self.others.first_at(cache, content, 0).is_some() || self.is_test(content)
    }

    /// True if the line says of a test that it passed.
    pub fn is_test(&self, content: &[u8]) -> bool {
        self.tests.is_match(content)
            || (self.hints.find(content).is_some() && self.tests_anywhere.is_match(content))
    }

    /// True if the line says that each test that failed passed when it was tried again.
    pub fn are_retried(&self, content: &[u8]) -> bool {
        self.retried.is_match(content)
    }

    /// True if an item ended well, by what is said of it.
    pub fn is_done(&self, said: &[u8]) -> bool {
        self.done.is_match(said)
    }

    /// True if a line ends with the result of a run, which looks like a level.
    #[inline]
    pub fn is_result(&self, line: &[u8]) -> bool {
        let last = line.last();
        let mut ends = self.results.iter().map(|(_, end)| end.as_bytes());
        ends.any(|end| end.last() == last && line.ends_with(end))
    }
}

/// Asked near the end of a step that has nothing better.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    weak: BeginningOfAny,
    stack_frame: Beginning,
    words: Anywhere,
    passing: Anywhere,
    usage: Beginning,
    option: Beginning,
}

impl Words {
    /// True if a line locates a fault.
    pub fn is_weak(&self, content: &[u8]) -> bool {
        self.weak.is_match(content) && !self.stack_frame.is_match(content)
    }

    /// True if a word in the line is one of a failure.
    pub fn are_in(&self, content: &[u8]) -> bool {
        self.words.is_match(content)
    }

    /// True if such a word is in a count, and says nothing.
    pub fn are_counted(&self, content: &[u8]) -> bool {
        self.passing.is_match(content)
    }

    /// True for a line of a usage text. indent: blanks before the content. follows: true if the line
    /// above is one.
    pub fn is_usage(&self, content: &[u8], indent: usize, follows: bool) -> bool {
        let Some(last) = content.last() else { return follows };
        let is_within = indent > 0 || content[0] == b'-' || *last == b':';
        (follows && is_within)
            || self.usage.is_match(content)
            || (indent > 0 && self.option.is_match(content))
    }
}

/// Calls in the stack of an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    calls: BeginningOfAny,
    calls_above: BeginningOfAny,
    libraries: BeginningOfAny,
}

impl Stack {
    /// True for a call of the program's own in the stack of an error. is_above: true if it is above the error.
    pub fn is_own_call(&self, content: &[u8], is_above: bool) -> bool {
        let is_below = || !is_above && self.calls.is_match(content);
        (self.calls_above.is_match(content) || is_below()) && !self.libraries.is_match(content)
    }

    /// True for a line of an exception's stack: a call, or how many of them are left out.
    pub fn is_call(&self, content: &[u8]) -> bool {
        self.calls.is_match(content) || content.starts_with(b"... ")
    }
}

/// What lines tell beside their mark.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    exit_code: Beginning,
    printed: Beginning,
    reason: Beginning,
    recap: Beginning,
    number: Beginning,
}

impl Told {
    /// The code with which something ended, in a line that says that it failed.
    pub fn exit_code(&self, content: &[u8]) -> Option<i64> {
        let code = &content[self.exit_code.group_in(content)?];
        std::str::from_utf8(code).ok()?.parse().ok()
    }

    /// True for the result of a task that holds what its command printed.
    pub fn has_printed(&self, content: &[u8]) -> bool {
        self.printed.is_match(content)
    }

    /// True for a member of an object below an error that tells why.
    pub fn is_reason(&self, content: &[u8]) -> bool {
        self.reason.is_match(content)
    }

    /// True for a count of failures.
    pub fn is_recap(&self, content: &[u8]) -> bool {
        self.recap.is_match(content)
    }

    /// True if the line begins with the number of a failed test.
    pub fn is_numbered(&self, content: &[u8]) -> bool {
        self.number.is_match(content)
    }
}
