# SPDX-License-Identifier: Apache-2.0
"""Ranks a job's logs: the one with the likely cause of the failure first.

Before they are read, the names, sizes and times of a listing say which ones are likely.

A log that says that it failed leads, by the cause in its summary. One that says that it passed comes
last. In other logs, the cause is most often an error that ended the log, or one that is printed once,
shortly before the failure. Errors of successful runs are printed often, and at any time, and the log
goes on. So an error scores high if the job has few like it, if it comes shortly before the failure, and
if few lines follow it and the log survived few errors before.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from msgspec.structs import replace

from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.summary import CauseLine, Summary
from oslogserve.lines.time_range import time_range

#: Names of other logs that often say why a job failed: consoles and results of tests.
_LIKELY = re.compile(r"(?:^|/)(?:TEST-|[^/]*(?:console|testr|junit))[^/]*$")
#: Bytes as stored of a large log.
_LARGE = 16 * 1024 * 1024
#: An error so many microseconds before the failure counts half.
_HALF = 120 * 10**6
#: Factors for an error that the site calls noise, one after the failure, one without a time, and one
#: in the job's own log.
_NOISE, _LATER, _UNTIMED, _CONSOLE = 0.01, 0.3, 0.2, 0.3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_WITHOUT_ZONE = _EPOCH.replace(tzinfo=None)
_MICROSECOND = timedelta(microseconds=1)
#: A factor for a log without a new line, if logs are compared with those of a run that passed.
_NOTHING_NEW = 0.01
#: Scores of logs that failed, by why their cause was chosen, without and with a verdict; and of one without an
#: outcome that its cause has ended for sure. An error adds at most 1.
_FAILED = {"end": 4.0, "failed step": 6.0, "severity": 6.0, "test": 10.0}
_BY_VERDICT = {"end": 8.0, "failed step": 12.0, "severity": 12.0, "test": 14.0}
_ENDED = 2.0
#: So many lines behind its cause, a log without an outcome counts half. Errors are several if more than so
#: many lines are between them.
_HALF_LINES, _GAP = 50, 2


def likelihood(file: File) -> tuple[int, float, int, bytes]:
    """A sort key for unread files: the likely ones first, then the newest, then the small ones.

    Files that were written in the same minute are equally new.
    """
    if file.size == 0:
        kind = 4
    elif file.is_console:
        kind = 0
    elif _LIKELY.search(file.shown):
        kind = 1
    else:
        kind = 2 if (file.size or 0) < _LARGE else 3
    return kind, -((file.modified or 0) // 60), file.size or 0, file.name


def preference(file: File) -> tuple[int, float, int, bytes]:
    """The same where not all files can be read: the larger ones may tell more, but for those that take long."""
    kind, age, size, name = likelihood(file)
    return kind, age, -size if kind == 2 else size, name


def ranked(logs: Iterable[LogRead], noise: Sequence[re.Pattern[str]] = ()) -> list[LogRead]:
    """The logs that were not skipped, the likeliest first, with their scores; 0 is that of a log that shows no failure
    and no error.

    Their summaries have the causes by which they are ranked: their own, or their errors with the highest score.
    noise: errors that match are noise.
    """
    read = [log for log in logs if not log.skipped]
    kinds = Counter(error.kind for log in read for error in log.summary.errors)
    failure = _failure_of(read)

    def quiet(text: str) -> float:
        """A factor: less for noise."""
        return _NOISE if any(pattern.search(text) for pattern in noise) else 1.0

    def scored(log: LogRead) -> LogRead:
        summary, is_console = log.summary, log.file.is_console
        cause = summary.cause
        if cause is None:  # the log says that it passed
            return log
        factor = _CONSOLE if is_console else 1.0
        weights = [
            (
                _nearness(micros_of(one.time), failure)
                * quiet(one.text)
                * factor
                / kinds[one.kind],
                one,
            )
            for one in summary.errors
            if one.new is not False
        ]
        # max() takes the first of equals: a traceback's first line tells most.
        weight, error = max(weights, key=lambda one: one[0], default=(0.0, None))
        if summary.failed:
            base = (_BY_VERDICT if summary.verdict else _FAILED)[cause.why]
        else:
            base = _ended(summary, cause, failure) * quiet(cause.text)
            if error and not is_console:
                last = cause.last if cause.line <= error.line <= cause.last else error.line
                cause = CauseLine(
                    error.line, last, error.time, error.text, "severity", new=error.new
                )
        score = (base + weight) * (_NOTHING_NEW if summary.new == {} else 1.0)
        return log._replace(score=score, summary=replace(summary, cause=cause))

    return sorted(map(scored, read), key=lambda log: (-log.score, log.file.name))


def _ended(summary: Summary, cause: CauseLine, failure: int | None) -> float:
    """A score by how likely the cause ended a log without an outcome. failure: when the job failed.

    It is the likelier the fewer lines follow, and the fewer errors the log survived before.
    """
    if cause.why == "end" or cause.new is False:
        return 0.0
    lines = sum(found.count for found in summary.severities.values())
    behind = max(0, lines - cause.last)
    numbers = [error.line for error in summary.errors]
    survived = sum(later - line > _GAP for line, later in pairwise(numbers))
    time = micros_of(cause.time)
    is_later = time is not None and failure is not None and time > failure
    likely = _ENDED * _HALF_LINES / (_HALF_LINES + behind) / (1 + survived)
    return likely * (_LATER if is_later else 1.0)


def _failure_of(logs: Sequence[LogRead]) -> int | None:
    """When the job failed, in microseconds since 1970; None if unknown.

    That is at the last error of its own log, at the cause in a log that failed, or at the last time in
    any log.
    """
    found = [log.summary for log in logs]
    errors = [error.time for log in logs if log.file.is_console for error in log.summary.errors]
    causes = [one.cause.time for one in found if one.failed and one.cause]
    times = errors[-1:] or [*filter(None, causes)] or [one.last_time for one in found]
    return max(filter(None, map(micros_of, times)), default=None)


def _nearness(time: int | None, failure: int | None) -> float:
    """A factor: 1 right before the failure, and less the earlier."""
    if time is None or failure is None:
        return _UNTIMED
    before = failure - time
    return _LATER if before < 0 else _HALF / (_HALF + before)


def micros_of(time: str | None) -> int | None:
    """A time of a summary in microseconds since 1970, in UTC; None for none, or without a date."""
    if not time:
        return None
    try:
        found = datetime.fromisoformat(time)  # a tenth of the time
        return (found - (_EPOCH if found.tzinfo else _EPOCH_WITHOUT_ZONE)) // _MICROSECOND
    except ValueError:  # a time of day alone, or one that only time_range() reads
        pass
    with suppress(ValueError):
        return time_range(time).first_in_utc
    return None
