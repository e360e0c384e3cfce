# SPDX-License-Identifier: Apache-2.0
"""The pages around a log in a real browser: folders and errors."""

import os
import re

import pytest
from playwright.sync_api import expect

from tests.kit.browser import WITH_SCRIPTS
from tests.servers.gunicorn import Gunicorn

#: Name, size, age.
FILES = [("a.txt", 10, 3), ("b.txt.gz", 1234, 1), ("c.txt", 56_789, 2)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    job = root / "42/job"
    (job / "logs").mkdir(parents=True)
    for name, size, age in FILES:
        (job / name).write_bytes(b"x" * size)
        os.utime(job / name, (10**9 - age, 10**9 - age))
    # Nobody listens there.
    swift = "container = logs\nauth_version = 1\nauth_url = http://127.0.0.1:9/auth\n"
    swift += "username = a:b\npassword = c\nretries = 0\n"
    with Gunicorn(f"[disk]\nroot = {root}\n[swift]\n{swift}") as running:
        yield running


@pytest.fixture(params=WITH_SCRIPTS)
def page(request, chromium):
    with chromium.new_context(java_script_enabled=request.param) as context:
        yield context.new_page()


def names(page):
    return page.locator("tbody tr td:first-child").all_inner_texts()


def test_a_folder_is_sorted_by_name_or_by_time(server, page):
    page.goto(f"{server.url}/42/job/?source=disk")
    assert names(page) == ["../", "logs/", "a.txt", "b.txt.gz", "c.txt"]
    page.click("th a >> text=Time")
    assert page.url.endswith("?source=disk&sort=time")
    found = names(page)
    assert found.index("b.txt.gz") < found.index("c.txt") < found.index("a.txt")
    expect(page.locator('th[aria-sort="descending"]')).to_have_text("Time (UTC)")


def test_a_telephone_sorts_by_time_too(server, page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/42/job/?source=disk")
    page.click("th a >> text=Time")
    expect(page.locator("tbody time").first).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_no_page_is_wider_than_the_screen(server, page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for address in ("42/job/?source=disk", "42/job/gone.txt?source=disk", "42/job/gone.txt"):
        page.goto(f"{server.url}/{address}")
        assert page.locator("main").bounding_box()["width"] <= size[0]


def test_a_log_that_is_gone_leads_to_the_folder_above(server, page):
    assert page.goto(f"{server.url}/42/job/gone.txt?source=disk").status == 404
    expect(page.locator("main p")).to_contain_text("expire")
    page.click("text=The folder above")
    assert page.url == f"{server.url}/42/job/"


def test_a_pattern_at_fault_keeps_the_log_and_what_was_typed(server, page):
    page.goto(f"{server.url}/42/job/a.txt")
    page.fill('[name="q"]', "xxx")
    page.click(".extra > summary")
    page.fill('[name="re"]', "(x")
    with page.expect_response("**re=*") as answered:
        page.press('[name="re"]', "Enter")
    assert answered.value.status == 400
    expect(page.locator("[aria-invalid]")).to_have_value("(x")
    expect(page.get_by_label("Regular expression")).to_have_accessible_description(
        re.compile("an opening parenthesis is never closed")
    )
    expect(page.locator(".fault")).to_be_visible()
    expect(page.locator("#log")).to_contain_text("xxx")
    assert page.input_value('[name="q"]') == "xxx"
    page.fill('[name="re"]', "(x)")
    page.press('[name="re"]', "Enter")
    page.wait_for_url("**?q=xxx&*re=%28x%29*")
    expect(page.locator("#L1")).to_be_visible()
