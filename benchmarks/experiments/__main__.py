# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.experiments [NAME...]: measures, and writes the figures of doc/experiments.rst.

Needs a quiet machine that does nothing else. All of it takes twenty minutes. Only ``--largest 2G`` measures
large objects, since they need disk and time.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks import charts
from benchmarks.experiments.page_cache import NotDropped
from benchmarks.lab import Lab
from benchmarks.report import Outcome, with_figures
from oslogserve.config.values import BINARY_SIZES, whole_number

DOC = Path(__file__).resolve().parents[2] / "doc"

#: The alternative text of the chart, by the name of the experiment and of its module.
EXPERIMENTS = {
    "scenarios": "Response and transfer from disk and from Swift",
    "sizes": "Response and transfer by the size of the log",
    "cold": "Response and transfer of cold and warm logs",
    "tokens": "Response over time while tokens expire",
    "parallel": "Requests a second and response by requests at once",
    "formats": "Response and transfer as HTML, as text and filtered",
    "chunks": "Response and transfer by the size of a chunk",
    "keep_alive": "Response with and without kept connections to Swift",
    "public": "Response with tokens, without them, and through a cache",
    "balance": "Share of each worker, and response next to a full one",
    "filling": "Uploads a second while containers fill",
    "listing": "Times of a log and of folders by number of other rows",
    "file_systems": "Response and transfer by file system",
}


def main() -> int:
    options = _arguments()
    charts_folder = options.out / "experiments"
    charts_folder.mkdir(parents=True, exist_ok=True)
    page = options.out / "experiments.rst"
    text = (page if page.exists() else DOC / "experiments.rst").read_text("utf-8")
    names = options.name or list(EXPERIMENTS)
    for name in names:
        with_figures(text, name, "")  # raises before anything is measured
    with Lab(options.quick, largest=options.largest) as lab:
        for name in names:
            began = time.monotonic()
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                outcome = import_module(f"benchmarks.experiments.{name}").measured(lab)
            except NotDropped as error:
                outcome = Outcome([f"Not measured, for the cache could not be emptied: {error}."])
            if outcome.figure:
                charts.write(outcome.figure, charts_folder / f"{name}.svg")
            figures = outcome.as_rst(f"experiments/{name}.svg", EXPERIMENTS[name])
            text = with_figures(text, name, figures)
            page.write_text(text, "utf-8")
            print(f"{figures}\n{name}: {time.monotonic() - began:.0f} s\n", flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments", description=__doc__)
    parser.add_argument(
        "name", nargs="*", metavar="NAME", help=f"of {', '.join(EXPERIMENTS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="only to see that all of it runs")
    parser.add_argument("--out", type=Path, default=DOC, metavar="DIR", help="default: doc")
    largest = "most bytes of a large object in the experiment sizes, such as 2G (default: none)"
    size = whole_number(0, 2**40, BINARY_SIZES)
    parser.add_argument("--largest", type=size, default=0, metavar="BYTES", help=largest)
    options = parser.parse_args()
    for name in options.name:
        if name not in EXPERIMENTS:
            parser.error(f"{name}: no such experiment")
    return options


if __name__ == "__main__":
    sys.exit(main())
