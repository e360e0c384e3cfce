# SPDX-License-Identifier: Apache-2.0
"""A failed run that is compared with one that passed, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.servers.gunicorn import Gunicorn

PASSED = "2026-03-04 18:22:11.000 1 ERROR nova [-] the cache is cold\ntests passed\n" * 9
FAILED = PASSED.replace("2026-03-04", "2026-03-05") + "error: no rule to make this\n" + PASSED


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    for run, text in (("41", PASSED), ("42", FAILED)):
        (root / run).mkdir()
        (root / run / "console.log").write_text(text)
    with Gunicorn(f"[disk]\nroot = {root}\n") as running:
        yield running


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_reader_goes_from_the_job_to_what_is_new_in_its_log(server, chromium, scripts):
    with chromium.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{server.url}/42/?format=overview")
        page.get_by_label("Compare with").fill("41")
        page.get_by_role("button", name="Compare").click()
        expect(page.locator(".told")).to_contain_text("error: no rule to make this")
        page.locator(".wrong a.name").click()
        expect(page).to_have_url(re.compile(r"against=41%2Fconsole\.log"))
        expect(page.locator(".new:not(a)")).to_have_count(1)
        page.get_by_role("link", name="1 new line", exact=True).click()
        expect(page.locator("#log li:not(.gap)")).to_have_text([re.compile("no rule to make this")])
        expect(page.get_by_role("link", name="new lines")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_page_of_a_logs_last_lines_leads_to_all_new_lines(server, chromium, scripts):
    with chromium.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{server.url}/42/console.log?against=41/console.log&tail=3")
        expect(page.locator("#log li:not(.gap)")).to_have_count(3)
        page.get_by_role("link", name="1 new line", exact=True).click()
        expect(page.locator("#log li:not(.gap)")).to_have_text([re.compile("no rule to make this")])
