# SPDX-License-Identifier: Apache-2.0
"""Compares the native renderer with the pure one over mutated sample lines, for as long as asked.

    python -m tests.fuzz.renderers [--seconds N] [--seed N]

Each case is a log, a view, a level, a limit and a way to cut the log, made from one number; the
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
from oslogserve.lines.formats import LEADS, SEVERITIES, TIMES
from tests.renderers import LEVELS, REACH, VIEWS, cut, native, pure

WORDS = [name.encode() for name in SEVERITIES]
SAMPLES = [
    *(line for row in TIMES + LEADS for line in row.examples),
    *b"".join(generate_oslo(60_000)).split(b"\n"),
    b"2013-09-27 18:24:37.719 ERROR unit: DEBUG two leads fit",
    b"Mar  8 12:20:42.377230 %b %b[1234567890]: ERROR x" % (b"h" * 255, b"u" * 255),
    b"Traceback (most recent call last):",
    b"Mar  8 12:20:42.377230 <host> unit[1]: WARNING x",
    b"",
]
#: What decides: ends of words, numbers and lines, what is escaped, what is not UTF-8.
BYTES = b'0123456789 :.,-[]TZ_aE\n\r\0\t&<>"\xff\x1b|'


@dataclass(frozen=True)
class Case:
    log: bytes
    cuts: tuple[int, ...]
    view: str
    level: str | None
    limit: int | None
    longest: int

    def differs(self) -> bool:
        asked = (self.view, self.level, self.limit)
        pieces = cut(self.log, (at for at in self.cuts if at <= len(self.log)))
        expected = b"".join(pure([self.log], *asked))
        return b"".join(native(pieces, *asked, self.longest)) != expected


def made(number: int) -> Case:
    chance = random.Random(number)
    lines = [mutated(chance.choice(SAMPLES), chance) for _ in range(chance.randrange(1, 30))]
    log = b"\n".join(lines) + b"\n" * chance.randrange(2)
    return Case(
        log=log,
        cuts=tuple(chance.randrange(len(log) + 1) for _ in range(chance.randrange(12))),
        view=chance.choice(VIEWS),
        level=chance.choice(LEVELS),
        limit=chance.choice((None, None, chance.randrange(1, 40))),
        longest=chance.choice((REACH, REACH + chance.randrange(500), 1024 * 1024)),
    )


def mutated(line: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3, 8))):
        # Mostly where time and severity stand.
        at = chance.randrange(min(len(line), chance.choice((12, 60, 10**6))) + 1)
        match chance.randrange(6):
            case 0:
                line = line[:at] + line[at + chance.randrange(1, 4) :]
            case 1:
                line = line[:at] + bytes([chance.choice(BYTES)]) + line[at + 1 :]
            case 2:
                line = line[:at] + bytes([chance.choice(BYTES)]) + line[at:]
            case 3:
                end = chance.choice((b" ", b": ", b" unit: "))
                line = line[:at] + b" " + chance.choice(WORDS) + end + line[at:]
            case 4:
                some = line[at : at + chance.randrange(1, 12)]
                line = line[:at] + some * chance.choice((2, 3, 22, 255)) + line[at + len(some) :]
            case 5:
                line = line[:at] + chance.choice(SAMPLES)[: chance.randrange(1, 60)] + line[at:]
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
        case = made(number)
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
