// SPDX-License-Identifier: Apache-2.0
//! Kinds of errors.

use crate::kinds::kind;

#[test]
fn errors_are_alike_if_their_numbers_ids_or_quoted_texts_differ() {
    let pairs = [
        ("of 0f3d2c1a-77 and 12", "of 99 and 7"),
        ("deadbeef is a word", "deadbeef is a word"),
        ("x7f", "x1"),
        ("port 'a b' is closed", "port 'cd' is closed"),
        ("it's open", "it's open"),
    ];
    for (one, alike) in pairs {
        assert_eq!(kind(one.as_bytes()), kind(alike.as_bytes()), "{one}");
        assert_ne!(kind(one.as_bytes()), kind(b"dead is a word"), "{one}");
    }
}
