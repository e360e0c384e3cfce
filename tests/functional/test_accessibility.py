# SPDX-License-Identifier: Apache-2.0
"""Whom the pages shut out: axe-core's rules over all pages, in light and in dark."""

import re
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from tests.servers.gunicorn import Gunicorn

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
CODES = (*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108))
TRACEBACK = b"2026-03-04 18:22:13.000 1 ERROR x [-] failed\n" + b"  in a file\n" * 12
LOG = (
    b"".join(
        b"2026-03-04 18:22:11.%03d 1 %b x [-] one\n" % (number, severity)
        for number, severity in enumerate(
            [b"DEBUG", b"INFO", b"WARNING", b"ERROR", b"CRITICAL"] * 9
        )
    )
    + TRACEBACK
    + b"".join(
        b"2026-03-04 18:22:14.000 1 %b a long line, most of which is no link%b\n"
        % (severity, b"." * 90)
        for severity in (b"DEBUG", b"INFO", b"WARNING", b"ERROR")
    )
    + b"req-0c855fdf-a725-1af0-930c-dbd30f0ad2a8 https://docs.example.org/one\n"
    + b"".join(b"\x1b[%dm%d one\x1b[0m\n" % (code, code) for code in CODES)
)
PAGES = {
    "log": "job/a.txt",
    "found": "job/a.txt?q=one&level=WARNING&context=1&not=three#L3",
    "compared": "job/a.txt?against=failed/passed.txt",
    "not found": "job/a.txt?q=nowhere",
    "part": "job/a.txt?lines=5-20&wrap=no",
    "folder": "job/",
    "job": "failed/",
    "overview": "failed/?format=overview",
    "compared overview": "failed/?format=overview&against=job",
    "lines of a job": "failed/?level=WARNING",
    "lines of a job by time": "failed/?level=WARNING&order=time",
    "a moment of a job": "failed/?moment=job-output.txt:4&order=time#moment",
    "all logs": "",
    "400": "job/a.txt?level=LOUD",
    "pattern at fault": "job/a.txt?q=one&re=(LOUD",
    "404": "job/gone.txt",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "job").mkdir()
    (root / "job/a.txt").write_bytes(LOG)
    (root / "failed").mkdir()
    (root / "failed/job-output.txt").write_bytes(LOG)
    (root / "failed/passed.txt").write_bytes(b"one x\n")
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture(scope="module", params=["light", pytest.param("dark", marks=pytest.mark.long)])
def page(request, chromium):
    with chromium.new_context(color_scheme=request.param) as context:
        yield context.new_page()


def violations(page):
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES)
def test_no_rule_is_broken(server, page, address):
    page.goto(f"{server.url}/{address}")
    if "a.txt" in address and "level=LOUD" not in address:
        expect(page.locator(".levels .NONE")).to_have_attribute("data-count", re.compile(r"\d"))
    assert violations(page) == []


def test_no_rule_is_broken_by_what_unfolds(server, page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/job/a.txt?not=three")
    page.locator(".fold").first.click()
    page.locator(".tools > summary").click()
    page.locator(".extra > summary").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    assert violations(page) == []
