# SPDX-License-Identifier: Apache-2.0
"""python -m tests.fuzz [--seconds N] [--seed N] [--only NAME]

Each fuzzer in turn, for so many seconds. A case is drawn from one number, and the numbers count up
from the seed. At the first fault of a fuzzer the case is shortened, a reproducer is printed and the
exit status is 1.
"""

import argparse
import sys

from tests.fuzz.fuzzer import run
from tests.fuzz.table import FUZZERS


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60, help="of each fuzzer")
    parser.add_argument("--seed", type=int, default=0, help="the first case's number")
    parser.add_argument("--only", choices=FUZZERS, metavar="NAME", help=", ".join(FUZZERS))
    given = parser.parse_args()
    faults = 0
    for name, fuzzer in FUZZERS.items():
        if given.only not in (None, name):
            continue
        with fuzzer() as running:
            done = run(running, given.seed, given.seconds)
        faults += bool(done.fault)
        after = given.seed + done.cases
        print(f"{name}: {done.cases} cases, {done.fault or f'no fault; go on with --seed {after}'}")
        sys.stdout.flush()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
