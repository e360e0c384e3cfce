# SPDX-License-Identifier: Apache-2.0
"""The page with the chapters of a log: what its outline is for a reader without scripts."""

from collections.abc import Iterable

from oslogserve.lines.summary import Chapter, Summary
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.templates import rendered

#: Levels of the page's lists: a line with many marks nests any number of chapters.
_DEEPEST = 8

#: A chapter, and those that it contains.
_Nested = tuple[Chapter, list["_Nested"]]


def chapters_page(query: Query, summary: Summary, notices: Iterable[str]) -> bytes:
    """The page. notices: a sentence for each missing part."""
    outermost: list[_Nested] = []
    #: Those around a chapter, with their last lines.
    around: list[tuple[int, list[_Nested]]] = []
    for chapter in summary.chapters:
        while around and around[-1][0] < chapter.last:
            around.pop()
        inner: list[_Nested] = []
        siblings = around[:_DEEPEST][-1][1] if around else outermost
        siblings.append((chapter, inner))
        around.append((chapter.last, inner))

    return rendered(
        "chapters.html",
        **frame(query),
        address=lambda one: query.link_to_source(lines=f"{one.first}-{one.last}"),
        log=query.link_to_source(),
        chapters=outermost,
        summary=summary,
        notices=notices,
    )
