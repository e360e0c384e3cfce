# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what the program does."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from oslogserve.demo import write_demo_logs
from oslogserve.lines.severities import SEVERITIES
from oslogserve.query import PARAMETERS
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY

README = (REPOSITORY / "README.rst").read_text()
EXAMPLES = re.findall(r"^    (curl .*)$", README, re.MULTILINE)
LOGS = re.search(r"^    LOGS=http://127\.0\.0\.1:8000(/\S+)$", README, re.MULTILINE)[1]
#: What each example is there to show.
SHOWS = {
    "/job-output.txt": b" | ",
    "?level=ERROR": b" ERROR ",
    "&limit=5": b" ERROR ",
    "text/html": b" id=L1>",
    "format=raw": b" | ",
    "format=json": b'"complete": true',
    "context=5": b" ERROR ",
    "not=heartbeat": b"imeout",
    "format=jsonl": b'"end": true, ',
    "format=summary": b'"histogram": ',
    "-r -200": b"\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("demo")
    write_demo_logs(root)
    with Gunicorn(f"[disk]\nroot = {root}\n") as server:
        yield server


def run(server, example):
    """What the example prints, as the shell of a reader would run it."""
    shell = (
        f"set -e; LOGS={shlex.quote(server.url + LOGS)}; {example} --fail --silent --noproxy '*'"
    )
    return subprocess.run(["sh", "-c", shell], check=True, capture_output=True, timeout=60).stdout


def test_there_are_examples():
    assert len(EXAMPLES) == len(SHOWS)


@pytest.mark.parametrize(("example", "shown"), list(zip(EXAMPLES, SHOWS.items(), strict=True)))
def test_an_example_runs(server, example, shown):
    feature, content = shown
    assert feature in example
    assert content in run(server, example)


def test_the_filtered_examples_leave_out_what_they_say(server):
    errors, first_warnings = (run(server, EXAMPLES[n]) for n in (1, 2))
    assert b" INFO " not in errors
    assert first_warnings.count(b"\n") == 5
    assert b" INFO " not in first_warnings


def test_the_range_examples_get_so_many_bytes(server):
    assert len(run(server, EXAMPLES[4])) == 100
    log = "$LOGS/controller/logs/screen-n-cpu.txt"
    assert run(server, EXAMPLES[10]) == run(server, f'curl "{log}"')[-200:]


def test_every_parameter_and_level_is_named():
    assert [name for name in PARAMETERS if f"``{name}``" not in README] == []
    assert [level for level in SEVERITIES if f"``{level}``" not in README] == []


#: Not shown before there is any, or a Swift.
OF_TROUBLE = {
    "oslogserve_incomplete_logs_total",
    "oslogserve_source_resumes_total",
    "oslogserve_source_retries_total",
    "oslogserve_swift_authentications_total",
}


def test_every_metric_is_named_with_its_labels(server):
    run(server, EXAMPLES[0])
    exposed = run(server, 'curl "${LOGS%%/42/*}/metrics"').decode()
    names = set(re.findall(r"^# TYPE (oslogserve_\w+)", exposed, re.MULTILINE))
    named = set(re.findall(r"``(oslogserve_\w+)(?:\{[a-z,]+\})?``", README))
    assert names <= named
    assert named - names <= OF_TROUBLE


@pytest.mark.parametrize("command", ["serve", "check-config", "demo"])
def test_the_options_of_a_command_are_those_it_has(command):
    script = Path(sys.executable).with_name("oslogserve")
    told = subprocess.run([script, command, "--help"], check=True, capture_output=True, text=True)
    line = re.search(rf"^    oslogserve {command}(.*)$", README, re.MULTILINE)[1]
    shown = set(re.findall(r"--[a-z]+", line))
    assert shown == set(re.findall(r"^  (--[a-z]+)", told.stdout, re.MULTILINE))


def test_the_parameters_that_say_which_lines_are_those_of_render():
    section = README.partition("Find the error\n==")[2].partition("For bots\n==")[0]
    rows = re.findall(r"^``(\w+)``(?:, ``(\w+)``)?  ", section, re.MULTILINE)
    of_address = {"source", "format", "wrap", "sort", "content-type"}
    assert {name for row in rows for name in row if name} == set(PARAMETERS) - of_address


def test_files_that_it_links_are_there():
    for link in re.findall(r"^(?:\.\. image:: |\.\. _[^:]+: )(\S+)$", README, re.MULTILINE):
        assert (REPOSITORY / link).exists(), link
