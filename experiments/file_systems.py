# SPDX-License-Identifier: Apache-2.0
"""Two file systems, each in an image that is mounted while it is measured."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from experiments import charts, page_cache
from experiments.lab import WARM, Lab, write_log
from experiments.outcome import Outcome
from experiments.plan import Plan, digits, fetched, median, spread
from experiments.sizes import shown
from oslogserve.bench.logs import Source
from oslogserve.bench.result import Result
from oslogserve.bench.samples import Request

#: Name -> the command that makes one in an image.
FILE_SYSTEMS = {"ext4": ("mkfs.ext4", "-q"), "xfs": ("mkfs.xfs", "-q")}
#: Bytes of an image: what xfs needs at least, and the logs.
IMAGE = 400 * 2**20
SIZES = (1_000, 20_000_000)
METRICS = ("response", "transfer")


def measured(lab: Lab) -> Outcome:
    results: dict[str, Result] = {}
    with contextlib.ExitStack() as resources:
        roots, servers = {}, []
        try:
            for name in FILE_SYSTEMS:
                root = roots[name] = resources.enter_context(_mounted(lab.folder, name))
                write_log(root / WARM, 1000)
                for size in SIZES:
                    write_log(root / f"{size}.txt", size)
                server = resources.enter_context(lab.server(with_swift=False, root=root))
                servers.append(Source(name, server.url, {}))
        except (OSError, subprocess.CalledProcessError) as error:
            return Outcome([f"Not measured: this machine mounts no image ({_reason(error)})."])
        for size in SIZES:
            for state in ("warm", "cold"):
                plan = Plan(
                    lab.choose(60, 3),
                    runs=lab.choose(3, 2),
                    before=_before(lab.folder, roots, state == "cold"),
                )
                try:
                    found = fetched(plan, servers, [f"{size}.txt"])
                except page_cache.NotDropped as error:
                    return Outcome([f"Not measured, for the cache could not be emptied: {error}."])
                results[f"{shown(size)}, {state}"] = found
    return _outcome(results)


@contextlib.contextmanager
def _mounted(folder: Path, name: str) -> Iterator[Path]:
    image, root = folder / f"{name}.image", folder / name
    with image.open("wb") as file:
        file.truncate(IMAGE)
    root.mkdir()
    _run(*FILE_SYSTEMS[name], image)
    _run("mount", "-o", "loop", image, root)
    try:
        yield root
    finally:
        _run("umount", root)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def _reason(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return error.stderr.decode(errors="replace").strip().replace("\n", "; ")
    return str(error)


def _before(folder: Path, roots: dict[str, Path], is_cold: bool):
    def drop(request: Request) -> None:
        if is_cold:
            page_cache.drop(roots[request.source] / request.name)
            # Else it would come out of the image's own bytes in the cache.
            page_cache.drop(folder / f"{request.source}.image")

    return drop


def _outcome(results: dict[str, Result]) -> Outcome:
    rows = [
        (
            name,
            *(spread(result, system, metric) for metric in METRICS for system in FILE_SYSTEMS),
        )
        for name, result in results.items()
    ]
    panels = [
        (
            f"{metric.capitalize()}, ms (median)",
            list(results),
            {
                system: [1000 * median(result, system, metric) for result in results.values()]
                for system in FILE_SYSTEMS
            },
        )
        for metric in METRICS
    ]
    ratios = [
        f"{digits(median(result, 'xfs', 'total') / median(result, 'ext4', 'total'))} ({name})"
        for name, result in results.items()
    ]
    said = f"xfs beside ext4, the ratio of their times: {', '.join(ratios)}."
    headings = ("Log", *(f"{metric}, {system}" for metric in METRICS for system in FILE_SYSTEMS))
    return Outcome([said], headings, rows, charts.bars(*panels))
