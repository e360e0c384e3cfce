# SPDX-License-Identifier: Apache-2.0
"""Answers about logs that have an index, beside the answers without one."""

import gzip
import os
import random
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode

from tests.fuzz.fuzzer import Fuzzer
from tests.fuzz.renderers import log_of
from tests.unit.handlers.asking import Asking, headers_of, plain

_VIEWS = ("html", "text", "jsonl", "summary", "chapters")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class Case:
    log: bytes
    #: Where a second member of its gzip begins; None for a log that is not compressed.
    second: int | None
    #: Bytes of text from one block to the next, and of a piece.
    interval: int
    piece: int
    #: Bytes and elements of a page.
    page: tuple[int, int]
    #: Query strings.
    queries: tuple[str, ...]


class Indexes(Fuzzer):
    name = "indexes"
    shortens = "queries", "log"
    imports = "from tests.fuzz.indexes import Case, Indexes\n"

    def case_of(self, number):
        chance = random.Random(number)
        log = b"".join(log_of(chance, most=40) for _ in range(chance.randrange(1, 60)))
        if chance.random() < 0.1:
            log += b"x" * chance.randrange(100_000) + b"\n" + log
        return Case(
            log=log,
            second=chance.randrange(len(log) + 1) if chance.random() < 0.7 else None,
            interval=chance.choice((2000, 8000, 30_000)),
            piece=chance.choice((700, 4096, 16_384)),
            page=chance.choice(((4096, 4096), (20_000, 100_000), (8_388_608, 100_000))),
            queries=tuple(query_of(chance, log) for _ in range(30)),
        )

    def fault(self, case):
        with ExitStack() as opened:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            opened.enter_context(small_indexes(case.interval, case.piece))
            write(folder / "logs", case)
            size, elements = map(str, case.page)
            options = {"serve_page_size": size, "serve_page_elements": elements}
            without = Asking(folder / "logs", **options)
            with_index = Asking(folder / "logs", index_directory=str(folder / "index"), **options)
            with_index("/a.txt?format=summary")
            for query in case.queries:
                expected, found = without(f"/a.txt?{query}"), with_index(f"/a.txt?{query}")
                if _all_of(expected) != _all_of(found):
                    return f"{query} has another answer with an index: {found.status}"
        return ""


def small_indexes(interval, piece):
    """Context in which small logs have indexes of many blocks."""
    small = ExitStack()
    where = "oslogserve.index.indexed_log."
    for name, value in (("LEAST_PACKED", 1), ("LEAST_PLAIN", 1), ("INTERVAL", interval)):
        small.enter_context(mock.patch(where + name, value))
    small.enter_context(mock.patch("oslogserve.logs.open_log.PIECE", piece))
    return small


def write(folder, case):
    """Writes the log of a case as a.txt or a.txt.gz."""
    folder.mkdir(exist_ok=True)
    path = folder / ("a.txt" if case.second is None else "a.txt.gz")
    stored = case.log
    if case.second is not None:
        parts = case.log[: case.second], case.log[case.second :]
        stored = b"".join(gzip.compress(part, mtime=0) for part in parts if part)
    path.write_bytes(stored)
    os.utime(path, (1.4e9, 1.4e9))


def query_of(chance, log):
    """A query string about the log."""
    lines = log.count(b"\n") + 1
    number = lambda: chance.randrange(1, lines + 3)
    times = [
        line[:19].decode() for line in log.split(b"\n") if line[:4].isdigit() and line.isascii()
    ]
    words = [word for word in log[:20_000].split() if word.isalnum() and word.isascii()] or [b"x"]
    if chance.random() < 0.1:
        goto = {"goto": chance.choice(("cause", str(number()), *times[:9]))}
        return urlencode(chance.choice((goto, {"moment": number()})))
    wanted = {"format": chance.choice(_VIEWS)}
    first = number()
    window = chance.choice(
        (
            *({"lines": f"{first}-"}, {"lines": f"{first}-{first + chance.randrange(300)}"}),
            *({"tail": chance.randrange(1, 300)}, {"limit": chance.randrange(1, 300)}, {}, {}),
        )
    )
    optional = {
        "level": chance.choice(_LEVELS),
        "q": chance.choice(words).decode(),
        "context": chance.choice((0, 1, 3, 50, 1000)),
        "show": f"L{first}-L{first + chance.randrange(40)}",
        "after": number(),
    }
    if times:
        optional |= {name: chance.choice(times).replace(" ", "T") for name in ("since", "until")}
    wanted |= window
    wanted |= {name: value for name, value in optional.items() if chance.random() < 0.2}
    return urlencode(wanted)


def _all_of(answer):
    return answer.status, headers_of(answer), plain(answer)
