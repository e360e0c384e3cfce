# SPDX-License-Identifier: Apache-2.0
"""Requests, their measurements, and the client's state beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class BadPlan(Exception):
    """Raised where what was asked for cannot be measured."""


class Body:
    """The body of an upload: `size` bytes of `data`, from `offset` on and round again."""

    def __init__(self, data: bytes, size: int, offset: int = 0) -> None:
        self.size = size
        self._data = data
        self._offset = offset
        self._sent = 0

    def read(self, most: int) -> bytes:
        """The next bytes, at most `most`; b"" at the end."""
        begin = (self._offset + self._sent) % max(1, len(self._data))
        piece = self._data[begin : begin + min(most, self.size - self._sent)]
        self._sent += len(piece)
        return piece

    def seek(self, position: int, _origin: int = 0) -> int:
        """Goes to a place, for libcurl to send the body again. Returns 0, libcurl's word for success."""
        self._sent = position
        return 0


class Request(NamedTuple):
    """A request to be made. name: of the log, the same for each source."""

    source: str
    name: str
    url: str
    method: str = "GET"
    #: In place of the client's.
    headers: Sequence[str] = ()
    #: Of a PUT.
    body: Body | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The measurements of one request. Times are in seconds."""

    source: str
    name: str
    #: When it began, since the run did.
    started: float
    #: Until it was connected: names looked up, TLS begun; 0 where it was. Of an upload, until its
    #: last byte was sent.
    sent: float
    #: From then until the first byte of the answer.
    response: float
    #: From then until its last byte.
    transfer: float
    total: float
    #: Bytes of the body, as they came or were sent.
    size: int
    #: 0 where none came.
    status: int
    #: Why it counts as a failure; "" where it does not.
    error: str = ""
    #: True where it opened a connection.
    is_first: bool = False
    #: What the server says in Server-Timing, by name.
    server: dict[str, float] = field(default_factory=dict)
    #: The process that answered; "" where the server does not say.
    worker: str = ""


class Beat(NamedTuple):
    """The state of the client at a moment. Times are in seconds."""

    #: Since the run began.
    at: float
    #: Processor time that the client has used.
    processor: float
    #: Time that the client was ready to run and did not.
    waited: float
    #: Time that the client did not sleep: it worked, or waited for a processor.
    awake: float = 0.0
    #: Time that a connection had no request between two, the mean of all connections.
    idle: float = 0.0
    #: Time in which an answer may have waited for the client longer than `client.LATE`.
    late: float = 0.0
    #: The longest that an answer may have waited since the beat before.
    longest: float = 0.0
