# SPDX-License-Identifier: Apache-2.0
"""What fails now: the causes of the last days, and the runs of one."""

from oslogserve.errors import Busy, Forbidden, NotFound, SourceError
from oslogserve.http import VARY
from oslogserve.http.answer import Answer, answer
from oslogserve.http.request import Request
from oslogserve.pages import page, seen
from oslogserve.seen.memory import Memory
from oslogserve.seen.query import SeenQuery
from oslogserve.text import counted

#: Causes that are listed, and runs of a cause.
MOST_CAUSES, MOST_RUNS = 100, 200


def what_failed(request: Request, memory: Memory) -> Answer:
    """Raises Error."""
    if not memory.days:
        raise NotFound("This server does not keep what runs failed for.")
    if not memory.is_listed:
        raise Forbidden("This server does not list what runs failed for.")
    query = SeenQuery.from_environ(request.environ, memory.days)
    days, names, known = query.days, query.names, memory.rules.known
    try:
        if query.cause:
            runs = memory.ask(lambda kept: kept.runs(query.cause, days, MOST_RUNS + 1, **names))
            if not runs:
                of = " of this job" if any(names.values()) else ""
                last = counted(days, "day")
                raise NotFound(f"No run{of} of the last {last} has this cause, or none was kept.")
            content = seen.runs(query, runs[:MOST_RUNS], known(runs[0]), len(runs) > MOST_RUNS)
        else:
            recent = memory.ask(lambda kept: kept.recent(days, MOST_CAUSES + 1, **names))
            causes = [(one, known(one.run)) for one in recent[:MOST_CAUSES]]
            content = seen.causes(query, causes, len(recent) > MOST_CAUSES)
    except SourceError as error:
        raise Busy("What runs failed for cannot be looked up now.") from error
    headers = [("Cache-Control", "no-cache"), VARY, ("X-Robots-Tag", "noindex, nofollow")]
    headers += page.HEADERS["html" if query.is_html else "json"]
    return answer(request, content, headers, view="seen", is_compressible=True)
