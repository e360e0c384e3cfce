// SPDX-License-Identifier: Apache-2.0
//! Patterns of what begins at a place in a text. Each list of them is one automaton, which is built
//! as it is used; a `Cache` holds what was built, for one thread at a time.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;

/// Bytes that an automaton may grow to; then it is begun anew.
const LARGEST: usize = 1024 * 1024;

/// Patterns in the order in which they are tried.
pub struct Patterns {
    automaton: DFA,
    /// The first bytes of all that they match.
    may_begin: [bool; 256],
}

impl Patterns {
    /// Tells of the first pattern at fault.
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

    /// Room for one thread's work.
    pub fn cache(&self) -> Cache {
        self.automaton.create_cache()
    }

    /// The number of the first pattern that matches there, and where it ends.
    #[inline]
    pub fn first_at(&self, cache: &mut Cache, text: &[u8], at: usize) -> Option<(usize, usize)> {
        text.get(at).filter(|&&first| self.may_begin[usize::from(first)])?;
        let input = Input::new(text).anchored(Anchored::Yes).range(at..);
        // It gives up on nothing: neither was it told to quit at a byte nor to clear its cache less often.
        let found = self.automaton.try_search_fwd(cache, &input).ok()??;
        Some((found.pattern().as_usize(), found.offset()))
    }
}

/// A pattern as the parser takes it.
pub fn text_of(pattern: &[u8]) -> Result<&str, String> {
    str::from_utf8(pattern).map_err(|_| "a pattern holds a byte outside ASCII: write \\xNN".into())
}
