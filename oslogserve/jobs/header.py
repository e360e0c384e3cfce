# SPDX-License-Identifier: Apache-2.0
"""The header of a job: its build, as Zuul's files or else the console tell it."""

from collections.abc import Mapping
from typing import Any

from oslogserve.jobs.build import INVENTORY, MOST_OF_INVENTORY, Build, build_of
from oslogserve.jobs.console import HEAD, ConsoleHead
from oslogserve.jobs.job import Job
from oslogserve.jobs.job_log import JobLog
from oslogserve.jobs.ranking import CONSOLES
from oslogserve.jobs.reports import ZuulReport

_NO_REPORT = ZuulReport()


def header(
    job: Job,
    zuul: ZuulReport = _NO_REPORT,
    summaries: Mapping[JobLog, dict[str, Any]] | None = None,
) -> Build:
    """The build; an empty one behind the first answer, which has it. Its lack is no fault.

    zuul: Zuul's report. summaries: of the logs that were read.
    """
    if not job.is_first:
        return Build()
    if job.has_inventory:
        build = build_of(job.reader.beginning(INVENTORY, MOST_OF_INVENTORY, []))
        return build._replace(result=zuul.result, seconds=zuul.seconds)
    result, seconds = zuul.result, zuul.seconds
    build = Build()
    if console := _console(job):
        head = ConsoleHead(job.reader.beginning(console.file.name, HEAD, []))
        build = head.build()
        summary = (summaries or {}).get(console)
        if summary and not result and seconds is None:
            result, seconds = head.end(summary)
    return build._replace(result=result, seconds=seconds)


def _console(job: Job) -> JobLog | None:
    """The job's only console, or its only log: of several, each may be of a job of its own."""
    consoles = [log for log in job.logs if CONSOLES.search(log.file.shown)]
    if job.found == 1:
        consoles = job.logs
    return consoles[0] if len(consoles) == 1 else None
