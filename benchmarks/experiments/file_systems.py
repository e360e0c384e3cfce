# SPDX-License-Identifier: Apache-2.0
"""Two file systems, each in an image that is mounted while it is measured."""

import contextlib
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.experiments import figures, page_cache
from benchmarks.fetch import Plan, fetched, median
from benchmarks.lab import WARM, Lab, write_log
from benchmarks.report import Outcome, decimal_size, digits
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result
from oslogserve.bench.samples import Request

#: The command that makes one in an image, by its name.
FILE_SYSTEMS = {"ext4": ("mkfs.ext4", "-q"), "xfs": ("mkfs.xfs", "-q")}
#: Bytes of an image, enough for the logs and for xfs itself.
IMAGE = 400 * 2**20
SIZES = (1_000, 20_000_000)
#: A ratio from here on matters to a reader.
MATTERS = 1.25


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
                servers.append(Endpoint(name, server.url, {}))
        except (OSError, subprocess.CalledProcessError) as error:
            return Outcome([f"Not measured: this machine mounts no image ({_reason(error)})."])
        cold = page_cache.dropping(partial(_files, lab.folder, roots))
        for size in SIZES:
            for state in ("warm", "cold"):
                before = cold if state == "cold" else page_cache.kept
                plan = Plan(lab.choose(60, 3), runs=lab.choose(3, 2), before=before)
                found = fetched(plan, servers, [f"{size}.txt"])
                results[f"{decimal_size(size)}, {state}"] = found
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


def _files(folder: Path, roots: dict[str, Path], request: Request) -> list[Path]:
    # Without its image, a log would come out of the image's bytes in the cache.
    return [roots[request.source] / request.name, folder / f"{request.source}.image"]


def _outcome(results: dict[str, Result]) -> Outcome:
    rows = [(name, *figures.cells(result, FILE_SYSTEMS)) for name, result in results.items()]
    ratios = {
        name: median(result, "xfs", "total") / median(result, "ext4", "total")
        for name, result in results.items()
    }
    shown = ", ".join(f"{digits(ratio)} ({name})" for name, ratio in ratios.items())
    said = f"Times of xfs divided by those of ext4: {shown}."
    headings = ("Log", *figures.headings(FILE_SYSTEMS))
    figure = figures.bars(results, FILE_SYSTEMS)
    return Outcome([said], headings, rows, figure, answer=_answer(list(ratios.values())))


def _answer(ratios: list[float]) -> str:
    is_little = max(*ratios, 1 / min(ratios)) < MATTERS
    found = f"xfs takes {digits(min(ratios))} to {digits(max(ratios))} times as long as ext4"
    return f"{'Little' if is_little else 'Yes'}: {found}."
