// SPDX-License-Identifier: Apache-2.0
//! Recognition of a line: its time, its severity, what it inherits of both, and the tables by which both are read.

pub mod exceptions;
pub mod grammar;
pub mod head;
pub mod heads;
pub mod inherited;
pub mod layouts;
pub mod members;
pub mod names;
pub mod patterns;
pub mod recognise;
pub mod repeated;
pub mod severities;
pub mod times;
pub mod tokens;
pub mod user_formats;
