// SPDX-License-Identifier: Apache-2.0
//! Secrets that are replaced, wherever the pieces of a text end.

use super::Draw;
use crate::masking::{LONGEST_VALUE, Masking, Masks, OVERLAP, WINDOW};

const TOKEN: &str = "tok_[0-9a-f]{8}";

fn masks(values: &[&[u8]], patterns: &[&str]) -> Masks {
    let values: Vec<_> = values.iter().map(|value| value.to_vec()).collect();
    Masks::new(&values, &patterns.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

fn counted<'t>(masks: &Masks, pieces: impl IntoIterator<Item = &'t [u8]>) -> (Vec<u8>, Vec<u64>) {
    let mut masking = Masking::new(masks);
    let mut text: Vec<u8> =
        pieces.into_iter().flat_map(|piece| masking.feed(masks, piece)).collect();
    text.extend(masking.finish(masks));
    let counts = masking.counts(masks);
    (text, counts)
}

#[track_caller]
fn assert_masked(masks: &Masks, text: &[u8], expected: &[u8]) {
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    assert_eq!(shown(&counted(masks, [text]).0), shown(expected));
    assert_eq!(shown(&counted(masks, text.chunks(1)).0), shown(expected));
    for at in 0..text.len() {
        let (one, other) = text.split_at(at);
        assert_eq!(shown(&counted(masks, [one, other]).0), shown(expected), "cut at {at}");
    }
}

#[test]
fn values_are_replaced() {
    let given = masks(&[b"hunter2", b"abcdef", b"cdefgh", b"aaaa"], &[]);
    let cases: [(&[u8], &[u8]); 14] = [
        (b"", b""),
        (b"nothing\nhere", b"nothing\nhere"),
        (b"a hunter2 b\nhunter2", b"a *** b\n***"),
        (b"hunter2hunter2", b"******"),
        (b"hunter22", b"***2"),
        (b"xhunterunter2", b"xhunterunter2"),
        // Values that overlap have one mark; nothing of either is left.
        (b"abcdefgh", b"***"),
        (b"abcdeabcdefgh", b"abcde***"),
        (b"-aaaaaaaaaaaaaaa-", b"-***-"),
        // Bytes that are no UTF-8, and a carriage return.
        (b"\xff\0hunter2\r\n\xfe", b"\xff\0***\r\n\xfe"),
        // A text that was cut within a value.
        (b"the hunt", b"the ***"),
        (b"the hun", b"the hun"),
        (b"the hunt\n", b"the hunt\n"),
        (b"abcdef", b"***"),
    ];
    for (text, expected) in cases {
        assert_masked(&given, text, expected);
    }
}

#[test]
fn patterns_are_replaced_within_a_line() {
    let given = masks(&[b"hunter2"], &[TOKEN, r"(?i)password=\S+", "<.*>"]);
    let text = b"a tok_0123abcd9 Password=x\ny\n<b\nc> hunter2 <b>\ntok_0123\nabcd tok_0123abc";
    assert_masked(&given, text, b"a ***9 ***\ny\n<b\nc> *** ***\ntok_0123\nabcd tok_0123abc");
}

#[test]
fn values_that_overlap_are_masked_to_the_furthest_end() {
    let cases: [(&[&[u8]], &[u8], &[u8]); 6] = [
        // A value within another one, whose end it has not.
        (&[b"aababbab", b"abba"], b"x aababbab y\n", b"x *** y\n"),
        (&[b"abba", b"aababbab"], b"x aababbab y\n", b"x *** y\n"),
        // Two values with the same beginning, in either order.
        (&[b"secret", b"secretlonger"], b"a secretlonger, a secret\n", b"a ***, a ***\n"),
        (&[b"secretlonger", b"secret"], b"a secretlonger, a secret\n", b"a ***, a ***\n"),
        // A chain, the middle one of which ends last but for one.
        (&[b"abcdefgh", b"cdef", b"efghij"], b"-abcdefghij-\n", b"-***-\n"),
        // Two values within one, and a third one that begins in their place.
        (&[b"0123456789", b"1234", b"5678", b"8901"], b"-0123456789-01-\n", b"-***-01-\n"),
    ];
    for (values, text, expected) in cases {
        assert_masked(&masks(values, &[]), text, expected);
        assert_masked(&masks(values, &[TOKEN]), text, expected);
    }
}

#[test]
fn a_value_that_overlaps_a_match_leaves_nothing_of_either() {
    let cases: [(&[u8], &[u8]); 3] = [
        (b"key=hunter2", b"a ***;more b\n"),
        (b"hunter2;more", b"a *** b\n"),
        (b"unter", b"a ***;more b\n"),
    ];
    for (value, expected) in cases {
        assert_masked(&masks(&[value], &[r"key=\w+"]), b"a key=hunter2;more b\n", expected);
    }
}

#[test]
fn the_end_of_a_text_counts_for_the_value_that_is_whole() {
    let cases: [(&[&[u8]], &[u8], &[u64]); 6] = [
        (&[b"abcd", b"abcdefgh"], b"abcd", &[1, 0]),
        (&[b"abcd", b"abcdefgh"], b"abcde", &[1, 1]),
        (&[b"abcdef", b"cdefgh"], b"abcdef", &[1, 0]),
        (&[b"abcd", b"xabcdef"], b"xabcd", &[1, 1]),
        (&[b"abcdefgh", b"bcdefx"], b"abcdef", &[1, 0]),
        (&[b"bcde", b"abcd", b"cdefgh"], b"abcde", &[1, 1, 0]),
    ];
    for (values, text, counts) in cases {
        let given = masks(values, &[]);
        assert_eq!(counted(&given, [text]), (b"***".to_vec(), counts.to_vec()));
        assert_eq!(counted(&given, text.chunks(1)), (b"***".to_vec(), counts.to_vec()));
    }
}

#[test]
fn drawn_texts_keep_all_bytes_that_no_value_covers_and_no_others() {
    let values: [&[u8]; 4] = [b"abab", b"babba", b"aabb", b"bbbbbb"];
    let given = masks(&values, &[]);
    let mut draw = Draw(1);
    for _ in 0..300 {
        let mut text = draw.bytes(60, b"aaaaaabbbbbb\n");
        text.push(b'\n');
        let mut is_left = vec![true; text.len()];
        for value in values {
            for at in 0..text.len() {
                if text[at..].starts_with(value) {
                    is_left[at..at + value.len()].fill(false);
                }
            }
        }
        let left: Vec<u8> =
            text.iter().zip(is_left).filter(|(_, left)| *left).map(|(byte, _)| *byte).collect();
        let cut = draw.below(text.len());
        let (masked, _) = counted(&given, [&text[..cut], &text[cut..]]);
        assert_eq!(masked, counted(&given, [&text[..]]).0);
        assert_eq!(masked.into_iter().filter(|byte| *byte != b'*').collect::<Vec<_>>(), left);
    }
}

#[test]
fn only_what_may_be_the_beginning_of_a_value_is_held_back() {
    let given = masks(&[b"hunter2"], &[]);
    let mut masking = Masking::new(&given);
    assert_eq!(masking.feed(&given, b"100 % ....."), b"100 % .....");
    assert_eq!(masking.feed(&given, b"\nhun"), b"\n");
    assert_eq!(masking.feed(&given, b"ger"), b"hunger");
    let given = masks(&[b"hunter2"], &[TOKEN]);
    let mut masking = Masking::new(&given);
    assert_eq!(masking.feed(&given, b"a line\nand a"), b"a line\n");
    assert_eq!(masking.feed(&given, b" half"), b"");
    assert_eq!(masking.finish(&given), b"and a half");
}

#[test]
fn a_line_without_an_end_is_masked_in_bounded_memory() {
    let given = masks(&[b"hunter2"], &[TOKEN]);
    let (before, rest) = (vec![b'y'; WINDOW - OVERLAP - 6], vec![b'x'; OVERLAP - 4]);
    let line = [&before, &b" tok_01234567 hunter2 "[..], &rest].concat();
    let expected = [&before, &b" *** *** "[..], &rest].concat();
    let mut masking = Masking::new(&given);
    let mut text: Vec<u8> =
        line.chunks(64 * 1024).flat_map(|piece| masking.feed(&given, piece)).collect();
    assert!(text.len() > 900_000);
    text.extend(masking.feed(&given, &line));
    text.extend(masking.finish(&given));
    assert!(text == expected.repeat(2));
}

#[test]
fn a_match_that_is_too_long_to_be_held_hides_the_rest_of_its_line() {
    let given = masks(&[b"hunter2"], &[r"key=\S+"]);
    let long = [&b"a key="[..], &vec![b'x'; WINDOW]].concat();
    let pieces = [&long[..], b"xx and more", b" of hunter2\nb key=c d\n", b"hunter2"];
    assert_eq!(counted(&given, pieces).0, b"a ***\nb *** d\n***");
    assert_eq!(counted(&given, [pieces[0], pieces[1]]).0, b"a ***");
}

#[test]
fn nothing_of_long_values_is_left_at_any_place_of_a_window() {
    let printable: Vec<u8> = (33..127).collect();
    let value = Draw(2).bytes(LONGEST_VALUE, &printable);
    for given in [masks(&[&value], &[]), masks(&[&value], &[TOKEN])] {
        for before in [WINDOW - OVERLAP - 1, WINDOW - OVERLAP - LONGEST_VALUE, WINDOW - 5] {
            let around = (vec![b' '; before], vec![b' '; OVERLAP]);
            let text = [&around.0[..], &value, &around.1].concat();
            let expected = [&around.0[..], b"***", &around.1].concat();
            assert!(counted(&given, text.chunks(256 * 1024)).0 == expected);
        }
    }
}

#[test]
fn a_short_match_within_a_value_of_a_very_long_line_hides_no_less() {
    // The line is longer than what patterns are tried on at once.
    let given = masks(&[b"aababbab"], &[r"abba|tok_\w+"]);
    let begin = vec![b'x'; WINDOW - OVERLAP - 5];
    let cases: [(&[u8], u8, &[u8], &[u8]); 2] =
        [(b"aababbab y", b'z', b"", b" y"), (b"tok_", b'q', b"\nafter", b"\nafter")];
    for (secret, long, end, behind) in cases {
        let text = [&begin, secret, &vec![long; WINDOW], end].concat();
        let (found, _) = counted(&given, [&text[..]]);
        assert!(found == counted(&given, text.chunks(4099)).0);
        assert!(!found.contains(&b'q'));
        assert!(found.starts_with(&[&begin, &b"***"[..], behind].concat()));
    }
}

#[test]
fn values_that_cannot_be_masked_are_refused() {
    for value in [&b""[..], b"abc", b"two\nlines", &[b'x'; LONGEST_VALUE + 1]] {
        let told = Masks::new(&[b"hunter2".to_vec(), value.to_vec()], &[]).err();
        assert!(told.is_some_and(|told| told.starts_with("value 2: ")));
    }
}
