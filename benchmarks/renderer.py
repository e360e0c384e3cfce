# SPDX-License-Identifier: Apache-2.0
"""The renderers alone: pieces of a log in memory to HTML, without server, file or gzip."""

import time
from collections.abc import Callable, Iterable

from benchmarks.client import BadAnswer
from benchmarks.mixed import generate_mixed
from benchmarks.report import Rendered
from oslogserve import demo
from oslogserve.lines.renderer import NativeRenderer, Renderer, pure_renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.native import CORE

PIECE = 256 * 1024
"""Bytes of a piece, as decoding cuts a log."""

LOGS: dict[str, Callable[[int], Iterable[bytes]]] = {
    "oslo.log": demo.generate_oslo,
    "ten formats": generate_mixed,
}
ERRORS = Selection(level="ERROR")
TASKS = {
    "HTML": ("oslo.log", Wanted("html")),
    "level=ERROR": ("oslo.log", Wanted("html", ERRORS)),
    "ten formats, HTML": ("ten formats", Wanted("html")),
    "ten formats, level=ERROR": ("ten formats", Wanted("html", ERRORS)),
    "ten formats, summary": ("ten formats", Wanted("summary")),
}
"""(name of the log, what is rendered of it) by the task's name."""


def installed() -> dict[str, Renderer]:
    """The renderers by their names, the best first."""
    native = {"native": NativeRenderer()} if CORE else {}
    return {**native, "pure": pure_renderer()}


def measured(
    renderers: dict[str, Renderer], megabytes: int, rounds: int, say: Callable[[str], None]
) -> list[Rendered]:
    logs = {name: _in_pieces(generate(megabytes * 1_000_000)) for name, generate in LOGS.items()}
    sizes = {name: sum(map(len, pieces)) for name, pieces in logs.items()}
    results = {
        (task, name): Rendered(task, name, sizes[log], [])
        for task, (log, _) in TASKS.items()
        for name in renderers
    }
    for number in range(rounds):
        turns = list(renderers.items())
        for task, (log, wanted) in TASKS.items():
            lengths = set()
            for name, render in turns if number % 2 == 0 else reversed(turns):
                start = time.perf_counter()
                lengths.add(sum(map(len, render(iter(logs[log]), wanted))))
                results[task, name].seconds.append(time.perf_counter() - start)
            if len(lengths) > 1:
                raise BadAnswer(f"{task}: the renderers give {sorted(lengths)} bytes for one log")
        say(f"renderers alone: round {number + 1} of {rounds}")
    return list(results.values())


def _in_pieces(blocks: Iterable[bytes]) -> list[bytes]:
    log = b"".join(blocks)
    return [log[start : start + PIECE] for start in range(0, len(log), PIECE)]
