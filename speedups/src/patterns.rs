// SPDX-License-Identifier: Apache-2.0
//! Lists of patterns that are matched at a place in a text. Each list is one automaton, which is built
//! as it is used; a `Cache` holds what was built and found, for one thread at a time.

use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache as StateCache, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;

/// Bytes that an automaton may grow to; then it is begun anew.
const LARGEST: usize = 512 * 1024;
/// Beginnings of texts whose matches are remembered, by their hash: lines of a log repeat the minute,
/// the process and the name of the one before.
const REMEMBERED: usize = 128;
/// Bytes of such a beginning.
const BEGINNING: usize = 16;

/// A list of patterns; the first that matches counts.
pub struct Patterns {
    automaton: DFA,
    /// The first bytes of texts that they match.
    may_begin: [bool; 256],
}

/// The states of an automaton, and what its last matches came to.
pub struct Cache {
    states: StateCache,
    remembered: Vec<Option<Beginning>>,
    /// How often the states were cleared: what is remembered is of them.
    clear_count: usize,
}

/// A match behind the first bytes of a text.
#[derive(Clone, Copy)]
struct Beginning {
    bytes: u128,
    progress: Progress,
}

/// A match that is not complete.
#[derive(Clone, Copy)]
struct Progress {
    /// None if no more bytes matter.
    state: Option<LazyStateID>,
    /// The number of the pattern that matches so far, and the size of what it matches.
    found: Option<(usize, usize)>,
}

impl Patterns {
    /// Errors: the fault of the first pattern that has one.
    pub fn new(patterns: &[impl AsRef<[u8]>]) -> Result<Self, String> {
        let mut may_begin = [false; 256];
        let mut extractor = Extractor::new();
        extractor.limit_class(256).limit_literal_len(1).limit_total(256);
        let mut parsed = Vec::new();
        for pattern in patterns {
            let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
            let hir =
                parser.parse(text_of(pattern.as_ref())?).map_err(|error| error.to_string())?;
            match extractor.extract(&hir).literals() {
                Some(firsts) => firsts.iter().for_each(|first| match first.as_bytes() {
                    [byte, ..] => may_begin[usize::from(*byte)] = true,
                    [] => may_begin.fill(true),
                }),
                None => may_begin.fill(true),
            }
            parsed.push(hir);
        }
        let nfa = NFA::compiler()
            .configure(NFA::config().utf8(false))
            .build_many_from_hir(&parsed)
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
        Cache { states, remembered: vec![None; REMEMBERED], clear_count: 0 }
    }

    /// The number of the first pattern that matches at a place, and where it ends.
    #[inline]
    pub fn first_at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<(usize, usize)> {
        text.get(at).filter(|&&first| self.may_begin[usize::from(first)])?;
        let text = &text[at..];
        let (progress, size) = match text.first_chunk() {
            Some(beginning) => (self.behind(cache, beginning)?, BEGINNING),
            None => (self.start(cache)?, 0),
        };
        let progress = self.walk(&mut cache.states, progress, &text[size..], size)?;
        let found = progress.state.map_or(Some(progress.found), |state| {
            let end = self.automaton.next_eoi_state(&mut cache.states, state).ok()?;
            let pattern = |end| self.automaton.match_pattern(&cache.states, end, 0).as_usize();
            Some(if end.is_match() { Some((pattern(end), text.len())) } else { progress.found })
        });
        found?.map(|(pattern, size)| (pattern, at + size))
    }

    /// The match behind these bytes, as it is remembered.
    #[inline]
    fn behind(&self, cache: &mut Cache, beginning: &[u8; BEGINNING]) -> Option<Progress> {
        let bytes = u128::from_le_bytes(*beginning);
        let hash = (bytes as u64 ^ (bytes >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (hash >> 32) as usize % REMEMBERED;
        if cache.clear_count != cache.states.clear_count() {
            cache.clear_count = cache.states.clear_count();
            cache.remembered.fill(None);
        }
        if let Some(known) = cache.remembered[place].filter(|known| known.bytes == bytes) {
            return Some(known.progress);
        }
        let start = self.start(cache)?;
        let progress = self.walk(&mut cache.states, start, beginning, 0)?;
        if cache.clear_count == cache.states.clear_count() {
            cache.remembered[place] = Some(Beginning { bytes, progress });
        }
        Some(progress)
    }

    fn start(&self, cache: &mut Cache) -> Option<Progress> {
        let input = Input::new(b"").anchored(Anchored::Yes);
        let state = self.automaton.start_state_forward(&mut cache.states, &input).ok()?;
        Some(Progress { state: Some(state), found: None })
    }

    /// The match behind more bytes. size: of the bytes before them.
    #[inline]
    fn walk(
        &self,
        states: &mut StateCache,
        from: Progress,
        bytes: &[u8],
        size: usize,
    ) -> Option<Progress> {
        let Some(mut state) = from.state else {
            return Some(from);
        };
        let mut found = from.found;
        for (count, &byte) in bytes.iter().enumerate() {
            // Never an error: no byte and no number of clearings is set at which it gives up.
            state = self.automaton.next_state(states, state, byte).ok()?;
            if state.is_match() {
                let pattern = self.automaton.match_pattern(states, state, 0);
                found = Some((pattern.as_usize(), size + count));
            } else if state.is_dead() {
                return Some(Progress { state: None, found });
            }
        }
        Some(Progress { state: Some(state), found })
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

/// The pattern as text, which the parser takes.
pub fn text_of(pattern: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(pattern)
        .map_err(|_| "a pattern holds a byte outside ASCII: write \\xNN".into())
}
