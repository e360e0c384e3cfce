# SPDX-License-Identifier: Apache-2.0
"""python -m tests.oracle [--answers N] [--seed N] [--only APPLICATION]

Asks random queries of generated jobs and compares each answer with a plain computation. The exit status is 1
if an answer is wrong.
"""

import argparse
import sys

from tests.oracle.run import APPLICATIONS, run


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.oracle")
    parser.add_argument("--answers", type=int, default=20_000, help="how many are compared")
    parser.add_argument("--seed", type=int, default=0, help="the first job's number")
    parser.add_argument("--only", choices=APPLICATIONS, help="ask only this one")
    given = parser.parse_args()
    names = (given.only,) if given.only else tuple(APPLICATIONS)
    found = run(given.answers, given.seed, names)
    print("\n\n".join(found.faults))
    print(f"{found.answers} answers, {len(found.faults)} wrong")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
