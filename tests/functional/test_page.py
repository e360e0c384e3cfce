# SPDX-License-Identifier: Apache-2.0
"""What a reader does on the page of a log, in a real browser, with and without scripts."""

import gzip
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.functional.test_accessibility import violations
from tests.kit.browser import WITH_SCRIPTS, is_in_view
from tests.servers.gunicorn import Gunicorn
from tests.servers.stepwise import Stepwise

REQUEST = "req-0c855fdf-a725-1af0-930c-dbd30f0ad2a8"
#: Widths of a desk, a tablet and a telephone, and how high the bar may be, and a row of filters in it.
SCREENS = [(1440, 900), (800, 700), (390, 844)]
EACH_SCREEN = [SCREENS[0], pytest.param(SCREENS[1], marks=pytest.mark.long), SCREENS[2]]
SLIM = 80
FILTERS = 32


def stamped(second, severity, text):
    return f"2026-03-04 18:22:{second:02}.000 1 {severity} nova [-] {text}\n"


def lines():
    """A thousand lines; errors at 301, with a long traceback, 501 to 503, which are one, and 701.

    The third of 501 to 503 is some milliseconds younger.
    """
    for number in range(1, 1001):
        second = number // 20
        match number:
            case 301:
                yield stamped(second, "ERROR", "cannot spawn")
            case _ if 301 < number <= 320:
                yield f"  File spawn.py, line {number}\n"
            case 501 | 502:
                yield stamped(25, "ERROR", "one error in three lines")
            case 503:
                yield stamped(25, "ERROR", "one error in three lines").replace(".000", ".007")
            case 600:
                yield stamped(second, "WARNING", f"slow [{REQUEST}] https://docs.example.org/slow")
            case 701:
                yield stamped(second, "ERROR", "the last error")
            case _:
                yield stamped(second, "INFO" if number % 2 else "DEBUG", f"number {number}")


def build():
    """A build that fails because of lines 302 to 336. It shows an error in its first line, too."""
    yield "ERROR: early\n"
    yield from (f"compiling {number}\n" for number in range(2, 302))
    yield from (f"error: no rule {number}\n" for number in range(35))
    yield "make: *** [all] Error 1\n"


PLAY = f"TASK [a : b] {'*' * 200}\nok: [a]\n"
INSTANCE = "354fab10-769d-7068-7c61-838ca325c0ae"


def oslo_lines():
    """A failure of which oslo.log repeats the head before each line of the traceback."""
    error = stamped(5, "ERROR", "").replace("[-] \n", f"[instance: {INSTANCE}] {{}}\n")
    frames = (f"  File spawn.py, line {number}" for number in range(20))
    texts = ["failed", "Traceback (most recent call last):", *frames, "ValueError: no", ""]
    return [stamped(4, "INFO", "begins"), *map(error.format, texts), stamped(9, "INFO", "ends")]


PROGRESS = "begins\n{}\nsection_start:1560896352:x\r\x1b[0KTitle\n##[group]Run make\n".format(
    "\r".join(f"{percent}%" for percent in range(101))
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    job = root / "42/job"
    job.mkdir(parents=True)
    (job / "a.txt").write_text("".join(lines()))
    (job / "calm.txt").write_text("".join(stamped(n % 60, "INFO", f"{n}") for n in range(2000)))
    traceback = "Traceback (most recent call last):\n  File f.py, line 1\nValueError: no\n"
    failure = stamped(1, "ERROR", "failed") + traceback
    (job / "play.txt").write_text(PLAY)
    (job / "build.txt").write_text("".join(build()))
    (job / "oslo.txt").write_text("".join(oslo_lines()))
    (job / "syslog.txt").write_text("Mar 04 18:22:01.500 host app[1]: one\ntwo\n")
    alone = "ERROR: no time\nand more\nERROR: no time either\n"
    (job / "failures.txt").write_text(
        stamped(0, "INFO", "starts") + failure + failure + stamped(2, "INFO", "goes on") + alone
    )
    timeless = (f"{'ERROR: ' if n in (3, 700) else ''}line {n}\n" for n in range(1000))
    (job / "timeless.txt").write_text("".join(timeless))
    (job / "rewritten.txt").write_text("a friend\b\b\b\b!\n")
    dates = {50: "Mon Dec  5 18:47:20 UTC 2016\n", 90: "Built: Wed Oct 26 21:44:32 2016\n"}
    (job / "dates.txt").write_text("".join(dates.get(n, f"line {n}\n") for n in range(300)))
    (job / "times.txt").write_text(
        "2026-03-04 20:22:01.500+02 [1] LOG:  one\n2026/03/04 18:22:01 [error] 1#1: two\n"
        "2026-03-04 06:22:01 PM INFO three\nMar  4 06:22:01.500 PM four\n"
        "I0304 18:22:01.123456 12 klog.go:1] five\n"
        '::1 - - [04/Mar/2026:18:22:01 +0000] "GET /six HTTP/1.1" 200 2\n'
        "[Wed Mar 04 18:22:01.123456 2026] [wsgi:error] [pid 12] seven\n"
        "04-Mar-2026 18:22:01.500 INFO eight\n"
        '{"time": 1772648521.25, "level": "info", "msg": "nine"}\n'
    )
    (job / "broken.txt.gz").write_bytes(gzip.compress("".join(lines()).encode())[:-20])
    (job / "progress.txt").write_text(PROGRESS, newline="")
    wide = stamped(0, "INFO", "word " * 1000) + stamped(1, "ERROR", "short")
    (job / "wide.txt").write_text(wide)
    (job / "colours.txt").write_text(
        "".join(
            f"\x1b[{code}m{code} on paper\x1b[0m\n" for code in (*range(30, 48), *range(90, 108))
        )
    )
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


class Reader:
    """Opens pages in one context; what went wrong in them is `said`."""

    def __init__(self, context, url):
        self.context = context
        self.url = url
        self.said = []

    def open(self, address, url=None, size=SCREENS[0], **options):
        page = self.context.new_page()
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.goto((url or self.url) + "/42/job/" + address, **options)
        return page


@pytest.fixture(params=WITH_SCRIPTS)
def reader(request, chromium, server):
    """With scripts and without."""
    with chromium.new_context(java_script_enabled=request.param) as context:
        reader = Reader(context, server.url)
        yield reader
    assert reader.said == []


@pytest.fixture
def scripted(chromium, server):
    with chromium.new_context() as context:
        reader = Reader(context, server.url)
        yield reader
    assert reader.said == []


@pytest.fixture
def plain(chromium, server):
    with chromium.new_context(java_script_enabled=False) as context:
        reader = Reader(context, server.url)
        yield reader
    assert reader.said == []


def lands_on(page, selector):
    """Sooner or later, and then it is below the bar."""
    expect(page.locator(selector)).to_be_in_viewport()
    page.wait_for_function(
        """(selector) => document.querySelector(selector).getBoundingClientRect().top
            >= document.querySelector('header').offsetHeight - 1""",
        arg=selector,
    )


def asked(page):
    return parse_qs(urlsplit(page.url).query)


def lit(page):
    return page.eval_on_selector_all(".lit", "lines => lines.map((line) => line.id)")


# The bar


@pytest.mark.parametrize("size", EACH_SCREEN)
def test_the_bar_is_slim_and_nothing_is_wider_than_the_screen(reader, size):
    page = reader.open("a.txt", size=size)
    width = size[0]
    assert page.locator("header").bounding_box()["height"] <= SLIM
    page = reader.open("a.txt?level=DEBUG&q=number", size=size)
    assert page.locator("header").bounding_box()["height"] <= SLIM + FILTERS
    assert page.locator("html").bounding_box()["width"] == width
    assert page.locator("#log").bounding_box()["width"] <= width


def test_the_fields_that_few_need_unfold(reader):
    page = reader.open("a.txt")
    page.click(".extra summary")
    page.fill('[name="not"]', "number")
    page.fill('[name="context"]', "1")
    page.fill('[name="since"]', "2026-03-04T18:22:20")
    page.press('[name="since"]', "Enter")

    page.wait_for_url("**not=number**")
    assert asked(page) == {"not": ["number"], "context": ["1"], "since": ["2026-03-04T18:22:20"]}
    assert "(3)" in page.locator(".extra summary").inner_text()
    page.click(".clear")
    page.wait_for_url(re.compile(r"/a\.txt\??$"))
    assert page.locator(".b > [id]").count() == 1000


@pytest.mark.parametrize("removed", [".clear", ".chip >> nth=0"])
def test_without_a_filter_the_page_begins_where_the_reader_was(scripted, removed):
    page = scripted.open("a.txt?q=number&not=number+5#L702")
    page.wait_for_selector("#L702.lit")
    page.click(removed)
    page.wait_for_url("**#L702")
    page.wait_for_selector("#L702.lit")
    lands_on(page, "#L702")


def test_a_reader_who_scrolled_is_kept_there_by_every_filter(scripted):
    page = scripted.open("a.txt")
    expect(page.locator("#map")).to_be_visible()
    page.evaluate("L450.scrollIntoView()")
    page.fill('[name="q"]', "one error")
    page.press('[name="q"]', "Enter")
    page.wait_for_url("**?q=one+error#~L4*")
    lands_on(page, "#L501")
    assert lit(page) == []
    assert page.locator(".shown").count() == 0
    page.click(".levels a.ERROR")
    page.wait_for_url("**level=ERROR#L501")


def test_a_search_without_a_hit_brings_in_no_line(scripted):
    page = scripted.open("a.txt#L400")
    page.wait_for_selector("#L400.lit")
    page.fill('[name="q"]', "nowhere")
    page.press('[name="q"]', "Enter")
    page.wait_for_url("**?q=nowhere#~L400")
    expect(page.locator(".none")).to_be_in_viewport()
    assert page.locator(".b > [id]").count() == 0


def test_a_telephone_unfolds_the_search(reader):
    page = reader.open("a.txt", size=SCREENS[-1])
    expect(page.locator('[name="q"]')).not_to_be_visible()
    page.click(".tools > summary")
    page.fill('[name="q"]', "number 9")
    page.click("form > button")
    page.wait_for_url("**q=number**")


def test_a_telephone_on_its_side_reaches_every_field(reader):
    page = reader.open("a.txt?not=nowhere", size=(667, 375))
    page.click(".tools > summary")
    page.click(".extra > summary")
    page.locator('[name="context"]').scroll_into_view_if_needed()
    expect(page.locator('[name="context"]')).to_be_in_viewport(ratio=1)


def test_levels_show_their_counts(scripted):
    page = scripted.open("a.txt")
    for level, count in {"CRITICAL": 0, "ERROR": 5, "WARNING": 6, "AUDIT": 6, "INFO": 493}.items():
        expect(page.locator(f".levels .{level}")).to_have_attribute("data-count", str(count))
    expect(page.locator(".levels .NONE")).to_have_attribute("title", "1,000 lines")
    assert page.locator(".levels .WARNING").inner_text().startswith("≥ warning")


def test_new_lines_are_counted_with_a_link_to_them(reader):
    page = reader.open("a.txt?against=42/job/calm.txt&lines=290-700")
    link = page.locator("a.new:visible")
    expect(link).to_have_text("411 new lines")
    link.click()
    expect(page.locator("#log .new")).to_have_count(411)


def test_levels_that_the_log_has_not_are_not_shown(scripted):
    page = scripted.open("a.txt?level=AUDIT")
    expect(page.locator(".levels .TRACE")).to_be_hidden()
    shown = page.locator(".levels a:visible").evaluate_all("links => links.map((a) => a.className)")
    assert shown == ["NONE", "DEBUG", "INFO", "AUDIT", "WARNING", "ERROR"]


def test_wrapping_keeps_the_place_and_stands_in_the_address(scripted):
    page = scripted.open("a.txt#L500", size=SCREENS[-1])
    expect(page.locator("#map")).to_be_visible()
    lands_on(page, "#L500")
    page.keyboard.press("w")
    page.wait_for_url("**wrap=no**")
    assert page.locator("#log.nowrap").count() == 1
    lands_on(page, "#L500")
    page.keyboard.press("w")
    assert "wrap" not in asked(page)
    lands_on(page, "#L500")


# Lines and their addresses


def test_a_number_links_its_line(reader):
    page = reader.open("a.txt")
    page.click("#L7 > a")
    assert urlsplit(page.url).fragment == "L7"
    assert page.locator("#L7").evaluate("line => getComputedStyle(line).backgroundColor") != (
        page.locator("#L8").evaluate("line => getComputedStyle(line).backgroundColor")
    )


def test_shift_and_a_number_link_a_range(scripted):
    page = scripted.open("a.txt")
    page.wait_for_selector("html.js")
    page.click("#L12 > a")
    page.click("#L9 > a", modifiers=["Shift"])
    assert urlsplit(page.url).fragment == "L9-L12"
    assert lit(page) == ["L9", "L10", "L11", "L12"]
    assert page.evaluate("getSelection().toString()") == ""


@pytest.mark.parametrize("fragment", ["L510-L512", "L512-510"])
def test_a_link_to_a_range_lands_on_it(scripted, fragment):
    page = scripted.open(f"a.txt#{fragment}")
    page.wait_for_selector(".lit")
    assert lit(page) == ["L510", "L511", "L512"]
    page.wait_for_function("() => scrollY > 0")
    lands_on(page, "#L510")


@pytest.mark.parametrize("date", ["2026-03-04", "2026_03_04"])
def test_an_old_anchor_highlights_all_lines_of_that_time(scripted, date):
    page = scripted.open(f"a.txt#_{date}_18_22_10_000")
    page.wait_for_selector("#L200.lit")
    assert lit(page) == [f"L{number}" for number in range(200, 220)]
    lands_on(page, "#L200")


def test_a_moment_that_no_line_has_leads_to_the_nearest_line(scripted):
    page = scripted.open("a.txt#_2026-03-04_18_22_09_961")
    page.wait_for_url("**show=**")
    expect(page.locator(".notice")).to_have_text("nearest: line 200, 39 ms later")
    page.wait_for_selector("#L200.lit")
    lands_on(page, "#L200")
    expect(page.locator("#said")).to_have_text("nearest: line 200, 39 ms later")
    page.goto(page.url.partition("?")[0] + "#_2026-03-04T18_23_00")
    expect(page.locator(".notice")).to_have_text("nearest: line 1,000, 10 s earlier")
    page.goto(page.url.partition("?")[0] + "#_12_20_42")
    expect(page.locator("#said")).to_have_text("No line of this log has that time.")


def test_an_old_anchor_is_highlighted_without_scripts(plain):
    page = plain.open("a.txt#_2026-03-04_18_22_10_000")
    assert is_in_view(page, "#L200")
    colours = page.eval_on_selector_all(
        "#L200, #L220",
        "lines => lines.map((line) => getComputedStyle(line).backgroundColor)",
    )
    assert colours[0] != colours[1]


@pytest.mark.parametrize("fragment", ["L400", "_2026-03-04_18_22_20_000"])
def test_a_line_that_the_filter_hides_is_brought_in(scripted, fragment):
    page = scripted.open(f"a.txt?level=ERROR#{fragment}")
    page.wait_for_url("**show=**")
    page.wait_for_selector("#L400.lit")
    assert "shown" in page.locator("#L400").get_attribute("class")
    lands_on(page, "#L400")


def test_a_line_that_is_not_there_is_asked_for_once(scripted):
    page = scripted.open("a.txt?level=ERROR#L5000")
    page.wait_for_url("**show=L5000**")
    expect(page.locator("#said")).to_have_text("This log has no line 5,000.")
    assert asked(page)["show"] == ["L5000"]


def test_another_level_begins_where_the_reader_was(scripted):
    page = scripted.open("a.txt#L401")
    page.wait_for_selector("#L401.lit")
    page.click(".levels a.INFO")
    page.wait_for_url("**level=INFO#L401")
    page.wait_for_selector("#L401.lit")
    page.click(".levels a.WARNING")
    page.wait_for_url("**level=WARNING#~L401")
    lands_on(page, "#L501")


def copied(context, page, select):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(select)
    page.keyboard.press("Control+C")
    return page.evaluate("navigator.clipboard.readText()")


def text_of(line):
    """What is seen of a line: its text, or what stands in its place."""
    return line.evaluate(
        """line => [...line.childNodes].slice(1).map(node => node.localName !== 'time' ? node.textContent
            : getComputedStyle(node).display === 'none' ? ''
            : getComputedStyle(node).fontSize !== '0px' ? node.textContent
            : JSON.parse(getComputedStyle(node, '::before').content)).join('').trimEnd()"""
    )


def test_times_are_as_written_or_of_day_or_not_there_and_stay_so(scripted):
    page = scripted.open("a.txt#L600")
    line, times = page.locator("#L600"), page.locator(".times")
    written = text_of(line)
    assert written.startswith("2026-03-04 18:22:30.000 1 WARNING")
    expect(times).to_have_text("times: as written")
    expect(line.locator("time")).to_have_text("2026-03-04 18:22:30.000 ")
    page.keyboard.press("t")
    expect(times).to_have_text("times: of day")
    assert text_of(line) == written.replace("2026-03-04 18:22:30.000", "18:22:30")
    select = "getSelection().selectAllChildren(document.getElementById('L600'))"
    assert copied(scripted.context, page, select).rstrip("\n") == written
    expect(line).to_be_in_viewport()
    page.emulate_media(media="print")
    assert text_of(line) == written
    page.emulate_media(media="screen")
    times.click()
    expect(times).to_have_text("times: none")
    assert text_of(line) == written.removeprefix("2026-03-04 18:22:30.000 ")
    again = scripted.open("a.txt#_2026-03-04_18_22_30_000")
    expect(again.locator(".times")).to_have_text("times: none")
    expect(again.locator("#L600.lit")).to_be_in_viewport()
    expect(again.locator("#L600 time")).to_be_hidden()
    assert again.locator("#L302 time").count() == 0
    again.keyboard.press("t")
    expect(again.locator(".times")).to_have_text("times: as written")


def test_a_time_in_which_a_search_matches_is_shown_whole(scripted):
    page = scripted.open("a.txt?q=18:22:30&level=WARNING")
    expect(page.locator(".times")).to_have_text("times: as written")
    page.keyboard.press("t")
    expect(page.locator(".times")).to_have_text("times: of day")
    expect(page.locator("#L600 mark").first).to_have_text("18:22:30")
    assert text_of(page.locator("#L600")).startswith("2026-03-04 18:22:30.000 ")


def test_times_of_many_tools_are_shortened(scripted):
    page = scripted.open("times.txt")
    expect(page.locator(".times")).to_have_text("times: as written")
    page.keyboard.press("t")
    expect(page.locator(".times")).to_have_text("times: of day")
    shown = [text_of(line) for line in page.locator(".b > [id]").all()]
    assert shown == [
        "20:22:01 [1] LOG:  one",
        "18:22:01 [error] 1#1: two",
        "06:22:01 PM INFO three",
        "06:22:01 PM four",
        "I0304 18:22:01.123456 12 klog.go:1] five",
        '::1 - - [04/Mar/2026:18:22:01 +0000] "GET /six HTTP/1.1" 200 2',
        "18:22:01 [wsgi:error] [pid 12] seven",
        "04-Mar-2026 18:22:01.500 INFO eight",
        '{"time": 1772648521.25, "level": "info", "msg": "nine"}',
    ]


def test_at_390_pixels_most_of_a_row_is_text(scripted):
    page = scripted.open("a.txt", size=SCREENS[2])
    expect(page.locator(".times")).to_have_text("times: of day")
    expect(page.locator("#L600 time")).to_be_attached()
    time = page.locator("#L1 time").bounding_box()
    assert time["x"] + time["width"] < SCREENS[2][0] / 2
    assert violations(page) == []
    page.keyboard.press("t")
    expect(page.locator(".times")).to_have_text("times: none")
    number = page.locator("#L1 > a").bounding_box()
    assert number["x"] + number["width"] < SCREENS[2][0] / 4
    assert page.locator("html").bounding_box()["width"] == SCREENS[2][0]


def test_on_a_narrow_screen_lines_come_without_the_scripts_that_a_reader_blocks(chromium, server):
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        context.route("**/*.js", lambda route: route.abort())
        page = context.new_page()
        page.goto(f"{server.url}/42/job/a.txt")
        expect(page.locator("#L1")).to_be_visible()
        expect(page.locator("#L1")).to_have_css("visibility", "visible")


def test_copying_gives_the_logs_own_text(scripted):
    page = scripted.open("a.txt?q=number+9")
    page.wait_for_selector("html.js")
    shown = "".join(line for line in lines() if "number 9" in line)
    select = "getSelection().selectAllChildren(document.getElementById('log'))"
    assert copied(scripted.context, page, select) == shown
    mark = "document.querySelector('#{} mark').firstChild"
    some = f"getSelection().setBaseAndExtent({mark.format('L9')}, 0, {mark.format('L91')}, 6)"
    assert copied(scripted.context, page, some) == (
        f"number 9\n{stamped(4, 'DEBUG', 'number 90')}{stamped(4, 'INFO', 'number')}".rstrip()
    )


def test_what_is_left_of_an_overwritten_text_is_shown_and_copied_once(scripted):
    page = scripted.open("rewritten.txt")
    page.wait_for_selector("html.js")
    assert page.locator("#L1").inner_text().rstrip().endswith("a fr!end")
    select = "getSelection().selectAllChildren(document.getElementById('log'))"
    assert copied(scripted.context, page, select) == "a friend\b\b\b\b!\n"


def test_copying_leaves_numbers_out_without_scripts(plain):
    page = plain.open("a.txt?q=number+9")
    select = "getSelection().selectAllChildren(document.getElementById('log'))"
    found = copied(plain.context, page, select).splitlines()
    assert [line for line in found if line] == [
        line.rstrip() for line in lines() if "number 9" in line
    ]


# Landing


def test_a_link_waits_for_its_line_and_stays_there(scripted, server):
    with Stepwise(server.url, b" id=L400>", b" id=L700>") as slow:
        page = scripted.open("a.txt#L600", slow.url, wait_until="commit")
        page.wait_for_selector("#L399", state="attached")
        assert page.locator(".lit").count() == 0
        slow.go_on()
        page.wait_for_selector("#L600.lit", state="attached")
        page.wait_for_function("() => L600.getBoundingClientRect().top < innerHeight")
        slow.go_on()
        page.wait_for_load_state("load")
        expect(page.locator("#map")).to_be_visible()
        lands_on(page, "#L600")


def test_a_reader_who_moves_is_left_alone(scripted, server):
    with Stepwise(server.url, b" id=L700>") as slow:
        page = scripted.open("a.txt#L600", slow.url, wait_until="commit")
        page.wait_for_function(
            "() => document.querySelector('#L600.lit')?.getBoundingClientRect().top < innerHeight"
        )
        page.mouse.move(300, 300)
        page.mouse.wheel(0, -100_000)
        page.wait_for_function("() => scrollY === 0")
        slow.go_on()
        page.wait_for_load_state("load")
        expect(page.locator("#map")).to_be_visible()
        assert page.evaluate("scrollY") == 0


def test_the_first_error_is_offered_before_the_rest_has_come(scripted, server):
    with Stepwise(server.url, b" id=L400>") as slow:
        page = scripted.open("a.txt", slow.url, wait_until="commit")
        link = page.locator(".first")
        expect(link).to_be_visible()
        assert link.get_attribute("href") == "#L301"
        expect(page.locator(".last")).not_to_be_visible()
        assert page.evaluate("document.readyState") == "loading"
        link.click()
        page.wait_for_selector("#L301.lit")
        lands_on(page, "#L301")
        slow.go_on()
        expect(page.locator("#map")).to_be_visible()


def test_a_log_without_errors_offers_none(scripted):
    page = scripted.open("calm.txt")
    expect(page.locator(".levels .ERROR")).to_have_attribute("data-count", "0")
    expect(page.locator(".steps .first, .steps [data-key=n], .steps [data-key=p]")).to_have_count(3)
    expect(page.locator(".steps :is(.first, [data-key=n], [data-key=p]):visible")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator("#said")).to_have_text("No error on this page.")


@pytest.mark.parametrize("size", EACH_SCREEN)
def test_the_first_and_the_last_error_are_offered_on_every_screen(scripted, size):
    page = scripted.open("a.txt", size=size)
    expect(page.locator(".last")).to_be_visible()
    expect(page.locator(".levels .ERROR")).to_be_in_viewport(ratio=1)
    assert re.sub(r"\W+", " ", page.locator(".ends").inner_text()) == "Errors first last"
    page.click(".last")
    lands_on(page, "#L701")
    page.click(".first")
    lands_on(page, "#L301")


@pytest.mark.long
@pytest.mark.parametrize("size", EACH_SCREEN)
def test_nothing_jumps_while_the_lines_come(scripted, server, size):
    """Chromium's own measure of layout shifts, over all of the loading."""
    watch = """
        window.shift = 0;
        new PerformanceObserver((seen) => {
          for (const entry of seen.getEntries()) window.shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
    """
    scripted.context.add_init_script(watch)
    for address in ("a.txt", "a.txt?level=INFO&q=n", "calm.txt"):
        with Stepwise(server.url, b" id=L5>", b" id=L400>") as slow:
            page = scripted.open(address, slow.url, size, wait_until="commit")
            page.wait_for_selector("html.js")
            page.wait_for_selector("#L4, #L3", state="attached")
            slow.go_on()
            slow.go_on()
            expect(page.locator("#map")).to_be_visible()
            assert page.evaluate("window.shift") < 0.01


# Errors, keys


def test_keys_and_buttons_go_from_error_to_error(scripted):
    page = scripted.open("a.txt")
    page.wait_for_selector("html.js")
    said = page.locator("#said")
    for press, wanted in (
        (lambda: page.keyboard.press("n"), "Place 1 of 3 with errors, line 301"),
        (lambda: page.click('[data-key="n"]'), "Place 2 of 3 with errors, line 501"),
        (lambda: page.keyboard.press("n"), "Place 3 of 3 with errors, line 701: the cause"),
        (lambda: page.keyboard.press("n"), "No further error on this page."),
        (lambda: page.keyboard.press("p"), "Place 2 of 3 with errors, line 501"),
        (lambda: page.click('[data-key="p"]'), "Place 1 of 3 with errors, line 301"),
    ):
        press()
        expect(said).to_have_text(wanted)
        if wanted.startswith("Place"):
            lands_on(page, "#" + urlsplit(page.url).fragment)
    assert said.get_attribute("role") == "status"


def test_a_key_goes_to_the_cause_and_marks_all_its_lines(scripted):
    page = scripted.open("build.txt")
    expect(page.locator("a.cause")).to_be_visible()
    page.keyboard.press("c")
    lands_on(page, "#L302")
    assert lit(page) == [f"L{number}" for number in range(302, 337)]
    assert urlsplit(page.url).fragment == "L302-L336"
    page.reload()
    page.wait_for_selector("#L336.lit")


def test_the_next_error_key_stops_at_the_cause(scripted):
    page = scripted.open("build.txt")
    expect(page.locator("a.cause")).to_be_visible()
    said = page.locator("#said")
    for key, wanted in (
        ("n", "Place 1 of 2 with errors, line 1"),
        ("n", "Place 2 of 2 with errors, line 302: the cause"),
        ("p", "Place 1 of 2 with errors, line 1"),
        ("n", "Place 2 of 2 with errors, line 302: the cause"),
    ):
        page.keyboard.press(key)
        expect(said).to_have_text(wanted)
    assert len(lit(page)) == 35


@pytest.mark.parametrize("size", EACH_SCREEN)
def test_the_cause_is_a_control_beside_the_errors_on_every_screen(reader, size):
    page = reader.open("build.txt", size=size)
    control = page.locator(".steps").get_by_role("link", name="cause")
    expect(control).to_be_in_viewport()
    control.click()
    page.wait_for_url("**#L302*")
    expect(page.locator("#L302")).to_be_in_viewport()


def test_a_page_that_shows_a_cause_marks_all_its_lines(scripted):
    page = scripted.open("build.txt?level=INFO&goto=cause")
    page.wait_for_selector("#L302.lit")
    assert len(lit(page)) == 35
    assert urlsplit(page.url).fragment == "L302"


def test_the_map_shows_all_lines_of_the_cause(scripted):
    page = scripted.open("build.txt")
    block = page.locator("#map .cause")
    expect(block).to_have_count(1)
    rows = [int(block.get_attribute(name)) for name in ("y", "height")]
    assert rows == [301 // 4, 335 // 4 - 301 // 4 + 1]


def followed(page, address, query=""):
    """Follows a link of the folder's page to a log."""
    link = page.locator("#entries").get_by_role("link", name=address, exact=True)
    link.evaluate("(link, query) => { link.href += query; }", query)
    link.click()
    expect(page.locator(".levels .NONE")).to_have_attribute("data-count", re.compile(r"\d"))


@pytest.mark.parametrize("size", EACH_SCREEN)
def test_a_failed_log_opens_from_a_listing_at_its_cause_with_a_link_to_the_top(scripted, size):
    page = scripted.open("", size=size)
    followed(page, "build.txt")
    expect(page).to_have_url(re.compile("build.txt#L302-L336$"))
    expect(page.locator("#L302")).to_be_in_viewport()
    page.get_by_role("link", name="top", exact=True).click()
    page.wait_for_function("scrollY === 0")
    page.reload()
    expect(page.locator(".levels .NONE")).to_have_attribute("data-count", re.compile(r"\d"))
    expect(page).to_have_url(re.compile("#top$"))


@pytest.mark.parametrize(
    "query",
    ["#L5", "#L5-L9", "?level=ERROR", "?q=compiling", "?lines=1-20", "?limit=9", "?show=L9"],
)
def test_a_link_of_a_listing_with_a_place_or_a_filter_stays_what_it_is(scripted, query):
    page = scripted.open("")
    followed(page, "build.txt", query)
    expect(page).to_have_url(re.compile(re.escape("build.txt" + query) + "$"))
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("address", ["calm.txt", "failures.txt", "a.txt"])
def test_a_log_that_does_not_say_that_it_failed_opens_from_a_listing_at_its_top(scripted, address):
    page = scripted.open("")
    followed(page, address)
    failed = page.evaluate("log.page.summary.failed")
    assert failed or (page.url.endswith(address) and page.evaluate("scrollY") == 0)


def test_a_reader_who_scrolls_first_is_left_where_a_log_opened(scripted):
    page = scripted.open("")
    held = []
    page.route("**/*format=summary*", lambda route: held.append(route))
    with page.expect_request("**/*format=summary*"):
        page.locator('#entries [href="./build.txt"]').click()
    page.keyboard.press("ArrowDown")
    held[0].continue_()
    expect(page.locator(".card")).to_be_visible()
    expect(page).to_have_url(re.compile("build.txt$"))


def test_a_log_that_does_not_fail_offers_no_cause(scripted):
    page = scripted.open("calm.txt")
    expect(page.locator("#map")).to_be_visible()
    expect(page.locator("a.cause")).to_be_hidden()
    page.keyboard.press("c")
    expect(page.locator("#said")).to_have_text("This log shows no cause.")


def test_a_banner_ends_at_the_pages_edge_and_is_copied_whole(scripted):
    page = scripted.open("play.txt", size=SCREENS[-1])
    page.wait_for_selector("#L1 .banner", state="attached")
    heights = [page.locator(f"#L{number}").bounding_box()["height"] for number in (1, 2)]
    assert heights[0] == heights[1]
    assert page.evaluate("document.documentElement.scrollWidth") == SCREENS[-1][0]
    select = "getSelection().selectAllChildren(document.getElementById('log'))"
    assert copied(scripted.context, page, select) == PLAY
    page.goto(f"{page.url}?q=b]+{'*' * 9}")
    expect(page.locator("#L1 mark")).to_have_count(1)


def test_a_line_is_gone_to_as_often_as_it_is_asked_for(scripted):
    page = scripted.open("a.txt#L800")
    expect(page.locator("#map")).to_be_visible()
    lands_on(page, "#L800")
    page.mouse.move(300, 300)
    for answer in ("800", " L800 ", "800-800"):
        page.mouse.wheel(0, -100_000)
        page.wait_for_function("() => scrollY === 0")
        page.keyboard.press("g")
        page.keyboard.type(f"{answer}\n")
        lands_on(page, "#L800")


def test_an_error_is_shown_from_its_beginning_where_lines_are_not_wrapped(scripted):
    page = scripted.open("wide.txt?wrap=no")
    expect(page.locator("#map")).to_be_visible()
    page.mouse.move(300, 300)
    page.mouse.wheel(2000, 0)
    page.wait_for_function("() => scrollX > 0")
    page.keyboard.press("n")
    page.wait_for_selector("#L2.lit")
    page.wait_for_function("() => scrollX === 0")


def test_an_error_with_its_traceback_is_one(scripted):
    page = scripted.open("failures.txt")
    page.wait_for_selector("html.js")
    for wanted in (
        "Place 1 of 4 with errors, line 2: the cause",
        "Place 2 of 4 with errors, line 6",
        "Place 3 of 4 with errors, line 11",
    ):
        page.keyboard.press("n")
        expect(page.locator("#said")).to_have_text(wanted)
    page.keyboard.press("n")
    expect(page.locator("#said")).to_have_text("Place 4 of 4 with errors, line 13")


def test_keys_search_go_to_a_line_and_explain_themselves(scripted):
    page = scripted.open("a.txt", size=SCREENS[1])
    page.wait_for_selector("html.js")
    page.keyboard.press("g")
    page.keyboard.type("800\n")
    page.wait_for_selector("#L800.lit")
    lands_on(page, "#L800")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    expect(page.locator("dialog button")).to_be_visible()
    assert page.locator("dialog kbd").all_inner_texts() == [*"npc/gwtm?"]
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("now")
    assert page.input_value('[name="q"]') == "now"
    assert urlsplit(page.url).fragment == "L800"


@pytest.mark.parametrize(
    ("typed", "line", "size"),
    [
        ("800", 800, SCREENS[0]),
        ("800", 800, SCREENS[-1]),
        ("18:22:30.0", 600, SCREENS[0]),
        ("2026-03-04 18:22:40.02", 819, SCREENS[0]),
        ("_2026-03-04_18_22_40_000", 800, SCREENS[0]),
    ],
)
def test_the_field_goes_to_a_line_or_a_time(reader, typed, line, size):
    page = reader.open("a.txt?not=number+8", size=size)
    if size == SCREENS[-1]:
        page.click(".tools > summary")
    page.fill('[name="goto"]', typed)
    page.press('[name="goto"]', "Enter")
    page.wait_for_url(f"**#L{line}")
    assert asked(page)["not"] == ["number 8"]
    assert "goto" not in asked(page)
    expect(page.locator(f"#L{line}")).to_be_in_viewport()
    if "40.02" in typed:
        expect(page.locator("main .notice >> nth=0")).to_contain_text(
            "nearest: line 819, 20 ms earlier"
        )


def test_many_lines_fold_under_their_error(scripted):
    page = scripted.open("a.txt#L301")
    button = page.locator("#L301 .fold")
    expect(button).to_have_attribute("aria-expanded", "true")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "false")
    label = button.evaluate("button => getComputedStyle(button, '::before').content")
    assert "19 lines folded" in label or "data-lines" in label
    assert button.get_attribute("data-lines") == "19 lines folded"
    expect(page.locator("#L302")).not_to_be_visible()
    expect(page.locator("#L320")).not_to_be_visible()
    expect(page.locator("#L321")).to_be_visible()
    assert page.locator("#L310").get_attribute("hidden") == "until-found"
    page.keyboard.press("g")
    page.keyboard.type("310\n")
    expect(page.locator("#L310")).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")


# Gaps, links in lines, the map


def shown(page):
    return page.eval_on_selector_all(".b > [id]", "all => all.map((l) => Number(l.id.slice(1)))")


def gaps(page):
    return [
        int(re.match(r"[\d,]+", text)[0].replace(",", ""))
        for text in page.locator(".gap a").all_inner_texts()
    ]


def test_a_traceback_whose_lines_repeat_the_head_folds_too(scripted):
    page = scripted.open("oslo.txt")
    fold = page.locator("#L3 .fold")
    expect(fold).to_have_attribute("data-lines", "20 lines folded")
    quiet, loud = (
        page.locator(f"#L{number}").evaluate("line => getComputedStyle(line).color")
        for number in (4, 24)
    )
    assert quiet != loud
    fold.click()
    assert page.locator("#L4").bounding_box()["height"] == 0
    assert page.locator("#L24").bounding_box()["height"] > 0


def test_every_uuid_leads_to_its_lines(scripted):
    page = scripted.open("oslo.txt?source=disk")
    page.click(f"#L2 a:text-is('{INSTANCE}')")
    page.wait_for_url(f"**/oslo.txt?source=disk&q={INSTANCE}")
    expect(page.locator("mark").first).to_have_text(INSTANCE)
    assert page.locator(".views a", has_text="all logs").get_attribute("href") == (
        f"./?source=disk&q={INSTANCE}&in=job"
    )


@pytest.mark.parametrize(
    "address",
    [
        "a.txt#L21",
        "times.txt#L4",
        *(
            pytest.param(address, marks=pytest.mark.long)
            for address in ("syslog.txt#L2", *(f"times.txt#L{n}" for n in (1, 2, 3, 5, 6, 7, 8, 9)))
        ),
    ],
)
def test_a_line_leads_to_its_moment_in_all_logs(scripted, address):
    page = scripted.open(address)
    page.wait_for_selector(".lit")
    page.keyboard.press("m")
    page.wait_for_url("**/42/job/?*")
    year = asked(page)["since"][0][:4]
    name, _, number = address.partition("#L")
    assert asked(page) == {
        "since": [f"{year}-03-04T18:21:59Z"],
        "until": [f"{year}-03-04T18:22:03Z"],
        "not": ["DEBUG"],
        "order": ["time"],
        "moment": [f"{name}:{number}"],
    }
    expect(page.locator("#moment > a").first).to_have_attribute("href", address)


def test_a_log_without_dates_has_no_link_to_a_moment(scripted):
    page = scripted.open("timeless.txt")
    expect(page.locator(".moment")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.locator("#said")).to_have_text("No line of this log has a date.")


def test_a_page_whose_end_comes_late_has_no_link_to_a_moment_without_dates(scripted, server):
    with Stepwise(server.url, b" id=L700>") as slow:
        page = scripted.open("timeless.txt", slow.url, wait_until="commit")
        page.wait_for_selector("#said", state="attached")
        page.wait_for_selector("#L600", state="attached")
        page.keyboard.press("m")
        expect(page.locator("#said")).to_have_text("No line so far has a date.")
        slow.go_on()
        page.wait_for_load_state("load")
        expect(page.locator("#counts")).to_have_count(0)
        expect(page.locator(".moment")).to_be_hidden()
        page.keyboard.press("m")
        expect(page.locator("#said")).to_have_text("No line of this log has a date.")


def test_a_log_without_dates_has_no_link_to_a_moment_without_scripts(plain):
    expect(plain.open("timeless.txt").locator(".moment")).to_be_hidden()


def test_a_gap_opens_in_place_and_the_hit_stays_where_it_was(scripted):
    page = scripted.open("a.txt?level=ERROR")
    expect(page.locator("#map")).to_be_visible()
    top = page.locator("#L501").bounding_box()["y"]
    page.click(".gap a >> nth=1")
    page.wait_for_selector("#L321")
    page.wait_for_function(f"() => Math.abs(L501.getBoundingClientRect().top - {top}) < 1")
    assert shown(page) == [*range(301, 504), 701]
    assert asked(page) == {"level": ["ERROR"], "show": ["L321-L500"]}
    page.reload()
    assert shown(page) == [*range(301, 504), 701]


def test_a_gap_opens_twenty_lines_at_a_time_from_either_end(scripted):
    page = scripted.open("a.txt?q=the+last+error")
    page.wait_for_selector(".gap button >> nth=1")
    top = page.locator("#L701").bounding_box()["y"]
    page.click(".gap >> nth=0 >> text=the last 20")
    page.wait_for_selector("#L681.shown")
    page.wait_for_function(f"() => Math.abs(L701.getBoundingClientRect().top - {top}) < 1")
    page.click(".gap >> nth=0 >> text=the last 20")
    page.wait_for_selector("#L661.shown")
    page.click(".gap >> nth=1 >> text=the first 20")
    page.wait_for_selector("#L721.shown")
    assert shown(page) == [*range(661, 722)]
    assert gaps(page) == [660, 279]
    assert asked(page) == {"q": ["the last error"], "show": ["L661-L700", "L702-L721"]}
    expect(page.locator(".gap >> nth=0 >> button")).to_have_count(1)
    page.reload()
    assert shown(page) == [*range(661, 722)]
    assert page.locator("#L700").evaluate("line => line.className") == "D shown"


def test_an_error_in_an_opened_gap_keeps_its_colour(reader):
    page = reader.open("a.txt?q=the+last+error&show=L500-L502")
    colour = "line => getComputedStyle(line).color"
    assert page.eval_on_selector("#L501", colour) == page.eval_on_selector("#L701", colour)
    assert page.eval_on_selector("#L500", colour) != page.eval_on_selector("#L501", colour)


def test_a_link_to_a_range_brings_in_all_of_it(scripted):
    page = scripted.open("a.txt?level=ERROR#L318-L325")
    page.wait_for_url("**show=L318-L325#L318-L325")
    page.wait_for_selector("#L325.lit")
    assert lit(page) == [f"L{number}" for number in range(318, 326)]
    lands_on(page, "#L318")


def test_what_was_written_over_is_not_shown_and_copied_all_the_same(scripted):
    page = scripted.open("progress.txt")
    page.wait_for_selector("html.js")
    line = page.locator("#L2")
    expect(line.locator("s")).not_to_be_visible()
    assert line.inner_text().strip("#\n") == "100%"
    assert line.bounding_box()["height"] == page.locator("#L1").bounding_box()["height"]
    assert page.locator("#L3").inner_text().strip("#\n") == "Title"
    select = "getSelection().selectAllChildren(document.getElementById('log'))"
    assert copied(scripted.context, page, select) == PROGRESS.replace("\x1b[0K", "")


def test_a_traceback_in_a_gap_folds_and_belongs_to_its_error(scripted):
    page = scripted.open("a.txt?q=cannot+spawn")
    page.wait_for_selector("html.js")
    page.locator(".gap a").last.click()
    assert page.locator("#L302").get_attribute("class") == "e shown"
    page.locator("#L301 .fold").click()
    expect(page.locator("#L320")).not_to_be_visible()


def test_the_map_marks_errors_and_leads_to_its_moment(scripted):
    page = scripted.open("a.txt")
    drawn = page.locator("#map")
    expect(drawn).to_be_visible()
    slider = page.get_by_role("slider", name="Lines over the log, 5 of them errors")
    assert page.locator("#map .errors:not([width='0'])").count() == 3
    labels = page.locator("#map p:not(.tip)").all_inner_texts()
    assert labels == ["18:22:00", "18:22:13", "18:22:25", "18:22:38", "18:22:50"]
    box = drawn.bounding_box()
    at = {"x": 20, "y": box["height"] * 40.5 / 51}
    drawn.hover(position=at)
    expect(page.locator("#map .tip")).to_have_text("2026-03-04 18:22:40: 20 lines, 0 errors")
    drawn.click(position=at)
    page.wait_for_selector("#L800.lit")
    lands_on(page, "#L800")
    slider.press("ArrowUp")
    page.wait_for_selector("#L780.lit")
    expect(slider).to_have_attribute("aria-valuetext", "2026-03-04 18:22:39: 20 lines, 0 errors")
    expect(page.locator("#said")).to_have_text("2026-03-04 18:22:39: 20 lines, 0 errors")
    slider.press("Home")
    page.wait_for_selector("#L1.lit")


def test_the_map_of_a_log_without_times_goes_by_its_lines(scripted):
    page = scripted.open("timeless.txt")
    expect(page.locator("#map p:not(.tip)").last).to_have_text("991")
    assert page.locator("#map .errors:not([width='0'])").count() == 2
    page.locator("#map input").press("End")
    page.wait_for_selector("#L991.lit")
    lands_on(page, "#L991")


def test_the_map_of_a_console_that_shows_some_dates_goes_by_its_lines(scripted):
    page = scripted.open("dates.txt")
    labels = page.locator("#map p:not(.tip)")
    expect(labels.first).to_have_text("1")
    expect(labels.last).to_have_text("298")


def test_the_numbers_stay_in_view_where_lines_are_not_wrapped(scripted):
    page = scripted.open("wide.txt?wrap=no", size=SCREENS[-1])
    text = page.locator("#L1").bounding_box()["x"]
    page.mouse.move(100, 300)
    page.mouse.wheel(900, 0)
    page.wait_for_function("() => scrollX > 300")
    assert page.locator("#L1").bounding_box()["x"] < text - 300
    expect(page.locator("#L1 > a")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("address", ["a.txt", "a.txt?level=ERROR&not=one+error&context=1"])
def test_on_a_telephone_nothing_is_cut_and_targets_are_24_pixels(scripted, address):
    page = scripted.open(address, size=SCREENS[-1])
    expect(page.locator("#map")).to_be_visible()
    if "?" in address:
        page.wait_for_selector(".gap button")
    small = """() => [...document.querySelectorAll('header :is(a, button, summary, input), .gap > *, #map input, .fold, .b [href^="#"]')]
        .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }) && !element.matches('.skip'))
        .map((element) => [element.outerHTML.slice(0, 90), element.getBoundingClientRect()])
        .filter(([, box]) => box.width < 24 || box.height < 24 || box.left < 0 || box.right > innerWidth)"""
    assert page.evaluate(small) == []
    page.click(".tools > summary")
    page.click(".extra > summary")
    assert page.evaluate(small) == []
    cut = """() => [...document.querySelectorAll('header *')].filter((element) => element.checkVisibility()
        && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline'
        && !element.matches('input, label > span')).map((element) => element.outerHTML.slice(0, 90))"""
    assert page.evaluate(cut) == []


@pytest.mark.parametrize("address", ["a.txt", "a.txt?lines=-500"], ids=["followed", "a part"])
@pytest.mark.parametrize("with_scripts", [True, False])
def test_on_a_telephone_the_buttons_cover_nothing_at_the_end(
    chromium, server, address, with_scripts
):
    with chromium.new_context(java_script_enabled=with_scripts) as context:
        page = Reader(context, server.url).open(address, size=SCREENS[-1])
        if with_scripts:
            expect(page.locator("#map")).to_be_visible()
        page.mouse.move(100, 400)
        page.mouse.wheel(0, 10**6)
        ends = page.locator(".b:last-child > :last-child, .newer, .parts, footer a")
        expect(ends.last).to_be_in_viewport(ratio=1)
        buttons = page.locator(".steps").bounding_box()
        for end in filter(None, (one.bounding_box() for one in ends.all())):
            above = end["y"] + end["height"] <= buttons["y"]
            assert above or end["y"] >= buttons["y"] + buttons["height"]


def test_forced_colours_keep_the_marks(chromium, server):
    with chromium.new_context(forced_colors="active") as context:
        page = Reader(context, server.url).open("a.txt?q=cannot&context=1#L301")
        page.wait_for_selector("#L301.lit")
        for selector, side in (("#L301", "borderLeftStyle"), ("#L301 mark", "outlineStyle")):
            style = f"element => getComputedStyle(element).{side}"
            assert page.locator(selector).evaluate(style) == "solid"


def test_what_is_missing_is_told_in_the_bar_too(reader):
    page = reader.open("broken.txt")
    expect(page.locator(".damaged")).to_be_visible()
    page.click(".damaged")
    expect(page.locator("#damage .notice")).to_be_in_viewport()
    expect(reader.open("a.txt").locator(".damaged")).not_to_be_visible()


def test_it_prints_all_lines_and_no_controls(reader):
    page = reader.open("a.txt")
    page.emulate_media(media="print")
    for part in (".levels", "form", ".views"):
        expect(page.locator(part)).not_to_be_visible()
    expect(page.locator(".path h1")).to_be_visible()
    assert page.locator(".b").first.evaluate("b => getComputedStyle(b).contentVisibility") == (
        "visible"
    )


def test_it_prints_folded_lines_and_not_the_controls_of_folds(scripted):
    page = scripted.open("a.txt#L301")
    page.locator("#L301 .fold").click()
    page.emulate_media(media="print")
    expect(page.locator("#L301 .fold")).not_to_be_visible()
    assert page.locator("#L302").bounding_box()["height"] > 0


def test_the_keyboard_skips_to_the_lines(reader):
    page = reader.open("a.txt")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#log$"))


def test_what_has_the_focus_is_not_below_the_foot_of_the_page(plain):
    page = plain.open("a.txt", size=(1440, 400))
    page.locator("#L2 > a").focus()
    foot = page.locator("footer").bounding_box()["y"]
    for _ in range(50):
        page.keyboard.press("Tab")
        bottom = page.evaluate("document.activeElement.getBoundingClientRect().bottom")
        assert bottom <= foot
