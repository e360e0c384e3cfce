# SPDX-License-Identifier: Apache-2.0
"""The renderers alone: pieces of a log in memory to HTML, without server, file or gzip."""

import time
from collections.abc import Callable

from benchmarks.client import BadAnswer
from benchmarks.report import Rendered
from oslogserve import demo
from oslogserve.lines.renderer import NATIVE, PURE, Renderer

PIECE = 256 * 1024
"""As decoding cuts a log."""

ASKED: dict[str, tuple[str, str | None]] = {
    "HTML": ("html", None),
    "level=ERROR": ("html", "ERROR"),
}


def installed() -> dict[str, Renderer]:
    """By name, the best first."""
    found = {"native": NATIVE, "pure": PURE}
    return {name: one for name, one in found.items() if one is not None}


def measured(
    renderers: dict[str, Renderer], megabytes: int, rounds: int, say: Callable[[str], None]
) -> list[Rendered]:
    log = b"".join(demo.generate_oslo(megabytes * 1_000_000))
    pieces = [log[start : start + PIECE] for start in range(0, len(log), PIECE)]
    results = {
        (asked, name): Rendered(asked, name, len(log), []) for asked in ASKED for name in renderers
    }
    for number in range(rounds):
        turns = list(renderers.items())
        for asked, (view, level) in ASKED.items():
            sizes = set()
            for name, render in turns if number % 2 == 0 else reversed(turns):
                start = time.perf_counter()
                sizes.add(sum(map(len, render(iter(pieces), view, level, None))))
                results[asked, name].seconds.append(time.perf_counter() - start)
            if len(sizes) > 1:
                raise BadAnswer(f"{asked}: the renderers made {sorted(sizes)} bytes of one log")
        say(f"renderers alone: round {number + 1} of {rounds}")
    return list(results.values())
