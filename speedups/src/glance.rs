// SPDX-License-Identifier: Apache-2.0
//! Tells of most lines at a glance that no pattern matches them.

use std::collections::{HashMap, HashSet};

use crate::automaton::{Forward, State, Step};

/// Bytes, and the text's end.
const UNITS: usize = 257;
const END: usize = UNITS - 1;
const WORD: usize = 8;

/// Whether a pattern may match, by a text's first two units behind its spaces.
pub struct Glance {
    without_spaces: Vec<Units>,
    behind_spaces: Vec<Units>,
}

/// A bit for each.
#[derive(Clone, Copy, Default)]
struct Units([u64; UNITS.div_ceil(64)]);

impl Glance {
    /// For all the patterns of these automata.
    pub fn new(automata: &[&Forward]) -> Self {
        let mut without_spaces = vec![Units::default(); UNITS];
        let mut behind_spaces = without_spaces.clone();
        for automaton in automata {
            let mut pairs = Pairs { automaton, seconds: HashMap::new() };
            pairs.add(automaton.start(), &mut without_spaces);
            let mut known = HashSet::new();
            let mut state = automaton.start();
            // However many spaces there are: at last a state comes again.
            loop {
                match automaton.step(state, Some(b' ')) {
                    Step::Open(next) if known.insert(next) => state = next,
                    Step::Open(_) | Step::Dead => break,
                    Step::Matched => {
                        behind_spaces.fill(Units::ALL);
                        break;
                    }
                }
                pairs.add(state, &mut behind_spaces);
            }
        }
        Self { without_spaces, behind_spaces }
    }

    /// False: none of them matches.
    #[inline]
    pub fn may_match(&self, text: &[u8]) -> bool {
        let spaces = leading_spaces(text);
        let seconds = if spaces == 0 { &self.without_spaces } else { &self.behind_spaces };
        let unit = |at: usize| text.get(at).map_or(END, |&byte| usize::from(byte));
        seconds[unit(spaces)].has(unit(spaces + 1))
    }
}

impl Units {
    const ALL: Self = Self([u64::MAX; UNITS.div_ceil(64)]);

    fn has(&self, unit: usize) -> bool {
        self.0[unit / 64] >> (unit % 64) & 1 != 0
    }

    fn add(&mut self, unit: usize) {
        self.0[unit / 64] |= 1 << (unit % 64);
    }

    fn add_all(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(mine, other)| *mine |= other);
    }
}

/// What an automaton goes on with.
struct Pairs<'a> {
    automaton: &'a Forward,
    /// By the state behind the first unit.
    seconds: HashMap<State, Units>,
}

impl Pairs<'_> {
    fn add(&mut self, state: State, pairs: &mut [Units]) {
        for (first, seconds) in pairs.iter_mut().enumerate() {
            match self.automaton.step(state, byte(first)) {
                Step::Dead => {}
                Step::Matched => seconds.add_all(Units::ALL),
                Step::Open(next) => seconds.add_all(self.seconds_behind(next)),
            }
        }
    }

    fn seconds_behind(&mut self, state: State) -> Units {
        let automaton = self.automaton;
        *self.seconds.entry(state).or_insert_with(|| {
            let mut seconds = Units::default();
            let open = |&unit: &usize| !matches!(automaton.step(state, byte(unit)), Step::Dead);
            (0..UNITS).filter(open).for_each(|unit| seconds.add(unit));
            seconds
        })
    }
}

fn byte(unit: usize) -> Option<u8> {
    u8::try_from(unit).ok()
}

/// Eight at once: most are not more.
fn leading_spaces(text: &[u8]) -> usize {
    let mut spaces = 0;
    while let Some(word) = text[spaces..].first_chunk::<WORD>() {
        let others = u64::from_le_bytes(*word) ^ u64::from_le_bytes([b' '; WORD]);
        if others != 0 {
            return spaces + others.trailing_zeros() as usize / 8;
        }
        spaces += WORD;
    }
    spaces + text[spaces..].iter().take_while(|&&byte| byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern;

    fn forward(patterns: &[&str]) -> Forward {
        let parsed = patterns.iter().map(|text| pattern::parsed(text.as_bytes(), b"").unwrap());
        Forward::new(&parsed.collect::<Vec<_>>()).unwrap()
    }

    /// All texts of these bytes, up to so many of them.
    fn texts(bytes: &[u8], most: usize) -> Vec<Vec<u8>> {
        let mut texts = vec![Vec::new()];
        let mut longest = texts.clone();
        for _ in 0..most {
            let mut longer = Vec::new();
            for text in &longest {
                longer.extend(bytes.iter().map(|&byte| [&text[..], &[byte]].concat()));
            }
            texts.extend_from_slice(&longer);
            longest = longer;
        }
        texts
    }

    #[test]
    fn what_matches_is_never_ruled_out() {
        for patterns in [
            &["ab"][..],
            &["a b", " *b"],
            &[" {2,3}c", r"a\z"],
            &[r" *\z"],
            &["a?"],
            &[" ", "c"],
            &["(?:a|  b)c"],
            &[],
        ] {
            let forward = forward(patterns);
            let glance = Glance::new(&[&forward]);
            for text in texts(b" abc", 6) {
                assert!(
                    forward.find(&text).is_none() || glance.may_match(&text),
                    "{patterns:?} {text:?}"
                );
            }
        }
    }

    #[test]
    fn what_begins_otherwise_is_ruled_out() {
        let (words, spaced) = (forward(&["ab", "ac"]), forward(&[" +x", " {12}yz"]));
        let glance = Glance::new(&[&words, &spaced]);
        for (text, may) in [
            (&b""[..], false),
            (b"a", false),
            (b"abx", true),
            (b"acx", true),
            (b"ad", false),
            (b"x", false),
            (b" ab", false),
            (b" x", true),
            (b"         x", true),
            (b"                    x", true),
            (b"            yz", true),
            (b"            yy", false),
            (b"   ", false),
        ] {
            assert_eq!(glance.may_match(text), may, "{text:?}");
        }
    }
}
