# SPDX-License-Identifier: Apache-2.0
"""Measures the renderers alone, with a log in memory, without server, file or gzip."""

import time
from collections.abc import Callable, Iterable, Mapping

from benchmarks.comparison.mixed import generate_mixed
from benchmarks.comparison.rows import Rounds
from benchmarks.fetch import BadAnswer
from oslogserve import demo
from oslogserve.lines.renderer import NativeRenderer, Renderer, pure_renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.native import CORE

#: The name of their table.
RENDERERS_ALONE = "the renderers alone"
#: Bytes of a piece, as decoding cuts a log.
PIECE = 256 * 1024

LOGS: dict[str, Callable[[int], Iterable[bytes]]] = {
    "oslo.log": demo.generate_oslo,
    "ten formats": generate_mixed,
}
ERRORS = Selection(level="ERROR")
#: The log and the view, by the task's name.
TASKS = {
    "HTML": ("oslo.log", Wanted("html")),
    "level=ERROR": ("oslo.log", Wanted("html", ERRORS)),
    "ten formats, HTML": ("ten formats", Wanted("html")),
    "ten formats, level=ERROR": ("ten formats", Wanted("html", ERRORS)),
    "ten formats, summary": ("ten formats", Wanted("summary")),
}


def installed() -> dict[str, Renderer]:
    """The installed renderers by name, the fastest first."""
    native = {"native": NativeRenderer()} if CORE else {}
    return {**native, "pure": pure_renderer()}


def measure(renderers: Mapping[str, Renderer], megabytes: int, rounds: Rounds) -> None:
    logs = {name: _in_pieces(generate(megabytes * 1_000_000)) for name, generate in LOGS.items()}
    for number in rounds.each("renderer"):
        turns = list(renderers.items())
        for task, (log, wanted) in TASKS.items():
            lengths = set()
            for name, render in reversed(turns) if number % 2 else turns:
                start = time.perf_counter()
                lengths.add(sum(map(len, render(iter(logs[log]), wanted))))
                seconds = time.perf_counter() - start
                speed = sum(map(len, logs[log])) / seconds
                rounds.add(RENDERERS_ALONE, f"{task}, {name}", {"speed": speed})
            if len(lengths) > 1:
                raise BadAnswer(f"{task}: the renderers give {sorted(lengths)} bytes for one log")


def _in_pieces(blocks: Iterable[bytes]) -> list[bytes]:
    log = b"".join(blocks)
    return [log[start : start + PIECE] for start in range(0, len(log), PIECE)]
