# SPDX-License-Identifier: Apache-2.0
"""Answers about logs that have an index, beside the answers without one."""

import gzip
import os
import random
import re
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
_VIEWS_OF_JOBS = ("html", "text", "jsonl", "jsonl", "summary", "overview")
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
    #: The other logs of its folder, and query strings about the folder.
    others: tuple[bytes, ...] = ()
    job_queries: tuple[str, ...] = ()


class Indexes(Fuzzer):
    name = "indexes"
    shortens = "queries", "job_queries", "others", "log"
    imports = "from tests.fuzz.indexes import Case, Indexes\n"

    def case_of(self, number):
        chance = random.Random(number)
        log = b"".join(log_of(chance, most=40) for _ in range(chance.randrange(1, 60)))
        if chance.random() < 0.1:
            log += b"x" * chance.randrange(100_000) + b"\n" + log
        others = tuple(other_of(chance, log) for _ in range(chance.randrange(4)))
        return Case(
            log=log,
            second=chance.randrange(len(log) + 1) if chance.random() < 0.7 else None,
            interval=chance.choice((2000, 8000, 30_000)),
            piece=chance.choice((700, 4096, 16_384)),
            page=chance.choice(((4096, 4096), (20_000, 100_000), (8_388_608, 100_000))),
            queries=tuple(query_of(chance, log) for _ in range(20)),
            others=others,
            job_queries=tuple(job_query_of(chance, log, len(others)) for _ in range(10)),
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
            with_index("/?format=summary")
            asked = [f"/a.txt?{query}" for query in case.queries]
            for url in (*asked, *(f"/?{query}" for query in case.job_queries)):
                expected, found = without(url), with_index(url)
                if _all_of(expected) != _all_of(found):
                    return f"{url} has another answer with an index: {found.status}"
        return ""


def small_indexes(interval, piece):
    """Context in which small logs have indexes of many blocks, and are read in small pieces."""
    small = ExitStack()
    where = "oslogserve.index.indexed_log."
    for name, value in (("LEAST_PACKED", 1), ("LEAST_PLAIN", 1), ("INTERVAL", interval)):
        small.enter_context(mock.patch(where + name, value))
    small.enter_context(mock.patch("oslogserve.jobs.job_log.SMALL", 0))
    for name in ("logs.open_log.PIECE", "jobs.job_log.READ", "jobs.job_log.MOST_WAITING"):
        small.enter_context(mock.patch(f"oslogserve.{name}", piece))
    return small


def write(folder, case):
    """Writes the log of a case as a.txt or a.txt.gz, and the others as b.txt and so on."""
    folder.mkdir(exist_ok=True)
    second = None if case.second is None else (case.log[: case.second], case.log[case.second :])
    _write(folder / "a.txt", case.log, second)
    for number, log in enumerate(case.others):
        _write(folder / f"{'bcd'[number]}.txt", log, (log,) if number % 2 else None)


def _write(path, log, members):
    """members: of its gzip; None for a log that is not compressed."""
    stored = log
    if members is not None:
        path = path.with_name(f"{path.name}.gz")
        stored = b"".join(gzip.compress(part, mtime=0) for part in members if part)
    path.write_bytes(stored)
    os.utime(path, (1.4e9, 1.4e9))


def other_of(chance, log):
    """Another log of the folder: with times of its own, those of `log`, or none before many lines."""
    lines = log.splitlines(keepends=True)
    begin = chance.randrange(len(lines))
    some = b"".join(lines[begin : begin + chance.randrange(2000)])
    own = b"".join(log_of(chance, most=40) for _ in range(chance.randrange(20)))
    return chance.choice((b"", b"", b"no time\n" * chance.randrange(1500))) + chance.choice(
        (some, own, own + some)
    )


def query_of(chance, log):
    """A query string about the log."""
    lines = log.count(b"\n") + 1
    number = lambda: chance.randrange(1, lines + 3)
    times = _times_in(log)
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
        **_filters(chance, log),
        "show": f"L{first}-L{first + chance.randrange(40)}",
        "after": number(),
    }
    wanted |= window
    wanted |= {name: value for name, value in optional.items() if chance.random() < 0.2}
    return urlencode([*wanted.items(), *_searches(chance, log)])


def _searches(chance, log):
    """Parameters that search for parts of the log, cut anywhere."""
    if chance.random() < 0.5:
        return []
    names = chance.choices(("q", "re", "not"), (5, 5, 1), k=chance.choice((1, 1, 2)))
    return [(name, (_pattern if name == "re" else _part)(chance, log)) for name in names]


def _part(chance, log):
    lines = log.split(b"\n")
    line = chance.choice(lines)
    start = chance.randrange(len(line) + 1)
    part = line[start : start + chance.choice((3, 6, 15, 60))]
    if chance.random() < 0.1:
        part = part.swapcase()
    if chance.random() < 0.05:
        part += chance.choice((b"x", b"e", b"7"))
    return part.decode(errors="ignore").replace("\0", "") or "x"


def _pattern(chance, log):
    one, other = (re.escape(_part(chance, log)) for _ in range(2))
    return chance.choice(
        (
            *(one, f"(?i){one}", f"^{one}", f"{one}$", rf"\b{one}", rf"{one}\b", f"{one}.*{other}"),
            *(f"{one}|{other}", f"({one})?{other}", f"({one})+", rf"\d+{one}", rf"{one}\s+"),
            *(rf"{one}[a-z]*", f"[Ee]?{one}", f"(?i:{one}).?{other}", f"{one}{{0}}{other}"),
        )
    )


def job_query_of(chance, log, others):
    """A query string about the folder of the log and so many others."""
    wanted = {"format": chance.choice(_VIEWS_OF_JOBS)}
    if chance.random() < 0.6:
        wanted["order"] = "time"
    window = ({"tail": chance.randrange(1, 300)}, {"limit": chance.randrange(1, 300)}, {}, {})
    wanted |= chance.choice(window)
    optional = {
        **_filters(chance, log),
        "after": chance.randrange(1, 300),
        "moment": f"{chance.choice('abcd'[: others + 1])}.txt:{chance.randrange(1, 300)}",
    }
    wanted |= {name: value for name, value in optional.items() if chance.random() < 0.25}
    return urlencode(wanted)


def _filters(chance, log):
    """Parameters that choose lines by what they are."""
    words = [word for word in log[:20_000].split() if word.isalnum() and word.isascii()] or [b"x"]
    filters = {
        "level": chance.choice(_LEVELS),
        "q": chance.choice(words).decode(),
        "context": chance.choice((0, 1, 3, 50, 1000)),
    }
    if times := _times_in(log):
        filters |= {name: chance.choice(times).replace(" ", "T") for name in ("since", "until")}
    return filters


def _times_in(log):
    """The times of lines that begin with one."""
    lines = log.split(b"\n")
    return [line[:19].decode() for line in lines if line[:4].isdigit() and line.isascii()]


def _all_of(answer):
    return answer.status, headers_of(answer), plain(answer)
