# SPDX-License-Identifier: Apache-2.0
"""python -m tests.faults [--only PATTERN] [--cells N]

Prints what each cell says; exit status 1 where a cell is wrong or something leaked.
"""

import argparse
import sys
from functools import partial

from tests.faults.matrix import Matrix


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="of 'source: fault, packing view'"
    )
    parser.add_argument("--cells", type=int, metavar="N", help="of each row; default: all")
    given = parser.parse_args()
    matrix = Matrix(given.only, given.cells, partial(print, flush=True)).run()
    print(matrix.summary())
    return 1 if matrix.bad or matrix.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
