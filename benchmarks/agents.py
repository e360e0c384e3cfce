# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.agents CASES [--number N] [--show]

Measures how much an agent reads until it has read why a job failed: with the tools of `oslogserve-mcp`, and with a shell.
CASES is as for benchmarks.same_causes. N of the logs are taken at equal distances, and the failed job of the demo.

Both agents follow a fixed script, and stop once what they read holds at least half of the labelled lines (of the first
30 that differ). An answer is a call; all of its bytes count.

  tools   `brief` of the job, of 2,000, 4,000 or 8,000 bytes; then `lines` at each of its links, from the first
  shell   the last 100 lines of the fetched log; then the first 100 lines that `grep` finds by words of failure; then 20
          lines before and behind each of these, from the last. Of an answer, 30,000 bytes are read.

Both give up after 8 calls.
"""

import argparse
import gzip
import itertools
import json
import re
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from oslogserve import demo
from tests.kit.agent import agent
from tests.servers.gunicorn import Gunicorn

#: Of the excerpt.
SIZES = (2000, 4000, 8000)
MOST_CALLS = 8
MOST_LABELLED = 30
MOST_OF_SHELL = 30_000
WORDS = re.compile(rb"error|fail|exception|fatal|traceback", re.IGNORECASE)
#: The failed job of the demo: its folder, its console, and what says why it failed.
DEMO = "57/123457/3/check/smoke/5e0d1a9"
DEMO_CAUSE = "smoke.errors.VolumeFailed: volume smoke-418 is in status 'error', not 'available'"


class Case(NamedTuple):
    path: str
    log: bytes
    labelled: list[str]


class Outcome(NamedTuple):
    calls: int
    size: int
    is_found: bool


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("--number", type=int, default=19)
    parser.add_argument("--show", action="store_true", help="print each job's figures")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        demo.write_demo_logs(root)
        cases = [*laid_out(options.cases, options.number, root), of_demo(root)]
        with Gunicorn(f"[disk]\nroot = {root}\n") as server, agent("--url", server.url) as ask:
            scripts = {f"tools, {size:,} bytes": partial(with_tools, ask, size) for size in SIZES}
            scripts["shell"] = with_shell
            outcomes = {
                name: [read(case, script(case)) for case in cases]
                for name, script in scripts.items()
            }
    if options.show:
        for case, *both in zip(cases, *outcomes.values(), strict=True):
            print(case.path, *(tuple(outcome) for outcome in both))
    print(table(outcomes))


def laid_out(file, number, root):
    """Cases, each a job with its console below the root."""
    known = [case for line in file.open() if (case := json.loads(line))["labels"]]
    for case in known[:: max(1, len(known) // number)][:number]:
        stored = (file.parent / case["failed"]).read_bytes()
        log = gzip.decompress(stored) if case["failed"].endswith(".gz") else stored
        job = root / "jobs" / case["case"]
        job.mkdir(parents=True)
        (job / "job-output.txt").write_bytes(log)
        lines = log.decode(errors="replace").split("\n")
        chosen = [line for first, last in case["labels"] for line in lines[first - 1 : last]]
        labelled = dict.fromkeys(filter(None, map(plain, chosen)))
        yield Case(f"jobs/{case['case']}", log, list(labelled)[:MOST_LABELLED])


def of_demo(root):
    [console] = (root / DEMO).glob("job-output.txt*")
    stored = console.read_bytes()
    log = gzip.decompress(stored) if console.suffix == ".gz" else stored
    return Case(DEMO, log, [DEMO_CAUSE])


def plain(text):
    """A line without colours, overwritten text and runs of blanks."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).rstrip("\r").rpartition("\r")[2]
    return " ".join(text.split())


def read(case, answers):
    """Reads answers until the cause is in them."""
    seen, size = "", 0
    for calls, answer in enumerate(itertools.islice(answers, MOST_CALLS), 1):
        size += len(answer.encode())
        seen += " ".join(map(plain, answer.split("\n"))) + "\n"
        # Of a long line, an excerpt leaves out the middle.
        if sum(line[:160] in seen for line in case.labelled) >= len(case.labelled) / 2:
            return Outcome(calls, size, True)
    return Outcome(calls, size, False)


def with_tools(ask, size, case):
    """Answers of the tools. ask: calls one. size: bytes of the excerpt."""
    excerpt = ask("brief", path=case.path, bytes=size)
    yield excerpt
    _, _, link, *lines, _ = excerpt.split("\n")
    log = link
    for line in lines:
        if name := re.match(r"(\S+): (?:failed|does not say|shows no failure)", line):
            log = urljoin(link, name[1])
        elif place := re.search(r"(?:^|left out: )(\?goto=[\d-]+)$", line):
            yield ask("lines", path=log + place[1])


def with_shell(case):
    """What a shell prints of the fetched log."""
    lines = case.log.split(b"\n")
    yield printed(lines[-100:])
    found = [number for number, line in enumerate(lines) if WORDS.search(line)][:100]
    yield printed(b"%d:%b" % (number + 1, lines[number]) for number in found)
    shown = len(lines)
    for number in reversed(found):
        if number < shown:  # else it was shown with the one behind it
            shown = max(0, number - 20)
            yield printed(lines[shown : number + 21])


def printed(lines):
    return b"\n".join(lines)[:MOST_OF_SHELL].decode(errors="replace")


def table(outcomes):
    """Rows for the manual."""
    rows = []
    for name, all_of in outcomes.items():
        found = [one for one in all_of if one.is_found]
        at_once = sum(one.calls == 1 for one in found)
        size = [one.size for one in all_of]
        rows.append(
            f"{name}: found {len(found)} of {len(all_of)}, {at_once} with one call; "
            f"calls: mean {statistics.mean(one.calls for one in all_of):.1f}; "
            f"bytes: median {statistics.median(size):,.0f}, mean {statistics.mean(size):,.0f}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
