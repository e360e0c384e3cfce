// SPDX-License-Identifier: Apache-2.0
//! Lists of patterns that are matched at a place in a text. Each list is one automaton, which is built
//! as it is used; a `Cache` holds what was built and found, for one thread at a time.

use std::array;
use std::ops::{Deref, Range};
use std::sync::{Mutex, PoisonError};

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache as StateCache, DFA};
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Anchored, Input, MatchKind, Span};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde::{Deserialize, Deserializer, de::Error};

use crate::faults::in_words;
use crate::tables::{Pieces, Row, whole};

/// Bytes that an automaton may grow to; then it is begun anew. A console of many tools takes up to two
/// megabytes, and half the time where it has them.
const LARGEST: usize = 2 * 1024 * 1024;
/// Kinds of bytes that the patterns of a table may tell apart: with one more, each state takes twice the memory, and half
/// as many are held.
const MOST_CLASSES: usize = 128;
/// Steps that are remembered: lines of a log repeat the minute, the process and the name of the one
/// before.
pub const REMEMBERED: usize = 1 << HASH_BITS;
const HASH_BITS: u32 = 8;
/// Bytes of a chunk.
const CHUNK: usize = 16;

/// The place at which something is remembered that begins with a chunk, of `REMEMBERED` places.
pub fn place_of(chunk: &[u8; CHUNK]) -> usize {
    let bytes = u128::from_le_bytes(*chunk);
    let hash = (bytes as u64 ^ (bytes >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - HASH_BITS)) as usize
}

/// A list of patterns; the first that matches counts.
#[derive(Deserialize)]
#[serde(try_from = "Lines")]
pub struct Patterns {
    automaton: DFA,
    /// The first bytes of texts that they match.
    may_begin: [bool; 256],
}

/// The states of an automaton, and what its last steps came to.
pub struct Cache {
    states: StateCache,
    /// The state before a text; None if it is not known.
    start: Option<LazyStateID>,
    remembered: Vec<Option<Step>>,
    /// How often the states were cleared: what is remembered is of them.
    clear_count: usize,
    /// The last match depends on no byte from here on; behind the text's end if it depends on that.
    pub looked: usize,
}

/// A step over a chunk of text.
#[derive(Clone, Copy)]
struct Step {
    from: LazyStateID,
    chunk: [u8; CHUNK],
    reached: Reached,
}

/// What bytes lead to.
#[derive(Clone, Copy)]
struct Reached {
    /// None if no more bytes matter.
    state: Option<LazyStateID>,
    /// The number of the pattern that matches last, and how many of the bytes it matches.
    found: Option<(usize, usize)>,
    /// How many of the bytes matter.
    size: usize,
}

impl Patterns {
    /// Errors: the first row at fault, and its fault.
    pub fn new<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Result<Self, String> {
        Self::of_table(rows.into_iter().map(parsed).collect::<Result<_, _>>()?)
    }

    /// Those of a table, which are parsed.
    pub fn of_table(all: Vec<Hir>) -> Result<Self, String> {
        let patterns = Self::of(all)?;
        let classes = patterns.automaton.byte_classes().alphabet_len();
        debug_assert!(classes <= MOST_CLASSES, "they tell {classes} kinds of bytes apart");
        Ok(patterns)
    }

    /// For a pattern of a file that stands alone.
    pub fn alone<'de, D: Deserializer<'de>>(written: D) -> Result<Self, D::Error> {
        Self::new([&Parsed::deserialize(written)?.0]).map_err(D::Error::custom)
    }

    /// Patterns that are parsed.
    pub fn of(all: Vec<Hir>) -> Result<Self, String> {
        let firsts: Vec<_> = all.iter().map(firsts_of).collect();
        let may_begin = array::from_fn(|byte| firsts.iter().any(|one| one[byte]));
        let nfa = NFA::compiler()
            .configure(NFA::config().utf8(false).which_captures(WhichCaptures::None))
            .build_many_from_hir(&all)
            .map_err(|error| error.to_string())?;
        let config = DFA::config()
            .match_kind(MatchKind::LeftmostFirst)
            .cache_capacity(LARGEST)
            .skip_cache_capacity_check(true);
        let built = DFA::builder().configure(config).build_from_nfa(nfa);
        Ok(Self { automaton: built.map_err(|error| error.to_string())?, may_begin })
    }

    /// A new cache, for one thread at a time.
    pub fn cache(&self) -> Cache {
        let states = self.automaton.create_cache();
        let remembered = vec![None; REMEMBERED];
        Cache { states, start: None, remembered, clear_count: 0, looked: 0 }
    }

    /// The number of the first pattern that matches at a place, and where it ends.
    #[inline]
    pub fn first_at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<(usize, usize)> {
        cache.looked = at + 1;
        text.get(at).filter(|&&first| self.may_begin[usize::from(first)])?;
        self.found_at(cache, text, at)
    }

    #[inline(never)]
    fn found_at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<(usize, usize)> {
        let mut state = self.start(cache)?;
        let (mut at, mut found, mut rest) = (at, None, &text[at..]);
        while let Some((chunk, behind)) = rest.split_first_chunk() {
            let reached = self.behind(cache, state, chunk)?;
            found = reached.found.map(|(pattern, size)| (pattern, at + size)).or(found);
            cache.looked = at + reached.size;
            let Some(next) = reached.state else { return found };
            (state, at, rest) = (next, at + CHUNK, behind);
        }
        let reached = self.walk(&mut cache.states, state, rest)?;
        found = reached.found.map(|(pattern, size)| (pattern, at + size)).or(found);
        cache.looked = at + reached.size;
        let Some(state) = reached.state else { return found };
        cache.looked += 1;
        let end = self.automaton.next_eoi_state(&mut cache.states, state).ok()?;
        let is_match = end.is_match();
        let pattern = || self.automaton.match_pattern(&cache.states, end, 0).as_usize();
        if is_match { Some((pattern(), text.len())) } else { found }
    }

    /// The state before a text. Forgets what is remembered of states that were cleared.
    #[inline]
    fn start(&self, cache: &mut Cache) -> Option<LazyStateID> {
        if cache.clear_count != cache.states.clear_count() {
            cache.clear_count = cache.states.clear_count();
            cache.remembered.fill(None);
            cache.start = None;
        }
        if cache.start.is_none() {
            let input = Input::new(b"").anchored(Anchored::Yes);
            cache.start = self.automaton.start_state_forward(&mut cache.states, &input).ok();
        }
        cache.start
    }

    /// What a chunk leads to, as it is remembered.
    #[inline]
    fn behind(&self, cache: &mut Cache, from: LazyStateID, chunk: &[u8; CHUNK]) -> Option<Reached> {
        let place = place_of(chunk);
        let is_same = |step: &Step| step.chunk == *chunk && step.from == from;
        if cache.clear_count == cache.states.clear_count() {
            if let Some(known) = cache.remembered[place].filter(is_same) {
                return Some(known.reached);
            }
        }
        let reached = self.walk(&mut cache.states, from, chunk)?;
        if cache.clear_count == cache.states.clear_count() {
            cache.remembered[place] = Some(Step { from, chunk: *chunk, reached });
        }
        Some(reached)
    }

    #[inline]
    fn walk(
        &self,
        states: &mut StateCache,
        mut state: LazyStateID,
        bytes: &[u8],
    ) -> Option<Reached> {
        let mut found = None;
        for (count, &byte) in bytes.iter().enumerate() {
            // Never an error: no byte and no number of clearings is set at which it gives up.
            state = self.automaton.next_state(states, state, byte).ok()?;
            if state.is_match() {
                let pattern = self.automaton.match_pattern(states, state, 0);
                found = Some((pattern.as_usize(), count));
            } else if state.is_dead() {
                return Some(Reached { state: None, found, size: count + 1 });
            }
        }
        Some(Reached { state: Some(state), found, size: bytes.len() })
    }
}

/// Caches in a pool: each may take some megabytes.
const MOST_UNUSED: usize = 8;

/// Caches that are not in use.
pub struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// A cache of the pool, or a new one.
    pub fn take(&self, new: impl FnOnce() -> T) -> T {
        let unused = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unused.unwrap_or_else(new)
    }

    /// Gives a cache back, for any thread.
    pub fn give_back(&self, cache: T) {
        let mut unused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < MOST_UNUSED {
            unused.push(cache);
        }
    }
}

/// Texts that are found in a fraction of an expression's time.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Literals(Prefilter);

impl Literals {
    /// Those of a pattern that matches nothing else. Errors: that the row has another pattern.
    pub fn new(row: &Row) -> Result<Self, String> {
        let all = Extractor::new().extract(&parsed(row)?);
        let literals = all.literals().filter(|_| all.is_exact());
        let found = literals.and_then(Self::of);
        found.ok_or_else(|| format!("{}: it is no list of literals", row.0))
    }

    /// None if they cannot be found so.
    pub fn of(all: &[impl AsRef<[u8]>]) -> Option<Self> {
        Prefilter::new(MatchKind::LeftmostFirst, all).map(Self)
    }

    /// The place of the first one.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        self.0.find(text, Span::from(0..text.len())).map(|found| found.start)
    }
}

impl TryFrom<Vec<String>> for Literals {
    type Error = &'static str;

    fn try_from(all: Vec<String>) -> Result<Self, Self::Error> {
        Self::of(&all).ok_or("there is nothing to find")
    }
}

/// A row's pattern as an expression over bytes.
pub fn expression(row: &Row) -> Result<Regex, String> {
    parsed(row)?;
    let built = RegexBuilder::new(&row.1).unicode(false).build();
    built.map_err(|error| format!("{}: {error}", row.0))
}

/// An expression for a text that begins with any of these patterns.
pub fn beginning<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Result<Regex, String> {
    let mut patterns = Vec::new();
    for row in rows {
        parsed(row)?;
        patterns.push(format!("(?:{})", row.1));
    }
    expression(&("patterns".into(), format!(r"\A(?:{})", patterns.join("|"))))
}

/// A pattern of a file, which was parsed, and needs no pieces.
#[derive(Clone)]
pub struct Parsed(pub Row);

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(written: D) -> Result<Self, D::Error> {
        let pattern = whole(&String::deserialize(written)?, &Pieces::new());
        let pattern = pattern.and_then(|pattern| parse(&pattern).map(|_| pattern));
        Ok(Self((String::new(), pattern.map_err(D::Error::custom)?)))
    }
}

/// Lines that tools print: the tool, and the line's pattern.
pub type Lines = Vec<(String, Parsed)>;

/// A pattern of a file, as an expression for a text that holds it anywhere.
#[derive(Deserialize)]
#[serde(try_from = "Parsed")]
pub struct Anywhere(Regex);

/// A pattern of a file, as an expression for a text that begins with it.
#[derive(Deserialize)]
#[serde(try_from = "Parsed")]
pub struct Beginning(Regex);

/// The same for any of several.
#[derive(Deserialize)]
#[serde(try_from = "Lines")]
pub struct BeginningOfAny(Beginning);

impl TryFrom<Parsed> for Anywhere {
    type Error = String;

    fn try_from(pattern: Parsed) -> Result<Self, String> {
        expression(&pattern.0).map(Self)
    }
}

impl Deref for Anywhere {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

impl TryFrom<Parsed> for Beginning {
    type Error = String;

    fn try_from(pattern: Parsed) -> Result<Self, String> {
        beginning([&pattern.0]).map(Self)
    }
}

impl TryFrom<Lines> for Patterns {
    type Error = String;

    fn try_from(lines: Lines) -> Result<Self, String> {
        Self::new(lines.iter().map(|(_, pattern)| &pattern.0))
    }
}

impl TryFrom<Lines> for BeginningOfAny {
    type Error = String;

    fn try_from(lines: Lines) -> Result<Self, String> {
        Ok(Self(Beginning(beginning(lines.iter().map(|(_, pattern)| &pattern.0))?)))
    }
}

impl Beginning {
    #[inline]
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.0.is_match(text)
    }

    /// Where it ends.
    pub fn end_in(&self, text: &[u8]) -> Option<usize> {
        Some(self.0.find(text)?.end())
    }

    /// The place of its group.
    pub fn group_in(&self, text: &[u8]) -> Option<Range<usize>> {
        Some(self.0.captures(text)?.get(1)?.range())
    }
}

impl Deref for BeginningOfAny {
    type Target = Beginning;

    fn deref(&self) -> &Beginning {
        &self.0
    }
}

/// Adds the bytes with which a text may begin that the pattern matches. Returns true if it may match without a byte.
fn add_firsts(pattern: &Hir, firsts: &mut [bool; 256]) -> bool {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => return true,
        HirKind::Literal(text) => firsts[usize::from(text.0[0])] = true,
        HirKind::Class(Class::Bytes(class)) => class.iter().for_each(|range| {
            firsts[usize::from(range.start())..=usize::from(range.end())].fill(true);
        }),
        // What several texts of one character in UTF-8 each become.
        HirKind::Class(Class::Unicode(class)) => class.iter().for_each(|range| {
            let first = |of: char| usize::from(of.encode_utf8(&mut [0; 4]).as_bytes()[0]);
            firsts[first(range.start())..=first(range.end())].fill(true);
        }),
        HirKind::Capture(group) => return add_firsts(&group.sub, firsts),
        HirKind::Repetition(part) => return add_firsts(&part.sub, firsts) || part.min == 0,
        HirKind::Concat(parts) => return parts.iter().all(|part| add_firsts(part, firsts)),
        HirKind::Alternation(parts) => {
            return parts.iter().filter(|part| add_firsts(part, firsts)).count() > 0;
        }
    }
    false
}

/// The bytes with which a text may begin that a pattern matches.
fn firsts_of(pattern: &Hir) -> [bool; 256] {
    let mut firsts = [false; 256];
    let is_any = add_firsts(pattern, &mut firsts);
    if is_any { [true; 256] } else { firsts }
}

/// True if a text that a row's pattern matches may begin with any letter.
pub fn may_begin_with_any_letter(row: &Row) -> Result<bool, String> {
    let firsts = firsts_of(&parsed(row)?);
    Ok((b'a'..=b'z').all(|letter| firsts[usize::from(letter)]))
}

/// Errors: the row, and its fault.
pub fn parsed((name, pattern): &Row) -> Result<Hir, String> {
    parse(pattern).map_err(|told| format!("{name}: {told}"))
}

fn parse(pattern: &str) -> Result<Hir, String> {
    if !pattern.is_ascii() {
        return Err(r"it holds a byte outside ASCII: write \xNN".into());
    }
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    parser.parse(pattern).map_err(|error| in_words(&error))
}
