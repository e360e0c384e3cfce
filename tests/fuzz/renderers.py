# SPDX-License-Identifier: Apache-2.0
"""Compares the native renderer with the pure one over mutated sample lines, for as long as asked.

    python -m tests.fuzz.renderers [--seconds N] [--seed N]

Each case is a log, a view, a level, a limit and a way to cut the log, drawn from one number; the
numbers count up from the seed. The pure renderer gets the log whole, the native one in pieces. At
the first difference the log is shortened for as long as the two differ, a reproducer is printed
and the exit status is 1.
"""

import argparse
import random
import sys
import time
from dataclasses import dataclass, replace

from oslogserve.demo import generate_oslo
from oslogserve.lines.head import REACH
from oslogserve.lines.search import Search
from oslogserve.lines.selection import Page, Selection, Wanted
from oslogserve.lines.severities import SEVERITIES
from oslogserve.lines.severities import WORDS as LEVEL_WORDS
from oslogserve.lines.time_range import time_range
from tests import corpus
from tests.renderers import LEVELS, VIEWS, answered, cut, native, pure

WORDS = [
    *(name.encode() for name in SEVERITIES),
    *LEVEL_WORDS,
    *(word.lower() for word in LEVEL_WORDS),
]
REQUEST = b"0f3d2c1a-1111-2222-3333-444455556666"
SAMPLES = [
    *(each.line for each in corpus.everything()),
    *b"".join(generate_oslo(60_000)).split(b"\n"),
    b"2013-09-27 18:24:37.719 ERROR unit: DEBUG two leads fit",
    b"Mar  8 12:20:42.377230 %b %b[1234567890]: ERROR x" % (b"h" * 255, b"u" * 255),
    b"Traceback (most recent call last):",
    b"2013-09-27 18:22:11.248 2790 ERROR nova [req-0f3d2c1a-1111-2222-3333-444455556666 a] x \xc3\xa9",
    b"\x1b[01;35m2013-09-27 18:22:11.248 ERROR \x1b[00;36mnova \x1b[38;5;208mx\x1b[0m y\x1b[K",
    b"Mar  8 12:20:42.377230 <host> unit[1]: WARNING x",
    b"see (http://a/b?c=1&d=2), 'https://[::1]:8080/x', http://u:p@h/req-%b." % REQUEST,
    b"2013-09-27 18:22:11.248 INFO x req-%b https://e.org/\x1b[1m%b" % (REQUEST, b"/" * 2048),
    b" ".join(b"http://a.b/%d" % number for number in range(20)) + b" req-" + REQUEST,
    b"",
]
SPANS = ("2013", "2013-09-27T18:22", "2013-09-27T18:22:11.248", "2013-09-28", "2014-03")
#: What decides: ends of words, numbers and lines, what is escaped, what is not UTF-8.
BYTES = b'0123456789 :.,-[](){}TZ_aEI=/\\\n\r\0\t&<>"\xff\x1b|'
SEQUENCES = (b"\x1b[31m", b"\x1b[0;1m", b"\x1b[K", b"\x1b(B", b"\x1b[")


#: What is searched for: often there, seldom there, at ends, across what is marked up.
TEXTS = ("nova", "2790", "ERROR", "a", "é", "req-", "[-]", "timed out", "x y", "I")
PATTERNS = (
    r"nova\.\w+",
    r"\d{4}",
    "^2013",
    "x$",
    "[^a]b",
    r"\bERROR\b",
    "(?i)error|info",
    ".",
    "a*",
)
LINKS = (b"?", b"?source=swift&amp;", b"")
ANCHORS = (b"L1", b"L7", b"_2013-09-27_18_22_11_248", b"_2013-09-27_18_07_11_860")


@dataclass(frozen=True)
class Case:
    log: bytes
    cuts: tuple[int, ...]
    wanted: Wanted
    longest: int

    def differs(self) -> bool:
        pieces = cut(self.log, (at for at in self.cuts if at <= len(self.log)))
        expected, tally = answered(pure, [self.log], self.wanted, self.longest)
        found, counted = answered(native, pieces, self.wanted, self.longest)
        counted.bytes = tally.bytes  # as many as were read, which depends on the pieces
        return expected != found or tally != counted


def case_of(number: int) -> Case:
    chance = random.Random(number)
    lines = [mutated(chance.choice(SAMPLES), chance) for _ in range(chance.randrange(1, 30))]
    lines *= chance.choice((1, 1, 1, 20))
    log = b"\n".join(lines) + b"\n" * chance.randrange(2)
    return Case(
        log=log,
        cuts=tuple(chance.randrange(len(log) + 1) for _ in range(chance.randrange(12))),
        wanted=Wanted(
            *(chance.choice(VIEWS), selected(chance), 1.4e9, chance.choice(LINKS)),
            page=chance.choice(
                (
                    None,
                    None,
                    Page(
                        *(chance.randrange(limit + 1) for limit in (2 * len(log), 9 * len(lines)))
                    ),
                )
            ),
        ),
        longest=chance.choice((REACH, REACH + chance.randrange(500), 1024 * 1024)),
    )


def selected(chance: random.Random) -> Selection:
    def at_times(value: object) -> object:
        return value if chance.random() < 0.3 else None

    first = at_times(chance.randrange(1, 20)) or 1
    return Selection(
        first=first,
        last=at_times(first + chance.randrange(20)),
        since=at_times(time_range(chance.choice(SPANS))),
        until=at_times(time_range(chance.choice(SPANS))),
        level=chance.choice(LEVELS) if chance.random() < 0.5 else None,
        searches=tuple(searched(chance) for _ in range(chance.choice((0, 0, 1, 1, 2)))),
        without=tuple(searched(chance) for _ in range(chance.choice((0, 0, 0, 1)))),
        context=at_times(chance.randrange(4)),
        limit=at_times(chance.randrange(1, 40)),
        tail=at_times(chance.randrange(1, 20)),
        after=at_times(chance.randrange(1, 20)) or 0,
        show=tuple(chance.choice(ANCHORS) for _ in range(chance.choice((0, 0, 0, 1, 2)))),
    )


def searched(chance: random.Random) -> Search:
    if chance.random() < 0.5:
        return Search.of_text(chance.choice(TEXTS))
    return Search.of_pattern(chance.choice(PATTERNS))


def mutated(line: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3, 8))):
        # Mostly where time and severity stand.
        at = chance.randrange(min(len(line), chance.choice((12, 60, 10**6))) + 1)
        match chance.randrange(8):
            case 0:
                line = line[:at] + line[at + chance.randrange(1, 4) :]
            case 1:
                line = line[:at] + bytes([chance.choice(BYTES)]) + line[at + 1 :]
            case 2:
                line = line[:at] + bytes([chance.choice(BYTES)]) + line[at:]
            case 3:
                begin = chance.choice((b"", b" ", b"[", b'"'))
                end = chance.choice((b"", b" ", b": ", b"]", b" unit: ", b'"'))
                line = line[:at] + begin + chance.choice(WORDS) + end + line[at:]
            case 4:
                some = line[at : at + chance.randrange(1, 12)]
                line = line[:at] + some * chance.choice((2, 3, 22, 255)) + line[at + len(some) :]
            case 5:
                line = line[:at] + chance.choice(SAMPLES)[: chance.randrange(1, 60)] + line[at:]
            case 6:
                line = line[:at] + chance.choice(SEQUENCES) + line[at:]
            case 7:
                other = chance.choice(SAMPLES)
                line = line[:at] + other[chance.randrange(len(other) + 1) :]
    return line


def shortened(case: Case) -> Case:
    size = len(case.log) // 2
    while size:
        at = 0
        while at < len(case.log):
            shorter = replace(case, log=case.log[:at] + case.log[at + size :])
            if shorter.differs():
                case = shorter
            else:
                at += size
        size //= 2
    whole = replace(case, cuts=())
    return whole if whole.differs() else case


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.renderers")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    number = options.seed
    while time.monotonic() < end:
        case = case_of(number)
        if case.differs():
            print(f"They differ (--seed {number}). From the checkout's root:\n")
            print(
                f"from tests.fuzz.renderers import Case\n\nassert not {shortened(case)}.differs()"
            )
            return 1
        number += 1
    print(f"No difference in {number - options.seed} logs; go on with --seed {number}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
