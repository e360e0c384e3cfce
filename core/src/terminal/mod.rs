// SPDX-License-Identifier: Apache-2.0
//! What a terminal makes of a line: colours, links, and text that is written over.

pub mod ansi;
pub mod overwritten;
pub mod screen;
