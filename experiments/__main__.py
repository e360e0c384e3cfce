# SPDX-License-Identifier: Apache-2.0
"""python -m experiments [NAME...]: measures, and writes the figures of doc/experiments.rst.

Needs a quiet machine, with nothing beside it. All of it takes twenty minutes.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from experiments import (
    balance,
    charts,
    chunks,
    cold,
    document,
    file_systems,
    filling,
    formats,
    keep_alive,
    listing,
    parallel,
    scenarios,
    sizes,
    tokens,
)
from experiments.lab import Lab
from experiments.outcome import Outcome

DOC = Path(__file__).resolve().parents[1] / "doc"

#: Name, what the picture shows, and the function.
EXPERIMENTS: dict[str, tuple[str, Callable[[Lab], Outcome]]] = {
    "scenarios": ("Response and transfer from disk and from Swift", scenarios.measured),
    "sizes": ("Response and transfer by the size of the log", sizes.measured),
    "cold": ("Response and transfer of cold and warm logs", cold.measured),
    "tokens": ("Response over time while tokens expire", tokens.measured),
    "parallel": ("Requests a second and response by requests at once", parallel.measured),
    "formats": ("Response and transfer as HTML, as text and filtered", formats.measured),
    "chunks": ("Response and transfer by the size of a chunk", chunks.measured),
    "keep_alive": ("Response with and without kept connections to Swift", keep_alive.measured),
    "balance": ("Share of each worker, and response beside a full one", balance.measured),
    "filling": ("Uploads a second while containers fill", filling.measured),
    "listing": ("Times of a log and of folders by objects beside them", listing.measured),
    "file_systems": ("Response and transfer by file system", file_systems.measured),
}


def main() -> int:
    options = _arguments()
    charts_folder = options.out / "experiments"
    charts_folder.mkdir(parents=True, exist_ok=True)
    page = options.out / "experiments.rst"
    text = (page if page.exists() else DOC / "experiments.rst").read_text("utf-8")
    names = options.name or list(EXPERIMENTS)
    for name in names:
        document.with_figures(text, name, "")  # raises before anything is measured
    with Lab(options.quick) as lab:
        for name in names:
            title, measure = EXPERIMENTS[name]
            began = time.monotonic()
            print(f"{name} ...", file=sys.stderr, flush=True)
            outcome = measure(lab)
            if outcome.figure:
                charts.write(outcome.figure, charts_folder / f"{name}.svg")
            figures = outcome.as_rst(f"experiments/{name}.svg", title)
            text = document.with_figures(text, name, figures)
            page.write_text(text, "utf-8")
            print(f"{figures}\n{name}: {time.monotonic() - began:.0f} s\n", flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument(
        "name", nargs="*", metavar="NAME", help=f"of {', '.join(EXPERIMENTS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="only to see that all of it runs")
    parser.add_argument("--out", type=Path, default=DOC, metavar="DIR", help="default: doc")
    options = parser.parse_args()
    for name in options.name:
        if name not in EXPERIMENTS:
            parser.error(f"{name}: no such experiment")
    return options


if __name__ == "__main__":
    sys.exit(main())
