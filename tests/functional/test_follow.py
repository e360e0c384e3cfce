# SPDX-License-Identifier: Apache-2.0
"""A page of a log that still grows, in a real browser: new lines come by themselves."""

import os
import re
import time

import pytest
from playwright.sync_api import expect

from tests.servers.gunicorn import Gunicorn

HOUR = 3600
#: How the tests hide the tab: a headless browser shows all of them.
HIDDEN = """(isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
}"""
#: Frames come by themselves, though a test makes the time: pages wait for some.
FRAMES = "window.frame = requestAnimationFrame.bind(window)"
GIVE_FRAMES = "window.requestAnimationFrame = window.frame"
#: What a reader sees of the lines, and what links and searches use of them.
LINES = """() => [...document.querySelectorAll('#log > .b')].map((block) => [...block.children].map((item) => [
    item.id, item.className, (item.id ? item : item.firstElementChild).textContent,
    item.firstElementChild.name ?? '', item.firstElementChild.getAttribute('href'),
]))"""


def stamped(second, text):
    return f"2026-03-04 18:22:{second:02}.000 1 {text}\n"


BEGIN = "".join(stamped(number // 10, f"INFO nova [-] number {number}") for number in range(1, 301))


class GrowingLog:
    """A log on disk, its page, and what the page asked for."""

    def __init__(self, root, page, url):
        self.file = root / "job.txt"
        self.page = page
        self.url = f"{url}/job.txt"
        self.asked = []
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url):
        if "format=html" in url:
            self.asked.append(url)

    def write(self, text):
        self.file.write_text(text)

    def append(self, text):
        with self.file.open("a") as file:
            file.write(text)

    def age(self, seconds):
        written = time.time() - seconds
        os.utime(self.file, (written, written))

    def open(self, query=""):
        self.page.goto(self.url + query)
        expect(self.page.locator("#map, .none").first).to_be_visible()

    def answer(self, seconds=61):
        """The answer to the page's next question, which it asks some seconds later, or at once."""
        with self.page.expect_response(lambda answer: "format=html" in answer.url) as caught:
            self.page.clock.fast_forward(seconds * 1000)
        expect(self.page.locator(".newer")).to_have_attribute("aria-busy", "false")
        return caught.value

    def grow(self, text):
        self.append(text)
        return self.answer()

    def has_the_lines_of_a_new_page(self):
        expect(self.page.locator("#log")).to_be_visible()
        mine = self.page.evaluate(LINES)
        with self.page.context.browser.new_context(java_script_enabled=False) as context:
            other = context.new_page()
            other.goto(self.page.url)
            assert mine == other.evaluate(LINES)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def server(root):
    with Gunicorn(f"[disk]\nroot = {root}\n[serve]\npage_elements = 4096\n") as running:
        yield running


@pytest.fixture
def log(chromium, server, root):
    said = []
    with chromium.new_context() as context:
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.add_init_script(FRAMES)
        # Time stands still but for what a test lets pass, so no answer takes long.
        page.clock.install()
        page.clock.pause_at(time.time() + 1)
        page.add_init_script(GIVE_FRAMES)
        log = GrowingLog(root, page, server.url)
        log.write(BEGIN)
        yield log
    assert said == []


def test_new_lines_are_as_on_a_new_page(log):
    log.open()
    log.grow(
        stamped(30, "ERROR nova [-] failed")
        + "Traceback (most recent call last):\n  File f.py\nValueError: no\n"
        + stamped(30, "INFO nova [-] of the same time")
    )
    expect(log.page.locator("#L304")).to_be_attached()
    log.grow(stamped(31, "WARNING nova [-] <b>slow</b>") * 300)
    expect(log.page.locator("#L605")).to_be_attached()
    log.has_the_lines_of_a_new_page()
    log.answer()
    expect(log.page.locator(".levels .ERROR")).to_have_attribute("data-count", "3")


def test_a_line_that_was_not_finished_is_replaced(log):
    log.write(BEGIN + "2026-03-04 18:22:31.000 1 ERR")
    log.open()
    log.grow("OR nova [-] failed\n2026-03-04")
    expect(log.page.locator("#L302")).to_be_attached()
    expect(log.page.locator("#L301")).to_have_class("E")
    log.has_the_lines_of_a_new_page()
    log.grow(" 18:22:31.000 1 INFO goes on\n")
    expect(log.page.locator("#L302")).to_contain_text("goes on")
    log.has_the_lines_of_a_new_page()


@pytest.mark.parametrize("query", ["?level=ERROR", "?q=failed&context=2", "?lines=290-&not=begins"])
def test_the_filter_of_the_page_holds(log, query):
    log.open(query)
    log.grow(
        stamped(32, "INFO nova [-] begins")
        + stamped(32, "ERROR nova [-] failed")
        + stamped(33, "INFO nova [-] goes on") * 5
    )
    expect(log.page.locator("#L302")).to_be_attached()
    log.has_the_lines_of_a_new_page()
    log.grow(stamped(34, "ERROR nova [-] failed") + stamped(35, "INFO nova [-] begins"))
    expect(log.page.locator("#L308")).to_be_attached()
    log.has_the_lines_of_a_new_page()
    expect(log.page.locator(".none")).to_have_count(0)


@pytest.mark.long
def test_the_last_lines_of_a_log_grow_too(log):
    log.open("?tail=3")
    log.grow(stamped(31, "INFO nova [-] new"))
    expect(log.page.locator("#L301")).to_be_attached()
    assert log.page.locator("#log [id]").count() == 4


@pytest.mark.long
def test_an_empty_log_gets_its_first_lines(log):
    log.write("")
    log.open()
    expect(log.page.locator(".none")).to_have_text("This log is empty.")
    log.grow("one\n")
    expect(log.page.locator("#L1")).to_be_visible()
    expect(log.page.locator(".none")).to_have_count(0)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_a_reader_at_the_end_stays_there_and_another_is_told(log, size):
    page = log.page
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    log.open()
    log.grow(stamped(31, "INFO nova [-] new") * 30)
    expect(page.locator(".below")).to_have_text("30 new lines below")
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("End")
    expect(page.locator(".below")).to_be_empty()
    log.grow(stamped(32, "INFO nova [-] newer") * 200)
    expect(page.locator("#L530")).to_be_in_viewport()


def test_a_log_that_has_not_changed_is_not_read_and_asked_for_less_often(log):
    log.open()
    assert log.answer(6).status == 200
    assert log.answer().status == 304
    expect(log.page.locator(".newer [role=status]")).to_be_empty()
    asked = len(log.asked)
    log.page.clock.fast_forward(6000)
    log.page.wait_for_timeout(100)
    assert len(log.asked) == asked
    assert log.grow("new\n").status == 200
    expect(log.page.locator("#L301")).to_be_attached()
    assert log.answer(6).status == 304


def test_no_hidden_tab_asks(log):
    log.open()
    log.page.evaluate(HIDDEN, True)
    log.append("new\n")
    log.page.clock.fast_forward(HOUR * 100)
    assert log.asked == []
    log.page.evaluate(HIDDEN, False)
    log.answer(0)
    expect(log.page.locator("#L301")).to_be_attached()


@pytest.mark.long
def test_the_switch_stops_and_starts(log):
    log.open()
    switch = log.page.get_by_role("switch", name="follow")
    expect(switch).to_be_checked()
    switch.click()
    log.append("new\n")
    log.page.clock.fast_forward(HOUR * 100)
    assert log.asked == []
    switch.click()
    log.answer(0)
    expect(log.page.locator("#L301")).to_be_attached()


@pytest.mark.long
def test_a_log_that_is_silent_for_an_hour_is_left(log):
    log.open()
    log.answer(6)
    log.answer(HOUR)
    expect(log.page.locator(".newer [role=status]")).to_have_text(
        "This log has not changed for an hour."
    )
    expect(log.page.get_by_role("switch")).not_to_be_checked()


def test_nothing_is_asked_for_an_older_log_unless_the_reader_wants_it(log):
    log.age(2 * HOUR)
    log.open()
    switch = log.page.get_by_role("switch")
    expect(switch).not_to_be_checked()
    log.page.clock.fast_forward(HOUR * 1000)
    assert log.asked == []
    log.append("new\n")
    switch.click()
    log.answer(0)
    expect(log.page.locator("#L301")).to_be_attached()
    log.age(25 * HOUR)
    log.open()
    assert log.page.locator(".newer").count() == 0


@pytest.mark.parametrize("text", ["other\n", "other\n" * 400], ids=["shorter", "longer"])
def test_a_log_that_was_replaced_is_not_mixed_with_the_first(log, text):
    log.open()
    log.write(text)
    log.answer()
    told = log.page.locator(".newer")
    expect(told).to_contain_text("This log was shortened or replaced.")
    assert log.page.locator("#log [id]").count() == 300
    told.get_by_role("link", name="load it again").click()
    expect(log.page.locator("#L1")).to_contain_text("other")


def test_a_log_whose_beginning_is_another_is_not_mixed_with_the_first(log):
    log.open()
    log.write(BEGIN.replace("number 1\n", "number 0\n") + "new\n")
    log.answer()
    expect(log.page.locator(".newer")).to_contain_text("This log was shortened or replaced.")
    assert log.page.locator("#log [id]").count() == 300


@pytest.mark.parametrize("query", ["", "?level=NONE&context=1", "?q=number+2", "?tail=30"])
def test_a_log_with_another_line_above_the_last_one_is_not_mixed_with_the_first(log, query):
    log.open(query)
    log.write(BEGIN.replace("number 299", "number 2xx") + "new\n")
    log.answer()
    expect(log.page.locator(".newer")).to_contain_text("This log was shortened or replaced.")
    expect(log.page.locator("#L301")).to_have_count(0)


CONSOLE = "PLAY [all] ***\nTASK [a : build] ***\nok: [n]\nTASK [a : test] ***\n" + "testing\n" * 9
FAILURE = """\
fatal: [n]: FAILED! => {"msg": "it broke"}
PLAY RECAP ***
n : ok=1 changed=0 unreachable=0 failed=1
"""


def failed(page):
    """Expects what a page shows of CONSOLE behind which FAILURE came."""
    expect(page).to_have_title("Failed: job.txt")
    expect(page.locator(".card .headline")).to_contain_text("it broke")
    expect(page.locator(".levels .ERROR")).to_have_attribute("data-count", "2")
    expect(page.locator("#chapters .failed")).to_have_text("a : test failed")
    expect(page.locator("#map .cause")).to_be_attached()
    expect(page.locator(".newer [role=status]")).to_have_text("This log says that it failed.")


@pytest.mark.parametrize("focused", ["", "#chapters a >> nth=1", "#map input"])
def test_a_page_learns_that_its_log_failed(log, focused):
    log.write(CONSOLE)
    log.open()
    expect(log.page).to_have_title("job.txt")
    if focused:
        log.page.locator(focused).focus()
    log.append(FAILURE)
    log.answer(6)
    failed(log.page)
    if focused:
        expect(log.page.locator(focused)).to_be_focused()
    log.page.keyboard.press("c")
    expect(log.page).to_have_url(re.compile("#L14$"))
    expect(log.page.locator("#L14")).to_have_class(re.compile(r"\blit\b"))


def test_a_verdict_ends_the_following_once_no_lines_come_behind_it(log):
    log.write(CONSOLE)
    log.open()
    log.append(FAILURE)
    log.answer(6)
    switch = log.page.get_by_role("switch")
    expect(switch).to_be_checked()
    log.append("cleaning up\n")
    log.answer(6)
    expect(log.page.locator("#L17")).to_be_attached()
    expect(switch).to_be_checked()
    log.answer(9)
    expect(switch).not_to_be_checked()
    failed(log.page)
    asked = len(log.asked)
    log.page.clock.fast_forward(HOUR * 100)
    assert len(log.asked) == asked
    # The reader may want what comes all the same.
    log.append("and more\n")
    switch.click()
    log.answer(0)
    expect(log.page.locator("#L18")).to_be_attached()
    log.answer(9)
    expect(switch).to_be_checked()


def test_a_log_that_goes_on_long_behind_a_verdict_is_followed(log):
    log.write("Started by timer\n+ make\nFinished: FAILURE\n")
    log.open()
    told = log.page.locator(".newer [role=status]")
    expect(told).to_have_text("This log says that it failed.")
    switch = log.page.get_by_role("switch")
    switch.click()
    log.answer(0)
    log.grow("more\n" * 900)
    expect(told).to_have_text("")
    log.answer(9)
    expect(switch).to_be_checked()


@pytest.mark.parametrize("query", ["?q=clean", "?lines=2-"])
def test_a_page_of_some_lines_learns_how_its_log_ended(log, query):
    log.write(CONSOLE)
    log.open(query)
    log.append(FAILURE)
    log.answer(6)
    told = log.page.locator(".newer [role=status]")
    expect(told).to_have_text("This log says that it failed.")
    expect(log.page).to_have_title("Failed: job.txt")
    switch = log.page.get_by_role("switch")
    expect(switch).to_be_checked()
    log.append("cleaning up\n")
    log.answer(6)
    expect(log.page).to_have_title("Failed: job.txt")
    expect(log.page.locator("#L17")).to_be_attached()
    log.answer(9)
    expect(switch).not_to_be_checked()
    expect(told).to_have_text("This log says that it failed.")


@pytest.mark.parametrize(
    ("query", "end"),
    [("", "Finished: SUCCESS\n"), ("", "Finished: FAILURE\n"), ("?q=make", "Finished: FAILURE\n")],
)
def test_the_page_of_a_finished_log_does_not_follow_it(log, query, end):
    log.write("Started by timer\n+ make\n" + end)
    log.open(query)
    told = log.page.locator(".newer [role=status]")
    expect(told).to_have_text(re.compile("This log says that it (passed|failed)."))
    expect(log.page.get_by_role("switch")).not_to_be_checked()
    log.page.clock.fast_forward(HOUR * 100)
    assert log.asked == []


@pytest.mark.parametrize("query", ["", "?lines=2-", "?q=make", "?tail=2"])
def test_a_page_has_the_last_lines_of_a_log_that_ended_while_it_was_loaded(log, query):
    log.write("Started by timer\n+ make\n")

    def end(route):
        if "make failed" not in log.file.read_text():
            log.append("make failed\nFinished: FAILURE\n")
        route.continue_()

    log.page.route("**/*format=summary*", end)
    log.open(query)
    log.answer(6)
    if query != "?q=make":
        expect(log.page.locator("#L4")).to_be_attached()
    expect(log.page.locator("#L3")).to_be_attached()
    log.answer(9)
    told = log.page.locator(".newer [role=status]")
    expect(told).to_have_text("This log says that it failed.")
    expect(log.page.get_by_role("switch")).not_to_be_checked()


def test_a_page_learns_of_errors_that_its_filter_hides(log):
    log.open("?level=CRITICAL")
    log.grow(stamped(31, "ERROR nova [-] failed"))
    expect(log.page.locator(".levels .ERROR")).to_have_attribute("data-count", "1")


def test_a_log_that_is_gone_is_told(log):
    log.open()
    log.file.unlink()
    log.answer()
    expect(log.page.locator(".newer")).to_contain_text("This log is gone.")


@pytest.mark.long
def test_a_server_that_fails_is_asked_again_some_times(log):
    log.open()
    log.page.route("**/*format=html*", lambda route: route.fulfill(status=503))
    log.answer()
    told = log.page.locator(".newer [role=status]")
    expect(told).to_have_text("No newer lines could be loaded: trying again.")
    log.page.unroute("**/*format=html*")
    log.grow("new\n")
    expect(log.page.locator("#L301")).to_be_attached()
    expect(told).to_be_empty()
    log.page.route("**/*format=html*", lambda route: route.fulfill(status=503))
    for _ in range(5):
        log.answer()
    expect(told).to_have_text("No newer lines could be loaded.")


@pytest.mark.long
def test_a_page_that_is_full_links_to_the_next_lines(log):
    log.open()
    log.grow("new\n" * 1500)
    expect(log.page.locator("#L1800")).to_be_attached()
    log.grow("newer\n" * 1500)
    told = log.page.locator(".newer")
    expect(told).to_contain_text("This page holds as many lines as it may.")
    log.append("newest\n")
    told.get_by_role("link").click()
    expect(log.page.locator("#log [id]").first).not_to_have_id("L1")
    expect(log.page.locator("#L3301")).to_contain_text("newest")


@pytest.mark.long
def test_many_lines_under_a_folded_error_fold_too(log):
    log.append(stamped(31, "ERROR nova [-] failed") + "  more\n" * 20)
    log.open()
    log.page.keyboard.press("End")
    log.page.locator("#L301 .fold").click()
    log.grow("  more\n" * 5)
    expect(log.page.locator("#L326")).to_have_attribute("hidden", "until-found")
    expect(log.page.locator("#L301 .fold")).to_have_attribute("data-lines", "25 lines folded")


def test_new_lines_open_the_chapter_that_they_are_of(log):
    log.write("TASK [a] ***\n" + "a\n" * 9)
    log.open()
    log.page.locator("#L1 .part").click()
    last = log.page.locator("#L10")
    assert not last.evaluate("line => line.checkVisibility()")
    log.grow("b\n")
    assert last.evaluate("line => line.checkVisibility()")
    log.grow("ok: [n]\nTASK [b] ***\n" + "c\n" * 9)
    log.answer()  # then the counts follow
    expect(log.page.locator("#chapters li")).to_have_text(["a", "b"])
    expect(log.page.locator("#L1 .part")).to_have_attribute("data-lines", "11 lines")
    log.page.locator("#L1 .part").click()
    shown = log.page.locator(".b > [id]").evaluate_all(
        "lines => lines.filter((line) => line.checkVisibility()).map(({ id }) => id)"
    )
    assert shown == ["L1", *(f"L{number}" for number in range(13, 23))]


def test_without_scripts_a_link_shows_newer_lines(chromium, server, root):
    (root / "job.txt").write_text(BEGIN + "not fini")
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{server.url}/job.txt?level=NONE")
        with (root / "job.txt").open("a") as file:
            file.write("shed\nnew\n")
        page.get_by_role("link", name="newer lines").click()
        assert page.locator("#log [id]").all_text_contents() == ["#not finished\n", "#new\n"]
        page.get_by_role("link", name="newer lines").click()
        expect(page.locator(".none")).to_have_text("This log has no newer lines yet.")
        assert re.search("after=302", page.url)
