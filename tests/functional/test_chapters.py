# SPDX-License-Identifier: Apache-2.0
"""The outline of a build's chapters, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.functional.test_accessibility import violations
from tests.servers.gunicorn import Gunicorn

DESK, TELEPHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def lines():
    """A play of three tasks; the second one failed at line 203."""
    yield "PLAY [all] ****"
    for task in ("install", "test", "clean"):
        yield f"TASK [a : {task}] ****"
        yield from (f"{task}, line {number}" for number in range(100))
        yield 'fatal: [node]: FAILED! => {"msg": "no"}' if task == "test" else "ok: [node]"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "console.txt").write_text("\n".join(lines()))
    (root / "service.txt").write_text("2026-03-04 18:22:11.000 1 ERROR nova [-] no\n")
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture(params=[DESK, TELEPHONE], ids=["desk", "telephone"])
def page(request, chromium):
    with chromium.new_context(viewport=request.param) as context:
        yield context.new_page()


def test_the_outline_links_each_chapter_and_marks_the_failed_one(server, page):
    page.goto(f"{server.url}/console.txt")
    outline = page.get_by_role("navigation", name="Chapters")
    expect(outline.locator("summary")).to_have_text("4 chapters, 1 failed")
    is_desk = page.viewport_size == DESK
    expect(outline.locator("details")).to_have_js_property("open", is_desk)
    if not is_desk:
        outline.locator("summary").click()
    expect(outline.locator("li")).to_have_text(
        ["PLAY [all]", "a : install", "a : test failed", "a : clean"]
    )
    outline.get_by_role("link", name="a : test").click()
    expect(page).to_have_url(re.compile("#L104$"))
    expect(page.locator("#L104")).to_be_in_viewport()
    expect(page.locator("#L104")).to_have_class(re.compile(r"\blit\b"))
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box, line = outline.bounding_box(), page.locator("#L104").bounding_box()
    assert not is_desk or box["x"] + box["width"] <= line["x"]


def test_a_key_finds_the_line_beside_the_outline(server, page):
    page.goto(f"{server.url}/console.txt?wrap=no#L104")
    expect(page.locator("#chapters")).to_be_attached()
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile(r"console\.txt#L104$"))
    expect(page.locator("#L104")).to_be_in_viewport()


def test_without_scripts_a_page_lists_the_chapters(server, chromium):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{server.url}/console.txt")
        page.get_by_role("link", name="chapters").click()
        failed = page.locator(".failed")
        expect(failed).to_have_count(1)
        expect(failed).to_have_text(re.compile(r"a : test\s+failed\s+102 lines"))
        failed.get_by_role("link").click()
        expect(page.locator(".b > [id]")).to_have_count(102)
        expect(page.locator("#L104")).to_contain_text("TASK [a : test]")


def test_the_link_to_the_page_of_chapters_is_for_readers_without_scripts(server, page):
    page.goto(f"{server.url}/console.txt")
    expect(page.get_by_role("link", name="chapters", exact=True)).to_have_count(0)
    page.goto(f"{server.url}/console.txt?format=chapters")
    expect(page.locator(".failed")).to_have_count(1)
    assert violations(page) == []


def test_a_log_without_chapters_has_no_outline(server, page):
    page.goto(f"{server.url}/service.txt")
    expect(page.locator(".levels .NONE")).to_have_attribute("data-count", re.compile(r"\d"))
    expect(page.locator("#chapters")).to_have_count(0)
