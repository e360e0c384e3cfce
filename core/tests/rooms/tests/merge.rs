// SPDX-License-Identifier: Apache-2.0
//! Rows of several logs in one order.

use crate::merge::{Merge, Pause, Rows};

/// Rows with these times; each has its letter and its number as text.
fn rows(letter: char, times: &[i64], reached: i64) -> Rows {
    let mut rows = Rows { times: times.to_vec(), reached, ..Rows::default() };
    for time in times {
        rows.text.extend_from_slice(format!("{letter}{time} ").as_bytes());
        rows.ends.push(rows.text.len() as i64);
    }
    rows
}

fn text(merge: &mut Merge) -> String {
    String::from_utf8(merge.take().text).unwrap()
}

#[test]
fn rows_are_in_the_order_of_their_times_and_then_of_their_logs() {
    let mut merge = Merge::new(3);
    merge.feed(2, rows('c', &[1, 3, 9], 9)).unwrap();
    merge.feed(0, rows('a', &[3, 4], 4)).unwrap();
    merge.feed(1, rows('b', &[0, 3], 3)).unwrap();
    // Its next row may have the time 3 too, and stands above those of later logs.
    assert!(matches!(merge.run(1000), Pause::Needs(1)));
    assert_eq!(text(&mut merge), "b0 c1 a3 b3 ");
    merge.feed(1, rows('b', &[3, 5], i64::MAX)).unwrap();
    assert!(matches!(merge.run(1000), Pause::Needs(0)));
    assert_eq!(text(&mut merge), "b3 c3 a4 ");
}

#[test]
fn a_log_that_ended_is_fed_no_more_and_the_others_go_on() {
    let mut merge = Merge::new(2);
    merge.feed(0, rows('a', &[1], i64::MAX)).unwrap();
    merge.feed(1, rows('b', &[2, 3], i64::MAX)).unwrap();
    assert!(matches!(merge.run(1000), Pause::Needs(0 | 1)));
    assert_eq!(text(&mut merge), "a1 b2 b3 ");
    assert!(matches!(merge.run(1000), Pause::Needs(_)));
    assert!(matches!(merge.run(1000), Pause::Over));
}

#[test]
fn it_pauses_once_there_are_as_many_bytes_as_wanted() {
    let mut merge = Merge::new(1);
    merge.feed(0, rows('a', &[1, 2, 3], 3)).unwrap();
    assert!(matches!(merge.run(4), Pause::Full));
    let merged = merge.take();
    assert_eq!((merged.ends, merged.run_ends, merged.run_logs), (vec![3, 6], vec![6], vec![0]));
    merge.feed(0, rows('a', &[4, 5], 5)).unwrap();
    assert!(matches!(merge.run(3), Pause::Full));
    assert_eq!(text(&mut merge), "a4 ");
}

#[test]
fn runs_tell_of_which_logs_the_rows_are_and_one_may_be_named() {
    let mut merge = Merge::new(2);
    merge.feed(0, rows('a', &[1, 4], 4)).unwrap();
    merge.feed(1, Rows { named: Some(1), ..rows('b', &[2, 3], 9) }).unwrap();
    merge.run(1000);
    let merged = merge.take();
    assert_eq!((merged.run_ends, merged.run_logs), (vec![3, 9, 12], vec![0, 1, 0]));
    assert_eq!(merged.named, Some(2));
}

#[test]
fn the_logs_whose_rows_end_first_are_known() {
    let mut merge = Merge::new(3);
    for (log, reached) in [(0, 7), (1, 5), (2, 6)] {
        merge.feed(log, rows('a', &[1], reached)).unwrap();
    }
    assert_eq!(merge.ending_first(2), [1, 2]);
    assert_eq!(merge.ending_first(usize::MAX), [1, 2, 0]);
}

#[test]
fn a_log_that_is_none_is_refused() {
    let told = Merge::new(2).feed(2, Rows::default());
    assert_eq!(told, Err("log: there is no 2".to_owned()));
}
