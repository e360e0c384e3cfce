# SPDX-License-Identifier: Apache-2.0
"""What was measured of one request, and of the client meanwhile."""

from dataclasses import dataclass, field
from typing import NamedTuple


class BadPlan(Exception):
    """What was requested cannot be measured."""


class Request(NamedTuple):
    """A request to be made. name: of the log, the same for each source."""

    source: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One request. Times are in seconds."""

    source: str
    name: str
    #: When it began, since the run did.
    started: float
    #: Until the last byte of the request was sent: names looked up, connected, waited in the client.
    sent: float
    #: From then until the first byte of the answer.
    response: float
    #: From then until its last byte.
    transfer: float
    total: float
    #: Bytes of the body, as they came.
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
