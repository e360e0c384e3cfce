# SPDX-License-Identifier: Apache-2.0
"""Answers of a server, read as a program or a browser reads them."""

import html
import json
import re
from typing import Any, NamedTuple

_ROW = re.compile(
    r'<li(?: id=moment aria-current=true)?(?: class=(?:"([^"]*)"|([^\s>]+)))?(?: id=L(\d+))?><a href=([^\s"]+?)(?: name=(\S+))?>([^<]*)</a>(.*)'
)
_GAP = re.compile(r'<li class=gap><a href="[^"]*?\blines=(\d+)-(\d+)')
_COUNT = re.compile(r'data-severity="(\w+)" data-count="(\d+)" data-first="(\d+)"')
_BEGIN = re.compile(r"This page begins with line ([\d,]+)")
_NEXT = re.compile(r'<a href="([^"]*)" rel="next">')
_NOTICE = re.compile(rb"^\[oslogserve: (.*)\]$")
_TAG = re.compile(r"<[^>]*>")


class Answer(NamedTuple):
    """One answer, of one page or of one chain of pages."""

    #: As the view has them, in their order.
    rows: list[Any]
    #: The address of the next one; None for the last.
    next: str | None
    #: Sentences about what is missing.
    notices: list[str]
    #: The object at the end of JSON lines, or the summary.
    end: dict[str, Any] | None = None
    #: Of a page: the first line that it may have, and counts of lines by severity.
    begin: int = 1
    counts: dict[str, tuple[int, int]] | None = None


def read(view, answer):
    """The answer in one of the views."""
    return {"html": _of_html, "text": _of_text, "jsonl": _of_jsonl, "summary": _of_summary}[view](
        answer
    )


def _of_jsonl(answer):
    # No other separator ends a line of JSON lines.
    *rows, end = map(json.loads, answer.body.decode().rstrip("\n").split("\n"))
    notices = end.get("notices", [end["reason"]] if end.get("reason") else [])
    return Answer(rows, end["next"], notices, end)


def _of_summary(answer):
    found = json.loads(answer.body)
    notices = found.get("notices", [found["reason"]] if found.get("reason") else [])
    return Answer([], found.get("next"), notices, found)


def _of_text(answer):
    """Lines with their line feeds, and the notices below them."""
    lines = _lines(answer.body)
    notices = []
    while lines and (found := _NOTICE.match(lines[-1].rstrip(b"\n"))):
        notices.insert(0, found[1].decode())
        lines.pop()
    following = None
    if notices and notices[-1].startswith("there is more: "):
        following = notices.pop().removeprefix("there is more: ")
    if link := answer.headers.get("Link"):
        following = re.fullmatch(r'<(.*)>; rel="next"', link)[1]
    return Answer(lines, following, notices, _headers(answer))


def _lines(text):
    *lines, last = text.split(b"\n")
    return [line + b"\n" for line in lines] + [last] * bool(last)


def _headers(answer):
    """What headers of a small log say, as the last object of JSON lines does; None without them."""
    if "Log-Lines" not in answer.headers:
        return None
    names = ("lines", "matched", "sent", "complete", "read-to-end")
    return {
        name.replace("-", "_"): json.loads(answer.headers[f"Log-{name.title()}"]) for name in names
    }


class Row(NamedTuple):
    """A line on a page."""

    number: int
    #: Its classes.
    classes: str
    #: What is to be read.
    text: str
    #: Where its number links to, and the fragment of its time; "" for none.
    href: str
    fragment: str


def _of_html(answer):
    page = answer.body.decode("utf-8", "replace")
    # A line has no other line feed than its last.
    rows = []
    for line in page.split("\n"):
        if gap := _GAP.search(line):
            rows.append((int(gap[1]), int(gap[2])))
        elif row := _ROW.search(line):
            rows.append(_row(row.groups("")))
    following = _NEXT.search(page)
    is_other_part = "This part ends with line" in page and "A limit was reached" not in page
    before = _BEGIN.search(page)
    counts = {name: (int(lines), int(first)) for name, lines, first in _COUNT.findall(page)}
    return Answer(
        rows,
        html.unescape(following[1]) if following and not is_other_part else None,
        [
            page[found.start() : found.start() + 200]
            for found in re.finditer('<div id="damage">', page)
        ],
        begin=int(before[1].replace(",", "")) if before else 1,
        counts=counts if 'id="counts"' in page else None,
    )


def _row(groups):
    quoted, bare, number, href, fragment, shown, text = groups
    href = html.unescape(href)
    text = html.unescape(_TAG.sub("", text)).removesuffix("\r")
    number = number or shown
    return Row(int(number), quoted or bare, text, href, html.unescape(fragment))
