# SPDX-License-Identifier: Apache-2.0
"""The lines of a log's cause with some around them, as the renderer writes them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from oslogserve.jobs.job_log import JobLog

#: Lines before and after the cause.
AROUND = 2
#: Lines of a cause that are shown. Of a longer traceback, and of a longer end of a log, the last line is.
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


def lines_shown(cause: dict[str, Any]) -> tuple[int, int]:
    """The numbers of the first and the last line of the cause that are shown."""
    first, last = int(cause["line"]), int(cause["last"])
    if last - first < MOST_LINES:
        return first, last
    tells_last = cause["why"] == "end" or "Traceback" in cause["text"]
    return (last, last) if tells_last else (first, first + MOST_LINES - 1)


def excerpt(log: JobLog, cause: dict[str, Any], label: bytes, link: bytes) -> Iterator[Excerpt]:
    """Yields the excerpt; nothing if the log cannot be read again. label, link: see Wanted."""
    first, last = lines_shown(cause)
    above = max(1, first - AROUND)
    rows = log.rows_between(above, last + AROUND, label, link, LONGEST_SHOWN)
    if len(rows) > last - above:
        begin, end = first - above, last + 1 - above
        parts = rows[:begin], rows[begin:end], rows[end:]
        yield Excerpt(*(b"".join(part) for part in parts))
