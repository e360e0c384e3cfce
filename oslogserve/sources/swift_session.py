# SPDX-License-Identifier: Apache-2.0
"""What asking Swift takes: a token, a connection, patience.

One token for all threads; one connection for every open response, kept alive between requests.
swiftclient's own Connection is not used: it may not be shared by threads, sleeps a second on an
expired token and retries for half a minute.
"""

import random
import time
from collections.abc import Callable
from itertools import count
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, TypeVar

import keystoneauth1.exceptions
import requests
import urllib3.exceptions
from keystoneauth1.identity import v3
from keystoneauth1.session import Session
from swiftclient import authv1
from swiftclient.exceptions import ClientException

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.sources import deadline
from oslogserve.sources.deadline import DeadlineAdapter, DeadlineConnection

#: What a request to Swift or Keystone was seen to raise.
FAILURES = (
    ClientException,
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    keystoneauth1.exceptions.ClientException,
    OSError,
)
TIMEOUTS = (
    requests.Timeout,
    urllib3.exceptions.TimeoutError,
    keystoneauth1.exceptions.ConnectTimeout,
    TimeoutError,
)
#: Answers that another try may not get: a server behind the proxy that is gone, or too busy.
_PASSING_STATUS = (429, 498, 500, 502, 503, 504)
_REASONS = {401: "denied", 403: "forbidden"}
#: Seconds before the first retry; doubled for each next, and jittered.
PAUSE = 0.1
#: Kept alive for later requests; more than a process has threads is never needed.
IDLE_CONNECTIONS = 64

_T = TypeVar("_T")
Connection = tuple[Any, DeadlineConnection]


class _Access(NamedTuple):
    """url: of the storage. info: keystoneauth's, which knows when the token expires."""

    url: str
    token: str
    info: Any


def _untold(_: str) -> None:
    pass


class SwiftSession:
    def __init__(
        self,
        config: Config,
        source: str,
        authenticated: Callable[[str], None] = _untold,
        retried: Callable[[str], None] = _untold,
    ) -> None:
        """source: the name that failures carry. authenticated: told 'ok' or 'failed' for each
        token that was asked for. retried: told for each retry what it is for."""
        self._source = source
        self._authenticated = authenticated
        self._retried = retried
        self._connect_timeout = config["swift", "connect_timeout"]
        self._read_timeout: float = config["swift", "read_timeout"]
        self._answer_timeout: float = config["swift", "answer_timeout"]
        self._retries = config["swift", "retries"]
        self._interface = config["swift", "interface"]
        self._region = config["swift", "region_name"] or None
        self._ca_file = config["swift", "ca_file"] or None
        self._auth = _credentials(config)
        # keystoneauth would renew what has two minutes left at each request; a token that
        # expires on its way is renewed at the 401.
        self._auth.MIN_TOKEN_LIFE_SECONDS = 0
        self._token_timeout = min(self._read_timeout, self._answer_timeout)
        http = requests.Session()
        self._token_deadline = DeadlineAdapter.mounted_on(http)
        self._session = Session(
            auth=self._auth,
            session=http,
            timeout=self._token_timeout,
            verify=self._ca_file or True,
            app_name="oslogserve",
        )
        self._access: _Access | None = None
        self._authenticating = Lock()
        self._is_renewed = Event()
        self._is_renewed.set()
        self._authentications = 0
        self._failure: SourceError | None = None
        self._idle: list[Connection] = []

    def close(self) -> None:
        """Closes the connections that are kept for later; open logs are their owners'."""
        while self._idle:
            self._idle.pop()[1].close()
        self._session.session.close()

    def deadline(self) -> float:
        """Of time.monotonic, for all that one answer takes."""
        return deadline.after(self._answer_timeout)

    def chunk_deadline(self) -> float:
        """Of time.monotonic, for the next bytes of what is open."""
        return time.monotonic() + max(self._read_timeout, self._answer_timeout)

    def asked(
        self,
        ask: Callable[[str, str, Connection], _T],
        deadline: float,
        keep: bool = False,
    ) -> _T | None:
        """ask(storage URL, token, connection), or None where Swift answers 404.

        keep: an answer keeps the connection. Raises SourceError; what fails before the deadline
        is tried again where another try may succeed.
        """
        for attempt in count():
            try:
                return self._asked_once(ask, keep, deadline)
            except FAILURES as error:
                reason = _passing(error)
                pause = PAUSE * 2**attempt * random.uniform(0.5, 1.5)
                is_last = attempt >= self._retries or time.monotonic() + pause > deadline
                if reason is None or is_last:
                    raise self._failed(error) from error
                self._retried(reason)
                time.sleep(pause)
            except (KeyError, ValueError) as error:  # a page of what stands before Swift, say
                raise SourceError(self._source, "what answers is not Swift") from error
        raise AssertionError("count() has no end")

    def _asked_once(
        self, ask: Callable[[str, str, Connection], _T], keep: bool, deadline: float
    ) -> _T | None:
        access = self._accessed(deadline)
        connection = self._connection(access.url)
        is_refused = False
        try:
            while True:
                self._bound(connection, deadline)
                try:
                    answer = ask(access.url, access.token, connection)
                    break
                except ClientException as error:
                    # A new one is refused where it may not ask, or when it expired on its way.
                    is_last = is_refused and not access.info.will_expire_soon(0)
                    if error.http_status != 401 or is_last:
                        raise
                is_refused = True
                access = self._accessed(deadline, stale=access.token)
        except BaseException as error:
            if getattr(error, "http_status", None) == 404:
                self.release(connection)
                return None
            connection[1].close()
            raise
        if not keep:
            self.release(connection)
        return answer

    def _bound(self, connection: Connection, deadline: float) -> None:
        left = max(0.01, deadline - time.monotonic())
        connection[1].requests_args["timeout"] = (
            min(self._connect_timeout, left),
            self._read_timeout,
        )
        connection[1].adapter.at = deadline

    def _accessed(self, deadline: float, stale: str | None = None) -> _Access:
        """A token to ask with, other than `stale`. Of many threads that need one, one asks for
        it; the others share what comes of that, a failure too, so that nobody waits for two."""
        seen = self._authentications
        access = self._access
        if access is not None and access.token != stale and not access.info.will_expire_soon(0):
            return access
        with self._authenticating:
            if self._authentications == seen and self._is_renewed.is_set():
                is_renewed = Event()
                # In a thread of its own: each waits as long as it may, however long others do.
                try:
                    Thread(target=self._renew, args=[is_renewed], daemon=True).start()
                except RuntimeError as error:  # there are as many as the system allows
                    raise SourceError(self._source, "no thread could ask for a token") from error
                self._is_renewed = is_renewed
            is_renewed = self._is_renewed
        if not is_renewed.wait(max(0.0, deadline - time.monotonic())):
            raise SourceError(self._source, "no token came in time", "timeout")
        if self._failure is not None:
            raise SourceError(self._source, str(self._failure), self._failure.reason)
        assert self._access is not None
        return self._access

    def _renew(self, is_renewed: Event) -> None:
        try:
            self._token_deadline.at = time.monotonic() + self._token_timeout
            self._authenticate()
        finally:
            is_renewed.set()

    def _authenticate(self) -> None:
        try:
            self._auth.invalidate()
            info = self._auth.get_access(self._session)
            url = self._session.get_endpoint(
                service_type="object-store",
                interface=self._interface,
                region_name=self._region,
            )
            if url is None:
                raise keystoneauth1.exceptions.EndpointNotFound
            self._access = _Access(url, info.auth_token, info)
            self._failure = None
        except keystoneauth1.exceptions.EndpointNotFound:
            told = "the catalog has no such object-store endpoint"
            self._failure = SourceError(self._source, told)
        except FAILURES as error:
            self._failure = self._failed(error)
        finally:
            self._authentications += 1
        self._authenticated("ok" if self._failure is None else "failed")

    def _connection(self, url: str) -> Connection:
        try:
            return self._idle.pop()  # list.pop and append are atomic
        except IndexError:
            made = DeadlineConnection(url, self._ca_file)
            return made.parsed_url, made

    def release(self, connection: Connection) -> None:
        if len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection[1].close()

    def _failed(self, error: BaseException) -> SourceError:
        """Says what failed by kind and status: texts of these exceptions hold URLs."""
        if isinstance(error, TIMEOUTS):
            return SourceError(self._source, "it did not answer in time", "timeout")
        status = getattr(error, "http_status", None)
        if status == 412:
            return SourceError(self._source, "the object changed", "changed")
        if not status:
            return SourceError(self._source, type(error).__name__)
        reason = _REASONS.get(status, "failed")
        if reason == "failed" and 400 <= status < 500 and status not in _PASSING_STATUS:
            reason = "refused"  # such as a large object without its first segment
        return SourceError(self._source, f"status {status}", reason)


def _passing(error: BaseException) -> str | None:
    """What a retry is for; None where it could not succeed, or would wait as long once more."""
    if isinstance(error, TIMEOUTS):
        return None
    if isinstance(error, ClientException) and error.http_status:
        return "status" if error.http_status in _PASSING_STATUS else None
    is_broken = isinstance(error, (requests.ConnectionError, urllib3.exceptions.HTTPError, OSError))
    return "connection" if is_broken else None


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
