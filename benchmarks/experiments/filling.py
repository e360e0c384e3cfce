# SPDX-License-Identifier: Apache-2.0
"""Uploads while containers fill, by `oslogserve bench put`."""

import json
import subprocess
import sys
from typing import Any

from benchmarks import charts
from benchmarks.lab import CONTAINER, Lab
from benchmarks.report import Outcome, digits, milliseconds
from tests.servers.client import ini
from tests.servers.process import environment

#: Containers that share the uploads.
CONTAINERS = (1, 8)
PARALLEL = 8


def measured(lab: Lab) -> Outcome:
    config = lab.folder / "put.conf"
    config.write_text(ini({"swift": lab.swift.settings(CONTAINER)}))
    rows, shown, said, kept = [], {}, [], []
    for containers in CONTAINERS:
        name = f"{containers} container{'s' if containers > 1 else ''}"
        found = _uploaded(str(config), containers, lab.choose(4000, 100))
        (run,) = found["runs"]
        times = found["sources"]["put"]["total"]["all"]
        (fading,) = found["fading"]
        rows.append(
            (
                name,
                digits(run["requests"] / run["seconds"]),
                *(milliseconds(times[label]) for label in ("p50", "p99")),
                f"{fading['low']:.2f}-{fading['high']:.2f}",
            )
        )
        parts = run["slices"]
        xs = [part["start"] + part["width"] / 2 for part in parts]
        shown[name] = (xs, [part["requests"].get("put", 0) / part["width"] for part in parts])
        said.append(
            f"With {name} the last fifth of {run['requests']:,} uploads took {fading['low']:.2g} to "
            f"{fading['high']:.2g} times as long as the first."
        )
        kept += [f"{name}: {caveat}" for caveat in found["caveats"]]
    headings = ("Into", "uploads/s", "p50, ms", "p99, ms", "last fifth over first")
    figure = charts.points("Uploads a second", "seconds since the first upload", shown)
    return Outcome(said, headings, rows, figure, kept)


def _uploaded(config: str, containers: int, count: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "oslogserve", "bench", "put", "--config", config, "--json"]
    command += ["--size", "1k", "--parallel", str(PARALLEL), "--containers", str(containers)]
    command += ["--requests", str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment(), check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
