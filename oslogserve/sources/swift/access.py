# SPDX-License-Identifier: Apache-2.0
"""Access to Swift: a storage URL with a token, which all threads share."""

import contextlib
import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, NamedTuple

import keystoneauth1.exceptions
import requests
from keystoneauth1.identity import v3
from keystoneauth1.session import Session
from requests.utils import get_auth_from_url, urldefragauth
from swiftclient import authv1

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.deadline import DeadlineAdapter
from oslogserve.sources.swift.errors import FAILURES, MALFORMED, SOURCE, source_error

#: Part of a token's life after which the next one is requested, so that no reader waits for it.
RENEWED_AFTER = 0.5
#: Seconds between two requests for a token that nobody waits for.
RENEWAL_PAUSE = 1


class Access(NamedTuple):
    storage_url: str
    #: "" for a public container, which needs none.
    token: str
    #: keystoneauth's object, which knows when the token expires; None without a token.
    info: Any = None
    #: Seconds that the token is good for, by its issuer's clock.
    life: float = math.inf

    def has_expired(self) -> bool:
        return self.info is not None and self.info.will_expire_soon(0)


class Tokens:
    """The latest token of the configured user. A new one is requested once for all threads."""

    def __init__(
        self,
        options: dict[str, Any],
        timeout: float,
        metrics: Metrics,
        introduce: Callable[[Access], None],
    ) -> None:
        """options: of [swift]. timeout: seconds for a token. introduce: called with each new one."""
        self._options = options
        self._timeout = timeout
        self._metrics = metrics
        self._introduce = introduce
        # The latest token, and the latest request for one.
        self._access: Access | None = None
        self._auth: Any = None
        if options["storage_url"]:
            self._access = Access(options["storage_url"], "")
        else:
            self._auth = _credentials(options)
        http = requests.Session()
        http.auth = get_auth_from_url(options["auth_url"])
        self._adapter = DeadlineAdapter.mounted_on(http)
        self._session = Session(
            auth=self._auth,
            session=http,
            timeout=timeout,
            verify=options["ca_file"] or True,
            redirect=False,  # the password would go along to any host
            app_name="oslogserve",
        )
        #: On the monotonic clock.
        self._renew_at = math.inf
        self._renewal: Future[Access] = Future()
        self._renewal.cancel()
        self._renewal_lock = Lock()

    def close(self) -> None:
        self._session.session.close()

    def current(self, deadline: float, refused: str | None = None) -> Access:
        """A token other than the refused one. Raises SourceError.

        If many threads need a new one, one thread requests it. All share the outcome, also a failure,
        so that nobody waits for two requests.
        """
        renewal = self._renewal
        is_over = renewal.done()
        access = self._access
        if access is not None and access.token != refused and not access.has_expired():
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
            self._adapter.at = began + self._timeout
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
            raise source_error(error) from error
        except MALFORMED as error:
            raise SourceError(SOURCE, "what gives tokens is not Keystone") from error


def _credentials(options: dict[str, Any]) -> Any:
    """keystoneauth's plugin, with an auth_url without secrets, since it may be logged."""
    url = urldefragauth(options["auth_url"])
    plugin: Any = v3.Password  # takes an id before a name
    prefixes: tuple[str, ...] = ("username", "password", "project_", "user_domain_")
    if options["auth_version"] == "1":
        plugin, prefixes = authv1.PasswordPlugin, ("username", "password")
    elif options["application_credential_id"]:
        plugin, prefixes = v3.ApplicationCredential, ("application_credential_",)
    secrets = {key: value for key, value in options.items() if key.startswith(prefixes)}
    made = plugin(auth_url=url, **secrets)
    # keystoneauth would renew a token with two minutes left at each request. A token that expires
    # on its way is renewed after the 401.
    made.MIN_TOKEN_LIFE_SECONDS = 0
    return made
