# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: where links land, with and without scripts."""

import pytest

from tests.browser import is_in_view
from tests.servers.gunicorn import Gunicorn

SAME_TIME = b"2013-09-27 18:22:11.248 1 INFO x [-] line %d\n"
ATTACK = (
    b"2013-09-27 18:22:12.000 1 ERROR <script>document.title='broken'</script>"
    b'<img src=x onerror="document.title=\'broken\'"> & "quotes"\n'
)


def lines():
    yield from (b"2013-09-27 18:22:10.%03d 1 DEBUG x [-] before\n" % n for n in range(500))
    yield from (SAME_TIME % n for n in range(3))
    yield ATTACK
    yield b"Traceback (most recent call last):\n"
    yield from (b"2013-09-27 18:22:13.%03d 1 DEBUG x [-] after\n" % n for n in range(500))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "a.txt").write_bytes(b"".join(lines()))
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def page(request, chromium):
    context = chromium.new_context(java_script_enabled=request.param)
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    yield page
    context.close()
    assert page.said == []


@pytest.mark.parametrize("fragment", ["_2013-09-27_18_22_11_248", "L501"])
def test_a_link_into_a_log_lands_on_its_line(server, page, fragment):
    page.goto(f"{server.url}/a.txt#{fragment}")

    assert is_in_view(page, "#L501")
    assert not is_in_view(page, "#L1")


def test_a_level_shows_the_error_with_its_traceback(server, page):
    page.goto(f"{server.url}/a.txt")
    page.click(".levels a.ERROR")

    assert page.locator("#log [id^=L]").count() == 2
    assert page.locator("#L504").get_attribute("class") == "E"
    assert page.locator("#L505").get_attribute("class") == "E"


def test_a_log_full_of_attacks_is_text(server, page):
    page.goto(f"{server.url}/a.txt")

    assert page.title() == "a.txt"
    assert "<script>document.title='broken'</script>" in page.locator("#L504").text_content()
    assert page.locator("#log script, #log img").count() == 0


def test_the_place_is_kept_when_the_level_changes(server, chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.url}/a.txt#_2013-09-27_18_22_11_248")
        page.click(".levels a.INFO")
        page.wait_for_url("**level=INFO#L501")

        page.click(".levels a.NONE")
        page.wait_for_url("**level=NONE#L501")
        assert is_in_view(page, "#L501")


def test_a_gzipped_page_shows_all_lines(server, page):
    """A browser takes gzip by itself."""
    with page.expect_response("**/a.txt") as answered:
        page.goto(f"{server.url}/a.txt")

    assert answered.value.header_value("content-encoding") == "gzip"
    assert page.locator("#log [id^=L]").count() == 1005
    marked = (f"#{line}\n" for line in b"".join(lines()).decode().splitlines())
    assert page.locator("#log").text_content() == "".join(marked)
