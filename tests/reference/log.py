# SPDX-License-Identifier: Apache-2.0
"""All that is found in a log."""

from collections.abc import Callable
from typing import NamedTuple

from tests.reference.cause import CauseFinder, Line, compared
from tests.reference.chapters import Chapter, ChapterFinder
from tests.reference.recognise import Seen, seen_in
from tests.reference.step import Cause


class Findings(NamedTuple):
    """What the lines of a log show."""

    seen: list[Seen]
    cause: Cause | None
    failed: bool
    chapters: list[Chapter]
    more_chapters: int


def findings(log: bytes, is_new: Callable[[bytes], bool] | None = None) -> Findings:
    """What is found in a log. is_new: tells if the log that it is compared with has no like of a line."""
    chapters = ChapterFinder()
    causes, new_causes = CauseFinder(chapters), CauseFinder(None)
    all_seen = []
    texts = log.removesuffix(b"\n").split(b"\n") if log else []
    for number, text in enumerate(texts, 1):
        seen = seen_in(text)
        all_seen.append(seen)
        line = Line(number, text, seen, is_new is not None and is_new(text))
        causes.add(line)
        new_causes.add(line)
    cause, failed = causes.cause()
    if cause and is_new:
        cause = compared(cause, new_causes.cause()[0], is_new)
    failed_at = cause.first.number if cause and failed and cause.why != "end" else None
    return Findings(all_seen, cause, failed, *chapters.chapters(len(texts), failed_at))
