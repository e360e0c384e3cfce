# SPDX-License-Identifier: Apache-2.0
"""Access to objects: an address with a token or a key, which all threads share."""

import contextlib
import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, NamedTuple

from oslogserve.errors import SourceError

#: Part of a token's life after which the next one is requested, so that no reader waits for it.
RENEWED_AFTER = 0.5
#: Seconds between two requests for a token that nobody waits for.
RENEWAL_PAUSE = 1
#: Seconds after which a token may be what a refusal without a word is about.
MAY_BE_OLD_AFTER = 5


class Access(NamedTuple):
    storage_url: str
    #: What requests are made with; "" for public objects, which need none.
    token: Any
    #: When the token expires, in seconds since 1970.
    expires: float = math.inf
    #: Seconds that the token is good for, by its issuer's clock.
    life: float = math.inf

    def has_expired(self) -> bool:
        return time.time() >= self.expires


class SharedAccess:
    """The latest access of the configured user. A new one is requested once for all threads."""

    def __init__(
        self, source: str, authenticate: Callable[[], Access], access: Access | None = None
    ) -> None:
        """source: its name. authenticate: may raise SourceError. access: for ever, if no token is needed."""
        self._source = source
        self._authenticate = authenticate
        #: True if objects are read without a token.
        self.is_public = access is not None
        # The latest token, and the latest request for one.
        self._access = access
        #: On the monotonic clock, as is _made_at.
        self._renew_at = math.inf
        self._made_at = -math.inf
        self._renewal: Future[Access] = Future()
        self._renewal.cancel()
        self._renewal_lock = Lock()

    def current(self, deadline: float, refused: Any = None) -> Access:
        """A token other than the refused one. Raises SourceError.

        If many threads need a new one, one thread requests it. All share the outcome, also a failure,
        so that nobody waits for two requests.
        """
        renewal = self._renewal
        is_over = renewal.done()
        access = self._access
        is_usable = access is not None and (refused is None or access.token != refused)
        if access is not None and is_usable and not access.has_expired():
            if is_over and time.monotonic() > self._renew_at:
                with contextlib.suppress(SourceError):
                    self._start_renewal(renewal)
            return access
        if is_over:
            renewal = self._start_renewal(renewal)
        try:
            return renewal.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            raise SourceError(self._source, "no token came in time", "timeout") from None
        except SourceError as error:  # each thread raises an exception of its own
            raise SourceError(self._source, str(error), error.reason) from None

    def may_be_old(self) -> bool:
        """True if the latest token was requested some time ago."""
        return time.monotonic() - self._made_at > MAY_BE_OLD_AFTER

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
                raise SourceError(self._source, "no thread could ask for a token") from error
            self._renewal = renewal
            return renewal

    def _renew(self, renewal: "Future[Access]") -> None:
        began = time.monotonic()
        try:
            access = self._authenticate()
            self._access = access
            self._made_at = began
            self._renew_at = began + max(RENEWAL_PAUSE, RENEWED_AFTER * access.life)
            renewal.set_result(access)
        except BaseException as error:  # noqa: BLE001 - raised in the threads that wait
            renewal.set_exception(error)
