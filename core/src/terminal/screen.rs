// SPDX-License-Identifier: Apache-2.0
//! A line as a terminal shows it, with a cell for each character.
//!
//! Two things differ from a terminal. Behind a return, what is left of a longer text is not shown: its
//! beginning is often a time that the terminal never had. And a line of the log stays one: the rows that a
//! cursor goes to within it are shown one behind the other, in the order of the line, and rows of lines above
//! are not reached.

use std::mem;
use std::ops::Range;

use crate::terminal::ansi::{self, BACKSPACE, Effect, Motion, RETURN};

/// Columns up to which a cursor moves behind a row's text. No line becomes much longer than the elements of
/// its page by the blanks that this shows.
const WIDTH: usize = 256;
/// Columns between tab stops.
const TAB: usize = 8;
/// Rows of a line that can be overwritten.
const MOST_ROWS: usize = 64;
/// Pieces of a row that are shown between others that are not.
const MOST_PIECES: usize = 1024;
/// The cell of no character.
const BLANK: u32 = u32::MAX;

/// A place in a line that is not shown where it stands, and what is shown behind it: blanks, then text that
/// stands further above in the line.
pub struct Gap {
    pub place: Range<usize>,
    pub blanks: usize,
    pub again: Range<usize>,
}

/// What is not shown of a line, in order.
pub fn gaps_in(line: &[u8]) -> Vec<Gap> {
    let mut screen = Screen { cut: line.len(), ..Screen::default() };
    screen.read(line);
    screen.end(line);
    screen.gaps(line)
}

/// A piece of a line that is shown, and the number of blanks before it.
struct Piece {
    place: Range<usize>,
    blanks: usize,
    /// True if the piece before it in the row stands behind it in the line.
    is_left: bool,
    /// The beginning of the last piece up to it that is none of these.
    order: usize,
    row: i64,
}

/// Characters up to a column were erased when so much of the line was read.
struct Erased {
    column: usize,
    read: u32,
}

/// A row, whose number is relative to the first one.
#[derive(Default)]
struct Row {
    number: i64,
    /// The place of the character in each column, or BLANK.
    cells: Vec<u32>,
    /// Later ones end in lower columns: others are forgotten.
    erased: Vec<Erased>,
    /// The place behind its last return.
    returned: usize,
}

impl Row {
    fn erase_before(&mut self, column: usize, at: usize) {
        while self.erased.last().is_some_and(|last| last.column <= column) {
            self.erased.pop();
        }
        self.erased.push(Erased { column, read: at as u32 });
    }

    /// The pieces that are shown, and where the first one begins for which there is no room.
    fn pieces(mut self, line: &[u8]) -> (Vec<Piece>, Option<usize>) {
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut blanks, mut end, mut order, mut before) = (0, 0, 0, BLANK);
        for (column, cell) in self.cells.into_iter().enumerate() {
            while self.erased.last().is_some_and(|last| last.column < column) {
                self.erased.pop();
            }
            let is_erased = self.erased.last().is_some_and(|last| cell < last.read);
            let start = cell as usize;
            let is_left = start < end;
            if cell == BLANK || is_erased || (is_left && start < self.returned) {
                blanks += 1;
            } else if cell != before {
                let place = start..start + size_at(line, start);
                end = end.max(place.end);
                order = if is_left { order } else { start };
                let row = self.number;
                let piece = Piece { place, blanks: mem::take(&mut blanks), is_left, order, row };
                if !add(&mut pieces, piece) {
                    return (pieces, Some(order));
                }
            }
            before = cell;
        }
        (pieces, None)
    }
}

/// Adds a piece, or joins it to the last one. False without room.
fn add(pieces: &mut Vec<Piece>, piece: Piece) -> bool {
    let has_room = pieces.len() < MOST_PIECES;
    match pieces.last_mut() {
        Some(last)
            if piece.blanks == 0
                && last.is_left == piece.is_left
                && last.place.end == piece.place.start =>
        {
            last.place.end = piece.place.end;
            true
        }
        _ => {
            if has_room {
                pieces.push(piece);
            }
            has_room
        }
    }
}

#[derive(Default)]
struct Screen {
    /// The cursor's row, and others that have text.
    row: Row,
    others: Vec<Row>,
    /// The cursor's column, at most the number of cells or WIDTH.
    column: usize,
    saved: (i64, usize),
    /// What can be overwritten no more.
    pieces: Vec<Piece>,
    /// From here on, the line is shown as it is.
    cut: usize,
}

impl Screen {
    fn read(&mut self, line: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            if let Some(sequence) = ansi::sequence_at(line, at) {
                if let Effect::Cursor(motion) = sequence.effect {
                    self.follow(motion, at, line);
                }
                at = sequence.place.end;
                continue;
            }
            match byte {
                RETURN => (self.column, self.row.returned) = (0, at + 1),
                BACKSPACE => self.column = self.column.saturating_sub(1),
                b'\t' => self.tab(at),
                _ => self.put(at),
            }
            at += size_at(line, at);
        }
    }

    fn put(&mut self, at: usize) {
        let cells = &mut self.row.cells;
        if self.column > cells.len() {
            cells.resize(self.column, BLANK);
        }
        match cells.get_mut(self.column) {
            Some(cell) => *cell = at as u32,
            None => cells.push(at as u32),
        }
        self.column += 1;
    }

    /// Behind the text, a tab is its own blanks, up to WIDTH in as many cells.
    fn tab(&mut self, at: usize) {
        let is_far = self.column >= WIDTH;
        let stop = if is_far { self.column + 1 } else { (self.column / TAB + 1) * TAB };
        if self.column < self.row.cells.len() {
            return self.move_to(stop);
        }
        self.put(at);
        self.row.cells.resize(stop, at as u32);
        self.column = stop;
    }

    fn move_to(&mut self, column: usize) {
        self.column = column.min(self.row.cells.len().max(WIDTH));
    }

    fn follow(&mut self, motion: Motion, at: usize, line: &[u8]) {
        let (number, column) = (self.row.number, self.column);
        match motion {
            Motion::Forward(columns) => self.move_to(column.saturating_add(columns)),
            Motion::Back(columns) => self.column = column.saturating_sub(columns),
            Motion::Column(column) => self.move_to(column),
            Motion::Save => self.saved = (number, column),
            Motion::Restore => self.go_to(self.saved.0, self.saved.1, line),
            Motion::EraseAfter => self.row.cells.truncate(column),
            Motion::EraseBefore => self.row.erase_before(column, at),
            Motion::EraseAll => {
                self.row.cells.truncate(column);
                self.row.erase_before(column, at);
            }
            Motion::Rows(rows) => self.go_to(number.saturating_add(rows), column, line),
            Motion::Place(row, to) => self.go_to(row, to.unwrap_or(column), line),
        }
    }

    fn go_to(&mut self, number: i64, column: usize, line: &[u8]) {
        if number != self.row.number {
            let known = self.others.iter().position(|row| row.number == number);
            let row = known.map(|at| self.others.swap_remove(at));
            let row = row.unwrap_or_else(|| Row { number, ..Row::default() });
            let left = mem::replace(&mut self.row, row);
            if !left.cells.is_empty() {
                self.others.push(left);
            }
            if self.others.len() > MOST_ROWS {
                self.end(line);
                self.row.number = number;
            }
        }
        self.move_to(column);
    }

    /// Ends what can be overwritten.
    fn end(&mut self, line: &[u8]) {
        let row = mem::take(&mut self.row);
        let mut ended = Vec::new();
        for row in mem::take(&mut self.others).into_iter().chain([row]) {
            let (pieces, cut) = row.pieces(line);
            ended.extend(pieces);
            self.cut = self.cut.min(cut.unwrap_or(usize::MAX));
        }
        ended.sort_by_key(|piece| piece.order);
        let room = MOST_PIECES.saturating_sub(self.pieces.len());
        if let Some(first) = ended.get(room) {
            self.cut = self.cut.min(first.order);
        }
        self.pieces.extend(ended.into_iter().take(room));
    }

    fn gaps(self, line: &[u8]) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let (mut at, mut last_row) = (0_usize, None);
        for piece in self.pieces.into_iter().take_while(|piece| piece.order < self.cut) {
            let Piece { place, is_left, row, .. } = piece;
            let is_other = last_row.replace(row).is_some_and(|last| last != row);
            let is_apart = line[place.start] == b' '
                || at.checked_sub(1).is_some_and(|last| line[last] == b' ');
            let blanks = piece.blanks.max(usize::from(is_other && !is_apart));
            if is_left {
                gaps.push(Gap { place: at..at, blanks, again: place });
                continue;
            }
            hide(line, at..place.start, blanks, &mut gaps);
            at = place.end;
        }
        hide(line, at..self.cut, 0, &mut gaps);
        gaps
    }
}

/// Adds the gap, if it hides more than sequences or shows blanks.
fn hide(line: &[u8], place: Range<usize>, blanks: usize, gaps: &mut Vec<Gap>) {
    let hides = !ansi::without(&line[place.clone()]).is_empty();
    if hides || blanks > 0 {
        let start = if hides { place.start } else { place.end };
        gaps.push(Gap { place: start..place.end, blanks, again: 0..0 });
    }
}

/// Bytes of the character at a place: of UTF-8, or one.
fn size_at(line: &[u8], at: usize) -> usize {
    let is_more = |byte: &&u8| matches!(byte, 0x80..=0xbf);
    let more = if line[at] < 0xc0 { 0 } else { 3 };
    1 + line[at + 1..].iter().take(more).take_while(is_more).count()
}
