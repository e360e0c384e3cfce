# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.accuracy [--only PATTERN] [--seconds N]

Compares `oslogserve bench get` with a server that knows its delays, and with wrk. Prints each figure with the
true one. The exit status is 1 if they differ. The machine should do nothing else meanwhile; if it does, put
`chrt --fifo 1` before the command.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import numpy

from benchmarks.lab import oslogserve
from tests.servers.delays import Delays

#: A percentile may be off by this many seconds, or by this part of the truth.
SECONDS, PART = 0.001, 0.05
#: So may a rate, unless bench says that it was the limit itself. This near to RATE either is right.
RATE, NEAR_RATE = 0.10, 0.03
#: Parts of the slices that bench marks where it is not the limit, and where it is.
SELDOM, MOSTLY = 0.2, 0.5
#: Mean seconds of the delays that have a truth, and of those that are compared with wrk.
DELAYS = {"fixed": 0.05, "two-peaked": 0.05, "heavy-tailed": 0.03}
PARALLEL = (1, 64)
RATES = {"fixed": (1, 16, 64), "brief": (1, 4), "none": (1, 16, 64)}


class Row(NamedTuple):
    name: str
    found: str
    is_good: bool

    def text(self):
        return f"{self.name:22} {'ok ' if self.is_good else 'OFF'}  {self.found}"


class Measured(NamedTuple):
    p50: float
    p99: float
    rate: float
    #: Part of the slices in which the client was the limit.
    limited: float


def run(pattern, seconds):
    """The rows, as they come."""
    with Delays() as server:
        for path, mean in DELAYS.items():
            for parallel in PARALLEL:
                if re.search(pattern, name := f"{path}, {parallel} parallel"):
                    count = max(100, round(seconds * parallel / mean))
                    yield _beside_truth(name, server, path, parallel, count)
        if shutil.which("wrk") is None:
            yield Row("wrk", "is not installed: tools/install-system-packages wrk", False)
            return
        for path, connections in RATES.items():
            for parallel in connections:
                if re.search(pattern, name := f"{path}, wrk -c {parallel}"):
                    yield _beside_wrk(name, f"{server.url}/{path}", parallel, seconds)


def _beside_truth(name, server, path, parallel, count):
    server.truth()
    found = _bench(f"{server.url}/{path}", parallel, "--requests", str(count))
    truth = server.truth()[path][-count:]  # those before them warmed it up
    texts, is_good = [], True
    for label, percent in (("p50", 50), ("p99", 99)):
        right = float(numpy.percentile(truth, percent))
        measured = getattr(found, label)
        is_good &= abs(measured - right) <= max(SECONDS, PART * right)
        texts.append(f"{label} {1000 * measured:7.2f} of {1000 * right:7.2f} ms")
    return Row(name, f"{'  '.join(texts)}  {_limited(found)}", is_good)


def _beside_wrk(name, url, parallel, seconds):
    command = ["wrk", "--threads", "1", "--connections", str(parallel), "--duration", f"{seconds}s"]
    found = _bench(url, parallel, "--duration", str(seconds))
    output = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    wrk = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    off = abs(found.rate - wrk) / wrk
    is_good = found.limited <= SELDOM if off <= RATE else found.limited >= MOSTLY
    is_good |= abs(off - RATE) <= NEAR_RATE
    text = f"{found.rate:9.1f} requests/s, wrk {wrk:9.1f}  {_limited(found)}"
    return Row(name, text, is_good)


def _limited(found):
    return f"the client was the limit in {found.limited:.0%} of the slices"


def _bench(url, parallel, *arguments):
    command = ["bench", "get", url, "--sources", "disk", "--json", "--parallel", str(parallel)]
    output = json.loads(oslogserve(*command, *arguments))
    (run,) = output["runs"]
    assert run["failures"] == 0
    response = output["sources"]["disk"]["response"]["all"]
    limited = sum(bool(part["client_limit"]) for part in run["slices"]) / len(run["slices"])
    return Measured(response["p50"], response["p99"], run["requests"] / run["seconds"], limited)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy")
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
