# SPDX-License-Identifier: Apache-2.0
"""The Swift source: logs and listings in containers of OpenStack Swift."""

import copy
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from swiftclient import client as swift_api

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import (
    ALL_ENTRIES,
    FULL_BODY,
    Context,
    Entry,
    Folder,
    Log,
    OpenOptions,
    WantedEntries,
    encoding_of,
)
from oslogserve.sources.resuming import Attempts, ResumingLog
from oslogserve.sources.swift import listing
from oslogserve.sources.swift.errors import SOURCE
from oslogserve.sources.swift.large_objects import checksums_of
from oslogserve.sources.swift.log import (
    BegunSwiftLog,
    OpenSwiftLog,
    SwiftLog,
    check_beginning,
    check_range,
)
from oslogserve.sources.swift.session import SwiftSession

#: Swift's longest object name, bytes.
MAX_NAME = 1024
#: Statuses of ranges: a part of an object, and of an empty object.
_PARTIAL, _NO_SUCH_RANGE = 206, 416
#: An object that need not be there: "not found" tells that its container may be read.
PROBED = ".oslogserve"

_T = TypeVar("_T")


class Location(NamedTuple):
    """The container and the name of an object in Swift."""

    container: str
    name: str


def location_of(path: bytes, container: str, partitions: re.Pattern[str]) -> Location | None:
    """The object for a path; None if its name is not UTF-8, or its first segment is no partition.

    container: its name, which may contain {partition}. partitions: matches a partition.
    """
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "{partition}" in container:
        partition, _, name = name.partition("/")
        if not partitions.fullmatch(partition):
            return None
        container = container.replace("{partition}", partition)
    return Location(container, name)


class Swift:
    name = SOURCE

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        self._session = SwiftSession(config, metrics)
        self._context = Context()
        self._context.answer_begins()  # no request shares its deadline
        self._location = partial(
            location_of, container=options["container"], partitions=options["partitions"]
        )
        self._container = options["container"]
        self.location = f"container {self._container}"
        self._chunk_size = config["serve", "chunk_size"]
        self._attempts = Attempts(options["resumes"], options["answer_timeout"], metrics)

    def for_request(self, context: Context) -> "Swift":
        view = copy.copy(self)
        view._context = context
        return view

    def waiting_anew(self) -> "Swift":
        return self.for_request(self._context.anew())

    def write_beside(self, path: bytes, content: bytes) -> None:
        """Does nothing: the server only reads."""

    def _request(self, call: Callable[..., _T], *args: str, **options: Any) -> _T | None:
        return self._session.request(call, *args, context=self._context, **options)

    def open(self, path: bytes, options: OpenOptions = FULL_BODY) -> Log | Folder | None:
        found = self._found(path, options)
        if not isinstance(found, OpenSwiftLog | BegunSwiftLog):
            return found
        # A later attempt needs a new deadline: the answer has begun.
        reopen = lambda options: self.waiting_anew()._found(path, options)
        return ResumingLog(found, options, reopen, found.checksums, self._attempts)

    def _found(self, path: bytes, options: OpenOptions) -> "SwiftLog | Folder | None":
        location = self._location(path)
        if location is None:
            return None
        if options.is_beside:
            return self._log(location, options) if len(location.name.encode()) <= MAX_NAME else None
        for stored in _stored_as(location):
            log = self._log(stored, options)
            if log is not None and log.is_folder:
                log.close()
                return Folder()
            if log is not None:
                declared = log.stored.encoding or encoding_of(stored.name)
                under = path if stored == location else path + b".gz"
                log.stored = log.stored._replace(encoding=declared, path=under)
                return log
        try:
            if self._page(location.container, _prefix_of(location), limit=1):
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
        for container, name in _stored_as(location):
            page = self._page(container, name, limit=1)
            if not page:
                return
            if page[0].name == name:
                what = "it lists the log but does not find it: it just expired, or is damaged"
                raise SourceError(self.name, what, "lost")

    def _log(self, location: Location, options: OpenOptions) -> "SwiftLog | None":
        """The log or a folder's marker at this location; None if there is no such object."""
        if not options.body:
            return self._request(_head, *location)
        if options.begins and options.byte_range is None:
            try:
                return self._begun(location, options)
            except SourceError as error:
                if getattr(error.__cause__, "http_status", None) != _NO_SUCH_RANGE:
                    raise  # else it is empty
        get = partial(self._get, options._replace(begins=False))
        return self._request(get, *location, keeps_connection=True)

    def _begun(self, location: Location, options: OpenOptions) -> SwiftLog | None:
        """The log, of which only the beginning is requested."""
        get = partial(self._get, options)
        found = self._request(get, *location, keeps_connection=True)
        if found is None or found.object_size is None:
            return found
        size, version = found.object_size, found.stored.version

        def rest(at: int) -> SwiftLog | None:
            of_rest = options._replace(begins=False, byte_range=(at, size), version=version)
            return self.waiting_anew()._log(location, of_rest)

        return BegunSwiftLog(found, size, rest)

    def _get(self, options: OpenOptions, *args: str, http_conn: Any) -> "OpenSwiftLog":
        """An open log whose first chunk was read. args: see get_object."""
        headers = {}
        if options.begins:
            headers = {"Range": f"bytes=0-{self._chunk_size - 1}"}
        elif options.byte_range is not None:
            first, end = options.byte_range
            headers = {"Range": f"bytes={first}-{end - 1}", "If-Match": f'"{options.version}"'}
        response: dict[str, Any] = {}
        found, chunks = swift_api.get_object(
            *args,
            http_conn=http_conn,
            resp_chunk_size=options.chunk_of(self._chunk_size),
            headers=headers,
            response_dict=response,
        )
        if options.begins and response["status"] == _PARTIAL:
            check_beginning(found, self._chunk_size)
        else:
            check_range(found, response["status"], options.byte_range)
        _, _, container, name = args
        # They are requested later, and then need a new deadline.
        checksums = lambda: checksums_of(self.waiting_anew()._request, found, container, name)
        return OpenSwiftLog(found, chunks, http_conn[1], self._session, checksums)

    def entries(self, path: bytes, wanted: WantedEntries = ALL_ENTRIES) -> Iterator[Entry] | None:
        location = self._location(path)
        if location is None:
            return None
        container, prefix = location.container, _prefix_of(location)
        before = listing.name_before(wanted.first)
        page = self._page(container, prefix, limit=1 if before else listing.PAGE)
        if not page:
            return None
        if before:
            page = self._page(container, prefix, prefix + before, limit=listing.PAGE)
        return self._entries(container, prefix, page, wanted)

    def _entries(
        self, container: str, prefix: str, page: list[listing.Listed], wanted: WantedEntries
    ) -> Iterator[Entry]:
        start = len(prefix)
        while page:
            wanted.charge()
            for listed in page:
                name = listed.name[start:].encode()
                if name and name >= wanted.first and not listed.is_marker:
                    yield Entry(name, listed.size, listed.modified, self.name)
            page = self._page(container, prefix, page[-1].name, limit=listing.PAGE)

    def _page(
        self, container: str, prefix: str, marker: str = "", *, limit: int
    ) -> list[listing.Listed]:
        """The page of a listing after `marker`; empty if there is no such container."""
        options: dict[str, Any] = {"prefix": prefix, "marker": marker, "limit": limit}
        try:
            found = self._request(listing.page, container, **options)
        except SourceError as error:
            if self._is_unlisted(error):
                what = "its listing is not public: the container's read ACL has no .rlistings"
                raise SourceError(self.name, what, "unlisted") from error
            raise
        if found is not None:
            return found
        if marker:
            raise SourceError(self.name, "the rest of the listing is not found")
        self._check_account()
        return []

    def _check_account(self) -> None:
        """Raises SourceError if the account cannot be read: then its containers seem missing."""
        try:
            self._request(swift_api.head_account)
        except SourceError as error:
            # A user may be allowed to read a container, and not its account.
            if error.reason not in ("denied", "forbidden"):
                raise

    def check(self) -> None:
        if self._session.is_public:
            self._check_public()
            return
        if "{partition}" in self._container:
            found = self._request(swift_api.head_account)
        else:
            found = self._request(swift_api.head_container, self._container)
        if found is None:
            raise SourceError(self.name, "there is no such container")

    def _check_public(self) -> None:
        """Raises SourceError where the container may not be read. Only a listing needs more."""
        try:
            self._request(swift_api.head_object, self._container, PROBED)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
            # With a partition, no container of this name need be there.
            if "{partition}" not in self._container:
                what = "the container is not there, or not public: its read ACL has no .r:*"
                raise SourceError(self.name, what, error.reason) from error

    def close(self) -> None:
        self._session.close()


def _stored_as(log: Location) -> list[Location]:
    """The objects that may hold a log: its name, and with .gz. Leaves out names too long for Swift."""
    names = [log.name, log.name + ".gz"] if log.name else []
    return [Location(log.container, name) for name in names if len(name.encode()) <= MAX_NAME]


def _prefix_of(folder: Location) -> str:
    """The prefix of all names in a folder."""
    return folder.name + "/" if folder.name else ""


def _head(*args: str, http_conn: Any) -> SwiftLog:
    return SwiftLog(swift_api.head_object(*args, http_conn=http_conn))
