# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks: oslogserve beside nginx, zcat, swift download and whitenoise, in one run.

Rounds alternate, and each case is measured right before or right after what it is compared with.
Of two machines, or of two runs, the ratios are compared, not the times.

  logs      a log as HTML, as text, by level; gzipped or not; natively or purely rendered
  renderer  the renderers alone, over a log in memory
  small     requests a second for 2,000 logs of 4 KB in turn, beside whitenoise
  page      the page in Chromium: first paint, last line, memory of the tab, bytes of a line
  job       all 60 logs of a job at once: a summary, a search, errors, all lines merged by time
  busy      first byte of that log while eight clients download the largest one

The targets, and which of them were met, are printed at the end.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import sys
from collections.abc import Iterable

from benchmarks import (
    cases,
    client,
    logs,
    measure,
    pages,
    picture,
    renderer,
    report,
    servers,
    swift,
    targets,
)
from benchmarks.targets import LARGE
from oslogserve.lines.renderer import WHY_NOT_NATIVE

CLIENT_CHECK = 1_000_000_000
"""Bytes that the client is timed with, to see how fast it could be."""
CLIENT_CHECKS = 3

AGO = 1_000_000_000
"""Time of the logs: a log that may still be written is sent with more care."""

PARTS = ("logs", "renderer", "small", "page", "job", "busy")


def main() -> int:
    options = _arguments()
    try:
        _check_installed(options)
        run = _measured(options)
    except (client.BadAnswer, logs.NoLogs, servers.Missing, servers.Failed) as failure:
        print(f"benchmarks: {failure}", file=sys.stderr)
        return 1
    print("\n".join([*run.lines(), *targets.lines(run)]))
    if options.json:
        content = {"facts": _facts(options), "targets": targets.as_dicts(run), **run.as_dict()}
        options.json.write_text(json.dumps(content, indent=2, default=str) + "\n")
    if options.chart:
        options.chart.write_text(picture.drawn(run))
    return 0


def _arguments() -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args()
    if min(options.rounds, options.seconds, options.threads, *options.sizes) < 1:
        parser.error("--rounds, --seconds, --threads and --sizes begin at 1")
    servers.THREADS = options.threads
    if "logs" in options.parts and not options.sizes and not options.logs:
        parser.error("no logs: name --sizes or --logs")
    if options.chart and not ("logs" in options.parts and "disk" in options.sources):
        parser.error("--chart draws times by nginx's: it needs the part logs, from disk")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, path, threads = parser.add_argument, pathlib.Path, servers.THREADS
    sizes = "logs to generate, in MB unpacked (default: 1 11 219; 2000 takes long)"
    add("--sizes", type=int, nargs="*", default=[1, 11, LARGE], metavar="MB", help=sizes)
    add("--logs", type=path, metavar="DIR", help="measure with the logs below DIR too")
    _add_choices(parser, "parts", PARTS, PARTS)
    _add_choices(parser, "views", cases.VIEWS, cases.VIEWS)
    _add_choices(parser, "encodings", cases.ENCODINGS, cases.ENCODINGS)
    _add_choices(parser, "renderers", cases.RENDERERS, cases.RENDERERS)
    _add_choices(parser, "sources", cases.SOURCES, ["disk"])
    add("--rounds", type=int, default=5, help="rounds of each (default: 5)")
    of_threads = f"of each of gunicorn's workers (default: {threads}; the targets are for that)"
    add("--threads", type=int, default=threads, help=of_threads)
    add("--seconds", type=int, default=3, help="of wrk a round (default: 3)")
    add("--json", type=path, metavar="FILE", help="write every round there")
    add("--chart", type=path, metavar="FILE", help="draw the times with one log, as SVG")
    return parser


def _add_choices(
    parser: argparse.ArgumentParser, name: str, choices: Iterable[str], default: Iterable[str]
) -> None:
    parser.add_argument(
        f"--{name}",
        nargs="+",
        choices=list(choices),
        default=list(default),
        metavar=name.upper().removesuffix("S"),
        help=f"of {', '.join(choices)} (default: {' '.join(default)})",
    )


def _check_installed(options: argparse.Namespace) -> None:
    """Raises Missing at once for what is missing, not after minutes of measuring.

    Without the native renderer there is something to measure all the same.
    """
    if set(options.parts) - {"page", "renderer"}:
        servers.needed("nginx", "nginx-light")
    if "small" in options.parts:
        servers.needed("wrk", "wrk")
        if not importlib.util.find_spec("whitenoise"):
            raise servers.Missing("whitenoise: pip install -r requirements/benchmarks.txt")
    if "page" in options.parts:
        pages.check_installed()
    if "swift" in options.sources:
        swift.check_installed()
    if absent := [name for name in options.renderers if name not in renderer.installed()]:
        options.renderers = [name for name in options.renderers if name not in absent]
        _say(f"SKIPPED, the native renderer: {WHY_NOT_NATIVE}")
        if not options.renderers:
            raise servers.Missing(WHY_NOT_NATIVE)


def _measured(options: argparse.Namespace) -> report.Everything:
    parts = options.parts
    run = report.Everything(max(client.fastest(CLIENT_CHECK) for _ in range(CLIENT_CHECKS)))
    if "renderer" in parts:
        installed = renderer.installed()
        chosen = {name: installed[name] for name in options.renderers}
        run.rendered = renderer.measured(chosen, LARGE, options.rounds, _say)
    if "page" in parts:
        with logs.folder() as root:
            opened = [logs.generated(root, megabytes) for megabytes in pages.SIZES]
            run.pages = pages.measured(root, opened, options.renderers[0], options.rounds, _say)
    if set(parts) <= {"renderer", "page"}:
        return run
    with logs.folder() as root:
        measured_with = _logs(root, options)
        job = logs.write_job(root) if "job" in parts else []
        with measure.running(
            root,
            [name for name in cases.RENDERERS if name in options.renderers],
            with_swift="swift" in options.sources,
            with_whitenoise="small" in parts,
        ) as running:
            if "logs" in parts:
                table = cases.table(
                    options.views, options.encodings, options.renderers, options.sources
                )
                run.results = measure.logs(running, measured_with, table, options.rounds, _say)
            if "small" in parts:
                run.small = measure.small(running, options.rounds, options.seconds, _say)
            if "job" in parts:
                run.job = measure.job(running, job, options.rounds, _say)
            if "busy" in parts:
                run.busy = measure.busy(
                    running, targets.main_log(measured_with), options.rounds, _say
                )
    return run


def _logs(root: pathlib.Path, options: argparse.Namespace) -> list[logs.Log]:
    if not {"logs", "busy"} & set(options.parts):
        return []
    found = []
    for megabytes in options.sizes:
        _say(f"writing a log of {megabytes} MB")
        found.append(logs.generated(root, megabytes))
    if options.logs:
        found += logs.real(root, options.logs)
    for path in root.iterdir():
        os.utime(path, (AGO, AGO))
    return found


def _facts(options: argparse.Namespace) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "options": vars(options),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
