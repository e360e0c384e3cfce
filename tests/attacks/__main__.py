# SPDX-License-Identifier: Apache-2.0
"""python -m tests.attacks [--only PATTERN] [--seconds N]

Prints a row for each attack; exit status 1 where a worker had more memory than it may.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from tests.attacks import logs
from tests.attacks.measure import Measured, measured
from tests.attacks.table import ATTACKS

#: MiB that a worker may have.
MOST_MEMORY = 256


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.attacks")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of names of attacks")
    parser.add_argument("--seconds", type=float, default=15, help="of each attack")
    given = parser.parse_args()
    is_bad = False
    with tempfile.TemporaryDirectory(prefix="oslogserve-attacks-") as folder:
        root = Path(folder)
        logs.write(root)
        print(Measured.heading())
        for attack in ATTACKS:
            if re.search(given.only, attack.name):
                found = measured(attack, root, given.seconds)
                print(found, flush=True)
                is_bad = is_bad or found.memory > MOST_MEMORY
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
