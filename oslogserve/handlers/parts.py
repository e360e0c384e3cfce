# SPDX-License-Identifier: Apache-2.0
"""Parts of a log's text, for who has its beginning already or wants its end.

A range is of the text's own bytes, however the log is stored and whatever the client inflates. Of
a packed log they are counted first, so that no part of an incomplete one goes out as if it were
whole, and then inflated up to the part once more.
"""

from collections.abc import Iterator
from typing import Any

from oslogserve.handlers import stored as as_stored
from oslogserve.handlers.opened import Opened
from oslogserve.handlers.wholes import Lengths, Wholes
from oslogserve.http import Answer, conditions
from oslogserve.http.read_ahead import Ahead
from oslogserve.lines.decode import behind, decoded, exactly, length, packed_as
from oslogserve.sources import Stored, deadline

#: Bytes of a log that are inflated to count them, before the first one goes out: some 3 s. A
#: longer log is sent whole, and its length is known from then on.
COUNTED = 4 * 1024**3


class Parts:
    def __init__(self, wholes: Wholes) -> None:
        self._wholes = wholes
        self._lengths = Lengths()

    def sent(self, answer: Answer, environ: dict[str, Any], opened: Opened) -> bool:
        """Whether a part was asked for that can be told; `answer` has it then.

        Raises RangeUnsatisfiable, or Unavailable where the log cannot be opened once more.
        """
        stored = opened.stored
        tag = conditions.strong_tag(answer)
        if not conditions.asks_for_part(environ, tag, stored.modified):
            return False
        if not packed_as(opened.first, stored.encoding):
            return as_stored.send_part(answer, environ, opened)
        size = self._length(opened)
        span = conditions.span(environ, size, tag, stored.modified)
        if span is None or size is None:
            return False
        first, end = span
        conditions.make_part(answer, span, size)
        answer.headers.append(("Content-Length", str(end - first)))
        content = decoded(opened.content, stored.encoding, opened.again)
        ahead = Ahead(exactly(end - first, behind(first, content)), opened.close)
        answer.pieces, answer.close = ahead, ahead.close
        return True

    def known_length(self, opened: Opened) -> int | None:
        """Of the text; None where the log would have to be read for it."""
        stored = opened.stored
        if opened.first and not packed_as(opened.first, stored.encoding):
            return stored.size
        return self._lengths.of(stored)

    def _length(self, opened: Opened) -> int | None:
        stored = opened.stored
        known = self._lengths.of(stored)
        if known is not None:
            return known
        # Exactly: of what is appended meanwhile nothing is counted.
        content = opened.content if stored.size is None else exactly(stored.size, opened.content)
        counted = length(content, stored.encoding, COUNTED, lambda: self._wholes.add(stored))
        with deadline.start_clock():  # the counting has taken its time
            opened.rewind()
        if counted is not None:
            self._lengths.add(stored, counted)
        return counted

    def counted(self, stored: Stored, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces; their length is known once they have ended well."""
        total = 0
        for piece in pieces:
            total += len(piece)
            yield piece
        self._lengths.add(stored, total)
