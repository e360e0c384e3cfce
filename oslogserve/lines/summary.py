# SPDX-License-Identifier: Apache-2.0
"""The summary of a log: its lines by severity and time, its errors, and why it failed.

The types are those of the JSON in answers and indexes too: members come in the order of the fields, and one
that has a default is left out if it has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from sys import getsizeof
from typing import Any

from msgspec import Struct, convert
from msgspec.json import Decoder
from msgspec.structs import astuple, replace

from oslogserve.lines.fingerprints import fingerprints, headline
from oslogserve.native import LIMITS, SEVERITIES, kind_of
from oslogserve.text import duration

_EPOCH = datetime(1970, 1, 1)
_SECOND = 10**6
#: Bytes of a chapter's name.
LONGEST_NAME = LIMITS["chapters.LONGEST_NAME"]
#: Bytes of an error's text.
LONGEST_ERROR = LIMITS["summary.LONGEST_ERROR"]
#: Failures of a log that are noted.
_MOST_NOTED = LIMITS["found.MOST_NOTED"]
#: Lines of another failure than the cause whose text is kept.
MOST_TOLD = 4
_EARLIEST = round((datetime.min - _EPOCH).total_seconds()) * _SECOND


class SeverityCount(Struct, frozen=True):
    """The lines of a severity."""

    count: int
    #: The number of the first one.
    first_line: int


class Bucket(Struct, frozen=True):
    """The lines of one bar of the histogram."""

    #: When it begins, in ISO 8601 without a zone.
    time: str
    #: The number of its first line.
    first_line: int
    #: Lines by severity.
    severities: dict[str, int]


class Histogram(Struct, frozen=True):
    #: Of a bucket.
    seconds: int | float
    #: In order.
    buckets: list[Bucket]


class ErrorLine(Struct, frozen=True, omit_defaults=True):
    """A line at ERROR or above."""

    line: int
    #: In ISO 8601, of this line or the last one above with a time; None for none.
    time: str | None
    #: Without escape sequences; at most LONGEST_ERROR bytes.
    text: str
    #: True if the log that lines are compared with has no like of it; None if they are not compared.
    new: bool | None = None

    @property
    def kind(self) -> int:
        """A hash that is the same for errors that differ in numbers, ids and quoted texts only."""
        return kind_of(self.text.encode())


class CauseLine(Struct, frozen=True, omit_defaults=True):
    """The lines that tell why a log failed, or its end; or one of its errors, without what is None then."""

    line: int
    #: The number of the last one.
    last: int
    #: In ISO 8601, the last time of the summary's lines up to this one; None for none.
    time: str | None
    #: What a terminal shows of the first line; at most LONGEST_ERROR bytes.
    text: str
    #: Why it was chosen: "severity", "failed step", "test" or "end".
    why: str
    #: The first line of the step that failed, if that shows nothing and the cause is of an earlier one.
    silent_step: int | None = None
    #: That of the step that failed.
    exit_code: int | None = None
    #: The contents of its first lines, without those that only stand between them.
    told: list[str] | None = None
    #: As of an ErrorLine, of the first line.
    new: bool | None = None
    #: See `lines.fingerprints`.
    fingerprints: dict[str, str] | None = None

    @property
    def headline(self) -> str:
        """The cause in one line."""
        return headline(self.why, self.told or [self.text])


class OtherFailure(Struct, frozen=True):
    """A failure beside the cause: a failed test, or what a log that has not failed survived."""

    line: int
    text: str
    #: As of a CauseLine, at most MOST_TOLD.
    told: list[str]
    fingerprints: dict[str, str]

    @property
    def headline(self) -> str:
        """The failure in one line."""
        return headline("test", self.told or [self.text])


class Chapter(Struct, frozen=True):
    """A chapter of a log, see doc/clients.rst."""

    name: str
    #: The numbers of its lines.
    first: int
    last: int
    #: In ISO 8601, of its mark or its first line.
    begin: str | None
    #: Seconds that it took.
    duration: float | None
    outcome: str | None

    @property
    def took(self) -> str | None:
        """Its duration for people; None if that is unknown."""
        return None if self.duration is None else duration(self.duration)


class Summary(Struct, frozen=True, omit_defaults=True, kw_only=True):
    #: In ISO 8601; None for none.
    first_time: str | None
    last_time: str | None
    #: In order: the first MOST_ERRORS and the last.
    errors: list[ErrorLine] = []
    #: None for a log that says that it passed, or without lines.
    cause: CauseLine | None
    #: True if the lines say that the log, a step or a test failed.
    failed: bool
    #: True if a verdict says so, such as that of a runner or a recap.
    verdict: bool
    #: True if its last words say that all went well.
    passed: bool
    #: How many more there were than `chapters`.
    more_chapters: int
    #: In the order of their first lines. A compact summary has two at most.
    chapters: list[Chapter]
    severities: dict[str, SeverityCount]
    #: None in a compact summary.
    histogram: Histogram | None = None
    #: The first ones.
    other_failures: list[OtherFailure] = []
    #: New lines by severity; None if they were not compared with another log's.
    new: dict[str, SeverityCount] | None = None

    @property
    def step(self) -> Chapter | None:
        """The innermost chapter around the cause that begins above it; None for none.

        The chapter of a failed test begins with the cause.
        """
        if self.cause is None:
            return None
        above = [one for one in self.chapters if one.first < self.cause.line]
        return innermost(above, self.cause.line)

    @property
    def may_have_more_failures(self) -> bool:
        """True if `other_failures`, with the cause of a log that failed, has no room for more."""
        return len(self.other_failures) + self.failed >= _MOST_NOTED

    @property
    def compact(self) -> "Summary":
        """The summary without its histogram, and with two chapters: the innermost around its cause, and `step`."""
        chapters = [innermost(self.chapters, self.cause.line), self.step] if self.cause else []
        kept = [one for one in self.chapters if one in chapters]
        return replace(self, chapters=kept, histogram=None)


#: Of no lines.
NONE = Summary(
    first_time=None,
    last_time=None,
    cause=None,
    failed=False,
    verdict=False,
    passed=False,
    more_chapters=0,
    chapters=[],
    severities={},
)


def held(part: object) -> int:
    """Bytes of memory of a summary or a part of it, with all that it has: a character may take four."""
    parts: Iterable[object] = ()
    if isinstance(part, Struct):
        parts = astuple(part)
    elif isinstance(part, Mapping):
        parts = (*part, *part.values())
    elif isinstance(part, list):
        parts = part
    return getsizeof(part) + sum(map(held, parts))


def innermost(chapters: Sequence[Chapter], line: int) -> Chapter | None:
    """The innermost chapter around a line; None for none. chapters: in the order of their first lines."""
    around = (one for one in reversed(chapters) if one.first <= line <= one.last)
    return next(around, None)


#: Reads a summary as JSON. It is made here, before there are threads: msgspec 0.22 learns what a type is made of when
#: that is first used, for convert() too. A thread that uses it meanwhile ends the process.
of_json = Decoder(Summary).decode


def summary_of(totals: Mapping[str, Any]) -> Summary:
    """The summary by the core's Totals, with severities by name and times in ISO 8601."""
    width, new = totals["width"], totals["new"]
    chapters = []
    for one in totals["chapters"]:
        begin, micros = one.pop("begin_micros"), one.pop("micros")
        if begin is not None:  # its mark says so
            one["begin"] = _iso(begin - begin % 10_000) + "Z"
        chapters.append(Chapter(**one, duration=None if micros is None else micros / _SECOND))
    buckets = []
    for one in totals["buckets"]:
        counts = zip(SEVERITIES, one["severities"], strict=True)
        severities = {name: lines for name, lines in counts if lines}
        buckets.append(Bucket(_iso(one["start"]), one["first_line"], severities))

    def recognised(failure: dict[str, Any]) -> dict[str, Any]:
        step = innermost(chapters, failure["line"])
        found = fingerprints(failure["why"], failure["told"], step.name if step else None)
        return {**failure, "fingerprints": found}

    members = {
        **totals,
        "cause": totals["cause"] and recognised(totals["cause"]),
        "chapters": chapters,
        "severities": _by_name(totals["severities"]),
        "histogram": {
            "seconds": width // _SECOND or width / _SECOND,
            "buckets": buckets,
        },
        "other_failures": [
            {**recognised(one), "told": one["told"][:MOST_TOLD]} for one in totals["other_failures"]
        ],
        "new": None if new is None else _by_name(new),
    }
    return convert(members, Summary)


def _by_name(counts: dict[int, tuple[int, int]]) -> dict[str, SeverityCount]:
    return {SEVERITIES[rank]: SeverityCount(*found) for rank, found in sorted(counts.items())}


def _iso(micros: int) -> str:
    """A time in microseconds since 1970, without a zone."""
    seconds, fraction = divmod(max(micros, _EARLIEST), _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return f"{text}.{fraction // 10_000:02}" if fraction else text
