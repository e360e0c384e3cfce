// SPDX-License-Identifier: Apache-2.0
//! Lists of patterns, beside regular expressions that are tried one by one.

use crate::recognition::patterns::{Patterns, beginning, may_begin_with_any_letter};
use crate::tables::Row;
use crate::tests::Draw;

/// Texts, joined by nothing, of which the patterns match some.
const PARTS: [&[u8]; 15] = [
    b"",
    b" ",
    b"a",
    b"b",
    b"AB",
    b"x",
    b"y",
    b"1",
    b"12",
    b"\xe2\x9c\x97",
    b"\xe2\x9c\x98",
    b"\xe2\x9c",
    b"\xff",
    b"\xc3\xa9",
    b"\n",
];

fn row(pattern: &str) -> Row {
    ("row".into(), pattern.into())
}

#[test]
fn whatever_a_text_begins_with_the_first_pattern_that_matches_is_found() {
    let lists: [&[&str]; 6] = [
        &[r"(?:\xe2\x9c\x97|\xe2\x9c\x98) \S", r"[\x80-\xff]+[a-b]"],
        &[r"(?i:ab)+x", r"\d{0,2}y", r"(?:^|x)y?1"],
        &[r"(?:a|)(?:b|x)", r"\S+ 1"],
        &[r"[^a\n]b", r"\b12", r"(?:xy|x)"],
        &[r"(?s-u:.)1", r"a??b"],
        &[r"(?:\xc3\xa9|a|b)1", r"\s"],
    ];
    let mut draw = Draw(1);
    for list in lists {
        let rows: Vec<_> = list.iter().map(|pattern| row(pattern)).collect();
        let patterns = Patterns::new(&rows).unwrap();
        let mut cache = patterns.cache();
        let alone: Vec<_> = rows.iter().map(|row| beginning([row]).unwrap()).collect();
        for _ in 0..5000 {
            let text: Vec<_> =
                (0..4).flat_map(|_| PARTS[draw.below(PARTS.len())]).copied().collect();
            let found = patterns.first_at(&mut cache, &text, 0);
            let first = alone.iter().enumerate().find_map(|(number, pattern)| {
                pattern.find(&text).map(|found| (number, found.end()))
            });
            let expected = first.filter(|_| !text.is_empty());
            assert_eq!(found, expected, "{list:?} in {}", text.escape_ascii());
        }
    }
}

#[test]
fn a_pattern_of_some_signs_needs_no_hint_and_one_of_any_word_does() {
    let may_begin = |pattern| may_begin_with_any_letter(&row(pattern)).unwrap();
    for some in [r"(?:\xe2\x9c\x95|\xe2\x9c\x96) \d", r"[A-Z]+x", r"(?i:fail)", r"\d*-"] {
        assert!(!may_begin(some), "{some}");
    }
    for any in [r".*x", r"\d*\w", r"(?:\xe2\x9c\x95)?", r"x|\S"] {
        assert!(may_begin(any), "{any}");
    }
}
