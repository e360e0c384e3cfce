# SPDX-License-Identifier: Apache-2.0
"""Counts of all lines that a query selects, and links to those that a page has no room for.

They are known when the last line has gone by, so they stand behind the lines. Every link leads to what is
counted beside it, and all of a log can be reached.
"""

from collections.abc import Iterator
from functools import lru_cache

from markupsafe import Markup

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.selection import Selection, Tally
from oslogserve.pages.address import address
from oslogserve.pages.humanize import duration
from oslogserve.pages.template import join, template
from oslogserve.query import Parameters, Query

#: Lines shown before the one that a link leads to.
LINES_BEFORE = 200
#: Lines of the window before a page, and of the last one. A page holds more, but where the page
#: before it begins is only known by reading it.
WINDOW_LINES = 10_000
#: Lines that a link to the last errors shows.
LAST_ERRORS = 50
_ERROR = SEVERITIES.index("ERROR")
#: Parameters that links to other lines of the same filter replace.
_WINDOW = ("lines", "limit", "tail", "show")

_LINK = template('<a href="{address}">{text}</a>')
_PREVIOUS = template('<a href="{address}" rel="prev">{text}</a>')
_NEXT = template('<a href="{address}" rel="next">the next part</a>')
_BEGINS = template('<p class="notice parts">This page begins with line {first:,}: {link}.</p>\n')
_IS_LARGE = template(
    '<p class="notice">This log is large, and the page may end before it does: {links}.</p>\n'
)
_ENDS = template('<p class="notice parts" role="status">{sentence}: {links}.</p>\n')
_NEAREST = template(
    '<p class="notice" role="status">nearest: <a href="#L{number}">line {number:,}</a>, {when}</p>\n'
)
_COUNT = template(
    '<a class="{severity}" href="{address}" data-severity="{severity}" data-count="{count}" '
    'data-first="{first}">{count:,} {label}</a>\n'
)
_FIRST_ERROR = template('<a href="{lines}#L{number}">first error at line {number:,}</a>{end}')
_LAST_ERRORS = template('<a href="{address}">last errors</a>\n')
_FOOTER = template(
    '{ways}<footer id="counts" data-lines="{lines}"{next} aria-label="Lines by severity" role="group">\n'
    "{counts}</footer>\n"
)
_NEXT_PAGE = template(' data-next="{number}"')


def before(query: Query, selection: Selection, is_large: bool = False) -> Markup:
    """Links past a page that does not begin with the log's first line, or that may not hold all of
    a large log: that is known at its end, but the links are not only there."""
    if selection.first > 1:
        first, last = max(1, selection.first - WINDOW_LINES), selection.first - 1
        lines = _address(query, lines=f"{first}-{last}")
        link = _PREVIOUS(address=lines, text=f"lines {first:,} to {last:,}")
        return _BEGINS(first=selection.first, link=link)
    if not is_large or (selection.last, selection.limit, selection.tail) != (None, None, None):
        return Markup()
    links = [_last_lines(query)]
    if not _is_of_errors(selection):
        links.insert(0, _all_errors(query))
    return _IS_LARGE(links=join(links, between=", "))


def footer(query: Query, selection: Selection, tally: Tally) -> Markup:
    """The counts; empty where not all lines were looked at. selection: what the page shows."""
    if tally.cut_at is not None or selection.tail is not None:
        return Markup()
    return _FOOTER(
        ways=_behind(query, selection, tally),
        lines=tally.lines,
        next="" if tally.next_page is None else _NEXT_PAGE(number=tally.next_page),
        counts=join(_by_severity(query, selection, tally)),
    )


def nearest(number: int, micros: int) -> Markup:
    """The line that is nearest to a time which no line has. micros: how much later than that time
    it is, in microseconds; below 0 for earlier."""
    when = f"{duration(abs(micros))} {'earlier' if micros < 0 else 'later'}"
    return _NEAREST(number=number, when=when)


def _behind(query: Query, selection: Selection, tally: Tally) -> Markup:
    """Links past a page that does not end with the log's last line."""
    if tally.next_page is not None:
        sentence = f"This page ends before line {tally.next_page:,} of {tally.lines:,}"
        links = [_next_lines(query, tally.next_page), _last_lines(query)]
        first_error = _first_error(tally)
        if first_error and selection.level is None:
            links.append(_all_errors(query))
        if first_error and first_error >= tally.next_page:
            lines = _address(query, lines=f"{max(1, first_error - LINES_BEFORE)}-")
            links.append(_FIRST_ERROR(lines=lines, number=first_error, end=""))
    elif selection.last is not None and tally.lines >= selection.last:
        sentence = f"This part ends with line {selection.last:,}"
        links = [_next_lines(query, selection.last + 1)]
    else:
        return Markup()
    return _ENDS(sentence=sentence, links=join(links, between=", "))


def _by_severity(query: Query, selection: Selection, tally: Tally) -> Iterator[Markup]:
    """A link for each severity, the most severe first, behind one to the first error here."""
    number = _first_error(tally)
    if number and (tally.next_page is None or number < tally.next_page):
        yield _FIRST_ERROR(lines="", number=number, end="\n")
    if number:
        level = {} if _is_of_errors(selection) else {"level": "ERROR"}
        yield _LAST_ERRORS(address=_address(query, **level, tail=LAST_ERRORS))
    is_window = (selection.first, selection.last) != (1, None)
    window = f"{selection.first}-{selection.last or ''}" if is_window else ""
    addresses = _addresses(query.parameters, window)
    for rank, (count, first) in sorted(tally.severities.items(), reverse=True):
        yield _COUNT(
            severity=SEVERITIES[rank],
            address=addresses[rank],
            count=count,
            first=first,
            label=SEVERITIES[rank] if rank else "without severity",
        )


# Of different logs most have the same few parameters, and these URLs take longer than the rest.
@lru_cache(maxsize=64)
def _addresses(parameters: Parameters, window: str) -> list[str]:
    """URLs of the lines of each severity, by rank."""
    levels = ["", *SEVERITIES[1:]]
    return [address(parameters, (*_WINDOW, "level"), lines=window, level=level) for level in levels]


def _is_of_errors(selection: Selection) -> bool:
    """True if it leaves nothing below ERROR."""
    return selection.level is not None and SEVERITIES.index(selection.level) >= _ERROR


def _first_error(tally: Tally) -> int | None:
    """Its line's number."""
    numbers = (first for rank, (_, first) in tally.severities.items() if rank >= _ERROR)
    return min(numbers, default=None)


def _next_lines(query: Query, first: int) -> Markup:
    return _NEXT(address=_address(query, lines=f"{first}-"))


def _last_lines(query: Query) -> Markup:
    text = f"the last {WINDOW_LINES:,} lines"
    return _LINK(address=_address(query, tail=WINDOW_LINES), text=text)


def _all_errors(query: Query) -> Markup:
    return _LINK(address=_address(query, level="ERROR"), text="all errors")


def _address(query: Query, **changed: str | int) -> str:
    """The URL of other lines of the same log and filter. Empty values are left out."""
    return address(query.parameters, (*_WINDOW, *changed), **changed)
