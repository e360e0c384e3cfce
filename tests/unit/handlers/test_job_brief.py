# SPDX-License-Identifier: Apache-2.0
"""The excerpt of a job."""

import gzip
import os
import re
from textwrap import indent

import pytest

from oslogserve.cli import main
from tests.unit.handlers.asking import HTML, Asking

CONSOLE = b"""2026-03-04 18:20:00.000 | TASK [build]
2026-03-04 18:20:01.000 | ok: [node]
2026-03-04 18:20:01.000 | TASK [run tests]
2026-03-04 18:22:11.000 | FAIL: test_boot (tests.Boot)
2026-03-04 18:22:11.000 | AssertionError: 'ACTIVE' != 'ERROR'
2026-03-04 18:22:12.000 | fatal: [node]: FAILED! => {"msg": "non-zero return code"}
"""
SERVICE = b"".join(
    [
        *[b"2026-03-04 18:21:%02d.000 INFO nova: request %d\n" % (n % 60, n) for n in range(1500)],
        b"2026-03-04 18:22:10.000 ERROR nova: the port could not be bound\n",
        b"2026-03-04 18:22:59.000 INFO nova: stopped\n",
    ]
)
HEALTHY = b"".join(
    [
        b"2026-03-04 18:22:09.500 ERROR agent: no answer from <the> server\n",
        *[b"2026-03-04 18:30:00.000 INFO agent: tick %d\n" % n for n in range(500)],
    ]
)
JUNIT = b"""<testsuite><testcase classname="tests.Boot" name="test_boot">
<failure message="ACTIVE is not ERROR">long text</failure></testcase></testsuite>"""
INVENTORY = b"""all: {hosts: {node: {nodepool: {label: noble}}}, vars: {zuul: {job: nova-tox, branch: master,
change: '42', patchset: '7', change_url: 'https://review.example.org/42', project: {canonical_name: openstack/nova}}}}
"""


@pytest.fixture
def root(tmp_path):
    files = {
        "run/job-output.txt": CONSOLE,
        "run/logs/nova.txt.gz": gzip.compress(SERVICE),
        "run/logs/agent.txt": HEALTHY,
        "run/logs/quiet.txt": b"nothing to tell\n",
        "run/junit.xml": JUNIT,
        "run/zuul-info/inventory.yaml": INVENTORY,
        "run/graph.png": b"\x89PNG\r\n\x1a\n",
        "passed/job-output.txt": CONSOLE.replace(b"FAIL: test_boot (tests.Boot)", b"ok"),
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def ask(root):
    return Asking(root)


def test_it_says_what_was_tested_and_shows_the_failure_first(ask):
    answer = ask("/run/?format=brief&bytes=4000")
    assert answer.status_int == 200
    assert answer.content_type == "text/plain"
    text = answer.text
    assert text.startswith("/run/: ")
    assert "nova-tox, openstack/nova, 42,7, master\nChange: https://review.example.org/42\n" in text
    assert "Tests that failed:\n tests.Boot.test_boot: ACTIVE is not ERROR\n" in text
    places = [
        text.index(part)
        for part in (
            "job-output.txt: failed; likely cause at lines 4-5 of 6 lines in 'run tests'",
            "?goto=1-6\n"
            + indent(CONSOLE.decode(), " ").replace(
                " 2026-03-04 18:22:11.000 | FAIL", ">2026-03-04 18:22:11.000 | FAIL"
            ),
            "logs/nova.txt.gz: does not say that it failed; likely cause at line 1,501",
            "ERROR nova: the port could not be bound",
        )
    ]
    assert places == sorted(places)
    assert len(answer.body) <= 4000


@pytest.mark.parametrize("size", [500, 501, 777, 1234, 2000, 50_000])
def test_it_has_no_more_bytes_than_are_wanted_and_is_always_the_same(ask, size):
    answer = ask(f"/run/?format=brief&bytes={size}")
    assert 200 < len(answer.body) <= size
    assert ask(f"/run/?format=brief&bytes={size}").body == answer.body


def test_errors_of_other_logs_at_that_moment_are_named(ask):
    text = ask(
        "/run/?format=brief&bytes=2000&logs=job-output.txt&logs=agent.txt&logs=quiet.txt"
    ).text
    if "agent.txt: does not" not in text:
        moment = text.partition("At that moment in other logs:\n")[2]
        assert moment.startswith("logs/agent.txt?goto=1: 2026-03-04 18:22:09.500 ERROR agent: ")


def test_errors_at_that_moment_that_the_run_that_passed_has_too_are_not_named(root, ask):
    (root / "passed/logs").mkdir()
    (root / "passed/logs/agent.txt").write_bytes(HEALTHY)
    assert "At that moment in other logs:\nlogs/agent.txt?" in ask("/run/?format=brief").text
    assert "At that moment" not in ask("/run/?format=brief&against=passed").text


def test_new_lines_are_told_in_a_comparison(ask):
    lines = ask("/run/?format=brief&against=passed&logs=job-output.txt").text.splitlines()
    [new] = [line for line in lines if line.startswith("+")]
    assert new.endswith("FAIL: test_boot (tests.Boot)")


def test_a_comparison_that_failed_is_always_said(ask):
    for size in (500, 4000):
        text = ask(f"/run/?format=brief&against=none&bytes={size}").text
        assert text.count("ot compared with") == 1
        assert "\n[oslogserve: these logs were not compared with n" in text
        text = ask(f"/run/?format=brief&against=passed&bytes={size}").text
        assert "\nNot compared with all of the run that passed.\n" in text
    assert "Not compared" not in ask("/run/?format=brief&against=run&bytes=4000").text


def test_few_bytes_have_a_line_too(root, ask):
    (root / "run/junit.xml").unlink()
    (root / "run/zuul-info/inventory.yaml").unlink()
    text = ask("/run/?format=brief&bytes=500").text
    assert f"\n>{CONSOLE.decode().splitlines()[3]}\n" in text


def test_a_log_that_is_cut_short_is_told(root, ask):
    (root / "run/logs/nova.txt.gz").write_bytes(gzip.compress(SERVICE)[:-9])
    assert re.search(r"\n\[oslogserve: logs/nova.txt.gz: .*\]\n$", ask("/run/?format=brief").text)


def test_a_folder_without_a_failure_shows_how_it_ended(ask):
    text = ask("/run/?format=brief&logs=quiet.txt").text
    assert "No log of 1 shows a failure\n" in text
    assert text.endswith("?goto=1\n nothing to tell\n")


def test_a_folder_without_logs_is_told(ask):
    text = ask("/run/?format=brief&logs=nothing").text
    assert text.endswith("No log of 0 shows a failure\n")


@pytest.mark.parametrize("query", ["level=ERROR", "order=time", "from=a", "chapter=x"])
def test_what_it_does_not_take_is_said(ask, query):
    answer = ask(f"/run/?format=brief&{query}")
    assert answer.status_int == 400
    assert "format=brief chooses the lines itself" in answer.text


@pytest.mark.parametrize("size", [500, 1500, 9000])
@pytest.mark.parametrize("folder", ["/", "/run/"])
def test_with_an_origin_each_link_leads_from_anywhere_within_the_bytes(ask, folder, size):
    origin = "https://logs.example.org"
    answer = ask(f"{folder}?format=brief&bytes={size}&origin={origin}&source=disk")
    assert len(answer.body) <= size
    text = answer.text
    assert re.split(": |\n", text)[0] == f"{origin}{folder}"
    links = re.findall(r"(\S*)\?source=disk&goto=(\d+)", text)
    assert links or size == 500  # an eighth of it has no room for a link
    for log, line in links:
        assert log.startswith(f"{origin}{folder}")
        assert ask(f"{log.removeprefix(origin)}?goto={line}", **HTML).status_int == 302


def test_names_cannot_break_lines(root, ask):
    (root / "run/logs/a\nb\x1b.txt").write_bytes(b"FAIL: test_a (tests.A)\n")
    text = ask("/run/?format=brief&bytes=9000").text
    assert "\nlogs/a%0Ab%1B.txt: failed" in text


def test_names_are_as_links_have_them(root, ask):
    for name in ("a b#%.txt", "c d?.txt"):
        log = f"2026-03-04 18:22:11.000 FAIL: test_{name[0]} (tests.A)\n"
        (root / "run/logs" / name).write_text(log)
    (root / "run/logs/c 1.txt").write_bytes(HEALTHY)
    text = ask("/run/?format=brief&bytes=9000&logs=[ac]*.txt").text
    for name in ("a%20b%23%25", "c%20d%3F"):
        assert f"\nlogs/{name}.txt: failed" in text
        assert ask(f"/run/logs/{name}.txt?goto=1", **HTML).status_int == 302
    if "c%201.txt: does not" not in text:
        assert "logs/c%201.txt?goto=1: 2026-03-04 18:22:09.500" in text


def test_a_name_that_is_not_utf_8_is_as_a_link_has_it(root, ask):
    with open(os.fsencode(root / "run/logs") + b"/a\xff.txt", "wb") as file:
        file.write(b"FAIL: test_a (tests.A)\n")
    text = ask("/run/?format=brief&logs=*a*.txt").text
    assert "\nlogs/a%FF.txt: failed" in text
    assert ask("/run/logs/a%FF.txt?goto=1", **HTML).status_int == 302


@pytest.mark.parametrize("size", [500, 600, 1000, 2000])
def test_a_link_belongs_to_a_whole_name(root, ask, size):
    name = "long-" * 40 + ".txt"
    (root / "run/logs" / name).write_bytes(b"FAIL: test_a (tests.A)\n")
    text = ask(f"/run/?format=brief&bytes={size}&logs=long*").text
    assert (f"\nlogs/{name}: failed" in text) == ("?goto=1\n" in text)
    assert ">FAIL: test_a" in text


def test_a_failure_that_several_logs_show_is_shown_once(root, ask):
    failed = b"##[group]Run make\nFAIL: test_a (tests.A)\nKeyError: 'b'\n##[error]exit code 1\n"
    (root / "run/logs/0_build.txt").write_bytes(b"Set up job\n" * 9 + failed)
    (root / "run/logs/5_Run make.txt").write_bytes(failed)
    text = ask("/run/?format=brief&logs=[05]_*.txt").text
    assert text.count("FAIL: test_a") == 1
    [name] = re.findall(r"^logs/(\S+): failed", text, re.MULTILINE)
    [same] = re.findall(r"^\[the same in logs/(.*)\]$", text, re.MULTILINE)
    assert {name, same} == {"0_build.txt", "5_Run%20make.txt"}


def test_without_links_one_line_is_a_line(root, ask):
    name = "n" * 240
    (root / "run/logs" / name).write_bytes(b"FAIL: test_a (tests.A)\n")
    text = ask(f"/run/?format=brief&bytes=500&logs={name}").text
    assert text.endswith("\nline 1\n>FAIL: test_a (tests.A)\n")


@pytest.mark.parametrize("size", [500, 700, 1000])
@pytest.mark.parametrize("length", [100, 180, 240])
def test_a_long_name_leaves_room_for_the_cause(root, ask, size, length):
    folder = root / "run/logs" / ("long-folder-" * 18)
    folder.mkdir()
    log = b"fine\n" * 900 + b"FAIL: test_a (tests.A)\nKeyError: 'b'\n" + b"fine\n" * 900
    name = "n" * length
    (folder / name).write_bytes(log + b"##[error]Process completed with exit code 1.\n")
    chosen = f"&logs={name}"
    assert "\n>FAIL: test_a" in ask(f"/run/?format=brief&bytes={size}{chosen}").text
    path = f"/run/logs/{folder.name}/{name}"
    assert "\n>FAIL: test_a" in ask(f"{path}?format=brief&bytes={size}").text


def test_it_says_how_many_logs_failed_and_how_many_others_show_errors(ask):
    def said(*logs):
        chosen = "".join(f"&logs={name}" for name in logs)
        return ask(f"/run/?format=brief{chosen}").text

    assert "\n1 log of 6 failed; 2 more show errors\n" in said()
    assert "\n1 log of 2 failed\n" in said("job-output.txt", "quiet.txt")
    assert "\nNo log of 1 failed; 1 shows errors\n" in said("nova.txt.gz")


def test_a_command_names_lines_by_their_files(root, capfdbinary):
    assert main(["render", str(root / "run"), "--format", "brief", "--bytes", "3000"]) == 0
    text = capfdbinary.readouterr().out.decode()
    assert text.startswith("These logs: ")
    assert "\njob-output.txt:1-6\n" in text
    assert len(text) <= 3000
