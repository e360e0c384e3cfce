// SPDX-License-Identifier: Apache-2.0
//! Compressed logs, wherever what is stored of them is cut.

use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

use super::Draw;
use crate::decode::decoder::{Decoder, Fault, Point};
use crate::decode::{decoder, decoder_at};

/// Lines of numbers.
fn text() -> Vec<u8> {
    let mut draw = Draw(1);
    (0..20_000)
        .flat_map(|line| format!("line {line}: {}\n", draw.below(1000)).into_bytes())
        .collect()
}

fn packed(packing: &str, text: &[u8]) -> Vec<u8> {
    match packing {
        "zlib" => compress_to_vec_zlib(text, 6),
        "deflate" => compress_to_vec(text, 6),
        _ => {
            let mut gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
            gzip.extend(compress_to_vec(text, 6));
            gzip.extend(crc32fast::hash(text).to_le_bytes());
            gzip.extend((text.len() as u32).to_le_bytes());
            gzip
        }
    }
}

/// All that a decoder gives of stored bytes, which come in chunks of a size.
fn decoded(decoder: &mut dyn Decoder, stored: &[u8], size: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for mut chunk in stored.chunks(size) {
        while decoder.fault().is_none() && (!chunk.is_empty() || decoder.is_full()) {
            text.extend_from_slice(decoder.decode(&mut chunk));
        }
    }
    text
}

#[test]
fn a_log_is_the_same_however_it_is_stored_and_cut() {
    let text = text();
    for packing in ["gzip", "zlib", "deflate"] {
        let stored = packed(packing, &text);
        for (chunk, piece) in [(1, 1000), (100, 1), (1000, 65536), (usize::MAX, 1 << 24)] {
            let mut decoder = decoder(packing, piece).unwrap();
            assert!(decoded(&mut *decoder, &stored, chunk) == text, "{packing} {chunk} {piece}");
            assert!(decoder.fault_at_end().is_none());
            assert_eq!(decoder.is_one_member(), packing == "gzip");
        }
    }
}

#[test]
fn gzip_may_have_several_members() {
    let text = text();
    let members = [&text[..], b"", &text, b"end"];
    let stored = members.map(|member| packed("gzip", member)).concat();
    let mut decoder = decoder("gzip", 1000).unwrap();
    assert!(decoded(&mut *decoder, &stored, 77) == members.concat());
    assert!(decoder.fault_at_end().is_none() && !decoder.is_one_member());
}

#[test]
fn a_member_with_zeros_behind_it_is_not_all() {
    let stored = [&packed("gzip", b"text")[..], &[0; 9]].concat();
    let mut decoder = decoder("gzip", 1000).unwrap();
    assert!(decoded(&mut *decoder, &stored, 5) == b"text");
    assert!(decoder.fault_at_end().is_none() && !decoder.is_one_member());
}

#[test]
fn the_checksum_of_a_header_is_checked() {
    let plain = packed("gzip", b"text");
    let header = b"\x1f\x8b\x08\x02\0\0\0\0\0\x03";
    let checksum = crc32fast::hash(header) as u16;
    for wrong in [0, 1] {
        let stored = [header, &(checksum ^ wrong).to_le_bytes()[..], &plain[10..]].concat();
        let mut decoder = decoder("gzip", 1000).unwrap();
        let found = decoded(&mut *decoder, &stored, 5);
        assert_eq!((found == b"text", decoder.fault_at_end().is_none()), (wrong == 0, wrong == 0));
    }
}

#[test]
fn all_before_a_damage_comes_and_the_damage_is_told() {
    let text = text();
    let stored = packed("gzip", &text);
    let with = |at: usize, byte: u8| {
        let mut stored = stored.clone();
        stored[at] ^= byte;
        stored
    };
    let cases: [(Vec<u8>, fn(Fault) -> bool); 4] = [
        (stored[..stored.len() / 2].to_vec(), |fault| fault == Fault::Truncated),
        (with(stored.len() - 1, 1), |fault| matches!(fault, Fault::Damaged(_))),
        (with(stored.len() - 5, 1), |fault| matches!(fault, Fault::Damaged(_))),
        ([&stored[..], b"garbage"].concat(), |fault| matches!(fault, Fault::Garbage(_))),
    ];
    for (number, (stored, is_it)) in cases.into_iter().enumerate() {
        for size in [1, 1000] {
            let mut decoder = decoder("gzip", size).unwrap();
            let found = decoded(&mut *decoder, &stored, size);
            assert!(text.starts_with(&found) && found.len() > text.len() / 3, "case {number}");
            assert!(decoder.fault_at_end().is_some_and(is_it), "case {number}");
        }
    }
}

#[test]
fn a_log_goes_on_from_each_of_its_points() {
    let text = text();
    for packing in ["gzip", "zlib", "deflate"] {
        let stored = packed(packing, &text);
        let mut decoder = decoder(packing, 1000).unwrap();
        decoder.collect_points(50_000);
        decoded(&mut *decoder, &stored, 333);
        let points = decoder.take_points();
        assert!(!points.is_empty() && decoder.take_points().is_empty());
        for point in points {
            let mut decoder = decoder_at(packing, 1000, &point).unwrap();
            let found = decoded(&mut *decoder, &stored[point.stored as usize..], 333);
            assert!(found == text[point.at as usize..]);
        }
    }
}

#[test]
fn a_point_of_no_log_and_an_unknown_packing_are_refused() {
    let at = |bit_count, window: &[u8]| Point {
        stored: 0,
        bits: 0,
        bit_count,
        at: 0,
        window: window.to_vec(),
    };
    let told = |point| decoder_at("gzip", 10, &point).err().unwrap_or_default();
    assert_eq!(told(at(0, b"\x03\0")), "");
    assert!(told(at(8, b"\x03\0")).starts_with("bit_count: "));
    assert!(told(at(0, b"x")).starts_with("window: "));
    assert!(told(at(0, &compress_to_vec(&[0; 40_000], 1))).starts_with("window: "));
    assert!(decoder("lzma", 10).is_err());
}
