# SPDX-License-Identifier: Apache-2.0
"""The page with the chapters of a log: what its outline is for a reader without scripts."""

from collections.abc import Iterable
from typing import NamedTuple

from oslogserve.lines.summary import Chapter, Summary
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.templates import rendered

_SECOND = 10**6
#: Levels of the page's lists: a line with many marks nests any number of chapters.
_DEEPEST = 8


class _Chapter(NamedTuple):
    """A chapter, and those that it contains."""

    name: str
    #: Of its lines.
    address: str
    lines: int
    #: None if it is not known.
    micros: int | None
    has_failed: bool
    inner: list["_Chapter"]


def chapters_page(query: Query, summary: Summary, notices: Iterable[str]) -> bytes:
    """The page. notices: a sentence for each missing part."""
    chapters = summary.chapters
    return rendered(
        "chapters.html",
        **frame(query.mount, query.path, source=query.one_source),
        log=query.link_to_source(),
        chapters=_nested(chapters, query),
        count=len(chapters) + summary.more_chapters,
        failed=sum(chapter.outcome == "failed" for chapter in chapters),
        more=summary.more_chapters,
        notices=notices,
    )


def _nested(chapters: Iterable[Chapter], query: Query) -> list[_Chapter]:
    """The outermost chapters. chapters: in the order of their first lines."""
    outermost: list[_Chapter] = []
    around: list[tuple[int, list[_Chapter]]] = []
    for chapter in chapters:
        first, last, duration = chapter.first, chapter.last, chapter.duration
        while around and around[-1][0] < last:
            around.pop()
        nested = _Chapter(
            chapter.name,
            query.link_to_source(lines=f"{first}-{last}"),
            last - first + 1,
            None if duration is None else round(duration * _SECOND),
            chapter.outcome == "failed",
            [],
        )
        siblings = around[:_DEEPEST][-1][1] if around else outermost
        siblings.append(nested)
        around.append((last, nested.inner))
    return outermost
