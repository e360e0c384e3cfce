# SPDX-License-Identifier: Apache-2.0
"""python -m tests.accuracy [--only PATTERN] [--seconds N]

Prints each figure with the true one. The exit status is 1 if they differ. The machine should do nothing
else meanwhile; if it does, put `chrt --fifo 1` before the command.
"""

import argparse
import sys

from tests.accuracy.run import run


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of a row's name")
    parser.add_argument("--seconds", type=int, default=4, metavar="N", help="of each row, about")
    given = parser.parse_args()
    bad = 0
    for row in run(given.only, given.seconds):
        print(row.text(), flush=True)
        bad += not row.is_good
    print(f"{bad} rows are off" if bad else "all is as it should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
