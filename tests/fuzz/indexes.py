# SPDX-License-Identifier: Apache-2.0
"""Answers about logs that have an index, beside the answers without one.

Half of the questions are asked of a second process: it has never seen the logs, and finds what the first kept.
"""

import gzip
import os
import random
import re
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock
from urllib.parse import urlencode

from oslogserve.lines.selection import Wanted
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import log_of
from tests.kit.renderers import renderer
from tests.kit.small import small_indexes
from tests.unit.handlers.asking import Asking, headers_of, plain

_VIEWS = ("html", "text", "jsonl", "summary", "chapters")
_VIEWS_OF_JOBS = ("html", "text", "jsonl", "jsonl", "summary", "overview")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
#: Questions about the log and about its folder.
_OF_LOG, _OF_FOLDER = 80, 40
#: Bytes of a part of a real log.
_MOST_REAL = 100_000
#: Bytes of a log that is read in blocks and pieces as they are outside of tests, nearly.
_LARGE = 1_000_000
SAMPLES = Path(os.environ.get("OSLOGSERVE_SAMPLES") or "../shared/samples")


class Question(NamedTuple):
    query: str
    #: The header Range; "" for none.
    range: str = ""


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
    questions: tuple[Question, ...]
    #: The other logs of its folder, and query strings about the folder.
    others: tuple[bytes, ...] = ()
    job_queries: tuple[str, ...] = ()
    #: The logs of a run that passed.
    passed: tuple[bytes, ...] = ()


class Indexes(Fuzzer):
    name = "indexes"
    shortens = "questions", "job_queries", "others", "passed", "log"
    most_seconds = 300.0
    imports = "from tests.fuzz.indexes import Case, Indexes, Question\n"

    def case_of(self, number):
        chance = random.Random(number)
        log = _log(chance)
        others = tuple(other_of(chance, log) for _ in range(chance.randrange(4)))
        about = About(log)
        interval, piece = _sizes(chance, len(log))
        return Case(
            log=log,
            second=chance.randrange(len(log) + 1) if chance.random() < 0.7 else None,
            interval=interval,
            piece=piece,
            page=chance.choice(((4096, 4096), (20_000, 100_000), (8_388_608, 100_000))),
            questions=tuple(question_of(chance, about) for _ in range(_OF_LOG)),
            others=others,
            job_queries=tuple(job_query_of(chance, about, len(others)) for _ in range(_OF_FOLDER)),
            passed=tuple(other_of(chance, log) for _ in range(2)),
        )

    def fault(self, case):
        with ExitStack() as opened:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            opened.enter_context(small_indexes(case.interval, case.piece))
            # To compile a grammar takes as long as ten questions.
            opened.enter_context(
                mock.patch("oslogserve.assembly.Renderer", return_value=renderer())
            )
            write(folder / "logs", case)
            size, elements = map(str, case.page)
            options = {"serve_page_size": size, "serve_page_elements": elements}
            without = Asking(folder / "logs", **options)
            options["index_directory"] = str(folder / "index")
            Asking(folder / "logs", **options)("/job/?format=summary")
            for asked in _halves([*case.questions, *map(Question, case.job_queries)], case):
                with_index = Asking(folder / "logs", **options)
                for url, headers in asked:
                    expected, found = (ask(url, **headers) for ask in (without, with_index))
                    if _all_of(expected) != _all_of(found):
                        return f"{url} {headers} has another answer with an index: {found.status}"
        return ""


def _halves(questions, case):
    """URLs and headers of every other question, and of the others."""
    urls = [
        (f"/job/{'a.txt' if place < len(case.questions) else ''}?{one.query}", _headers(one))
        for place, one in enumerate(questions)
    ]
    return urls[::2], urls[1::2]


def _headers(question):
    return {"Range": f"bytes={question.range}"} if question.range else {}


def write(folder, case):
    """Writes the log of a case as a.txt or a.txt.gz into `job`, and the others as b.txt and so on."""
    for name in ("job", "passed"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    second = None if case.second is None else (case.log[: case.second], case.log[case.second :])
    _write(folder / "job" / "a.txt", case.log, second)
    for number, log in enumerate(case.others):
        _write(folder / "job" / f"{'bcd'[number]}.txt", log, (log,) if number % 2 else None)
    for number, log in enumerate(case.passed):
        _write(folder / "passed" / f"{'ab'[number]}.txt", log, None if number % 2 else (log,))


def _sizes(chance, size):
    """Bytes of a block and of a piece, for a log of this size."""
    if size >= _LARGE:
        return 300_000, 65_536
    pieces = (700, 4096, 16_384) if size < 50_000 else (4096, 16_384)
    return chance.choice((2000, 8000, 30_000)), chance.choice(pieces)


def _log(chance):
    """A log of mutated lines, a part of a real one with some, or all of a real one."""
    log = b"".join(log_of(chance, most=40) for _ in range(chance.randrange(1, 12)))
    if chance.random() < 0.1:
        log += b"x" * chance.randrange(100_000) + b"\n" + log
    samples = _samples()
    if samples and chance.random() < 0.4:
        sample = chance.choice(samples)
        if chance.random() < 0.03:
            return sample
        begin = sample.rfind(b"\n", 0, chance.randrange(len(sample))) + 1
        some = sample[begin : begin + chance.randrange(_MOST_REAL)]
        middle = chance.randrange(len(some) + 1)
        log = chance.choice((some, some[:middle] + log[:5000] + some[middle:]))
    return log or b"\n"


@cache
def _samples():
    """The texts of real logs, where they are."""
    return [gzip.decompress(path.read_bytes()) for path in sorted(SAMPLES.glob("*.gz"))]


class About:
    """What questions about a log ask for."""

    def __init__(self, log):
        self.lines = log.split(b"\n")
        self.size = len(log)
        self.words = [
            word for word in log[:20_000].split() if word.isalnum() and word.isascii()
        ] or [b"x"]
        #: The times of lines that begin with one.
        self.times = [
            line[:19].decode() for line in self.lines if line[:4].isdigit() and line.isascii()
        ]
        summary = renderer()([log], Wanted("summary")).summary()
        self.chapters = [chapter.name for chapter in summary.chapters]


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


def question_of(chance, about):
    """A question about the log."""
    if chance.random() < 0.1:
        return Question(chance.choice(("", "format=text")), _range(chance, about.size))
    return Question(_query(chance, about))


def _range(chance, size):
    first = chance.randrange(size + 10)
    return chance.choice(
        (f"{first}-", f"-{first}", f"{first}-{first + chance.choice((0, 100, 10_000, 10**7))}")
    )


def _query(chance, about):
    if chance.random() < 0.1:
        return urlencode(_excerpt(chance) | _comparison(chance, ("passed/a.txt", "none")))
    lines = len(about.lines)
    number = lambda: chance.randrange(1, lines + 3)
    if chance.random() < 0.1:
        goto = {"goto": chance.choice(("cause", str(number()), *about.times[:9]))}
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
        **_filters(chance, about),
        "show": f"L{first}-L{first + chance.randrange(40)}",
        "after": number(),
    }
    if about.chapters:
        optional["chapter"] = chance.choice(about.chapters)
    wanted |= window
    wanted |= {name: value for name, value in optional.items() if chance.random() < 0.2}
    wanted |= _comparison(chance, ("passed/a.txt", "passed/b.txt", "job/a.txt", "none"))
    return urlencode([*wanted.items(), *_searches(chance, about)])


def _excerpt(chance):
    """Parameters of an excerpt."""
    return {"format": "brief", "bytes": chance.choice((500, 2000, 100_000))}


def _comparison(chance, paths):
    """Parameters that compare with one of these, or none."""
    if chance.random() < 0.8:
        return {}
    return {"against": chance.choice(paths)} | chance.choice(({}, {}, {"new": "only"}))


def _searches(chance, about):
    """Parameters that search for parts of the log, cut anywhere."""
    if chance.random() < 0.5:
        return []
    names = chance.choices(("q", "re", "not"), (5, 5, 1), k=chance.choice((1, 1, 2)))
    return [(name, (_pattern if name == "re" else _part)(chance, about)) for name in names]


def _part(chance, about):
    line = chance.choice(about.lines)
    start = chance.randrange(len(line) + 1)
    part = line[start : start + chance.choice((3, 6, 15, 60))]
    if chance.random() < 0.1:
        part = part.swapcase()
    if chance.random() < 0.05:
        part += chance.choice((b"x", b"e", b"7"))
    return part.decode(errors="ignore").replace("\0", "") or "x"


def _pattern(chance, about):
    one, other = (re.escape(_part(chance, about)) for _ in range(2))
    return chance.choice(
        (
            *(one, f"(?i){one}", f"^{one}", f"{one}$", rf"\b{one}", rf"{one}\b", f"{one}.*{other}"),
            *(f"{one}|{other}", f"({one})?{other}", f"({one})+", rf"\d+{one}", rf"{one}\s+"),
            *(rf"{one}[a-z]*", f"[Ee]?{one}", f"(?i:{one}).?{other}", f"{one}{{0}}{other}"),
        )
    )


def job_query_of(chance, about, others):
    """A query string about the folder of the log and so many others."""
    if chance.random() < 0.1:
        return urlencode(_excerpt(chance) | _comparison(chance, ("passed", "none")))
    wanted = {"format": chance.choice(_VIEWS_OF_JOBS)}
    if chance.random() < 0.6:
        wanted["order"] = "time"
    window = ({"tail": chance.randrange(1, 300)}, {"limit": chance.randrange(1, 300)}, {}, {})
    wanted |= chance.choice(window)
    optional = {
        **_filters(chance, about),
        "after": chance.randrange(1, 300),
        "moment": f"{chance.choice('abcd'[: others + 1])}.txt:{chance.randrange(1, 300)}",
    }
    wanted |= {name: value for name, value in optional.items() if chance.random() < 0.25}
    if chance.random() < 0.3:
        wanted |= {"order": "time", "tail": chance.choice((1, 3, 30, 300))}
        wanted |= {"level": chance.choice(_LEVELS)} if chance.random() < 0.7 else {}
    wanted |= _comparison(chance, ("passed", "job"))
    return urlencode(
        [*wanted.items(), *(_searches(chance, about) if chance.random() < 0.3 else ())]
    )


def _filters(chance, about):
    """Parameters that choose lines by what they are."""
    filters = {
        "level": chance.choice(_LEVELS),
        "q": chance.choice(about.words).decode(),
        "context": chance.choice((0, 1, 3, 50, 1000)),
    }
    if about.times:
        times = [chance.choice(about.times).replace(" ", "T") for _ in range(2)]
        filters |= dict(zip(("since", "until"), times, strict=True))
    return filters


def _all_of(answer):
    return answer.status, headers_of(answer), plain(answer)
