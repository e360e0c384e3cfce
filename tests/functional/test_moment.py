# SPDX-License-Identifier: Apache-2.0
"""From a line to what all logs of its job say around it, in a real browser."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.servers.gunicorn import Gunicorn

SCREENS = [(1440, 900), (390, 844)]


def log(name, day="2026-03-04"):
    """A hundred lines in each of ten seconds; of ten, one is at INFO, the others at DEBUG."""
    for number in range(1000):
        level = "DEBUG" if number % 10 else "INFO"
        time = f"{day} 18:22:{10 + number // 100}.{number % 100:02}0"
        yield f"{time} {level} {name} line {number + 1}\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    job = root / "42/job"
    for name in ("job-output.txt", "one/logs/nova.txt", "two/logs/nova.txt", "one/logs/api.txt"):
        (job / name).parent.mkdir(parents=True, exist_ok=True)
        (job / name).write_text("".join(log(name)))
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def scripts(request):
    return request.param


@pytest.fixture(params=SCREENS, ids=["desk", "telephone"])
def page(request, scripts, chromium):
    width, height = request.param
    size = {"width": width, "height": height}
    with chromium.new_context(java_script_enabled=scripts, viewport=size) as context:
        page = context.new_page()
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        yield page
        assert page.said == []


def is_seen(page):
    """True if the moment stands below a bar that stays on top, and above the window's end."""
    top = page.locator("#moment").bounding_box()["y"]
    bar = page.locator("header").bounding_box()
    return bar["y"] + bar["height"] <= top < page.viewport_size["height"] - 40


def test_the_page_lands_on_the_moment_which_is_marked_and_not_among_noise(server, page):
    page.goto(f"{server.url}/42/job/one/logs/nova.txt?show=L502#L502")
    if page.viewport_size["width"] < 1000:
        page.click(".tools > summary")
    page.locator(".moment").click()
    page.wait_for_url("**/42/job/?*#moment")
    moment = page.locator("#moment")
    expect(moment).to_contain_text("DEBUG one/logs/nova.txt line 502")
    assert is_seen(page)
    paper = page.locator("#moment + li, .run li").last
    background = "line => getComputedStyle(line).backgroundColor"
    assert moment.evaluate(background) != paper.evaluate(background)
    lines = page.locator("#log .run > li:not(.name)")
    # Of five seconds, each with ten lines at INFO, in four logs; and the moment.
    assert lines.count() == 5 * 10 * 4 + 1
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


def test_each_log_is_named_once_before_its_lines_in_its_colour(server, page):
    page.goto(f"{server.url}/42/job/?order=time&level=INFO&until=2026-03-04T18:22:10")
    names = page.locator("#log .run > .name")
    expect(names.first).to_have_text("job-output")
    found = names.all_inner_texts()[:4]
    assert [name.strip() for name in found] == [
        "job-output",
        "api",
        "one/logs/nova",
        "two/logs/nova",
    ]
    colours = [
        names.nth(n).locator("a").evaluate("name => getComputedStyle(name).color") for n in range(8)
    ]
    assert len(set(colours[:4])) == 4
    assert colours[4:] == colours[:4]
    names.nth(2).locator("a").click()
    assert urlsplit(page.url).path == "/42/job/one/logs/nova.txt"


def test_what_was_folded_comes_back_by_a_click_and_the_page_stays_at_the_moment(server, page):
    page.goto(f"{server.url}/42/job/one/logs/nova.txt?moment=502")
    page.locator(".chip", has_text="DEBUG").click()
    page.wait_for_url(lambda url: "not=" not in url)
    assert page.locator("#log .run > li:not(.name)").count() == 5 * 100 * 4
    assert is_seen(page)


@pytest.mark.parametrize("scripts", [True], indirect=True)
def test_a_click_of_the_middle_button_opens_the_moment_in_a_tab(server, page):
    page.goto(f"{server.url}/42/job/one/logs/nova.txt#L502")
    expect(page.locator("#L502")).to_have_class("D lit")
    if page.viewport_size["width"] < 1000:
        page.click(".tools > summary")
    with page.context.expect_page() as opened:
        page.locator(".moment").click(button="middle")
    tab = opened.value
    tab.wait_for_url("**/42/job/?*#moment")
    assert parse_qs(urlsplit(tab.url).query)["moment"] == ["one/logs/nova.txt:502"]
    assert urlsplit(page.url).path.endswith("nova.txt")
