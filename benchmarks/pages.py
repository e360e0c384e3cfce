# SPDX-License-Identifier: Apache-2.0
"""A log's page in Chromium: when it is painted, when its last line is there, what the tab takes."""

import contextlib
import importlib.util
import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks import servers
from benchmarks.logs import Log
from benchmarks.report import Page, Visit

SIZES = (1, 12, 50, 200)
"""MB of the logs."""

PATIENCE = 120_000
"""Milliseconds until a page must be loaded."""

STEPS = 40
"""Steps in which a page is scrolled through."""

_PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length"
_TIMES = """() => {
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  const [visit] = performance.getEntriesByType('navigation');
  return {
    first_paint: paint.startTime / 1000,
    last_line: visit.domInteractive / 1000,
    html: visit.decodedBodySize,
    sent: visit.encodedBodySize,
    lines: document.querySelectorAll('#log [id^=L]').length,
  };
}"""
_SCROLL = """async (steps) => {
  let slowest = 0;
  for (let step = 0; step <= steps; step++) {
    const start = performance.now();
    scrollTo(0, document.documentElement.scrollHeight * step / steps);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    slowest = Math.max(slowest, performance.now() - start);
  }
  return slowest / 1000;
}"""


def check_installed() -> None:
    servers.needed("chromium", "chromium")
    if not importlib.util.find_spec("playwright"):
        raise servers.Missing("playwright: pip install -r requirements/benchmarks.txt")


def measured(
    root: pathlib.Path, logs: Sequence[Log], renderer: str, rounds: int, say: Callable[[str], None]
) -> list[Page]:
    pages = [Page(log, []) for log in logs]
    with servers.oslogserve(root, renderer, settings="") as server:
        for number in range(rounds):
            for page in pages:
                address = f"http://127.0.0.1:{server.port}/{page.log.unpacked_name}"
                page.rounds.append(_visit(address))
            say(f"pages in Chromium: round {number + 1} of {rounds}")
    return pages


def _visit(address: str) -> Visit:
    """A visit by a new browser, so that nothing of the last page is left in its memory."""
    with _chromium() as browser:
        page = browser.new_page()
        page.goto(address, timeout=PATIENCE)
        page.wait_for_function(_PAINTED)  # known some frames later
        found = page.evaluate(_TIMES)
        slowest = page.evaluate(_SCROLL, STEPS)
        return Visit(**found, slowest_step=slowest, memory=tab(browser), peak=tab(browser, True))


@contextlib.contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = servers.needed("chromium", "chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        try:
            yield browser
        finally:
            browser.close()


def tab(browser: Any, at_its_peak: bool = False) -> int:
    """Bytes of the largest process that renders: Chromium may keep a spare one. Of memory that is
    shared its part; at its peak all of it, for the kernel keeps no other figure of that."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    renderers = [one["id"] for one in found["processInfo"] if one["type"] == "renderer"]
    file, field = ("status", "VmHWM:") if at_its_peak else ("smaps_rollup", "Pss:")
    return max(_kilobytes(pathlib.Path(f"/proc/{pid}/{file}"), field) for pid in renderers) * 1024


def _kilobytes(path: pathlib.Path, field: str) -> int:
    return next(
        int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith(field)
    )
