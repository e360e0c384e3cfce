# SPDX-License-Identifier: Apache-2.0
"""Counts of all lines that a query selects, and addresses of lines that the page does not show."""

from typing import NamedTuple

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.selection import Selection, Tally
from oslogserve.pages.page import address
from oslogserve.query import Query

#: Lines shown before the target of a link.
LINES_BEFORE = 200
#: Lines of the window before a page. Where the page before begins is known only once it is read.
WINDOW_LINES = 10_000
_ERROR = SEVERITIES.index("ERROR")
#: Parameters that links to other lines of the same filter replace.
_WINDOW = ("lines", "limit", "tail", "show")


class Counts(NamedTuple):
    """Counts and links of a page. They are complete once the page's content was read."""

    query: Query
    #: The lines of the page, which may begin later than the query's.
    selection: Selection
    tally: Tally
    #: True if the log may have more than a page.
    is_large: bool = False

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
    def before(self) -> tuple[int, int]:
        """The first and the last line of the window before the page."""
        return max(1, self.selection.first - WINDOW_LINES), self.selection.first - 1

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

    def address(self, **changed: str | int) -> str:
        """The URL of other lines of the same log and filter. Empty values are left out."""
        return address(self.query.parameters, (*_WINDOW, *changed), **changed)
