# SPDX-License-Identifier: Apache-2.0
"""python -m tests.soak [--seconds N] [--seed N] [--readers N]

Prints what was counted; exit status 1 where a body was wrong, a reader got stuck, something leaked,
or too few logs were resumed, tokens renewed and servers restarted for that to say anything.
"""

import argparse
import sys

from tests.soak.run import MOST_SECONDS, run


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--seconds", type=_seconds, default=120, help=f"at most {MOST_SECONDS}")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--readers", type=int, default=64)
    given = parser.parse_args()
    figures = run(given.seconds, given.seed, given.readers)
    print(figures.told(), end="")
    return 1 if figures.bad else 0


def _seconds(word):
    seconds = int(word)
    if not 1 <= seconds <= MOST_SECONDS:
        raise ValueError(word)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
