# SPDX-License-Identifier: Apache-2.0
"""All that is found in a log."""

from collections.abc import Container
from typing import NamedTuple

from tests.reference.cause import CauseFinder, Line, compared
from tests.reference.chapters import Chapter, ChapterFinder
from tests.reference.recognise import Seen, seen_in
from tests.reference.step import Cause


class Findings(NamedTuple):
    """What the lines of a log show."""

    seen: list[Seen]
    cause: Cause | None
    #: The first failures beside the cause.
    others: list[Cause]
    failed: bool
    verdict: bool
    passed: bool
    chapters: list[Chapter]
    more_chapters: int


def findings(log: bytes, new: Container[int] | None = None) -> Findings:
    """What is found in a log. new: numbers of the lines that the log that it is compared with has no like of."""
    chapters = ChapterFinder()
    causes, new_causes = CauseFinder(chapters), CauseFinder(None)
    all_seen = []
    texts = log.removesuffix(b"\n").split(b"\n") if log else []
    for number, text in enumerate(texts, 1):
        seen = seen_in(text, texts[number - 2] if number > 1 else b"")
        all_seen.append(seen)
        line = Line(number, text, seen, new is not None and number in new)
        causes.add(line)
        new_causes.add(line)
    cause, failed = causes.cause()
    if cause and new is not None:
        cause = compared(cause, new_causes.cause()[0], new)
    is_there = cause and failed and cause.why != "end" and cause.silent_step is None
    failed_at = cause.first.number if cause and is_there else None
    others = [
        one
        for one in causes.failures(has_failed=failed)
        if not cause or cause.why == "end" or one.first.number != cause.first.number
    ]
    verdict = failed and causes.has_verdict
    outcome = failed, verdict, causes.has_passed
    return Findings(all_seen, cause, others, *outcome, *chapters.chapters(len(texts), failed_at))
