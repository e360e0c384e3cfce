# SPDX-License-Identifier: Apache-2.0
"""The lines of a log's chapter, which a query names."""

from typing import Any

from oslogserve.errors import BadRequest, Incomplete
from oslogserve.lines.nearest import Read
from oslogserve.lines.renderer import Renderer, summary_of
from oslogserve.lines.selection import Wanted
from oslogserve.logs.decode import until_incomplete
from oslogserve.query import Fault, Query


def within_chapter(query: Query, read: Read, renderer: Renderer, written: float | None) -> Query:
    """The query for the lines of its chapter. On a page, a name that the log does not have is a fault.

    Reads the whole log. Raises BadRequest for other answers. read: returns the log's text from its
    beginning, which may raise Incomplete. written: see Wanted.
    """
    missing: list[Incomplete] = []
    pieces = until_incomplete(read(), missing)
    summary = summary_of(renderer, pieces, Wanted("summary", written=written))
    chapter = _named(query.chapter, summary["chapters"])
    if chapter is not None:
        return _within(query, chapter["first"], chapter["last"])
    searched = "of this log"
    if summary["more_chapters"]:
        searched = f"of the {len(summary['chapters'])} that this log's summary lists"
    unread = f", as far as it could be read: {missing[0]}" if missing else ""
    sentence = f"No chapter {searched} has that name{unread}."
    wrong = "chapter", query.chapter
    if query.view != "html":
        raise BadRequest(sentence, wrong)
    parameters = tuple(pair for pair in query.parameters if pair != wrong)
    faults = (*query.faults, Fault(*wrong, sentence))
    return query._replace(chapter="", parameters=parameters, faults=faults)


def _named(name: str, chapters: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first chapter of the name that failed, else the first one; None for none."""
    named = [chapter for chapter in chapters if chapter["name"] == name]
    failed = (chapter for chapter in named if chapter["outcome"] == "failed")
    return next(failed, next(iter(named), None))


def _within(query: Query, first: int, last: int) -> Query:
    """The query for those of its lines that are in this range."""
    selection = query.selection
    begin, end = max(first, selection.first), min(last, selection.last or last)
    return query._replace(selection=selection._replace(first=begin, last=end))
