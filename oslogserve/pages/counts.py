# SPDX-License-Identifier: Apache-2.0
"""What a page says of all the lines that were asked for, also of those it has no room for.

Known when the last line has gone by, so it stands behind the lines. Every link leads to what is
counted beside it, and nothing of a log is out of reach.
"""

from functools import lru_cache
from html import escape
from urllib.parse import urlencode

from oslogserve.lines.formats import SEVERITIES
from oslogserve.lines.selection import Selection, Tally
from oslogserve.query import Parameters, Query

#: Lines shown before the one that a link leads to.
LINES_BEFORE = 200
#: Lines of the window before a page, and of the last one. A page holds more, but where the page
#: before it begins is only known by reading it.
WINDOW_LINES = 10_000
_ERROR = SEVERITIES.index("ERROR")


def footer(query: Query, selection: Selection, tally: Tally) -> str:
    """selection: what the page shows of the query."""
    if tally.cut_at is not None or selection.tail is not None:
        return ""  # the rest was not looked at
    return _parts(query, selection, tally) + _severities(query, selection, tally)


def before(query: Query, selection: Selection, is_large: bool = False) -> str:
    """Where a page does not begin with the log's first line: a link to the part before it.
    is_large: it may not hold all of the log, which is known at its end; the ways past it are not
    only there."""
    if selection.first == 1:
        return _of_large(query, selection) if is_large else ""
    first, last = max(1, selection.first - WINDOW_LINES), selection.first - 1
    link = _link(_address(query, lines=f"{first}-{last}"), f"lines {first:,} to {last:,}", "prev")
    return f'<p class="notice parts">This page begins with line {selection.first:,}: {link}.</p>\n'


def _of_large(query: Query, selection: Selection) -> str:
    if (selection.last, selection.limit, selection.tail) != (None, None, None):
        return ""
    ways = [_link(_address(query, tail=WINDOW_LINES), f"the last {WINDOW_LINES:,} lines")]
    if selection.level is None or SEVERITIES.index(selection.level) < _ERROR:
        ways.insert(0, _link(_address(query, level="ERROR"), "all errors"))
    told = f"This log is large, and the page may end before it does: {', '.join(ways)}."
    return f'<p class="notice">{told}</p>\n'


def _parts(query: Query, selection: Selection, tally: Tally) -> str:
    ways = []
    if tally.next_page is not None:
        told = f"This page ends before line {tally.next_page:,} of {tally.lines:,}: "
        ways.append(_link(_address(query, lines=f"{tally.next_page}-"), "the next part", "next"))
        ways.append(_link(_address(query, tail=WINDOW_LINES), f"the last {WINDOW_LINES:,} lines"))
        if selection.level is None and any(rank >= _ERROR for rank in tally.severities):
            ways.append(_link(_address(query, level="ERROR"), "all errors"))
        ways += _to_first_error(query, tally)
    elif selection.last is not None and tally.lines >= selection.last:
        told = f"This part ends with line {selection.last:,}: "
        ways.append(_link(_address(query, lines=f"{selection.last + 1}-"), "the next part", "next"))
    if not ways:
        return ""
    return f'<p class="notice parts" role="status">{told}{", ".join(ways)}.</p>\n'


def _to_first_error(query: Query, tally: Tally) -> list[str]:
    """Where it stands behind the page's end."""
    number = _first_error(tally)
    if not number or tally.next_page is None or number < tally.next_page:
        return []
    address = _address(query, lines=f"{max(1, number - LINES_BEFORE)}-")
    return [_link(f"{address}#L{number}", f"first error at line {number:,}")]


def _first_error(tally: Tally) -> int | None:
    """Its line's number."""
    return min(
        (first for rank, (_, first) in tally.severities.items() if rank >= _ERROR), default=None
    )


def _severities(query: Query, selection: Selection, tally: Tally) -> str:
    is_whole = (selection.first, selection.last) == (1, None)
    window = "" if is_whole else f"{selection.first}-{selection.last or ''}"
    links = []
    for rank in sorted(tally.severities, reverse=True):
        count, first = tally.severities[rank]
        before, name = _severity(query.parameters, window, rank)
        links.append(f'{before}"{count}" data-first="{first}">{count:,} {name}</a>\n')
    number = _first_error(tally)
    if number and (tally.next_page is None or number < tally.next_page):
        links.insert(0, f'<a href="#L{number}">first error at line {number:,}</a>\n')
    cut = f' data-next="{tally.next_page}"' if tally.next_page is not None else ""
    return (
        f'<footer id="counts" data-lines="{tally.lines}"{cut} aria-label="Lines by severity" role="group">\n'
        f"{''.join(links)}</footer>\n"
    )


@lru_cache(maxsize=256)
def _severity(parameters: Parameters, window: str, rank: int) -> tuple[str, str]:
    """What stands before the figures of its link, and behind them."""
    name = SEVERITIES[rank]
    address = _of_pairs(parameters, (("lines", window), ("level", name if rank else "")))
    before = f'<a class="{name}" href="{address}" data-severity="{name}" data-count='
    return before, name if rank else "without severity"


def _address(query: Query, **changed: object) -> str:
    """Of the same log and filter, with another window; for HTML. "": left out."""
    return _of_pairs(query.parameters, tuple(changed.items()))


def _of_pairs(parameters: Parameters, changed: tuple[tuple[str, object], ...]) -> str:
    dropped = {"lines", "limit", "tail", "show", *(name for name, _ in changed)}
    pairs = [(name, value) for name, value in parameters if value and name not in dropped]
    pairs += [(name, str(value)) for name, value in changed if value]
    return escape("?" + urlencode(pairs))


def _link(address: str, text: str, relation: str = "") -> str:
    rel = f' rel="{relation}"' if relation else ""
    return f'<a href="{address}"{rel}>{text}</a>'
