# SPDX-License-Identifier: Apache-2.0
"""The renderers alone: pieces of a log in memory to HTML, without server, file or gzip."""

import time
from collections.abc import Callable, Iterable

from benchmarks.client import BadAnswer
from benchmarks.mixed import generate_mixed
from benchmarks.report import Rendered
from oslogserve import demo
from oslogserve.lines.renderer import Renderer, native_renderer, pure_renderer
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.native import CORE

PIECE = 256 * 1024
"""As decoding cuts a log."""

LOGS: dict[str, Callable[[int], Iterable[bytes]]] = {
    "oslo.log": demo.generate_oslo,
    "ten formats": generate_mixed,
}
ERRORS = Selection(level="ERROR")
ASKED = {
    "HTML": ("oslo.log", Wanted("html")),
    "level=ERROR": ("oslo.log", Wanted("html", ERRORS)),
    "ten formats, HTML": ("ten formats", Wanted("html")),
    "ten formats, level=ERROR": ("ten formats", Wanted("html", ERRORS)),
    "ten formats, summary": ("ten formats", Wanted("summary")),
}
"""Which log, and what is asked of it."""


def installed() -> dict[str, Renderer]:
    """By name, the best first."""
    native = {"native": native_renderer()} if CORE else {}
    return {**native, "pure": pure_renderer()}


def measured(
    renderers: dict[str, Renderer], megabytes: int, rounds: int, say: Callable[[str], None]
) -> list[Rendered]:
    logs = {name: _in_pieces(generate(megabytes * 1_000_000)) for name, generate in LOGS.items()}
    sizes = {name: sum(map(len, pieces)) for name, pieces in logs.items()}
    results = {
        (asked, name): Rendered(asked, name, sizes[log], [])
        for asked, (log, _) in ASKED.items()
        for name in renderers
    }
    for number in range(rounds):
        turns = list(renderers.items())
        for asked, (log, wanted) in ASKED.items():
            made = set()
            for name, render in turns if number % 2 == 0 else reversed(turns):
                start = time.perf_counter()
                made.add(sum(map(len, render(iter(logs[log]), wanted))))
                results[asked, name].seconds.append(time.perf_counter() - start)
            if len(made) > 1:
                raise BadAnswer(f"{asked}: the renderers made {sorted(made)} bytes of one log")
        say(f"renderers alone: round {number + 1} of {rounds}")
    return list(results.values())


def _in_pieces(blocks: Iterable[bytes]) -> list[bytes]:
    log = b"".join(blocks)
    return [log[start : start + PIECE] for start in range(0, len(log), PIECE)]
