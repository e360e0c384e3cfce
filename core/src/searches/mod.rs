// SPDX-License-Identifier: Apache-2.0
//! Searches of lines, and what they require of a block.

mod required;
pub mod search;
