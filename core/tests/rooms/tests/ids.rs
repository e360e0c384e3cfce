// SPDX-License-Identifier: Apache-2.0
//! Ids of blocks: whoever searches for 32 bytes of one finds its blocks, and few others.

use super::Draw;
use crate::index::ids::{Ids, each_id, keys_of, narrow};

const DIGITS: &[u8] = b"0123456789abcdef";

fn ids_in(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    each_id(text, |id| found.push(String::from_utf8(id.to_vec()).unwrap()));
    found
}

/// Which blocks may hold a part of an id.
fn may_hold(filters: &[u8], blocks: usize, part: &[u8]) -> Vec<bool> {
    let (mut keys, mut places) = (Vec::new(), vec![true; blocks]);
    keys_of(part, |key| keys.push(key));
    narrow(filters, &keys, &mut places).unwrap();
    places
}

#[test]
fn an_id_is_a_run_of_at_least_32_digits_and_hyphens() {
    let (long, short) = ("0123456789abcdef".repeat(2), "0123456789abcdef".repeat(2).split_off(1));
    let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    for around in [("", ""), ("req-", " x"), (" [", "]\n"), ("_", "_")] {
        let text = format!("{}{long}{} {short} {}{uuid}{}", around.0, around.1, around.0, around.1);
        let found: Vec<_> = ids_in(text.as_bytes());
        assert_eq!(found.len(), 2, "{text}");
        assert!(found[0].ends_with(&long) && found[1].ends_with(uuid), "{found:?}");
    }
}

#[test]
fn a_block_that_has_an_id_is_found_by_any_32_bytes_of_it() {
    let mut draw = Draw(1);
    let blocks: Vec<Vec<Vec<u8>>> =
        (0..20).map(|_| (0..50).map(|_| draw.bytes(40, DIGITS)).collect()).collect();
    let mut ids = Ids::new();
    for block in &blocks {
        ids.take(&block.join(&b" and "[..]));
        ids.end_block(1 << 20);
    }
    let mut others = 0;
    for (place, block) in blocks.iter().enumerate() {
        for id in block {
            for part in id.windows(32) {
                let found = may_hold(&ids.filters, blocks.len(), part);
                assert!(found[place]);
                others += found.iter().filter(|may| **may).count() - 1;
            }
        }
    }
    let asked = 20 * 50 * 9 * 19;
    assert!(others < asked / 5, "{others} of {asked}");
}

#[test]
fn upper_and_lower_case_are_one() {
    let keys = |id: &[u8]| {
        let mut keys = Vec::new();
        keys_of(id, |key| keys.push(key));
        keys
    };
    let id = b"abcdefabcdeffedcba-abcdeabcdeffedcba";
    assert_eq!(keys(id), keys(&id.to_ascii_uppercase()));
}

#[test]
fn each_block_of_an_id_is_found() {
    let (mut ids, id) = (Ids::new(), b"0123456789abcdef0123456789abcdef");
    for _ in 0..2 {
        ids.take(id);
        ids.end_block(100);
    }
    assert_eq!(may_hold(&ids.filters, 2, id), [true, true]);
}

#[test]
fn a_block_that_has_a_part_of_an_id_has_not_the_id() {
    let (mut ids, mut draw) = (Ids::new(), Draw(1));
    let id = draw.bytes(40, DIGITS);
    ids.take(&id);
    ids.end_block(100);
    let longer = [&id[..], &draw.bytes(40, DIGITS)].concat();
    assert_eq!(may_hold(&ids.filters, 1, &id), [true]);
    assert_eq!(may_hold(&ids.filters, 1, &longer), [false]);
}

#[test]
fn a_block_with_too_many_ids_may_hold_any() {
    let (mut ids, mut draw) = (Ids::new(), Draw(1));
    for _ in 0..100 {
        ids.take(&draw.bytes(32, DIGITS));
    }
    ids.end_block(3200);
    ids.end_block(10);
    assert_eq!(may_hold(&ids.filters, 2, &draw.bytes(32, DIGITS)), [true, false]);
}

#[test]
fn filters_that_are_cut_short_are_refused() {
    let mut ids = Ids::new();
    ids.take(b"0123456789abcdef0123456789abcdef");
    ids.end_block(100);
    for size in 0..ids.filters.len() {
        assert!(narrow(&ids.filters[..size], &[1], &mut [true]).is_err());
    }
}
