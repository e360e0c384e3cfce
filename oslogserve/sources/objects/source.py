# SPDX-License-Identifier: Apache-2.0
"""A source of objects: what opening a log and listing a folder have in common in all stores."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Self, TypeVar

from oslogserve.compression import encoding_of
from oslogserve.errors import SourceError
from oslogserve.sources import (
    ALL_ENTRIES,
    FULL_BODY,
    Context,
    Entry,
    Folder,
    Log,
    OpenOptions,
    WantedEntries,
)
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects import service as services
from oslogserve.sources.objects.location import Location, prefix_of, stored_as
from oslogserve.sources.objects.log import (
    ObjectLog,
    OpenObjectLog,
    ResumingLog,
    check_answer,
)
from oslogserve.sources.objects.service import (
    BEGINNING,
    Marker,
    Page,
    headers_of,
    name_before,
)
from oslogserve.sources.objects.session import ObjectSession

_T = TypeVar("_T")


class ObjectSource(ABC):
    """A source whose logs are objects."""

    #: Why a folder of public objects may not be listed.
    _unlisted = "its listing is not public"

    def __init__(self, session: ObjectSession, chunk_size: int) -> None:
        self.name = session.source
        self._service = session.service
        self._session = session
        self._chunk_size = chunk_size
        self._context = Context()
        self._context.answer_begins()  # no request shares its deadline

    @abstractmethod
    def _locate(self, path: bytes) -> Location | None:
        """The object of a path; None if there can be none."""

    @abstractmethod
    def _check_missing(self, container: str) -> None:
        """Raises SourceError if a container seems to be missing, but may only be unreadable."""

    def for_request(self, context: Context) -> Self:
        view = copy.copy(self)
        view._context = context
        return view

    def waiting_anew(self) -> Self:
        return self.for_request(self._context.anew())

    def close(self) -> None:
        self._session.close()

    def _request(self, call: Callable[..., _T], *args: str, **options: Any) -> _T | None:
        return self._session.request(call, *args, context=self._context, **options)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        found = self._found(path, options)
        if not isinstance(found, OpenObjectLog):
            return found
        # A later attempt needs a new deadline: the answer has begun.
        reopen = lambda options: self.waiting_anew()._found(path, options)
        return ResumingLog(found, options, reopen, self._session.attempts)

    def _found(self, path: bytes, options: OpenOptions) -> ObjectLog | Folder | None:
        location = self._locate(path)
        if location is None:
            return None
        for stored in stored_as(location):
            log = self._log(stored, options)
            if log is not None and log.is_folder:
                log.close()
                return Folder()
            if log is not None:
                declared = log.stored.encoding or encoding_of(stored.name)
                log.stored = log.stored._replace(encoding=declared)
                return log
        try:
            if self._is_there(location.container, prefix_of(location)):
                return Folder()
            self._check_not_lost(location)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
        return None

    def _is_unlisted(self, error: SourceError) -> bool:
        """True if everybody may read the container's objects, but not its listing."""
        return self._session.is_public and error.reason in ("forbidden", "unlisted")

    def _check_not_lost(self, location: Location) -> None:
        """Raises SourceError if the log is listed: it just expired, or is damaged."""
        for container, name in stored_as(location):
            page = self._page(container, name, BEGINNING, limit=1)
            if not page.rows:
                return
            if page.rows[0].name == name:
                what = "it lists the log but does not find it: it just expired, or is damaged"
                raise SourceError(self.name, what, "lost")

    def _log(self, location: Location, options: OpenOptions) -> ObjectLog | None:
        """The log or a folder's marker at this location; None if there is no such object."""
        if not options.body:
            return self._request(self._metadata, *location)
        get = partial(self._get, options)
        return self._request(get, *location, keeps_connection=True)

    def _metadata(self, connection: Connection, *where: str) -> ObjectLog:
        headers = self._service.head(connection, *where)
        return ObjectLog(self._session, headers)

    def _get(self, options: OpenOptions, connection: Connection, *where: str) -> OpenObjectLog:
        """An open log whose first chunk was read."""
        headers = {}
        if options.byte_range is not None:
            first, end = options.byte_range
            headers = {"Range": f"bytes={first}-{end - 1}", "If-Match": f'"{options.version}"'}
        response = self._service.ask(connection, *where, headers=headers)
        found = headers_of(response)
        check_answer(self.name, response.status, found, options)
        chunks = iter(partial(response.read, options.chunk_of(self._chunk_size)), b"")
        return OpenObjectLog(self._session, found, chunks, connection)

    def entries(self, path: bytes, wanted: WantedEntries = ALL_ENTRIES) -> Iterator[Entry] | None:
        location = self._locate(path)
        if location is None:
            return None
        container, prefix = location.container, prefix_of(location)
        before = name_before(wanted.first)
        if not before:
            pages = self._pages(container, prefix)
            first = next((page for page in pages if page.rows), None)
            return None if first is None else self._entries(prefix, chain([first], pages), wanted)
        if not self._is_there(container, prefix):
            return None
        pages = self._pages(container, prefix, Marker(prefix + before))
        return self._entries(prefix, chain([next(pages)], pages), wanted)

    def _entries(
        self, prefix: str, pages: Iterable[Page], wanted: WantedEntries
    ) -> Iterator[Entry]:
        start = len(prefix)
        for page in pages:
            wanted.charge()
            for listed in page.rows:
                name = listed.name[start:].encode()
                if name and name >= wanted.first and not listed.is_marker:
                    yield Entry(name, listed.size, listed.modified, self.name)

    def _is_there(self, container: str, prefix: str) -> bool:
        """True if a folder has objects."""
        return any(page.rows for page in self._pages(container, prefix, limit=1))

    def _pages(
        self, container: str, prefix: str, marker: Marker | None = BEGINNING, limit: int = 0
    ) -> Iterator[Page]:
        """Requests the pages of a folder's listing, one after the other. limit: 0 for the usual one."""
        while marker is not None:
            page = self._page(container, prefix, marker, limit=limit or services.PAGE)
            yield page
            marker = page.next

    def _page(self, container: str, prefix: str, marker: Marker, *, limit: int) -> Page:
        """The page of a listing after `marker`; empty if there is no such container."""
        options: dict[str, Any] = {"prefix": prefix, "marker": marker, "limit": limit}
        try:
            found = self._request(self._service.listed, container, **options)
        except SourceError as error:
            if self._is_unlisted(error):
                raise SourceError(self.name, self._unlisted, "unlisted") from error
            raise
        if found is not None:
            return found
        if marker != BEGINNING:
            raise SourceError(self.name, "the rest of the listing is not found")
        self._check_missing(container)
        return Page()
