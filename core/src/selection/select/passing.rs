// SPDX-License-Identifier: Apache-2.0
//! Blocks of a log's index that a selector passes over, since no line of theirs matters to the answer.

use super::Selector;
use crate::counts::Count;
use crate::index::{Block, contents};
use crate::recognition::inherited::Heritage;
use crate::selection::Selection;

impl Selector {
    /// Notes the blocks that cannot hold what is searched for. words, ids: what all blocks hold, from
    /// anywhere. Errors: what is wrong with them.
    pub fn leave_out(
        &mut self,
        blocks: &[Block],
        words: &[u8],
        ids: &[u8],
    ) -> Result<(), &'static str> {
        let required = self.filter.searches.iter().map(|search| &search.required);
        let may_hold = contents::may_hold(words, ids, required, blocks.len())?;
        let lacking = blocks.iter().zip(may_hold).filter(|(_, may_hold)| !may_hold);
        self.lacking = lacking.map(|(block, _)| block.line).collect();
        Ok(())
    }

    /// False if nearly all blocks must be read, as far as is known before one is.
    pub fn may_pass_over(&self, blocks: &[Block]) -> bool {
        let empty = blocks.iter().filter(|block| self.is_empty(block)).count();
        self.page.is_some()
            || self.selection.tail.is_some()
            || self.last.is_some()
            || empty * 4 > blocks.len()
    }

    /// Passes over the first of the blocks, if that changes nothing of the answer but its counts, which
    /// are known. Blocks begin with the next line. heritage: of the line behind the block.
    pub fn pass_over(&mut self, blocks: &[Block], heritage: Option<&Heritage>) -> bool {
        let [block, ..] = blocks else { return false };
        self.check_block();
        if self.is_over() && !self.needs.all_lines {
            self.tally.ended_early = true;
            self.finish();
            return true;
        }
        if !self.counts_unread(blocks) {
            self.expect(blocks);
            return false;
        }
        self.before.take();
        if let Some(heritage) = heritage {
            self.recogniser.is_below_heading = heritage.is_below_heading;
            if self.needs.inherited {
                self.inherited.go_on(heritage);
            }
        }
        self.inherited.is_undated &= block.times.is_none();
        if self.times.are_wanted {
            self.times.block(block);
        }
        self.advance(block.lines);
        true
    }

    /// Counts the hits of the first block. False if it must be read.
    fn counts_unread(&mut self, blocks: &[Block]) -> bool {
        let [block, behind @ ..] = blocks else { return false };
        let are_all = self.number <= self.context_end
            || !self.fragments.anchors.is_empty()
            || self.fragments.is_any_in(block.line, block.line + block.lines)
            || (self.context > 0 && !self.fragments.is_empty());
        let has_choice = !self.needs.no_choice || self.page.is_some() || self.last.is_some();
        if are_all || !has_choice {
            return false;
        }
        if self.tally.next_page.is_some() && self.counts_by_rank() {
            self.count_block(block);
        } else if self.tail_is_behind(blocks) {
            self.tally.matched += block.at_least(self.filter.floor.unwrap_or(0));
        } else if let Some(rows) = self.rows_before_last(blocks) {
            self.tally.sent += rows;
            if rows > 0 {
                self.count_block(block);
            }
        } else {
            return self.is_empty(block) && !self.is_context(block, behind);
        }
        true
    }

    /// True if it is known that no line of the block is a hit.
    fn is_empty(&self, block: &Block) -> bool {
        let Selection { first, last, since, until, .. } = &self.selection;
        block.line + block.lines <= *first
            || last.is_some_and(|last| block.line > last)
            || !block.may_be_between(since.as_ref(), until.as_ref())
            || self.filter.floor.is_some_and(|floor| block.at_least(floor) == 0)
            || self.lacking.contains(&block.line)
    }

    /// True if the last lines of the block may be the context of a hit in the blocks behind it.
    fn is_context(&self, block: &Block, behind: &[Block]) -> bool {
        let end = block.line + block.lines + self.context;
        behind.iter().take_while(|next| next.line < end).any(|next| !self.is_empty(next))
    }

    /// True if the number of hits in a block is known from its severities.
    fn counts_by_rank(&self) -> bool {
        let Selection { first, last, after, .. } = self.selection;
        self.filter.is_by_rank()
            && !self.selection.has_times()
            && last.is_none()
            && self.selection.limit.is_none()
            && self.number >= first
            && self.number > after
    }

    /// True if the lines behind the first block have enough hits for the tail.
    fn tail_is_behind(&self, blocks: &[Block]) -> bool {
        let Some(tail) = self.selection.tail else { return false };
        let floor = self.filter.floor.unwrap_or(0);
        let mut wanted = tail as u64;
        self.context == 0
            && self.counts_by_rank()
            && blocks[1..].iter().any(|block| {
                wanted = wanted.saturating_sub(block.at_least(floor));
                wanted == 0
            })
    }

    /// Counts the lines of a block as hits that a full page does not show.
    fn count_block(&mut self, block: &Block) {
        let floor = self.filter.floor.unwrap_or(0);
        let mut own: Vec<_> = block.severities.iter().filter(|one| one.rank >= floor).collect();
        own.sort_unstable_by_key(|lines| lines.first);
        for lines in own {
            self.tally.matched += lines.count;
            self.counter.add_many(lines.own, Count(lines.count, lines.first));
        }
    }
}
