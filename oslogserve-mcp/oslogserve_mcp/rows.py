# SPDX-License-Identifier: Apache-2.0
"""Lines of logs for an agent, from the server's JSON lines."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from oslogserve_mcp.answer import Report, Whole, counted, left_out
from oslogserve_mcp.client import Answer
from oslogserve_mcp.notices import following, link_to, missing
from oslogserve_mcp.places import Pairs, Site, below

Row = dict[str, Any]

#: Behind the text of a line that the server cut.
_CUT = " ... the rest of the line is left out"
#: Digits of what `after` gets.
_DIGITS = 12
_LEFT_OUT = "Further lines are left out: ask for more bytes"
#: What a name has in place of bytes that are not UTF-8, which a link would need.
_REPLACED = "\ufffd"


class Rows(NamedTuple):
    """The objects of an answer."""

    lines: list[Row]
    #: The last object; empty if the answer broke off.
    end: dict[str, Any]


class Line(NamedTuple):
    """A line by its number."""

    #: Its name without .gz or .zst, which a query need not have; "" if the answer is of one log.
    log: str
    number: int


def plain_name(name: str) -> str:
    """The name without the suffix of a compression."""
    root, suffix = os.path.splitext(name)
    return root if suffix in (".gz", ".zst") else name


def show_rows(answer: Answer, site: Site, report: Report, around: Line | None = None) -> None:
    """Writes what is to say about an answer, its lines, and the link to more.

    around: the line next to which lines are shown if not all of them fit; None for the first ones.
    """
    rows = _rows(answer.body)
    report.add_notices([*_counts(rows), *missing(rows.end, answer.is_cut)])
    middle = next((at for at, row in enumerate(rows.lines) if _line(row) == around), None)
    if middle is not None:
        _show_around(rows.lines, middle, answer, site, report)
        return
    then: str = _rest(answer, site, "9" * _DIGITS)
    then = then if len(then) <= report.room // 2 else _LEFT_OUT
    shown = 0
    for lines in _lines(rows.lines, answer, site):
        if not report.add(lines, [then]):
            break
        shown += 1
    if shown < len(rows.lines):
        more = _rest(answer, site, _after(answer, rows.lines[:shown]))
    elif rows.end.get("next"):
        more = _more(following(answer, site, rows.end["next"]))
    else:
        return
    if not report.add([more]):
        report.add([_LEFT_OUT])


def _show_around(rows: list[Row], middle: int, answer: Answer, site: Site, report: Report) -> None:
    """Writes as many lines before and behind the one in the middle as fit."""
    width = len(rows)
    while True:
        first, end = max(0, middle - width), middle + width + 1
        others = len(rows) - len(rows[first:end])
        said = [left_out(others, "line")] if others else []
        shown = [line for lines in _lines(rows[first:end], answer, site) for line in lines]
        if report.add([*said, *shown]) or not width:
            return
        width = width * 3 // 4


def _rows(body: bytes) -> Rows:
    # Without a line feed behind it, the last object is cut.
    objects = [json.loads(line.decode()) for line in body.split(b"\n")[:-1] if line]
    if not all(isinstance(one, dict) for one in objects):
        raise ValueError("these are no JSON lines")
    end = objects.pop() if objects and "end" in objects[-1] else {}
    return Rows(objects, end)


def _counts(rows: Rows) -> Iterator[str]:
    end = rows.end
    if end.get("read_to_end") and end["matched"] is not None:
        yield f"{end['matched']:,} of {counted(end['lines'], 'line')} fit"
    elif not rows.lines:
        yield "0 lines"


def _line(row: Row) -> Line:
    return Line(plain_name(row.get("log", "")), row["line"])


def _lines(rows: Sequence[Row], answer: Answer, site: Site) -> Iterator[list[str]]:
    """The lines of each row. Its log is above, if the row before is of another one.

    The first time it is with a link, then with a number alone: lines by time change their logs often.
    """
    numbers: dict[str, int] = {}
    before = None
    for row in rows:
        name = row.get("log", "")
        heading: list[str] = []
        if name not in numbers:
            numbers[name] = len(numbers) + 1
            heading = [Whole(f"[{numbers[name]}] {_of_log(row, answer, site)}")]
        elif name != before:
            heading = [f"[{numbers[name]}]"]
        before = name
        end = _CUT if row.get("cut") else ""
        yield [*heading, f"{'+' if row.get('new') else ''}{row['line']}: {row['text']}{end}"]


def _of_log(row: Row, answer: Answer, site: Site) -> str:
    """The link to the row in its log."""
    name = row.get("log", "")
    if _REPLACED in name:
        return f"{name} (no link: this name is not UTF-8)"
    path = below(answer.place.path, quote(name)) if name else answer.place.path
    return site.link(path, row["line"], answer.place.source)


def _after(answer: Answer, shown: Sequence[Row]) -> str:
    """The value of `after` for the lines behind these."""
    before = next((value for name, value in answer.place.query if name == "after"), "0")
    if shown and "log" not in shown[-1]:
        return str(shown[-1]["line"])
    # In a folder, it counts the lines of all logs.
    return str(int(before) + len(shown))


def _rest(answer: Answer, site: Site, after: str) -> Whole:
    query: Pairs = [pair for pair in answer.place.query if pair[0] != "after"]
    return _more(link_to(site, answer.place.path, [*query, ("after", after)]))


def _more(link: str) -> Whole:
    return Whole(f"More lines: search with this link as path: {link}")
