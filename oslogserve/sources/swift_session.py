# SPDX-License-Identifier: Apache-2.0
"""Sends requests to Swift: tokens, connections, retries.

All threads share one token. Each open response has a connection, which is kept alive between
requests. swiftclient's own Connection cannot be shared by threads, sleeps a second on an expired
token, and retries for half a minute.
"""

import contextlib
import math
import random
import ssl
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

import keystoneauth1.exceptions
import requests
import urllib3.exceptions
from keystoneauth1.session import Session
from requests.utils import get_auth_from_url
from swiftclient.client import head_account, logger_settings
from swiftclient.exceptions import ClientException

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Context, Trace, transaction_of
from oslogserve.sources.deadline import DeadlineAdapter, DeadlineConnection
from oslogserve.sources.swift_access import Access, NeverExpires, credentials

SOURCE = "swift"
#: Exceptions that requests to Swift or Keystone raise.
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
#: Exceptions of the client libraries for malformed answers.
_MALFORMED = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
#: Statuses that may pass: a storage server is gone, or too busy.
_TRANSIENT_STATUSES = (429, 498, 500, 502, 503, 504)
_REASONS = {401: "denied", 403: "forbidden"}
#: Seconds before the first retry; doubled for each later one, and jittered.
PAUSE = 0.1
#: Part of a token's life after which the next one is requested, so that no reader waits for it.
RENEWED_AFTER = 0.5
#: Seconds between two requests for a token that nobody waits for.
RENEWAL_PAUSE = 1
#: Connections kept alive for later requests: one for each thread of a process is enough.
IDLE_CONNECTIONS = 64

# swiftclient would log the beginning of each token.
logger_settings["reveal_sensitive_prefix"] = 0

_T = TypeVar("_T")


class SwiftSession:
    def __init__(self, config: Config, metrics: Metrics) -> None:
        self._metrics = metrics
        self._options = config.section("swift")
        #: True if all requests are made without a token.
        self.is_public = bool(self._options["storage_url"])
        self._auth: Any = None if self.is_public else credentials(self._options)
        self._answer_timeout: float = self._options["answer_timeout"]
        self._read_timeout: float = self._options["read_timeout"]
        self._token_timeout = min(self._read_timeout, self._answer_timeout)
        http = requests.Session()
        http.auth = get_auth_from_url(self._options["auth_url"])
        self._token_adapter = DeadlineAdapter.mounted_on(http)
        self._session = Session(
            auth=self._auth,
            session=http,
            timeout=self._token_timeout,
            verify=self._options["ca_file"] or True,
            redirect=False,  # the password would go along to any host
            app_name="oslogserve",
        )
        self._idle: list[DeadlineConnection] = []
        # The latest token, and the latest request for one.
        self._access: Access | None = None
        if self.is_public:
            self._access = Access(self._options["storage_url"], "", NeverExpires())
        #: On the monotonic clock.
        self._renew_at = math.inf
        self._renewal: Future[Access] = Future()
        self._renewal.cancel()
        self._renewal_lock = Lock()

    def close(self) -> None:
        """Closes the idle connections. An open log closes its own."""
        while self._idle:
            self._idle.pop().close()
        self._session.session.close()

    def chunk_deadline(self) -> float:
        """The deadline for the next bytes of an open log, by time.monotonic()."""
        return time.monotonic() + max(self._read_timeout, self._answer_timeout)

    def request(
        self,
        call: Callable[..., _T],
        *args: str,
        context: Context | None = None,
        keeps_connection: bool = False,
        **options: Any,
    ) -> _T | None:
        """The result of call(storage URL, token, *args, http_conn=connection, **options); None for 404.

        keeps_connection: the caller gives the connection back by release(). Raises SourceError, after
        retries where they can help.
        """
        context = context or Context()
        deadline = context.deadline(self._answer_timeout)
        pause, retries, refused = PAUSE, self._options["retries"], None
        while True:
            try:
                access = self._current_access(deadline, refused)
                once = partial(call, access.storage_url, access.token, *args, **options)
                connection = self._connection(access.storage_url, deadline, context.trace)
                return self._request_once(once, connection, keeps_connection)
            except FAILURES as error:
                status = getattr(error, "http_status", None)
                if status == 404:
                    return None
                # A new token is refused for missing rights, or because it expired on its way.
                is_first = refused is None and not self.is_public
                if status == 401 and (is_first or access.info.will_expire_soon(0)):
                    refused = access.token
                    continue
                reason = _retry_reason(error)
                jittered = pause * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
                if reason is None or retries == 0 or time.monotonic() + jittered > deadline:
                    raise self._source_error(error) from error
                self._metrics["source_retries_total", SOURCE, reason].inc()
                time.sleep(jittered)
                pause, retries = 2 * pause, retries - 1
            except _MALFORMED as error:  # such as a proxy's page
                raise SourceError(SOURCE, "what answers is not Swift") from error

    def _request_once(
        self, call: Callable[..., _T], connection: DeadlineConnection, keeps_connection: bool
    ) -> _T:
        try:
            result = call(http_conn=(connection.parsed_url, connection))
        except BaseException as error:
            if getattr(error, "http_status", None) in (401, 404):
                self.release(connection)
            else:
                connection.close()
            raise
        if not keeps_connection:
            self.release(connection)
        return result

    def _current_access(self, deadline: float, refused: str | None = None) -> Access:
        """A token other than the refused one. Raises SourceError.

        If many threads need a new one, one thread requests it. All share the outcome, also a failure,
        so that nobody waits for two requests.
        """
        renewal = self._renewal
        is_over = renewal.done()
        access = self._access
        if access is not None and access.token != refused and not access.info.will_expire_soon(0):
            if is_over and time.monotonic() > self._renew_at:
                with contextlib.suppress(SourceError):
                    self._start_renewal(renewal)
            return access
        if is_over:
            renewal = self._start_renewal(renewal)
        try:
            return renewal.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            raise SourceError(SOURCE, "no token came in time", "timeout") from None
        except SourceError as error:  # each thread raises an exception of its own
            raise SourceError(SOURCE, str(error), error.reason) from None

    def _start_renewal(self, last: "Future[Access]") -> "Future[Access]":
        """The request for the token after `last`. It has its own thread: callers differ in deadlines."""
        with self._renewal_lock:
            if self._renewal is not last:
                return self._renewal
            self._renew_at = time.monotonic() + RENEWAL_PAUSE
            renewal: Future[Access] = Future()
            try:
                Thread(target=self._renew, args=[renewal], daemon=True).start()
            except RuntimeError as error:  # the system allows no more threads
                raise SourceError(SOURCE, "no thread could ask for a token") from error
            self._renewal = renewal
            return renewal

    def _renew(self, renewal: "Future[Access]") -> None:
        outcome = "failed"
        began = time.monotonic()
        try:
            self._token_adapter.at = began + self._token_timeout
            access = self._authenticate()
            if self._access is not None:
                self._introduce(access)
            self._access = access
            self._renew_at = began + max(RENEWAL_PAUSE, RENEWED_AFTER * access.life)
            outcome = "ok"
            renewal.set_result(access)
        except BaseException as error:  # noqa: BLE001 - raised in the threads that wait
            renewal.set_exception(error)
        self._metrics["swift_authentications_total", outcome].inc()

    def _introduce(self, access: Access) -> None:
        """Lets Swift verify a new token with Keystone, so that no reader waits for that."""
        head = partial(head_account, access.storage_url, access.token)
        deadline = time.monotonic() + self._token_timeout
        with contextlib.suppress(Exception):  # the next reader's request will tell
            connection = self._connection(access.storage_url, deadline, Trace())
            self._request_once(head, connection, keeps_connection=False)

    def _authenticate(self) -> Access:
        try:
            self._auth.invalidate()
            info = self._auth.get_access(self._session)
            url = self._session.get_endpoint(
                service_type="object-store",
                interface=self._options["interface"],
                region_name=self._options["region_name"] or None,
            )
            if url is None:
                raise keystoneauth1.exceptions.EndpointNotFound
            life = (info.expires - info.issued).total_seconds() if info.expires else math.inf
            return Access(str(url), info.auth_token, info, life)
        except keystoneauth1.exceptions.EndpointNotFound as error:
            message = "the catalog has no such object-store endpoint"
            raise SourceError(SOURCE, message) from error
        except FAILURES as error:
            raise self._source_error(error) from error
        except _MALFORMED as error:
            raise SourceError(SOURCE, "what gives tokens is not Keystone") from error

    def _connection(self, url: str, deadline: float, trace: Trace) -> DeadlineConnection:
        try:
            connection = self._idle.pop()  # list.pop and append are atomic
        except IndexError:
            connection = DeadlineConnection(url, self._options["ca_file"] or None)
        left = max(0.01, deadline - time.monotonic())
        connect_timeout = min(self._options["connect_timeout"], left)
        connection.begin(deadline, (connect_timeout, self._read_timeout), trace)
        return connection

    def release(self, connection: DeadlineConnection) -> None:
        """Takes back a connection whose response was read to its end, for later requests."""
        if len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()

    def _source_error(self, error: BaseException) -> SourceError:
        """The failure by type and status, since messages of these exceptions contain URLs."""
        if isinstance(error, TIMEOUTS):
            return SourceError(SOURCE, "it did not answer in time", "timeout")
        if _is_untrusted(error):
            return SourceError(SOURCE, "its certificate is not trusted")
        status = getattr(error, "http_status", None)
        if status == 412:
            return SourceError(SOURCE, "the object changed", "changed")
        if isinstance(error, keystoneauth1.exceptions.ConnectFailure):
            return SourceError(SOURCE, "auth_url cannot be reached")
        if not status:
            is_broken = isinstance(error, requests.ConnectionError)
            what = "the connection to it failed" if is_broken else type(error).__name__
            return SourceError(SOURCE, what)
        reason = _REASONS.get(status, "failed")
        if reason == "denied" and self.is_public:
            reason = "forbidden"  # others may be public
        if reason == "failed" and 300 <= status < 500 and status not in _TRANSIENT_STATUSES:
            reason = "refused"  # such as a large object without its first segment
        transaction = transaction_of(getattr(error, "http_response_headers", None) or {})
        what = f"status {status}" + (f" in transaction {transaction}" if transaction else "")
        return SourceError(SOURCE, what, reason)


def _retry_reason(error: BaseException) -> str | None:
    """A retry's metric label; None if it cannot succeed, or would wait as long again."""
    if isinstance(error, TIMEOUTS) or _is_untrusted(error):
        return None
    if isinstance(error, ClientException) and error.http_status:
        return "status" if error.http_status in _TRANSIENT_STATUSES else None
    is_broken = isinstance(error, (requests.ConnectionError, urllib3.exceptions.HTTPError, OSError))
    return "connection" if is_broken else None


def _is_untrusted(error: BaseException) -> bool:
    """True if a server's certificate was refused; other exceptions wrap that."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
