# SPDX-License-Identifier: Apache-2.0
"""What fails now: runs that readers and a command remember, listed over HTTP and in the browser."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from playwright.sync_api import expect
from sqlalchemy import create_engine, text

from tests.faults.leaks import workers
from tests.functional.test_accessibility import violations
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

RULE = "pattern: mirror .*refused\ntitle: Mirror is away\nurl: https://bugs.example.org/1\n"
MIRROR = (
    b"started on node %d\n"
    b"ERROR: mirror refused the connection: no route to the host that was asked for\n"
    b"##[error]Process completed with exit code 1.\n"
)
OTHER = MIRROR.replace(b"mirror refused the connection", b"the volume is full")
HOSTILE = "<b>\u202e&"


def write_run(folder, content):
    folder.mkdir(parents=True)
    log = folder / "job-output.txt"
    log.write_bytes(content)
    ended = time.time() - 2 * 3600  # long enough ago to have ended
    os.utime(log, (ended, ended))


def conf(folder, **more):
    return f"[disk]\nroot = {folder}/logs\n[seen]\ndirectory = {folder}\n" + "".join(
        f"[{section}]\n{text}\n" for section, text in more.items()
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    for number in range(3):
        write_run(folder / f"logs/unit/{number}1", MIRROR % number)
    write_run(folder / f"logs/{HOSTILE}/7", MIRROR % 9)
    write_run(folder / "logs/tempest/5", OTHER % 3)
    (folder / "rules").mkdir()
    (folder / "rules/mirror.yaml").write_text(RULE)
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """It is mounted, and knows all runs."""
    config = conf(folder, known=f"rules = {folder}/rules")
    (folder / "oslogserve.conf").write_text(config)
    with Gunicorn(config, env={"SCRIPT_NAME": "/htmlify"}) as running:
        command = [Path(sys.executable).parent / "oslogserve", "seen"]
        subprocess.run([*command, "--config", folder / "oslogserve.conf"], check=True)
        yield running


@pytest.fixture
def page(chromium, server):
    with chromium.new_context(base_url=server.url, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto("/htmlify/_oslogserve/seen")
        yield page


def test_causes_are_counted_for_programs(server):
    answer = requests.get(f"{server.url}/htmlify/_oslogserve/seen", timeout=60)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-cache"
    first, second = answer.json()["causes"]
    assert (first["runs"], first["jobs"], first["runs_last_day"]) == (4, 2, 4)
    assert first["known"] == [{"title": "Mirror is away", "url": "https://bugs.example.org/1"}]
    assert (second["runs"], second["known"]) == (1, [])
    runs = requests.get(answer.url, params={"cause": first["fingerprint"]}, timeout=60).json()
    assert {run["path"] for run in runs["runs"]} == {
        "unit/01",
        "unit/11",
        "unit/21",
        f"{HOSTILE}/7",
    }
    for run in runs["runs"]:
        page = requests.get(server.url + run["href"], timeout=60).text
        assert "Mirror is away" in page
        assert "3 other runs" in page


def test_a_reader_goes_from_the_list_to_the_runs_and_to_the_cause(page, server):
    expect(page.locator("h1")).to_have_text("what fails now")
    cause = page.locator("#causes > li").first
    expect(cause).to_contain_text("4 failed runs of 2 jobs, 4 in the last day")
    expect(cause.locator(".known a")).to_have_attribute("href", "https://bugs.example.org/1")
    cause.locator(".name").click()
    expect(page.locator("h2")).to_have_text("4 runs that failed")
    page.set_viewport_size({"width": 390, "height": 700})  # a phone shows heads in each row
    heads = "cells => cells.map(one => getComputedStyle(one, '::before').content)"
    [*shown] = page.locator("tbody tr:first-child td").evaluate_all(heads)
    assert shown[:2] == ['"Run "', '"Line "']
    page.get_by_role("link", name=f"{HOSTILE[:3]}\\u202e&/7").click()
    expect(page.locator("h2")).to_contain_text("What went wrong: 1 of 1 log")
    page.go_back()
    page.locator("td a", has_text="job-output.txt:2").first.click()
    assert re.search(r"/job-output\.txt\?show=L2#L2$", page.url)
    expect(page.locator("#L2")).to_be_in_viewport()


def test_a_reader_narrows_the_list(page):
    page.locator("#causes .names").last.get_by_role("link", name="tempest").click()
    expect(page.locator("#causes > li")).to_have_count(1)
    expect(page.locator("input[name=job]")).to_have_value("tempest")
    page.locator("input[name=job]").fill("nobody")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#causes > .none")).to_be_visible()
    page.get_by_role("link", name="job nobody").click()
    expect(page.locator("#causes > li")).to_have_count(2)


@pytest.mark.parametrize("width", [320, 1200])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_no_page_is_wider_than_its_window_or_breaks_a_rule(chromium, server, scheme, width):
    with chromium.new_context(color_scheme=scheme) as context:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(f"{server.url}/htmlify/_oslogserve/seen")
        for _ in range(2):
            assert violations(page) == []
            overflow = "document.documentElement.scrollWidth - innerWidth"
            assert page.evaluate(overflow) <= 0
            bar = page.locator(".days").first
            if bar.count():
                assert bar.bounding_box()["height"] >= 20
            page.locator("main a.name, main td a").first.click()


def test_a_reader_of_a_job_is_remembered_once(tmp_path):
    write_run(tmp_path / "logs/unit/1", MIRROR % 1)
    with Gunicorn(conf(tmp_path)) as server:
        for _ in range(3):
            assert requests.get(f"{server.url}/unit/1/?format=overview", timeout=60).ok
        found = requests.get(f"{server.url}/_oslogserve/seen", timeout=60).json()
    assert [cause["runs"] for cause in found["causes"]] == [1]


def test_what_fails_now_is_what_failed_logs_tell_and_no_outcome_or_error_beside_it(tmp_path):
    outcome = b"##[group]Run make\n##[error]Process completed with exit code 1.\n"
    command = b'ERROR: the lid is open\nThe command "./check lid" exited with 1.\n'
    report = b"=== FAILURES ===\n_____ test_lid _____\n\n>       boil()\n\nE       kiln.BoilError: open\n"
    runs = {"silent": 3, "told": 2, "test": 1}
    of_runs = {"silent": outcome, "told": command, "test": report + outcome}
    for name, number in runs.items():
        for run in range(number):
            write_run(tmp_path / f"logs/{name}/{run}1", of_runs[name])
            service = tmp_path / f"logs/{name}/{run}1/nova.txt"
            service.write_bytes(b"2026-03-04 18:22:11.000 1 ERROR nova [-] mirror went away\n")
            os.utime(service, (time.time() - 2 * 3600,) * 2)
    with Gunicorn(conf(tmp_path)) as server:
        for name, number in runs.items():
            for run in range(number):
                assert requests.get(f"{server.url}/{name}/{run}1/?format=seen", timeout=60).ok
        found = requests.get(f"{server.url}/_oslogserve/seen?format=json", timeout=60).json()
    listed = [(one["runs"], one["text"]) for one in found["causes"]]
    assert listed == [(2, "ERROR: the lid is open"), (1, "test_lid: kiln.BoilError: open")]


def test_a_server_without_a_list_refuses_it(tmp_path):
    (tmp_path / "logs").mkdir()
    with Gunicorn(conf(tmp_path) + "list = no\n") as server:
        assert requests.get(f"{server.url}/_oslogserve/seen", timeout=60).status_code == 403


def remember_beside_another_application(url, folder):
    """Runs the command on a database with tables of another application. These and their rows must be there then."""
    write_run(folder / "logs/unit/1", MIRROR % 1)
    (folder / "oslogserve.conf").write_text(
        f"[disk]\nroot = {folder}/logs\n[seen]\ndatabase = {url.replace('+psycopg', '')}\n"
    )
    engine = create_engine(url)
    tables = "jobs", "runs", "causes", "sightings"
    with engine.begin() as connection:
        for name in tables:
            connection.execute(text(f"CREATE TABLE {name} (name TEXT)"))
            connection.execute(text(f"INSERT INTO {name} VALUES ('theirs')"))
    command = [Path(sys.executable).parent / "oslogserve", "seen"]
    for count in ("1 remembered (1 failed), 0 before", "0 remembered (0 failed), 1 before"):
        told = subprocess.check_output([*command, "--config", folder / "oslogserve.conf"])
        assert told.startswith(count.encode())
    with engine.begin() as connection:
        for name in tables:
            assert connection.execute(text(f"SELECT name FROM {name}")).scalars().all() == [
                "theirs"
            ]
    engine.dispose()


def test_tables_of_another_application_in_the_same_file_are_left_alone(tmp_path):
    remember_beside_another_application(f"sqlite:///{tmp_path}/theirs.sqlite", tmp_path)


def test_rules_are_read_again_with_the_configuration(tmp_path):
    write_run(tmp_path / "logs/unit/1", MIRROR % 1)
    rules = tmp_path / "rules/a.yaml"
    rules.parent.mkdir()
    rules.write_text(RULE)
    with Gunicorn(conf(tmp_path, known=f"rules = {rules.parent}")) as server:

        def titles():
            found = requests.get(f"{server.url}/unit/1/?format=summary", timeout=60).json()
            return [rule["title"] for rule in found["known"]]

        assert titles() == ["Mirror is away"]
        rules.write_text(RULE.replace("Mirror is away", "Mirror is back"))
        os.kill(server.process.pid, signal.SIGHUP)
        poll(lambda: titles() == ["Mirror is back"], lambda: AssertionError(titles()), 60)
        rules.write_text("pattern: (a\n")
        before = {*workers(server)}
        os.kill(server.process.pid, signal.SIGHUP)
        told = "a.yaml:1: pattern: it takes a regular expression"
        poll(lambda: told in server.log.read_text(), lambda: AssertionError("no fault"), 60)
        # gunicorn has new workers all the same.
        poll(lambda: not before & {*workers(server)}, lambda: AssertionError("no new one"), 60)
        assert titles() == ["Mirror is back"]
