# SPDX-License-Identifier: Apache-2.0
"""Errors before the first byte of a response, each with its HTTP status; and Incomplete.

Incomplete is raised after the first byte, when the status was sent.
"""

import errno
from collections.abc import Sequence

Header = tuple[str, str]


class Error(Exception):
    """An error that becomes a page: a status, one plain sentence, extra headers."""

    status = "500 Internal Server Error"

    def __init__(self, sentence: str, headers: Sequence[Header] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.headers = list(headers)


class BadRequest(Error):
    """The path or a parameter is not valid. parameter: its name and value; None for the path."""

    status = "400 Bad Request"

    def __init__(self, sentence: str, parameter: tuple[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.parameter = parameter


class Forbidden(Error):
    """This client may not read it: listings are off, or it is for operators."""

    status = "403 Forbidden"


class NotFound(Error):
    """Every source said that it has no such log."""

    status = "404 Not Found"


class MethodNotAllowed(Error):
    status = "405 Method Not Allowed"

    def __init__(self, method: str) -> None:
        super().__init__(
            f"The method {method[:20]!r} is not allowed: use GET or HEAD.",
            [("Allow", "GET, HEAD")],
        )


class Misdirected(Error):
    status = "421 Misdirected Request"

    def __init__(self) -> None:
        super().__init__("This server does not answer under this name.")


class RangeUnsatisfiable(Error):
    status = "416 Range Not Satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(
            f"The range is outside the {size} bytes of the log.",
            [("Content-Range", f"bytes */{size}")],
        )


class Unavailable(Error):
    """A source failed, and no other has the log."""

    status = "503 Service Unavailable"

    #: Seconds: long enough to spare a failing source, short enough for a person.
    RETRY_AFTER = 10

    def __init__(self, failures: Sequence["SourceError"]) -> None:
        self.failures = failures
        reasons = "; ".join(f"{failure.source}: {failure}" for failure in failures)
        sentence = f"The log may be there, but a source could not be asked ({reasons})."
        if all(failure.reason == "unlisted" for failure in failures):
            super().__init__(sentence)
        else:
            headers = [("Retry-After", str(self.RETRY_AFTER))]
            super().__init__(f"{sentence} Try again soon.", headers)


class Busy(Error):
    """The same request may be answered soon."""

    status = "503 Service Unavailable"

    def __init__(self, sentence: str) -> None:
        headers = [("Retry-After", str(Unavailable.RETRY_AFTER))]
        super().__init__(f"{sentence} Try again soon.", headers)


class ClientLeft(ConnectionResetError):
    """The client has closed its connection, so nobody waits for the answer."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "the client left before its answer")


class SourceError(Exception):
    """A source failed or timed out; it becomes Unavailable, unless another source has the log.

    The text never contains a credential or a URL.
    reason: for an outage, 'timeout', 'failed' or 'denied' (the credentials). For a single log,
    'forbidden', 'changed', 'lost', or 'refused' for any other cause. For folders, 'unlisted': their
    container may not be listed.
    """

    def __init__(self, source: str, message: str, reason: str = "failed") -> None:
        super().__init__(message)
        self.source = source
        self.reason = reason

    @property
    def is_outage(self) -> bool:
        """True if the next request to the source would fail too."""
        return self.reason in ("timeout", "failed", "denied")


class NoRange(SourceError):
    """A source sends other bytes of a log than the range that was requested."""


class Incomplete(Exception):
    """A log breaks off. What could be read was yielded before.

    reason: one of REASONS, a metric label.
    """

    REASONS = ("truncated", "corrupt", "timeout", "failed", "capped", "budget", "uncompared")

    def __init__(self, reason: str, sentence: str) -> None:
        if reason not in self.REASONS:
            raise ValueError(reason)
        super().__init__(sentence)
        self.reason = reason

    @property
    def is_of_comparison(self) -> bool:
        """True if no line is missing: the log was not compared with all of another one."""
        return self.reason == "uncompared"


class Undecodable(Incomplete):
    """Raised where the stored bytes may be sound, but need more to be decompressed than is given."""


class WrongIndex(Incomplete):
    """Raised where the text of a log is not that of its index."""

    def __init__(self) -> None:
        super().__init__("corrupt", "its index did not fit the log: ask again")
