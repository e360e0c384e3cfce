# SPDX-License-Identifier: Apache-2.0
"""Logs to ask questions of: each has one line with a rare word, and what is asked for is known."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid5

from benchmarks.comparison import logs
from benchmarks.comparison.logs import Log
from oslogserve import demo

#: Megabytes of the smallest log that is asked again.
LEAST = 100
#: The rare word.
WORD = "unforeseenOverflow"
#: Bytes of a log before its end in which a time is looked for.
NEAR_END = 64 * 1024
_NAMESPACE = UUID(int=0)
_TIME = re.compile(rb"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_REQUEST = re.compile(rb"req-([0-9a-f]{8}-[0-9a-f-]{27})")


class KnownLog(NamedTuple):
    """A log, and what to ask for."""

    log: Log
    #: A request in its middle.
    request_id: str
    #: When a line near its end was written.
    time: str

    @property
    def parameters(self) -> dict[str, object]:
        """Values for the placeholders of a question."""
        end = max(1, self.log.lines - 99)
        return {"end": end, "id": self.request_id, "time": self.time, "word": WORD}


def generated(root: Path, megabytes: int) -> KnownLog:
    name = f"{megabytes} MB again"
    size = megabytes * 1_000_000
    blocks = demo.generate_oslo(size)
    return _written(root / f"again-{megabytes}.txt.gz", name, blocks, size)


def repeated(root: Path, source: Path, megabytes: int) -> KnownLog:
    """A real log, repeated up to this size, each time a day later and with other ids of requests."""
    sample = logs.text_of(source)
    count = -(-megabytes * 1_000_000 // len(sample))
    copies = (_later(sample, number) for number in range(count))
    path = root / f"again-{source.name.removesuffix('.gz')}.gz"
    return _written(path, f"{source.name} {count} times, again", copies, count * len(sample))


def _later(text: bytes, number: int) -> bytes:
    def moved(found: re.Match[bytes]) -> bytes:
        day = datetime.fromisoformat(found[1].decode()) + timedelta(days=number)
        return b"%s %s" % (day.date().isoformat().encode(), found[2])

    def other(found: re.Match[bytes]) -> bytes:
        return b"req-%s" % str(uuid5(_NAMESPACE, f"{number} {found[1]!r}")).encode()

    return _REQUEST.sub(other, _TIME.sub(moved, text))


def _written(path: Path, name: str, blocks: Iterable[bytes], size: int) -> KnownLog:
    """Writes the log. size: bytes of its text, about."""
    found: dict[str, str] = {}

    def marked() -> Iterator[bytes]:
        written = 0
        last = b""
        for block in blocks:
            middle = block.find(b"\n", max(0, size // 2 - written))
            if "id" not in found and middle >= 0 and (request := _REQUEST.search(block, middle)):
                found["id"] = request[0].decode()
                block = b"%s %s%s" % (block[:middle], WORD.encode(), block[middle:])
            written += len(block)
            last = (last + block)[-NEAR_END:]
            yield block
        times = _TIME.search(last)
        found["time"] = "T".join(part.decode() for part in times.groups()) if times else ""

    log = logs.written(path, name, marked())
    return KnownLog(log, found["id"], found["time"])
