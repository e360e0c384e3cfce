# SPDX-License-Identifier: Apache-2.0
"""What fails now: the causes of the last days, and the runs of one."""

from oslogserve.errors import Busy, Forbidden, Header, NotFound, SourceError
from oslogserve.http import VARY
from oslogserve.http.answer import Answer, answer
from oslogserve.http.request import Request
from oslogserve.pages import page, seen
from oslogserve.seen.memory import Memory
from oslogserve.seen.query import SeenQuery
from oslogserve.text import counted

#: Causes that are listed, and runs of a cause.
MOST_CAUSES, MOST_RUNS = 100, 200


class SeenHandler:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __call__(self, request: Request) -> Answer:
        """Raises Error."""
        if not self._memory.days:
            raise NotFound("This server does not keep what runs failed for.")
        if not self._memory.is_listed:
            raise Forbidden("This server does not list what runs failed for.")
        query = SeenQuery.from_environ(request.environ, self._memory.days)
        try:
            content = self._runs(query) if query.cause else self._causes(query)
        except SourceError as error:
            raise Busy("What runs failed for cannot be looked up now.") from error
        headers: list[Header] = [("Cache-Control", "no-cache"), VARY]
        headers.append(("X-Robots-Tag", "noindex, nofollow"))
        headers += page.HEADERS["html" if query.is_html else "json"]
        return answer(request, content, headers, view="seen", is_compressible=True)

    def _causes(self, query: SeenQuery) -> bytes:
        """Raises SourceError."""
        found = self._memory.ask(
            lambda database: database.recent(query.days, query.named, MOST_CAUSES + 1)
        )
        causes = [(one, self._memory.rules.known(one.run)) for one in found[:MOST_CAUSES]]
        write = seen.causes_html if query.is_html else seen.causes_json
        return write(query, causes, len(found) > MOST_CAUSES)

    def _runs(self, query: SeenQuery) -> bytes:
        """Raises SourceError, NotFound."""
        runs = self._memory.ask(
            lambda database: database.runs(query.cause, query.days, query.named, MOST_RUNS + 1)
        )
        if not runs:
            of = " of this job" if any(query.named) else ""
            days = counted(query.days, "day")
            raise NotFound(f"No run{of} of the last {days} has this cause, or none was kept.")
        known = self._memory.rules.known(runs[0])
        write = seen.runs_html if query.is_html else seen.runs_json
        return write(query, runs[:MOST_RUNS], known, len(runs) > MOST_RUNS)
