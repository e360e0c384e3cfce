// SPDX-License-Identifier: Apache-2.0
//! What a view of lines is.

use crate::shown::Line;
use crate::views::output::Output;
use crate::views::totals::Totals;

/// A view: writes the lines that are shown.
pub trait View: Send + Sync {
    /// Begins another block.
    fn begin(&mut self) {}
    /// Takes the next line.
    fn line(&mut self, line: &Line<'_>);
    /// Takes more of the line before; its line feed may be in it. Rows have no more.
    fn rest_of_line(&mut self, text: &[u8]);
    /// Takes the numbers of the first and the last of lines that are not shown.
    fn gap(&mut self, _first: u64, _last: u64) {}
    /// Ends the last line.
    fn finish(&mut self) {}
    /// What was written.
    fn output(&mut self) -> &mut Output;
    /// Elements of a page that were written.
    fn elements(&self) -> u64 {
        0
    }
    /// What a summary's lines come to; None for another view, and once it was asked.
    fn totals(&mut self) -> Option<Totals> {
        None
    }
}
