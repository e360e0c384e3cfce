# SPDX-License-Identifier: Apache-2.0
"""Counts of all lines that a query selects, and addresses of lines that the page does not show."""

from typing import NamedTuple

from oslogserve.lines.renderer import Outcome
from oslogserve.lines.selection import Selection, Tally
from oslogserve.native import SEVERITIES
from oslogserve.pages.page import address
from oslogserve.query import Query

#: Lines shown before the target of a link.
LINES_BEFORE = 200
#: Lines of the window before a page. Where the page before begins is known only once it is read.
WINDOW_LINES = 10_000
_ERROR = SEVERITIES.index("ERROR")
#: Parameters that links to other lines of the same filter replace.
WINDOW = ("lines", "chapter", "after", "limit", "tail", "show")


class Counts(NamedTuple):
    """Counts and links of a page. They are complete once the page's content was read."""

    query: Query
    #: The lines of the page, which may begin later than the query's.
    selection: Selection
    outcome: Outcome
    #: True if the log may have more than a page.
    is_large: bool = False

    @property
    def tally(self) -> Tally:
        return self.outcome.tally

    @property
    def are_known(self) -> bool:
        """True if all lines were read."""
        return self.tally.cut_at is None and self.selection.tail is None

    @property
    def may_end_early(self) -> bool:
        """True if the page may end before the log, although the query sets no end."""
        selection = self.selection
        return self.is_large and (selection.last, selection.limit, selection.tail) == (None,) * 3

    @property
    def is_of_errors(self) -> bool:
        """True if the query selects nothing below ERROR."""
        level = self.selection.level
        return level is not None and SEVERITIES.index(level) >= _ERROR

    @property
    def first_error(self) -> int | None:
        """The number of the first line at ERROR or above; None for none."""
        severities = self.tally.severities.items()
        return min((first for rank, (_, first) in severities if rank >= _ERROR), default=None)

    @property
    def begin(self) -> int:
        """The number of the first line that the page may have."""
        return max(self.selection.first, self.selection.after + 1)

    @property
    def before(self) -> tuple[int, int]:
        """The first and the last line of the window before the page."""
        return max(1, self.begin - WINDOW_LINES), self.begin - 1

    @property
    def severities(self) -> list[tuple[str, int, int]]:
        """Severity, count of lines, and number of the first line; the most severe first."""
        found = sorted(self.tally.severities.items(), reverse=True)
        return [(SEVERITIES[rank], count, first) for rank, (count, first) in found]

    @property
    def around_first_error(self) -> str:
        """The URL of a page with the first error."""
        number = self.first_error or 0
        return self.address(lines=f"{max(1, number - LINES_BEFORE)}-") + f"#L{number}"

    @property
    def window(self) -> str:
        """The value of `lines` for the same window; "" for the whole log."""
        first, last = self.selection.first, self.selection.last
        return "" if (first, last) == (1, None) else f"{first}-{last or ''}"

    @property
    def next_page(self) -> str:
        """The URL of the lines that the page had no room for."""
        tally, show = self.tally, self.query.selection.show
        if tally.next_page is None:
            raise ValueError("the page has all lines")
        begin = continued(tally.next_page, tally.next_from, has_more=bool(show))
        return address(self.query.parameters, ("lines", "after"), **begin)

    def address(self, **changed: str | int) -> str:
        """The URL of other lines of the same log and filter. Empty values are left out."""
        return address(self.query.parameters, (*WINDOW, *changed), **changed)


def continued(
    number: int, begin: int | None, last: int | None = None, has_more: bool = False
) -> dict[str, str | int]:
    """Parameters of an answer that continues with the line of this number. begin: the hit in whose
    context that line is. has_more: lines above may be shown that are not to be sent again."""
    first = begin or number
    after = number - 1 if first < number or has_more else ""
    return {"after": after, "lines": f"{first}-{last or ''}"}
