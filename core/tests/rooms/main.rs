// SPDX-License-Identifier: Apache-2.0
//! Tests of the core's rooms that need no Python, each by what it does.

#![allow(dead_code, missing_docs, reason = "all of a room is compiled, and some of it is tested")]
#![allow(clippy::type_complexity, reason = "of tables of cases")]

#[path = "../../src/counts.rs"]
mod counts;
#[path = "../../src/cursor.rs"]
mod cursor;
#[path = "../../src/decode/mod.rs"]
mod decode;
#[path = "../../src/faults.rs"]
mod faults;
#[path = "../../src/hasher.rs"]
mod hasher;
#[path = "../../src/index/mod.rs"]
mod index;
#[path = "../../src/selection/kinds.rs"]
mod kinds;
#[path = "../../src/lines.rs"]
mod lines;
#[path = "../../src/masking.rs"]
mod masking;
#[path = "../../src/merge.rs"]
mod merge;
#[path = "../../src/recognition/mod.rs"]
mod recognition;
#[path = "../../src/searches/mod.rs"]
mod searches;
#[path = "../../src/tables.rs"]
mod tables;
#[path = "../../src/terminal/mod.rs"]
mod terminal;

mod tests {
    mod deflate;
    mod ids;
    mod kinds;
    mod masks;
    mod merge;
    mod patterns;
    mod screen;
    mod times;

    /// Numbers that look drawn, and are the same each time.
    pub struct Draw(pub u64);

    impl Draw {
        pub fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % most
        }

        pub fn bytes(&mut self, size: usize, of: &[u8]) -> Vec<u8> {
            (0..size).map(|_| of[self.below(of.len())]).collect()
        }
    }
}
