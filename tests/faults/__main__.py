# SPDX-License-Identifier: Apache-2.0
"""python -m tests.faults [--only PATTERN] [--cells N] [--quiet]

Prints the matrix; exit status 1 where a cell is wrong or something leaked.
"""

import argparse
import sys

from tests.faults.matrix import Matrix


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of 'source: fault'")
    parser.add_argument("--cells", type=int, metavar="N", help="of each row; default: all")
    parser.add_argument("--quiet", action="store_true", help="the table only")
    given = parser.parse_args()

    def say(result):
        print(result, file=sys.stderr, flush=True)

    matrix = Matrix(given.only, given.cells, (lambda result: None) if given.quiet else say).run()
    print(matrix.table(), end="")
    return 1 if matrix.bad or matrix.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
