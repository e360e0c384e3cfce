// SPDX-License-Identifier: Apache-2.0
//! The views that lines become: HTML, text, JSON lines, marked lines and summaries.

pub mod html;
pub mod jsonl;
pub mod links;
pub mod marked;
pub mod output;
pub mod summary;
pub mod text;
pub mod totals;
pub mod view;
