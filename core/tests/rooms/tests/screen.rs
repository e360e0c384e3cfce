// SPDX-License-Identifier: Apache-2.0
//! Lines as a terminal shows them.

use crate::terminal::overwritten::{gaps_in, shown};

#[track_caller]
fn assert_shown(line: &str, expected: &str) {
    assert_eq!(String::from_utf8_lossy(&shown(line.as_bytes())), expected);
}

#[test]
fn a_line_in_which_nothing_moves_is_shown_as_it_is() {
    for line in ["", "plain", "a line of Windows\r", "two\r\r"] {
        assert_shown(line, line.trim_end_matches('\r').to_owned().as_str());
        assert!(gaps_in(line.as_bytes()).is_empty());
    }
    assert_shown("\x1b[31mred\x1b[0m text", "red text");
}

#[test]
fn of_a_bar_that_is_written_again_and_again_the_last_state_is_shown() {
    assert_shown("10 %\r50 %\r100 %\r", "100 %");
    assert_shown("a long beginning\rshort", "short");
    assert_shown("travis_fold:start:a\r\x1b[0KTitle", "Title");
}

#[test]
fn backspaces_overwrite_letters() {
    assert_shown("10\x08\x0825", "25");
    assert_shown("1 of 9\x08\x08\x08\x08\x08\x082 of 9", "2 of 9");
    assert_shown("abc\x08X", "abX");
    // They do not leave the line.
    assert_shown("a\x08\x08\x08\x08b", "b");
}

#[test]
fn cursors_move_and_erase_within_the_line() {
    assert_shown("old\x1b[2K\rnew", "new");
    assert_shown("abcdef\x1b[3DX", "abcXef");
    assert_shown("ab\x1b[2Ccd", "ab  cd");
    assert_shown("abcdef\x1b[4D\x1b[K", "ab");
    assert_shown("abcdef\x1b[3D\x1b[1KX", "   Xef");
    assert_shown("ab\x1b[s\x1b[2Ccd\x1b[uX", "abX cd");
    assert_shown("ab\x1b[s\x1b[1Bcd\x1b[uX", "ab  cd X");
    assert_shown("0123456789\x1b[10D\tX", "01234567X9");
}

#[test]
fn rows_keep_the_column_that_a_cursor_leaves() {
    assert_shown("abc\x1b[1Ad\x1b[1B\x08X", "abc   d X");
}

#[test]
fn a_cursor_far_away_makes_no_long_line() {
    let line = b"a\x1b[999999999Cb".repeat(100);
    assert!(shown(&line).len() < 100 * 300);
}

#[test]
fn gaps_are_in_order_and_within_the_line() {
    for line in [&b"10 %\r50 %\r"[..], b"ab\x08\x08cd", b"x\x1b[2Cy\rz", "é\x08ü\r".as_bytes()] {
        let mut end = 0;
        for gap in gaps_in(line) {
            assert!(end <= gap.place.start && gap.place.start <= gap.place.end);
            end = gap.place.end;
            assert!(end <= line.len() && gap.again.end <= line.len());
        }
    }
}
