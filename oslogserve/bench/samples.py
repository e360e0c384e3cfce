# SPDX-License-Identifier: Apache-2.0
"""Requests, their measurements, and the client's state during a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class UploadData:
    """The body of an upload: `size` bytes of `data`, repeated, from `offset` on."""

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
        """Goes to a position, from which libcurl sends again. Returns 0: success for libcurl."""
        self._sent = position
        return 0


class Request(NamedTuple):
    """A request that the client sends."""

    source: str
    #: The log's name, the same for each source.
    name: str
    url: str
    method: str = "GET"
    #: Sent instead of the client's; empty for those.
    headers: Sequence[str] = ()
    #: The body of a PUT.
    data: UploadData | None = None
    #: Called with its sample when it has ended.
    ended: Callable[["Sample"], None] | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The measurements of one request. Times are in seconds."""

    source: str
    name: str
    #: When it began, since the beginning of the run.
    started: float
    #: Until the connection was open, with DNS and TLS; 0 if it was open before. For an upload, until
    #: the last byte was sent.
    sent: float
    #: From then until the first byte of the answer.
    response: float
    #: From then until the last byte of the answer.
    transfer: float
    total: float
    #: Bytes of the body on the wire.
    size: int
    #: 0 without an answer.
    status: int
    #: Why it counts as a failure, or "".
    error: str = ""
    #: True if it opened a connection.
    is_first: bool = False
    #: Seconds in the header Server-Timing, by name.
    server: dict[str, float] = field(default_factory=dict)
    #: The server's process that answered, or "".
    worker: str = ""


class Beat(NamedTuple):
    """The client's state at a moment. Times are in seconds, summed up but for `at` and `longest`."""

    #: Since the beginning of the run.
    at: float
    #: Processor time.
    processor: float
    #: Time in which the client was ready to run, but got no processor.
    waited: float
    #: Time in which the client did not sleep: it worked, or waited for a processor.
    awake: float = 0.0
    #: Time in which a connection had no request; the mean of all connections.
    idle: float = 0.0
    #: Time in which an answer may have waited longer than `client.LATE` for the client.
    late: float = 0.0
    #: The longest that an answer may have waited since the last beat.
    longest: float = 0.0
