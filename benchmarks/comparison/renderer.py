# SPDX-License-Identifier: Apache-2.0
"""Measures the renderer alone, with a log in memory, without server, file or gzip."""

import time
from collections import deque
from collections.abc import Callable, Iterable

from benchmarks.comparison.mixed import generate_mixed
from benchmarks.comparison.rows import Rounds
from oslogserve import demo
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Selection, Wanted

#: The name of its table.
RENDERER_ALONE = "the renderer alone"
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


def measure(megabytes: int, rounds: Rounds) -> None:
    logs = {name: _in_pieces(generate(megabytes * 1_000_000)) for name, generate in LOGS.items()}
    render = Renderer()
    for _ in rounds.each("renderer"):
        for task, (log, wanted) in TASKS.items():
            start = time.perf_counter()
            deque(render(logs[log], wanted), maxlen=0)
            seconds = time.perf_counter() - start
            speed = sum(map(len, logs[log])) / seconds
            rounds.add(RENDERER_ALONE, task, {"speed": speed})


def _in_pieces(blocks: Iterable[bytes]) -> list[bytes]:
    log = b"".join(blocks)
    return [log[start : start + PIECE] for start in range(0, len(log), PIECE)]
