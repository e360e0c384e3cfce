# SPDX-License-Identifier: Apache-2.0
"""Pages of large logs in a real browser: what opens whole, and the ways through what does not."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.kit.browser import WITH_SCRIPTS, is_in_view
from tests.servers.gunicorn import Gunicorn

LINES = 250_000
LINE = b"2013-09-27 %02d:%02d:%02d.%03d 2790 %b nova.compute.manager [%b demo] line %7d %b\n"
REQUEST = b"req-0f3d2c1a-1111-2222-3333-444455556666"
#: Of a tab that shows 50 MB.
MOST_MEMORY = 1.2e9

PAGE_SIZE = 65_536
ERROR_AT = 2500


def line(number, level=b"INFO", filler=b"x" * 88):
    seconds, milliseconds = divmod(number * 7, 1000)
    minutes, second = divmod(seconds, 60)
    clock = (minutes // 60, minutes % 60, second, milliseconds)
    return LINE % (*clock, level, REQUEST, number, filler)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    with (root / "big.txt").open("wb") as log:
        log.writelines(line(number) for number in range(1, LINES + 1))
    assert (root / "big.txt").stat().st_size >= 50_000_000
    limits = "[serve]\npage_size = 67108864\npage_elements = 1100000\n"
    with Gunicorn(f"[disk]\nroot = {root}\n{limits}") as running:
        yield running


@pytest.fixture(scope="module")
def short_lines(tmp_path_factory):
    """A server of a log of so many short lines that a page has the most lines of all."""
    root = tmp_path_factory.mktemp("short")
    lines = (b"%06d a line\n" % number for number in range(1, 100_001))
    (root / "a.txt").write_bytes(b"".join(lines))
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A server whose pages hold less than 500 of these lines."""
    root = tmp_path_factory.mktemp("parts")
    numbers = range(1, 3001)
    levels = (b"ERROR" if number == ERROR_AT else b"INFO" for number in numbers)
    (root / "a.txt").write_bytes(b"".join(map(line, numbers, levels)))
    config = f"[disk]\nroot = {root}\n[serve]\npage_size = {PAGE_SIZE}\n"
    with Gunicorn(config) as running:
        yield running


@pytest.fixture(params=WITH_SCRIPTS)
def page(request, chromium):
    with chromium.new_context(java_script_enabled=request.param) as context:
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        yield page
        assert said == []


def test_a_long_line_scrolls_by_itself_and_shows_its_match(tmp_path, chromium):
    words = [b"word%05d" % number for number in range(12_000)]
    (tmp_path / "a.txt").write_bytes(b"first\n" + b" ".join(words) + b"\nlast, of word00001\n")
    with (
        Gunicorn(f"[disk]\nroot = {tmp_path}\n") as server,
        chromium.new_context(viewport={"width": 390, "height": 800}) as context,
    ):
        page = context.new_page()
        page.goto(f"{server.url}/a.txt?q=word06789")
        long = page.locator("#L2")
        page.wait_for_selector(".long")
        assert long.bounding_box()["height"] < 500
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert len(long.text_content()) > 100_000
        page.wait_for_function("document.querySelector('.long')?.scrollTop > 0")
        box, mark = long.bounding_box(), long.locator("mark").bounding_box()
        assert box["y"] <= mark["y"] <= box["y"] + box["height"]


@pytest.mark.long
def test_a_line_that_a_terminal_overwrote_is_as_long_as_what_it_shows(tmp_path, chromium):
    progress = b"".join(b"\rReceiving objects: %d of 2000" % number for number in range(2001))
    (tmp_path / "a.txt").write_bytes(b"word " * 2000 + b"\n" + progress + b"\n")
    with (
        Gunicorn(f"[disk]\nroot = {tmp_path}\n") as server,
        chromium.new_context() as context,
    ):
        page = context.new_page()
        page.goto(f"{server.url}/a.txt")
        page.wait_for_selector("#L1.long")
        assert page.locator(".long").count() == 1
        # A match shows what was overwritten.
        page.goto(f"{server.url}/a.txt?q=1999+of")
        page.wait_for_selector("#L2.long")


def first_paint(page):
    [paint] = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint').map((paint) => paint.startTime)"
    )
    return paint / 1000


def memory(browser):
    """Bytes of the largest process that renders, of what is shared its part."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    processes = [one["id"] for one in told["processInfo"] if one["type"] == "renderer"]
    return max(
        int(row.split()[1]) * 1024
        for process in processes
        for row in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        if row.startswith("Pss:")
    )


@pytest.fixture
def own_browser(chromium):
    """Nothing of another page is left in its memory."""
    browser = chromium.browser_type.launch(executable_path="/usr/bin/chromium-headless-shell")
    yield browser
    browser.close()


@pytest.mark.long
def test_50_mb_open_whole_at_once_and_in_bounded_memory(server, own_browser):
    page = own_browser.new_page()
    page.goto(f"{server.url}/big.txt", timeout=120_000)

    assert page.locator("#log [id^=L]").count() == LINES
    assert page.locator(".parts").count() == 0
    page.locator(f"#L{LINES}").scroll_into_view_if_needed()
    assert memory(own_browser) < MOST_MEMORY
    # A busy machine is late now and then.
    painted = [first_paint(page)]
    while min(painted) > 1 and len(painted) < 3:
        page.goto(f"{server.url}/big.txt", timeout=120_000)
        painted.append(first_paint(page))
    assert min(painted) <= 1


@pytest.mark.long
def test_a_browser_searches_a_page_in_bounded_memory(short_lines, own_browser):
    page = own_browser.new_page()
    page.goto(f"{short_lines.url}/a.txt")
    shown = page.locator("#log [id^=L]").count()
    assert 40_000 < shown < 60_000
    assert page.evaluate(f"window.find('{shown:06d} a line')")
    assert memory(own_browser) < MOST_MEMORY


@pytest.mark.long
def test_the_browsers_search_on_a_part_of_a_log_offers_that_of_the_whole(parts, chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{parts.url}/a.txt?level=ERROR")
        page.keyboard.press("Control+f")
        assert page.locator(".offer").count() == 0
        page.goto(f"{parts.url}/a.txt")
        page.keyboard.press("Control+f")
        page.keyboard.press("Control+f")
        page.locator(".offer button").click()

        assert page.locator("[name=q]").evaluate("field => field === document.activeElement")


@pytest.mark.long
def test_a_link_far_into_a_large_log_waits_for_its_line_and_stays_there(server, page):
    page.goto(f"{server.url}/big.txt#L200000", timeout=120_000)
    page.locator(f"#L{LINES}").wait_for(state="attached")

    assert is_in_view(page, "#L200000")


@pytest.mark.long
def test_a_larger_log_says_that_it_is_cut_and_leads_on(parts, page):
    page.goto(f"{parts.url}/a.txt")
    assert "of 3,000" in page.locator(".parts").inner_text()

    shown = 0
    while page.locator(".parts a[rel=next]").count():
        shown += page.locator("#log [id^=L]").count()
        with page.expect_navigation():  # and all of the next page
            page.click(".parts a[rel=next]")
        assert page.locator(f"#L{shown + 1}").is_visible()
    assert shown + page.locator("#log [id^=L]").count() == 3000


def test_a_link_to_a_line_behind_the_page_finds_it(parts, chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{parts.url}/a.txt#L2000")
        page.wait_for_url("**/a.txt?show=L2000#L2000")
        page.locator("#L2000").wait_for()

        assert is_in_view(page, "#L2000")


@pytest.mark.long
def test_the_key_for_errors_goes_on_to_the_page_that_has_one(parts, chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{parts.url}/a.txt")
        page.wait_for_selector("#map")
        page.keyboard.press("n")
        page.wait_for_url(f"**lines={ERROR_AT - 200}-#L{ERROR_AT}")
        page.wait_for_selector(f"#L{ERROR_AT}.lit")
        page.wait_for_selector("#map")
        page.keyboard.press("n")
        expect(page.locator("#said")).to_have_text("No further error in this log.")
        page.goto(f"{parts.url}/a.txt?lines=2900-")
        page.wait_for_selector("#map")
        page.keyboard.press("p")
        page.wait_for_selector(f"#L{ERROR_AT}.lit")
        assert is_in_view(page, f"#L{ERROR_AT}")
        page.goto(f"{parts.url}/a.txt?lines=1000-1100")
        page.wait_for_selector("#map")
        page.keyboard.press("p")
        expect(page.locator("#said")).to_have_text("No earlier error in this log.")


def test_a_click_on_the_map_lands_in_a_part_that_is_not_there_yet(parts, chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{parts.url}/a.txt")
        page.locator("#map input").press("End")
        page.wait_for_url("**/a.txt?show=L*#L*")
        line = f"#{page.url.partition('#')[2]}"
        page.locator(f"{line}.lit").wait_for()

        assert is_in_view(page, line)
