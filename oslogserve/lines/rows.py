# SPDX-License-Identifier: Apache-2.0
"""Rows: lines of several logs, each with the name of its log.

A row is complete in itself, so that rows of several logs can be in any order.
"""

from collections.abc import Sequence
from typing import NamedTuple

#: The time of lines before a log's first one; and of all lines of a log in which none of the first
#: UNTIMED_LINES shows a time.
NO_TIME, UNTIMED = -(2**63), 2**63 - 1
UNTIMED_LINES = 1000


class Rows(NamedTuple):
    """The rows that came of one piece of a log."""

    text: bytes
    #: Where each row ends in the text, behind its line feed.
    ends: Sequence[int]
    #: By what rows of several logs are merged: microseconds since 1970, in UTC, of the latest time
    #: of the row's line and all lines above; NO_TIME before the first, and UNTIMED of a log whose
    #: first lines have none. Only with `by_time`.
    times: Sequence[int]
    #: No later row has an earlier time. The first one that is not NO_TIME is the log's first time.
    reached: int = NO_TIME
