# SPDX-License-Identifier: Apache-2.0
"""Runs by what the overview of a job's folder found."""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from oslogserve.ci.build import Build
from oslogserve.jobs.overview import Findings, consoles_of
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import File
from oslogserve.lines.fingerprints import fingerprints
from oslogserve.lines.summary import CauseLine, OtherFailure
from oslogserve.seen import Cause, Run, first_causes

#: Seconds after the last line after which a run has ended, if nothing tells.
QUIET = 3600
#: Failures of a run about which rules are asked.
_MOST_ASKED = 16
#: What a folder's name has that is a run's rather than a job's: numbers, hashes, UUIDs.
_OF_RUN = re.compile(r"[0-9.,_-]+|(?=[a-f]*\d)[0-9a-f]{7,}|[0-9a-f-]*\d[0-9a-f-]{5,}")


def _causes(logs: Sequence[LogRead], has_failed: bool = True) -> Iterator[Cause]:
    """Yields the causes of the likeliest logs, and behind the first one the other failed tests of its log.

    Of a run that passed, it yields all that its logs show of failures, those of its consoles first.
    logs: in the order of their ranks.
    """
    if not has_failed:
        logs = sorted(logs, key=lambda one: not one.file.is_console)
    is_first = True
    for one in logs:
        cause = one.shows_failure and one.summary.cause
        if cause:
            yield _cause(one, cause)
        if not has_failed or (cause and is_first and one.summary.failed):
            yield from (_cause(one, failure) for failure in one.summary.other_failures)
        is_first = is_first and not cause


def _cause(one: LogRead, cause: CauseLine | OtherFailure) -> Cause:
    told = cause.told or [cause.text]
    found = cause.fingerprints
    if found is None:  # an error that was chosen among others
        found = fingerprints("severity", told)
    several = found.get("exact", ""), found.get("failure", "")
    return Cause(one.file.shown, cause.line, cause.headline, *several, "\n".join(told))


def asked_of(path: bytes, logs: Sequence[LogRead], build: Build) -> Run:
    """A run to be asked about, which need not have ended. Its end is that of these logs, or 0."""
    shown = path.decode("utf-8", "replace")
    # Without a name in its files, a job has that of the last folder whose name is no number or hash.
    folders = (name for name in reversed(shown.split("/")) if not _OF_RUN.fullmatch(name))
    named = build.job or next(folders, ""), build.project, build.branch or build.ref
    ended = ended_at(one.file for one in logs) or 0
    causes = tuple(islice(_causes(logs), _MOST_ASKED))
    return Run(shown, ended, True, *named, build.change, causes, commit=build.commit)


def run_of(path: bytes, found: Findings) -> Run | None:
    """The run; None if it has not ended, or if its logs were not read, or do not tell how it ended.

    A folder whose name is not UTF-8 has none.
    """
    logs, build = found.logs, found.build
    ended = ended_at(one.file for one in logs)
    has_failed = found.has_failed
    is_whole = all(error.reason == "capped" for error in found.ending.missing)
    if ended is None or has_failed is None or not is_whole:
        return None
    if not build.result and ended + QUIET > time.time():
        return None
    try:
        path.decode()
    except UnicodeDecodeError:  # databases take no other text
        return None
    several = [*_causes(logs, has_failed)]
    kept = first_causes(several)
    # Whether the consoles show more failures than are kept.
    consoles = consoles_of(logs)
    names = {one.file.shown for one in consoles}
    of_consoles = {digest for one in several if one.log in names for digest in one.fingerprints}
    is_cut = not of_consoles <= {digest for one in kept for digest in one.fingerprints} or any(
        one.summary.may_have_more_failures for one in consoles
    )
    failed = {one.file.shown for one in logs if one.summary.failed}
    is_told = not failed or any(one.log in failed for one in kept[:1])
    asked = asked_of(path, logs, build)
    return asked._replace(has_failed=has_failed, causes=tuple(kept), is_cut=is_cut, is_told=is_told)


def ended_at(files: Iterable[File]) -> int | None:
    """When the last log was written, in seconds since 1970; None if no time is known."""
    times = [int(file.modified) for file in files if file.modified]
    return max(times, default=None)
