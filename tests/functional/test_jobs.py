# SPDX-License-Identifier: Apache-2.0
"""All logs of a job at once: over HTTP, from disk and from a real Swift, and in a browser."""

import json
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from playwright.sync_api import expect

from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

JOB = "/42/123442/7/check/nova-tox/abc1234/"


@pytest.fixture(scope="module")
def server(demo, swift):
    swift.upload(demo, "jobs")
    config = {"disk": {"root": demo}, "swift": swift.settings("jobs")}
    with Gunicorn(ini(config)) as running:
        yield running


@pytest.fixture(scope="module")
def empty_server(tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    with Gunicorn(ini({"disk": {"root": root}})) as running:
        running.folder = root
        yield running


@pytest.fixture
def served(empty_server):
    """A folder of this test alone, and its address."""
    folder = Path(tempfile.mkdtemp(dir=empty_server.folder))
    return SimpleNamespace(folder=folder, url=f"{empty_server.url}/{folder.name}")


@pytest.fixture
def page(chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        yield page
        assert page.said == []


def text(server, query):
    answer = ask(server, f"{JOB}?{query}")
    assert answer.status == 200
    return answer.body


@pytest.mark.parametrize("query", ["level=ERROR", "order=time", "q=req-&order=time", "tail=50"])
def test_disk_and_swift_give_the_same_lines(server, query):
    on_disk, in_swift = (
        text(server, f"{query}&format=text&source={name}") for name in ("disk", "swift")
    )
    assert on_disk == in_swift
    assert on_disk.count(b"\n") > 10


def test_lines_by_time_are_those_of_the_logs_in_the_order_of_their_times(server):
    *rows, end = map(json.loads, text(server, "order=time&format=jsonl").splitlines())
    by_log = [json.loads(row) for row in text(server, "format=jsonl").splitlines()][:-1]
    assert end["sent"] == len(rows) == len(by_log)
    key = lambda row: (row["log"], row["line"])
    assert sorted(rows, key=key) == sorted(by_log, key=key)
    latest = {}
    merged = []
    for row in rows:  # what stands above a log's first time comes with it
        if row["time"] and len(row["time"]) > 20:
            latest[row["log"]] = max(latest.get(row["log"], ""), row["time"].ljust(26, "0"))
        merged.append(latest.get(row["log"], ""))
    timed = [time for time in merged if time]
    assert timed == sorted(timed)


def test_the_page_of_a_job_says_by_itself_what_went_wrong(server, page):
    page.goto(f"{server.url}{JOB}")
    first = page.locator("#overview .wrong > li").first
    expect(first).to_be_visible()
    told = first.locator(".told > li").first
    wanted = told.text_content()
    plain = page.locator("h2").evaluate("title => getComputedStyle(title).color")
    assert told.evaluate("line => getComputedStyle(line).color") != plain
    told.locator("a").first.click()
    expect(page.locator("#log .lit, #log :target")).to_contain_text(wanted[-60:].strip())


@pytest.fixture
def failed_job(served):
    """The URL of a job with two logs that failed, one of which comes first."""
    job = served.folder / "job"
    job.mkdir()
    (job / "console.log").write_text("+ make\na.c:1: error: boom\nFinished: FAILURE\n")
    (job / "other.log").write_text("starts\nERROR: no such host\nends\n" * 2)
    return f"{served.url}/job/"


@pytest.mark.parametrize("query", ["", "?format=overview"])
def test_keys_search_and_go_through_what_went_wrong_on_the_page_of_a_job(failed_job, page, query):
    page.goto(failed_job + query)
    logs = page.locator(".wrong > li")
    expect(logs).to_have_count(2)
    focused = page.locator(":focus")
    for key, number in {"c": 0, "n": 1, "p": 0}.items():
        page.keyboard.press(key)
        expect(logs.nth(number).locator(":focus")).to_have_count(1)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog.locator("kbd")).to_have_text(["n", "p", "c", "/", "?"])
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(focused).to_have_attribute("name", "q")
    page.keyboard.type("cn?")
    expect(focused).to_have_value("cn?")
    expect(dialog).to_have_count(0)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/console.log.*#L2$"))


def test_keys_lead_to_a_link_on_the_screen_also_of_a_log_that_is_higher(failed_job, page):
    page.set_viewport_size({"width": 390, "height": 300})
    page.goto(failed_job)
    logs = page.locator(".wrong > li")
    expect(logs).to_have_count(2)
    logs.evaluate_all("logs => logs.forEach((log) => { log.style.paddingBottom = '700px'; })")
    for key in "cnpnpc":
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.keyboard.press(key)
        expect(page.locator(".wrong > li :focus")).to_be_in_viewport()


@pytest.mark.parametrize("query", ["", "?format=overview"])
def test_the_keyboard_skips_to_the_cause_on_the_page_of_a_job(failed_job, page, query):
    page.goto(failed_job + query)
    first = page.locator(".wrong > li").first
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to what went wrong")
    page.keyboard.press("Enter")
    expect(first).to_be_focused()


def test_the_excerpt_is_copied_and_is_a_link_without_a_script(server, chromium):
    address = f"{server.url}{JOB}"
    permissions = ["clipboard-read", "clipboard-write"]
    with chromium.new_context(permissions=permissions) as context:
        page = context.new_page()
        page.goto(address)
        page.get_by_role("link", name="Copy excerpt").click()
        expect(page.get_by_role("link", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
    assert len(copied.encode()) <= 1500
    links = re.findall(rf"{re.escape(server.url)}/\S+goto=[\d-]+", copied)
    assert len(links) == copied.count("?goto=") > 1
    assert all(requests.get(link, timeout=60).ok for link in links)
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}?format=overview")
        page.get_by_role("link", name="Copy excerpt").click()
        expect(page.locator("pre")).to_contain_text("job-output.txt: failed; ")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_page_of_a_job_shows_what_went_wrong_at_once_and_leads_to_its_files(
    server, chromium, scripts
):
    with chromium.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{server.url}/")
        page.goto(f"{server.url}{JOB}?source=disk")
        first = page.locator("#overview .wrong > li").first
        expect(first.locator(".name")).to_have_text("job-output.txt")
        if not scripts:
            page.get_by_role("link", name="files", exact=True).click()
        expect(page.locator("#entries").get_by_role("link", name="job-output.txt")).to_be_visible()
        page.go_back()
        if not scripts:  # nobody is led on twice
            page.go_back()
        expect(page).to_have_url(f"{server.url}/")


def test_large_logs_of_a_job_are_not_read_unasked_without_scripts(tmp_path, chromium):
    (tmp_path / "job").mkdir()
    (tmp_path / "job/console.log").write_text("ERROR: it broke\n")
    config = {"disk": {"root": tmp_path}, "serve": {"job_unasked_size": "1"}}
    with (
        Gunicorn(ini(config)) as running,
        chromium.new_context(java_script_enabled=False) as context,
    ):
        page = context.new_page()
        page.goto(f"{running.url}/job/")
        expect(page.locator("#overview")).to_contain_text("which are large")


@pytest.mark.parametrize("address", ["", "?level=ERROR"])
def test_the_page_of_a_job_prints_no_forms(server, page, address):
    page.goto(f"{server.url}{JOB}{address}")
    expect(page.locator(".wrong > li, #log li").first).to_be_visible()
    page.emulate_media(media="print")
    for control in page.locator("form, input, button, select, .copied, .views").all():
        expect(control).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_the_page_of_githubs_archive_says_by_itself_what_went_wrong(served, page):
    (served.folder / "archive").mkdir()
    failed = "step\n##[error]Process completed with exit code 1.\n"
    for name, text in (("0_build.txt", failed), ("1_test.txt", "fine\n")):
        (served.folder / "archive" / name).write_text(text)
    page.goto(f"{served.url}/")
    expect(page.get_by_role("searchbox", name="Search these logs")).to_be_visible()
    expect(page.get_by_label("Compare with")).to_be_hidden()
    page.goto(f"{served.url}/archive/")
    expect(page.locator(".wrong > li > .name")).to_have_text("0_build.txt")
    search = page.get_by_role("searchbox", name="Search these logs").bounding_box()
    comparison = page.get_by_label("Compare with").bounding_box()
    assert search["y"] == comparison["y"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["build-log.txt", "clone-log.txt", "artifacts/junit.txt"], "build-log.txt"),
        (["public.log", "live_backing.log"], "live_backing.log"),
        (["trace", "other.txt"], "trace"),
        (["anything.log", "report.json"], "anything.log"),
        (["one.log", "two.log"], None),
        (["one.log", "folder/two.log"], None),
    ],
)
def test_a_folder_with_the_log_of_a_job_needs_no_configuration(served, page, names, told):
    for name in names:
        log = served.folder / "folder" / name
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("ERROR: it broke\n" if name == told else "fine\n")
    page.goto(f"{served.url}/folder/")
    if told is None:
        page.wait_for_load_state("networkidle")
        expect(page.locator("#overview")).to_have_text("What went wrong in these logs")
    else:
        expect(page.locator(".wrong > li > .name")).to_have_text(told)


FAILED_TESTS = """\
2026-03-04T18:22:11.0000000Z ##[group]Run pytest
2026-03-04T18:22:11.0000000Z ##[endgroup]
2026-03-04T18:22:12.0000000Z === FAILURES ===
{reports}\
2026-03-04T18:22:41.0000000Z ##[error]Process completed with exit code 3.
2026-03-04T18:22:41.0000000Z Post job cleanup.
"""
REPORT = """\
2026-03-04T18:22:12.0000000Z ______________________________ test_{number} ______________________________
2026-03-04T18:22:12.0000000Z{blank}
2026-03-04T18:22:12.0000000Z >       boil({number})
2026-03-04T18:22:12.0000000Z{blank}
2026-03-04T18:22:12.0000000Z E       kiln.BoilError: <b>lid</b> {number} is open
"""


@pytest.mark.parametrize("width", [1440, 390])
def test_the_card_of_a_failed_log_tells_its_cause_step_and_other_failed_tests(served, page, width):
    reports = "".join(REPORT.format(number=number, blank=" ") for number in range(12))
    (served.folder / "job").mkdir()
    (served.folder / "job" / "0_build.txt").write_text(FAILED_TESTS.format(reports=reports))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{served.url}/job/")
    card = page.locator(".wrong > li")
    headline = "test_0: kiln.BoilError: <b>lid</b> 0 is open"
    expect(card.locator(".headline")).to_have_text(headline)
    steps = ["in Run pytest, which took 30 s", "exit code 3"]
    expect(card.locator(".step")).to_have_text(steps)
    *others, more = card.locator(".tests li").all_text_contents()
    told = [f"test_{n}: kiln.BoilError: <b>lid</b> {n} is open" for n in range(1, 11)]
    assert (others, more) == (told, "There may be more: all errors")
    rows = card.locator(".excerpt li").all_text_contents()
    assert not any(row.endswith("Z \n") for row in rows)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    card.get_by_role("link", name="test_3: kiln").click()
    expect(page.locator("#log .lit, #log :target").first).to_contain_text(" test_3 ")
    own = page.locator("main > .card")
    expect(own.locator(".headline")).to_have_text(headline)
    expect(own.locator(".step")).to_have_text(["in Run pytest, which took 30 s", steps[1]])
    assert own.locator(".tests li").all_text_contents() == [*told, more]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    own.get_by_role("link", name="test_5: kiln").click()
    expect(page.locator("#log .lit, #log :target").first).to_contain_text(" test_5 ")
    page.goto(f"{served.url}/job/0_build.txt?level=ERROR")
    expect(own.locator(".headline")).to_have_text(headline)
    page.goto(f"{served.url}/job/0_build.txt?q=lid")
    page.wait_for_load_state("networkidle")
    expect(own).to_have_count(0)


@pytest.mark.parametrize("number", [9, 12, 30])
def test_ten_failed_tests_of_a_report_are_listed_and_the_others_unfold(served, page, number):
    cases = "".join(
        f'<testcase name="t{n}"><failure message="no"/></testcase>' for n in range(number)
    )
    (served.folder / "job").mkdir()
    (served.folder / "job" / "console.txt").write_text("ERROR: it broke\n")
    (served.folder / "job" / "junit.xml").write_text(f"<testsuite>{cases}</testsuite>")
    page.goto(f"{served.url}/job/")
    tests = page.locator("#overview .tests > li")
    expect(tests).to_have_count(min(number, 20))
    assert sum(one.is_visible() for one in tests.all()) == min(number, 10)
    more = page.locator("#overview details:has(.tests) summary")
    if number == 9:
        expect(more).to_have_count(0)
    else:
        said = {12: "and 2 others", 30: "and 10 or more others"}[number]
        expect(more).to_have_text(said)
        more.click()
        expect(tests.last).to_be_visible()


def test_a_job_that_passed_lists_no_log_as_wrong(served, page):
    (served.folder / "job").mkdir()
    (served.folder / "job" / "console.txt").write_text("ERROR: provoked\nFinished: SUCCESS\n")
    (served.folder / "job" / "nova.txt").write_text("2026-03-04 18:22:11.000 ERROR lost\n")
    page.goto(f"{served.url}/job/")
    expect(page.locator(".wrong > li")).to_have_text(["The job passed; 2 logs of it show errors."])
    page.click("#overview summary")
    expect(page.locator("#overview td .ERROR")).to_have_count(2)
    told = requests.get(f"{served.url}/job/?format=brief").content
    assert b"\nThe job passed\n" in told
    assert b"ERROR" not in told


@pytest.mark.long
def test_of_large_logs_it_says_that_only_when_asked(demo, page):
    small = {"disk": {"root": demo}, "serve": {"job_unasked_size": "1"}}
    with Gunicorn(ini(small)) as running:
        page.goto(f"{running.url}{JOB}")
        expect(page.locator("#overview")).to_have_text(
            "What went wrong in these logs, which are large"
        )
        page.click("#overview a")
        expect(page.locator("#overview .wrong > li").first).to_be_visible()


@pytest.mark.parametrize(
    ("has_script", "address"),
    [
        (True, ""),
        pytest.param(False, "?format=overview", marks=pytest.mark.long),
        pytest.param(True, "?format=overview", marks=pytest.mark.long),
        pytest.param(False, "", marks=pytest.mark.long),
    ],
)
def test_what_the_first_logs_show_gives_way_to_the_whole_overview(
    served, chromium, address, has_script
):
    (served.folder / "job").mkdir()
    (served.folder / "job" / "job-output.txt").write_text("2026-03-04 18:30:00 ERROR lost\n")
    for number in range(6):
        path = served.folder / "job" / f"{number}.txt"
        path.write_text("2026-03-04 18:29:59 INFO fine\n" * 27_000)
    with chromium.new_context(java_script_enabled=has_script) as context:
        page = context.new_page()
        page.goto(f"{served.url}/job/{address}")
        expect(page.locator("#overview .wrong > li > .name")).to_have_text("job-output.txt")
        expect(page.locator("h2:visible")).to_have_text("What went wrong: 1 of 7 logs shows errors")
        expect(page.locator(".early")).to_have_count(0 if has_script else 1)


@pytest.mark.long
def test_on_a_telephone_the_page_of_a_job_is_not_cut(served, page):
    (served.folder / "job").mkdir()
    (served.folder / "job" / "job-output.txt").write_text("2026-03-04 18:22:11.000 ERROR one\n")
    test = f'<testcase name="{"ServersTest." * 9}"><failure message="no"/></testcase>'
    (served.folder / "job" / "junit.xml").write_text(f"<testsuite>{test}</testsuite>")
    (served.folder / "job" / "zuul-info").mkdir()
    build = {"branch": "b" * 150, "change": "1", "change_url": "https://a.b/", "job": "tox"}
    inventory = json.dumps({"all": {"vars": {"zuul": build}}})
    (served.folder / "job" / "zuul-info" / "inventory.yaml").write_text(inventory)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served.url}/job/")
    page.click("#overview summary")
    expect(page.locator(".build dd")).to_have_text(["1", "b" * 150, "tox"])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    names = page.locator("#overview td:first-child").all()
    assert [round(name.bounding_box()["width"]) for name in names] == [358, 358, 358]
    links = page.locator("#overview a").all()
    assert min(link.bounding_box()["height"] for link in links) >= 24


def test_other_folders_ask_for_nothing_by_themselves(server, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}/42/")
    expect(page.locator("#overview a")).to_have_text("What went wrong in these logs")
    assert not any("format=overview" in url for url in asked)


def test_a_row_leads_to_its_line(server, page):
    page.goto(f"{server.url}{JOB}?level=ERROR&order=time")
    row = page.locator("#log li:not(.name)").first
    wanted = re.sub(r"^\d+", "", row.text_content())
    row.locator("a").first.click()
    expect(page.locator("#log .lit")).to_contain_text(wanted.strip()[:60])


def test_the_form_searches_all_logs(server, page):
    page.goto(f"{server.url}{JOB}?level=ERROR")
    page.fill('input[name="q"]', "Traceback")
    page.select_option('select[name="order"]', "time")
    page.click("form button")
    expect(page.locator("#log li:not(.name)").first).to_contain_text("Traceback")
    assert "order=time" in page.url


@pytest.mark.parametrize("width", [1200, 1440])
def test_of_the_path_of_a_log_nothing_is_cut(server, page, width):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(f"{server.url}{JOB}controller/logs/screen-n-cpu.txt.gz?lines=1-9")
    cut = """() => [...document.querySelectorAll('.path *')].map((one) => one.scrollWidth - one.clientWidth)
        .filter((beyond) => beyond > 0)"""
    assert page.evaluate(cut) == []
