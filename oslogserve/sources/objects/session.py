# SPDX-License-Identifier: Apache-2.0
"""Sends requests for objects: connections and retries.

Each open response has a connection, which is kept alive between requests.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Context, Trace
from oslogserve.sources.deadline import Connection
from oslogserve.sources.objects.access import Access, SharedAccess
from oslogserve.sources.objects.errors import (
    FAILURES,
    MALFORMED,
    is_denied,
    may_be_denied,
    retry_reason,
    source_error,
)
from oslogserve.sources.objects.service import Service

#: Seconds before the first retry; doubled for each later one, and jittered.
PAUSE = 0.1
#: Connections kept alive for later requests: one for each thread of a process is enough.
IDLE_CONNECTIONS = 64

_T = TypeVar("_T")


class Attempts(NamedTuple):
    """Limits of the attempts to reopen a log, and the metrics that count them."""

    #: Attempts for one log.
    most: int
    #: Seconds for the attempts after each break.
    patience: float
    metrics: Metrics


class ObjectSession:
    """The connections of one source in one process."""

    def __init__(
        self,
        source: str,
        service: Service,
        options: dict[str, Any],
        access: SharedAccess,
        metrics: Metrics,
    ) -> None:
        """source: its name. options: of its section."""
        self.source = source
        self.service = service
        self.attempts = Attempts(options["resumes"], options["answer_timeout"], metrics)
        self._options = options
        self._tokens = access
        self._metrics = metrics
        #: True if all requests are made without a token.
        self.is_public = access.is_public
        self._answer_timeout: float = options["answer_timeout"]
        self._read_timeout: float = options["read_timeout"]
        self._idle: list[Connection] = []

    def close(self) -> None:
        """Closes the idle connections. An open log closes its own."""
        while self._idle:
            self._idle.pop().close()

    def access(self) -> Access:
        """What requests are made with. Raises SourceError."""
        return self._tokens.current(Context().deadline(self._answer_timeout))

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
        """The result of call(connection, *args, **options); None for 404.

        keeps_connection: the caller gives the connection back by release(). Raises SourceError, after
        retries where they can help.
        """
        context = context or Context()
        deadline = context.deadline(self._answer_timeout)
        pause, retries, refused = PAUSE, self._options["retries"], None
        while True:
            try:
                access = self._tokens.current(deadline, refused)
                connection = self._connection(access, deadline, context.trace)
                once = partial(call, connection, *args, **options)
                return self._request_once(once, connection, keeps_connection)
            except FAILURES as error:
                status = getattr(error, "http_status", None)
                if status == 404 and not is_denied(error):
                    return None
                if self._needs_another(access, error, is_first=refused is None):
                    refused = access.token
                    continue
                reason = retry_reason(error)
                jittered = pause * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
                if reason is None or retries == 0 or time.monotonic() + jittered > deadline:
                    raise source_error(self.source, error, self.is_public) from error
                self._metrics["source_retries_total", self.source, reason].inc()
                time.sleep(jittered)
                pause, retries = 2 * pause, retries - 1
            except MALFORMED as error:  # such as a proxy's page
                raise SourceError(
                    self.source, f"what answers is not {self.service.kind}"
                ) from error

    def _needs_another(self, access: Access, error: Exception, is_first: bool) -> bool:
        """True if the request is to be repeated with another token. is_first: true if none was refused yet.

        A new one is refused for missing rights, or because it expired on its way.
        """
        is_first = is_first and not self.is_public
        is_untold = is_first and not self.service.tells_denials and may_be_denied(error)
        return (is_untold and self._tokens.may_be_old()) or (
            is_denied(error) and (is_first or access.has_expired())
        )

    def _request_once(
        self, call: Callable[[], _T], connection: Connection, keeps_connection: bool
    ) -> _T:
        is_kept = False
        try:
            result = call()
            is_kept = keeps_connection
            return result
        finally:
            if not is_kept:
                self.release(connection)

    def _connection(self, access: Access, deadline: float, trace: Trace) -> Connection:
        try:
            connection = self._idle.pop()  # list.pop and append are atomic
        except IndexError:
            connection = Connection(access.storage_url, self._options["ca_file"])
        left = max(0.01, deadline - time.monotonic())
        connect_timeout = min(self._options["connect_timeout"], left)
        timeouts = connect_timeout, self._read_timeout
        connection.begin(access, deadline, timeouts, trace)
        return connection

    def release(self, connection: Connection) -> None:
        """Takes back a connection for later requests."""
        connection.end()
        if len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()
