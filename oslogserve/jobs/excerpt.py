# SPDX-License-Identifier: Apache-2.0
"""The lines of a log's cause with some around them, as the renderer writes them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from oslogserve.jobs.job_log import JobLog

#: Lines before and after the cause.
AROUND = 2
#: Lines of a cause that are all shown. Of a longer one, such as a traceback, the last line is shown.
MOST_LINES = 8
#: Bytes of a line's text: a page shows several logs.
LONGEST_SHOWN = 4096
#: Logs of a page that have an excerpt, and the bytes of their texts together.
MOST_EXCERPTS, MOST_READ = 10, 256 * 1024 * 1024


class Excerpt(NamedTuple):
    """Rows of HTML."""

    before: bytes
    cause: bytes
    after: bytes


def first_shown(cause: dict[str, Any]) -> int:
    """The number of the first line of the cause that is shown."""
    first, last = int(cause["line"]), int(cause["last"])
    return first if last - first < MOST_LINES else last


def excerpt(log: JobLog, cause: dict[str, Any], label: bytes, link: bytes) -> Iterator[Excerpt]:
    """Yields the excerpt; nothing if the log cannot be read again. label, link: see Wanted."""
    first, last = first_shown(cause), cause["last"]
    above = max(1, first - AROUND)
    rows = log.rows_between(above, last + AROUND, label, link, LONGEST_SHOWN)
    if len(rows) > last - above:
        begin, end = first - above, last + 1 - above
        parts = rows[:begin], rows[begin:end], rows[end:]
        yield Excerpt(*(b"".join(part) for part in parts))
