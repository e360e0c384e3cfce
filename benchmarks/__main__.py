# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks: compares oslogserve with nginx, zcat and swift download.

Rounds alternate, and each case is measured right before or right after its neighbour. Between two
machines or two runs, compare the ratios, not the times.

  logs      a log as HTML, as text, by level; gzipped or not
  renderer  the renderer alone, over a log in memory
  job       all 60 logs of a job at once: a summary, a search, errors, all lines merged by time
  again     questions about a job and logs of at least 100 MB that have indexes, to a server that has just started; logs
            below --logs are repeated up to 219 MB

At the end it prints the targets, and which of them were met.
"""

import argparse
import json
import platform
import re
import sys
from pathlib import Path

from benchmarks import charts
from benchmarks.comparison import cases, known, logs, measure, picture, renderer, servers, targets
from benchmarks.comparison.again import Again
from benchmarks.comparison.cases import Case
from benchmarks.comparison.rows import Rounds
from benchmarks.fetch import BadAnswer
from benchmarks.lab import Lab
from tests.servers.process import ServerError

PARTS = ("logs", "renderer", "job", "again")


def main() -> int:
    options = _arguments()
    rounds = Rounds(options.rounds)
    try:
        _check_installed(options)
        every = cases.table(options.sources)
        table = [case for case in every if re.search(options.only, case.name)]
        measured = _measured(options, table, rounds)
    except (BadAnswer, logs.NoLogs, servers.Missing, ServerError) as failure:
        print(f"benchmarks: {failure}", file=sys.stderr)
        return 1
    for outcome in (*rounds.outcomes(), targets.outcome(rounds)):
        print(outcome.as_rst())
    if options.json:
        options.json.write_text(_as_json(options, rounds))
    if options.chart:
        log = max(measured, key=lambda log: (log.name == targets.LARGE_TABLE, log.size))
        charts.write(picture.drawn(rounds, table, log), options.chart)
    return 0


def _arguments() -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args()
    if min(options.rounds, options.threads, *options.sizes) < 1:
        parser.error("--rounds, --threads and --sizes begin at 1")
    if "logs" in options.parts and not options.sizes and not options.logs:
        parser.error("no logs: name --sizes or --logs")
    if options.chart and not ("logs" in options.parts and "disk" in options.sources):
        parser.error("--chart needs the part logs, from disk, for nginx's time")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    sizes = "logs to generate, in MB unpacked (default: 1 11 219; 2000 takes long)"
    add("--sizes", type=int, nargs="*", default=[1, 11, targets.LARGE], metavar="MB", help=sizes)
    add("--logs", type=Path, metavar="DIR", help="also measure with the logs below DIR")
    for name, choices, chosen in (
        ("parts", PARTS, PARTS),
        ("sources", cases.SOURCES, ("disk",)),
    ):
        help_text = f"some of {', '.join(choices)} (default: {' '.join(chosen)})"
        add(f"--{name}", nargs="+", choices=choices, default=chosen, metavar="NAME", help=help_text)
    add(
        "--only",
        default="",
        metavar="PATTERN",
        help="measure only cases of the part logs that match",
    )
    add("--rounds", type=int, default=5, help="rounds of each case (default: %(default)s)")
    add(
        "--threads",
        type=int,
        default=4,
        help="threads of each gunicorn worker (default: %(default)s)",
    )
    add("--json", type=Path, metavar="FILE", help="write the values of all rounds")
    add("--chart", type=Path, metavar="FILE", help="draw the times with one log, as SVG")
    return parser


def _check_installed(options: argparse.Namespace) -> None:
    """Raises Missing before anything is measured."""
    if set(options.parts) - {"renderer"}:
        servers.nginx_path()
    if "swift" in options.sources:
        servers.check_swift()


def _measured(options: argparse.Namespace, table: list[Case], rounds: Rounds) -> list[logs.Log]:
    """The logs that were measured. Fills the rounds."""
    parts = options.parts
    if "renderer" in parts:
        renderer.measure(targets.LARGE, rounds)
    if set(parts) == {"renderer"}:
        return []
    with Lab(with_keystone=False) as lab:
        found = _written(lab.root, options)
        job = logs.write_job(lab.root) if {"job", "again"} & set(parts) else None
        known_logs = _written_to_ask(lab.root, options)
        with servers.running(lab, options) as subjects:
            if "logs" in parts:
                measure.measure_logs(subjects, found, table, rounds)
            if "job" in parts:
                measure.measure_job(subjects, job, options.sources, rounds)
            if "again" in parts:
                again = Again(subjects, options.threads)
                again.measure_logs(known_logs, rounds)
                again.measure_job(job, rounds)
                if "swift" in options.sources:
                    again.measure_swift(known_logs, rounds)
    return found


def _written(root: Path, options: argparse.Namespace) -> list[logs.Log]:
    if "logs" not in options.parts:
        return []
    found = []
    for megabytes in options.sizes:
        print(f"writing a log of {megabytes} MB", file=sys.stderr, flush=True)
        found.append(logs.generated(root, megabytes))
    return found + (logs.real(root, options.logs) if options.logs else [])


def _written_to_ask(root: Path, options: argparse.Namespace) -> list[known.KnownLog]:
    if "again" not in options.parts:
        return []
    sizes = [size for size in options.sizes if size >= known.LEAST]
    paths = logs.below(options.logs) if options.logs else []
    found = []
    for megabytes in sizes:
        print(f"writing a log of {megabytes} MB to ask again", file=sys.stderr, flush=True)
        found.append(known.generated(root, megabytes))
    return found + [known.repeated(root, path, targets.LARGE) for path in paths]


def _as_json(options: argparse.Namespace, rounds: Rounds) -> str:
    facts = {"python": platform.python_version(), "system": platform.platform(), **vars(options)}
    content = {"facts": facts, "rows": [vars(row) for row in rounds]}
    return json.dumps(content, indent=2, default=str) + "\n"


if __name__ == "__main__":
    sys.exit(main())
