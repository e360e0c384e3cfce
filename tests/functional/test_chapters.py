# SPDX-License-Identifier: Apache-2.0
"""The outline of a build's chapters, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.functional.test_accessibility import violations
from tests.functional.test_page import copied
from tests.servers.gunicorn import Gunicorn

DESK, TELEPHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def lines():
    """A play of three tasks; the second one failed at line 203."""
    yield "PLAY [all] ****"
    for task in ("install", "test", "clean"):
        yield f"TASK [a : {task}] ****"
        yield from (f"{task}, line {number}" for number in range(100))
        yield 'fatal: [node]: FAILED! => {"msg": "no"}' if task == "test" else "ok: [node]"


def overlapping():
    """Tests of Go that run at the same time: lines 1 to 12, and 7 to 18."""
    yield "=== RUN   TestA"
    yield from ["a"] * 5
    yield "=== RUN   TestB"
    yield from ["b"] * 4
    yield "--- PASS: TestA (0.10s)"
    yield from ["b"] * 5
    yield "--- PASS: TestB (0.20s)"
    yield "--- FAIL: TestC (0.00s)"


#: Seconds of tests, of each unit and of where one goes over into the next.
SECONDS = (0, 0.004, 0.25, 0.99, 1.25, 9.94, 9.95, 16, 59.5, 725, 3599.5, 3660, 86_400, 266_400)


def many():
    """A play of 120 tasks of 12 lines, of which number 100 failed: lines 1202 to 1213."""
    yield "PLAY [all] ****"
    for task in range(120):
        yield f"TASK [a : task {task}] ****"
        yield from (f"{task}, line {number}" for number in range(10))
        yield 'fatal: [node]: FAILED! => {"msg": "no"}' if task == 100 else "ok: [node]"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "console.txt").write_text("\n".join(lines()))
    (root / "healthy.txt").write_text("\n".join(lines()).replace("fatal", "ok"))
    (root / "go.txt").write_text("\n".join(overlapping()))
    (root / "long.txt").write_text("\n".join(many()))
    timed = [
        f"=== RUN   Test{at}\n--- PASS: Test{at} ({seconds:.3f}s)"
        for at, seconds in enumerate(SECONDS)
    ]
    (root / "timed.txt").write_text("\n".join(timed))
    (root / "service.txt").write_text("2026-03-04 18:22:11.000 1 ERROR nova [-] no\n")
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture
def viewport():
    return DESK


@pytest.fixture
def page(chromium, viewport):
    with chromium.new_context(viewport=viewport) as context:
        yield context.new_page()


on_every_screen = pytest.mark.parametrize(
    "viewport",
    [DESK, pytest.param(TELEPHONE, marks=pytest.mark.long)],
    ids=["desk", "telephone"],
)


@on_every_screen
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


@on_every_screen
def test_the_link_to_the_page_of_chapters_is_for_readers_without_scripts(server, page):
    page.goto(f"{server.url}/console.txt")
    expect(page.get_by_role("link", name="chapters", exact=True)).to_have_count(0)
    page.goto(f"{server.url}/console.txt?format=chapters")
    expect(page.locator(".failed")).to_have_count(1)
    assert violations(page) == []


def test_a_duration_looks_the_same_with_and_without_scripts(server, page):
    page.goto(f"{server.url}/timed.txt?format=chapters")
    told = [text.split(", ")[1] for text in page.locator(".chapters li > span").all_inner_texts()]
    assert told[-4:] == ["1 h", "1 h 1 min", "1 day", "3 days 2 h"]
    page.goto(f"{server.url}/timed.txt")
    expect(page.locator("#chapters li > span")).to_have_text(told)


def test_a_log_without_chapters_has_no_outline(server, page):
    page.goto(f"{server.url}/service.txt")
    expect(page.locator(".levels .NONE")).to_have_attribute("data-count", re.compile(r"\d"))
    expect(page.locator("#chapters")).to_have_count(0)


# Folds


INSTALL = "#L2 .part"


@pytest.fixture
def folded(server, page):
    """The page of the failed build, whose first task is folded."""
    page.goto(f"{server.url}/console.txt")
    expect(page.locator(INSTALL)).to_have_attribute("aria-expanded", "false")
    return page


def seen(page, *lines):
    """Whether each line is shown."""
    return [page.locator(f"#L{line}").evaluate("line => line.checkVisibility()") for line in lines]


@on_every_screen
def test_chapters_that_passed_begin_folded_next_to_a_failed_one(folded):
    assert folded.locator(".part").evaluate_all(
        "all => all.map((one) => [one.ariaLabel, one.ariaExpanded])"
    ) == [
        ["PLAY [all]: 306 lines", "true"],
        ["a : install: 101 lines", "false"],
        ["a : test: 101 lines", "true"],
        ["a : clean: 101 lines", "true"],  # new lines may be of it
    ]
    assert seen(folded, 2, 3, 103, 104) == [True, False, False, True]
    assert violations(folded) == []


def test_a_key_opens_and_closes_a_chapter(folded):
    fold = folded.locator(INSTALL)
    fold.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "true")
    assert seen(folded, 103) == [True]
    fold.press("Enter")
    assert seen(folded, 103) == [False]
    folded.locator("#L1 .part").click()
    assert seen(folded, 2, 104, 307) == [False, False, False]
    folded.locator("#L1 .part").click()
    assert seen(folded, 2, 103, 104, 307) == [True, False, True, True]


def test_whatever_goes_to_a_folded_line_opens_its_chapter(folded):
    fold = folded.locator(INSTALL)
    # A fragment of text is found as the browser's search finds it.
    for fragment in ("L50", "L40-L60", ":~:text=install%2C%20line%2047"):
        folded.evaluate("fragment => { location.hash = fragment; }", fragment)
        expect(fold).to_have_attribute("aria-expanded", "true")
        expect(folded.locator("#L50")).to_be_in_viewport()
        fold.click()
        expect(fold).to_have_attribute("aria-expanded", "false")
    folded.keyboard.press("g")
    folded.keyboard.type("50\n")
    expect(folded.locator("#L50")).to_be_in_viewport()


def test_a_chapter_whose_first_line_is_folded_hides_no_line_behind_that_fold(server, page):
    page.goto(f"{server.url}/go.txt")
    fold = page.locator("#L1 .part")
    expect(fold).to_have_attribute("aria-expanded", "false")
    assert seen(page, 1, 2, 7, 12, 13, 18, 19) == [True, False, False, False, True, True, True]
    fold.click()
    assert seen(page, 2, 7, 8, 12, 13, 18, 19) == [True, True, False, False, False, False, True]


def test_all_is_copied(folded):
    log = "\n".join(lines())
    context = folded.context
    over = "getSelection().setBaseAndExtent(L1.childNodes[1], 0, L104.childNodes[1], 4)"
    assert copied(context, folded, over) == log[: log.index("TASK [a : test]") + 4]
    folded.evaluate("getSelection().removeAllRanges()")
    folded.locator("#log").focus()
    folded.keyboard.press("Control+A")
    assert "install, line 99\n" in copied(context, folded, "0")


def test_it_prints_what_is_folded(folded):
    folded.emulate_media(media="print")
    assert seen(folded, 103) == [True]


@on_every_screen
def test_the_outline_marks_the_chapter_that_is_looked_at(folded):
    mark = folded.locator("#chapters [aria-current]")
    expect(mark).to_have_text("PLAY [all]")
    folded.evaluate("document.getElementById('L150').scrollIntoView()")
    expect(mark).to_have_text("a : test")
    if folded.viewport_size == DESK:
        folded.get_by_role("link", name="a : install").click()
        expect(folded.locator(INSTALL)).to_have_attribute("aria-expanded", "true")
        expect(mark).to_have_text("a : install")


MARK = "#chapters [aria-current]"
#: True if the entry is not scrolled out of the outline.
IS_IN_OUTLINE = """(entry) => {
    const [inner, outer] = [entry, entry.closest('nav')].map((one) => one.getBoundingClientRect());
    return inner.height > 0 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}"""


@on_every_screen
@pytest.mark.parametrize(
    "address", ["?goto=cause", "?show=L1213#L1213", "#L1213", "?lines=900-#L1213"]
)
@pytest.mark.parametrize(
    "held",
    ["format=summary", pytest.param("/outline.", marks=pytest.mark.long)],
    ids=["summary", "outline"],
)
def test_a_page_that_opens_at_a_line_marks_its_chapter(server, page, address, held):
    """Whatever comes late: the page has moved to its line before."""

    released = []
    page.route(lambda url: held in url, lambda route: released.append(route))
    with page.expect_request(lambda request: held in request.url):
        page.goto(server.url + "/long.txt" + address, wait_until="commit")
    expect(page.locator("#L1213")).to_be_in_viewport()
    expect(page.locator("#L1213")).to_have_class(re.compile(r"\blit\b"))
    page.wait_for_function("scrollY > 0")
    page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    for route in released:
        route.continue_()
    expect(page.locator(MARK)).to_have_text("a : task 100")
    if page.viewport_size == DESK:  # on a telephone it is folded
        page.wait_for_function(IS_IN_OUTLINE, arg=page.locator(MARK).element_handle())


def test_the_outline_of_a_page_that_opens_at_its_beginning_shows_the_failed_chapter(server, page):
    page.goto(f"{server.url}/long.txt")
    expect(page.locator(MARK)).to_have_text("PLAY [all]")
    assert page.locator("#chapters .failed").evaluate(IS_IN_OUTLINE)
    page.keyboard.press("c")
    expect(page.locator(MARK)).to_have_text("a : task 100")


def at_rest(page):
    """Where line 1213 is on the screen, once the page has folded what passed and moves no more."""
    expect(page.locator(MARK)).to_have_count(1)
    expect(page.locator("#L2 .part")).to_have_attribute("aria-expanded", "false")
    return page.evaluate(
        """async () => {
            let [top, frames] = [null, 0];
            while (frames < 12) {
                await new Promise(requestAnimationFrame);
                const { top: now } = document.getElementById('L1213').getBoundingClientRect();
                [top, frames] = [now, now === top ? frames + 1 : 0];
            }
            return Math.round(top);
        }"""
    )


@pytest.mark.parametrize(
    ("way", "address"),
    [
        *(("reload", "?goto=cause"), ("reload", ""), ("back", "#L1213")),
        *(
            pytest.param(*one, marks=pytest.mark.long)
            for one in (("reload", "?show=L1213#L1213"), ("back", "?goto=cause"), ("back", ""))
        ),
    ],
)
def test_a_page_that_is_loaded_again_or_gone_back_to_is_where_it_was_left(
    server, page, way, address
):
    page.goto(f"{server.url}/long.txt{address}")
    opened = at_rest(page)
    page.mouse.wheel(0, -40)
    if address:
        page.wait_for_function(
            "t => Math.abs(document.getElementById('L1213').getBoundingClientRect().top - t) > 30",
            arg=opened,
        )
    left = at_rest(page)
    if way == "reload":
        page.reload()
    else:
        page.goto(f"{server.url}/healthy.txt")
        page.go_back()
    assert abs(at_rest(page) - left) <= 2
    assert page.locator("#L1213").evaluate("line => line.matches('.lit')") == bool(address)


def test_back_from_a_link_within_a_page_is_where_it_was_followed(server, page):
    page.goto(f"{server.url}/long.txt?goto=cause")
    opened = at_rest(page)
    page.evaluate("location.hash = 'L1'")
    expect(page.locator("#L1")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#L1213")).to_be_in_viewport()
    assert abs(at_rest(page) - opened) <= 2


def test_the_field_goes_to_the_line_of_the_address_again(server, page):
    page.goto(f"{server.url}/long.txt#L1213")
    at_rest(page)
    page.mouse.wheel(0, -3000)
    expect(page.locator("#L1213")).not_to_be_in_viewport()
    at_rest(page)
    page.locator('[name="goto"]').fill("1213")
    page.keyboard.press("Enter")
    expect(page.locator("#L1213")).to_be_in_viewport()


def test_a_key_that_goes_to_a_line_on_the_screen_marks_its_chapter(server, page):
    page.goto(f"{server.url}/long.txt#L1203")
    expect(page.locator(MARK)).to_have_text("a : task 100")
    page.locator("#L1214 > a").click()
    expect(page.locator(MARK)).to_have_text("a : task 101")
    page.keyboard.press("p")
    expect(page.locator(MARK)).to_have_text("a : task 100")


@pytest.mark.parametrize("address", ["healthy.txt", "console.txt#L50", "console.txt?not=line+5"])
def test_nothing_that_a_reader_looks_for_begins_folded(server, chromium, address):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.url}/{address}")
        expect(page.locator("#chapters")).to_be_attached()
        expect(page.locator(".part")).to_have_count(0 if "not=" in address else 4)
        assert page.locator(".b[hidden]").count() == 0
