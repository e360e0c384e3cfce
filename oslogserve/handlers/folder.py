# SPDX-License-Identifier: Apache-2.0
"""A folder: its index.html, else what lies in it."""

from collections.abc import Sequence
from typing import Any

from oslogserve.errors import BadRequest, Forbidden, Header, NotFound, Unavailable
from oslogserve.handlers.log import LogHandler
from oslogserve.http import TEXT, VARY, Answer
from oslogserve.pages import listing, page
from oslogserve.query import Query
from oslogserve.sources import METADATA_ONLY, Folder, Source
from oslogserve.sources.first_of import Listing, open_first


class FolderHandler:
    def __init__(self, logs: LogHandler, may_list: bool) -> None:
        self._logs = logs
        self._may_list = may_list

    def __call__(self, environ: dict[str, Any], query: Query, sources: Sequence[Source]) -> Answer:
        if query.format in ("jsonl", "summary", "raw"):
            raise BadRequest(f"format={query.format} is for logs: a folder takes html, text, json.")
        if query.format in (None, "html"):
            index = self._index(environ, query, sources)
            if index is not None:
                return index
        if not self._may_list:
            raise Forbidden("This server does not list folders: name a log.")
        found = Listing(sources, query.path)
        sort = query.sort or "name"
        headers: list[Header] = [("Cache-Control", "no-cache"), VARY]
        if query.format == "json":
            pieces = listing.as_json(query.path, found, sort)
            headers.append(("Content-Type", "application/json"))
        elif query.format == "html" or (query.format is None and query.prefers_html):
            pieces = listing.html(query, found, sort)
            headers += page.HEADERS
        else:
            pieces = listing.text(found, sort)
            headers.append(("Content-Type", TEXT))
        return Answer("200 OK", headers, pieces, "listing", may_gzip=True)

    def _index(
        self, environ: dict[str, Any], query: Query, sources: Sequence[Source]
    ) -> Answer | None:
        path = query.path + b"/index.html" if query.path else b"index.html"
        try:
            found = open_first(sources, path, METADATA_ONLY)
            if isinstance(found, Folder):
                return None
            found.close()
            if found.stored.size == 0:  # Zuul puts one at the root of its containers
                return None
            return self._logs(
                environ, query._replace(path=path, is_folder=False, format=None, sort=None), sources
            )
        except (NotFound, Unavailable):
            return None  # a source that fails is told by the listing
