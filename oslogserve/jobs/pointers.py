# SPDX-License-Identifier: Apache-2.0
"""Pointers to runs that passed: small files whose text is the path of a run, or links to its folder."""

import re
from collections.abc import Sequence
from contextlib import closing

from oslogserve.errors import BadRequest, Error, Incomplete
from oslogserve.query import Query
from oslogserve.sources import FULL_BODY, Folder, Source
from oslogserve.sources.first_of import open_first
from oslogserve.urls import checked_path

#: What a pointer begins with in a query.
MARK = b"@"
#: Bytes of a pointer that are read.
_REACH = 4096


class Pointers:
    def __init__(self, folder: str, naming: re.Pattern[str]) -> None:
        """folder: of the pointers. naming: matches the path of a job's folder, with the group `name`; one
        without that group names no job.
        """
        self._folder = folder.strip("/").encode()
        self._naming = naming if "name" in naming.groupindex else None

    def resolved(self, query: Query, sources: Sequence[Source]) -> Query:
        """The query with a path instead of a pointer: of a run for a folder, of its log for a log.

        An overview is compared by itself with the run of the job's pointer, if there is one.
        """
        return self._of_job(query, sources) if query.is_folder else self._of_log(query, sources)

    def _of_job(self, query: Query, sources: Sequence[Source]) -> Query:
        name = query.against.removeprefix(MARK) if query.against.startswith(MARK) else b""
        if not query.against and query.view == "overview":
            folder, of_job = self._job(query.path)
            name = of_job if folder == query.path else b""
        run = self._run(name, sources) if name else None
        return query if run in (None, query.path) else query._replace(against=run)

    def _of_log(self, query: Query, sources: Sequence[Source]) -> Query:
        if not query.against.startswith(MARK):
            return query
        run = self._run(query.against.removeprefix(MARK), sources)
        if run is None:
            return query
        folder, of_job = self._job(query.path)
        if not of_job:
            folder = query.path.rpartition(b"/")[0]
        name = query.path.removeprefix(folder).lstrip(b"/")
        return query._replace(against=b"/".join(filter(None, (run, name))))

    def _job(self, path: bytes) -> tuple[bytes, bytes]:
        """The folder of the job to which a path belongs, and the name of its pointer; both empty for none."""
        text = path.decode("utf-8", "replace")
        found = self._naming.match(text) if self._naming else None
        if not (found and found["name"]):
            return b"", b""
        return text[: found.end()].rstrip("/").encode(), found["name"].encode()

    def _run(self, name: bytes, sources: Sequence[Source]) -> bytes | None:
        """The path of the run; None if no source has a pointer of this name, or it names no run.

        The name is checked here: behind its mark, ".." is a segment that the query's check has not seen.
        """
        try:
            name = checked_path(name)
            if not name:
                return None
            path = b"/".join(filter(None, (self._folder, name)))
            found = open_first(sources, path, FULL_BODY._replace(chunk_size=_REACH))
            if isinstance(found, Folder):
                return path
            with closing(found):
                text = next(iter(found), b"")[:_REACH]
            return checked_path(text.strip()).rstrip(b"/") or None
        except (BadRequest, Error, Incomplete):
            return None
