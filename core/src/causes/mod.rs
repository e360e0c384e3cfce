// SPDX-License-Identifier: Apache-2.0
//! Why a log failed: its steps, their chapters, and the lines that tell the cause.

pub mod cause;
pub mod cause_rules;
pub mod chapter_finder;
pub mod chapter_rules;
pub mod chapters;
pub mod found;
pub mod group;
pub mod line_rules;
pub mod marks;
pub mod sections;
pub mod step;
pub mod steps;
