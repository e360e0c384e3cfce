# SPDX-License-Identifier: Apache-2.0
"""Logs in containers of OpenStack Swift.

One keystoneauth session, so one token, for all threads; one connection for every open
response, kept alive between requests. swiftclient's own Connection is not used: it may not
be shared by threads, sleeps a second on an expired token and retries for half a minute.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import keystoneauth1.exceptions
import requests
import urllib3.exceptions
from keystoneauth1.identity import v3
from keystoneauth1.session import Session
from swiftclient import authv1
from swiftclient import client as swift_api
from swiftclient.exceptions import ClientException

from oslogserve.config import Config
from oslogserve.errors import Incomplete, SourceError
from oslogserve.sources import WHOLE, Entry, Folder, Log, Stored, Want

#: What a request to Swift or Keystone was seen to raise.
FAILURES = (
    ClientException,
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    keystoneauth1.exceptions.ClientException,
    OSError,
)
_TIMEOUTS = (
    requests.Timeout,
    urllib3.exceptions.TimeoutError,
    keystoneauth1.exceptions.ConnectTimeout,
    TimeoutError,
)
#: Swift's own bound of one page.
PAGE = 10000
#: Kept alive for later requests; more than a process has threads is never needed.
IDLE_CONNECTIONS = 64
#: Swift's longest object name, bytes.
MAX_NAME = 1024

_T = TypeVar("_T")
_Connection = tuple[Any, Any]


class Swift:
    name = "swift"

    def __init__(self, config: Config) -> None:
        self._container = config["swift", "container"]
        self._partitions = config["swift", "partitions"]
        self._chunk_size = config["serve", "chunk_size"]
        # The form that requests takes, to which swiftclient hands it on.
        self._timeouts = (config["swift", "connect_timeout"], config["swift", "read_timeout"])
        self._interface = config["swift", "interface"]
        self._region = config["swift", "region_name"] or None
        self._verify = config["swift", "ca_file"] or None
        self._session = Session(
            auth=_credentials(config),
            timeout=self._timeouts[1],
            verify=self._verify or True,
            app_name="oslogserve",
        )
        self._renewing = threading.Lock()
        self._idle: list[_Connection] = []

    def open(self, path: bytes, want: Want = WHOLE) -> "SwiftLog | Folder | None":
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        for stored_name in (name, name + ".gz") if name else ():
            if len(stored_name.encode()) > MAX_NAME:
                continue
            log = (
                self._get(container, stored_name, want)
                if want.body
                else self._head(container, stored_name)
            )
            if log is not None and log.is_folder:
                log.close()
                return Folder()
            if log is not None:
                return log
        if self._page(container, name, "", 1):
            return Folder()
        return None

    def _place(self, path: bytes) -> tuple[str, str] | None:
        """(container, object name) of a path; None where Swift can hold no such name."""
        try:
            name = path.decode("utf-8")
        except UnicodeDecodeError:
            return None
        container = self._container
        if "{partition}" in container:
            partition, _, name = name.partition("/")
            if not self._partitions.fullmatch(partition):
                return None
            container = container.replace("{partition}", partition)
        return container, name

    def _head(self, container: str, name: str) -> "SwiftLog | None":
        headers = self._asked(
            lambda url, token, connection: swift_api.head_object(
                url, token, container, name, http_conn=connection
            )
        )
        return None if headers is None else SwiftLog(_stored(headers), _is_folder(headers))

    def _get(self, container: str, name: str, want: Want) -> "SwiftLog | None":
        headers = {}
        if want.span is not None:
            headers["Range"] = f"bytes={want.span[0]}-{want.span[1] - 1}"
            headers["If-Match"] = f'"{want.version}"'
        return self._asked(
            lambda url, token, connection: self._begun(
                name,
                connection,
                *swift_api.get_object(
                    url,
                    token,
                    container,
                    name,
                    http_conn=connection,
                    resp_chunk_size=self._chunk_size,
                    headers=headers,
                ),
            ),
            keep=True,
        )

    def _begun(
        self, name: str, connection: _Connection, headers: dict[str, str], body: Iterator[bytes]
    ) -> "SwiftLog":
        first = next(body, b"")
        return SwiftLog(
            _stored(headers), _is_folder(headers), first, body, connection, self._release
        )

    def entries(self, path: bytes) -> Iterator[Entry] | None:
        place = self._place(path)
        if place is None:
            return None
        container, name = place
        page = self._page(container, name, "", PAGE)
        return self._entries(container, name, page) if page else None

    def _entries(self, container: str, name: str, page: list[dict[str, Any]]) -> Iterator[Entry]:
        prefix = len(name) + 1 if name else 0
        while page:
            for row in page:
                if "subdir" in row:
                    yield Entry(row["subdir"][prefix:].encode(), None, None, self.name)
                elif len(row["name"]) > prefix and not _is_marker(
                    row["content_type"], row["bytes"]
                ):
                    yield Entry(
                        row["name"][prefix:].encode(),
                        row["bytes"],
                        _seconds(row["last_modified"]),
                        self.name,
                    )
            page = self._page(container, name, page[-1].get("subdir") or page[-1]["name"], PAGE)

    def _page(self, container: str, name: str, marker: str, limit: int) -> list[dict[str, Any]]:
        answer = self._asked(
            lambda url, token, connection: swift_api.get_container(
                url,
                token,
                container,
                http_conn=connection,
                prefix=name + "/" if name else None,
                delimiter="/",
                marker=marker,
                limit=limit,
            )
        )
        return answer[1] if answer else []

    def check(self) -> None:
        found = self._asked(
            lambda url, token, connection: (
                swift_api.head_account(url, token, http_conn=connection)
                if "{partition}" in self._container
                else swift_api.head_container(url, token, self._container, http_conn=connection)
            )
        )
        if found is None:
            raise SourceError(self.name, "there is no such container")

    def close(self) -> None:
        """Closes the connections that are kept for later; open logs are their owners'."""
        while self._idle:
            self._idle.pop()[1].close()
        self._session.session.close()

    def _asked(self, ask: Callable[[str, str, _Connection], _T], keep: bool = False) -> _T | None:
        """ask(storage URL, token, connection), or None where Swift answers 404.

        keep: an answer keeps the connection. Raises SourceError.
        """
        connection: _Connection | None = None
        try:
            url, token = self._url(), self._token()
            connection = self._connection(url)
            try:
                answer = ask(url, token, connection)
            except ClientException as error:
                if error.http_status != 401:
                    raise
                answer = ask(url, self._renewed(token), connection)
        except FAILURES as error:
            if connection and getattr(error, "http_status", None) == 404:
                self._release(connection)
                return None
            if connection:
                connection[1].close()
            raise self._failed(error) from error
        except BaseException:
            if connection:
                connection[1].close()
            raise
        if not keep:
            self._release(connection)
        return answer

    def _renewed(self, token: str) -> str:
        """A token other than this one, which expired. The first of many threads fetches it."""
        with self._renewing:
            if self._token() == token:
                self._session.invalidate()
            return self._token()

    def _token(self) -> str:
        # keystoneauth lets one thread at a time fetch a token; the others get the same.
        token = self._session.get_token()
        if token is None:
            raise SourceError(self.name, "no token was given")
        return token

    def _url(self) -> str:
        url = self._session.get_endpoint(
            service_type="object-store", interface=self._interface, region_name=self._region
        )
        if url is None:
            raise SourceError(self.name, "the catalog has no object-store endpoint")
        return url

    def _connection(self, url: str) -> _Connection:
        try:
            return self._idle.pop()  # list.pop and append are atomic
        except IndexError:
            made: _Connection = swift_api.http_connection(
                url, timeout=self._timeouts, cacert=self._verify
            )
            return made

    def _release(self, connection: _Connection) -> None:
        if len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection[1].close()

    def _failed(self, error: BaseException) -> SourceError:
        """Says what failed by kind and status: texts of these exceptions hold URLs."""
        if isinstance(error, _TIMEOUTS):
            return SourceError(self.name, "it did not answer in time", "timeout")
        status = getattr(error, "http_status", None)
        return SourceError(self.name, f"status {status}" if status else type(error).__name__)


class SwiftLog(Log):
    def __init__(
        self,
        stored: Stored,
        is_folder: bool,
        first: bytes = b"",
        rest: Iterator[bytes] | None = None,
        connection: _Connection | None = None,
        release: Callable[[_Connection], None] | None = None,
    ) -> None:
        super().__init__(stored)
        self.is_folder = is_folder
        self._first = first
        self._rest = rest
        self._left = None if stored.size is None else stored.size - len(first)
        self._connection = connection
        self._release = release

    def __iter__(self) -> Iterator[bytes]:
        if self._left == 0:
            self._rest = None
        if self._first:
            yield self._first
        while self._rest is not None:
            try:
                chunk = next(self._rest, b"")
            except FAILURES as error:
                if isinstance(error, _TIMEOUTS):
                    raise Incomplete("timeout", "Swift stopped answering") from error
                raise Incomplete("failed", "the connection to Swift broke") from error
            if not chunk:
                self._rest = None
                return
            if self._left is not None:
                self._left -= len(chunk)
                if self._left == 0:  # a reader that counts does not ask for the end
                    self._rest = None
            yield chunk

    def close(self) -> None:
        """A connection whose answer was read whole goes back; a broken-off one is closed."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._rest is None and self._release is not None:
            self._release(connection)
        else:
            connection[1].close()


def _credentials(config: Config) -> Any:
    of = {
        option: config["swift", option] for section, option in config.values if section == "swift"
    }
    if of["auth_version"] == "1":
        return authv1.PasswordPlugin(of["auth_url"], of["username"], of["password"])
    if of["application_credential_id"]:
        return v3.ApplicationCredential(
            auth_url=of["auth_url"],
            application_credential_id=of["application_credential_id"],
            application_credential_secret=of["application_credential_secret"],
        )
    return v3.Password(  # takes an id before a name
        auth_url=of["auth_url"],
        username=of["username"],
        password=of["password"],
        project_name=of["project_name"],
        project_id=of["project_id"],
        user_domain_name=of["user_domain_name"],
        user_domain_id=of["user_domain_id"],
        project_domain_name=of["project_domain_name"],
        project_domain_id=of["project_domain_id"],
    )


def _stored(headers: dict[str, str]) -> Stored:
    length = headers.get("content-length")
    return Stored(
        source=Swift.name,
        size=int(length) if length is not None else None,
        modified=parsedate_to_datetime(headers["last-modified"]).timestamp(),
        version=headers.get("etag", "").strip('"'),
        encoding=headers.get("content-encoding", "").lower(),
    )


def _is_folder(headers: dict[str, str]) -> bool:
    return _is_marker(headers.get("content-type", ""), int(headers.get("content-length", 0)))


def _is_marker(content_type: str, size: int) -> bool:
    """Zuul and others keep an empty object for each folder, without a slash at its end."""
    return size == 0 and content_type.partition(";")[0] == "application/directory"


def _seconds(listed: str) -> float:
    """Swift lists times as ISO 8601 in UTC, without saying so."""
    return datetime.fromisoformat(listed).replace(tzinfo=UTC).timestamp()
