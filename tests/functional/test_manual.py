# SPDX-License-Identifier: Apache-2.0
"""What the README and the manual show is what the program does."""

import json
import re
import shlex
import subprocess

import pytest

from oslogserve.native import SEVERITIES
from oslogserve.query.parameters import PARAMETERS
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY

PAGES = {
    path.name: path.read_text("utf-8")
    for path in (REPOSITORY / "README.rst", *sorted(REPOSITORY.glob("doc/*.rst")))
}
#: What each example is there to show, by its page, in order.
SHOWS = {
    "README.rst": [
        ("format=brief", b"not enough free space in pool 'pool'"),
        ("against=@smoke", b"thin pool 'pool'"),
    ],
    "clients.rst": [("text/markdown", b"\n```\n"), ("-r -200", b"\n")],
    "filters.rst": [
        ("context=5", b" ERROR "),
        ("not=heartbeat", b"imeout"),
        ("format=jsonl", b'"end": true, '),
        ("format=summary", b'"histogram": '),
        ("chapter=", b" | PLAY RECAP"),
    ],
    "install.rst": [("/job-output.txt", b" | ")],
    "urls.rst": [
        ("/job-output.txt", b" | "),
        ("?level=ERROR", b" ERROR "),
        ("&limit=5", b" ERROR "),
        ("text/html", b" id=L1>"),
        ("format=raw", b" | "),
        ("format=json", b'"complete": true'),
        ("format=summary", b'"cause": '),
        ("PortBindingFailed", b"screen-n-cpu.txt.gz:"),
        ("since=", b"job-output.txt:"),
    ],
}
EXAMPLES = {page: re.findall(r"^    (curl .*)$", PAGES[page], re.MULTILINE) for page in PAGES}
(LOGS,) = {
    address
    for text in PAGES.values()
    for address in re.findall(r"^    LOGS=http://127\.0\.0\.1:8000(/\S+)$", text, re.MULTILINE)
}


@pytest.fixture(scope="module")
def server(demo):
    with Gunicorn(f"[disk]\nroot = {demo}\n") as server:
        yield server


def run(server, example):
    """What the example prints, as the shell of a reader would run it."""
    example = example.replace("http://127.0.0.1:8000", server.url)
    shell = (
        f"set -e; LOGS={shlex.quote(server.url + LOGS)}; {example} --fail --silent --noproxy '*'"
    )
    return subprocess.run(["sh", "-c", shell], check=True, capture_output=True, timeout=60).stdout


@pytest.mark.parametrize(
    ("example", "feature", "content"),
    [
        pytest.param(example, *shown, id=f"{page}-{number}")
        for page in SHOWS
        for number, (example, shown) in enumerate(zip(EXAMPLES[page], SHOWS[page], strict=True))
    ],
)
def test_an_example_runs(server, example, feature, content):
    assert feature in example
    assert content in run(server, example)


def test_the_filtered_examples_leave_out_what_they_say(server):
    errors, first_warnings = (run(server, EXAMPLES["urls.rst"][n]) for n in (1, 2))
    assert b" INFO " not in errors
    assert first_warnings.count(b"\n") == 5
    assert b" INFO " not in first_warnings


def test_the_first_example_prints_so_many_bytes_as_the_readme_says(server):
    assert len(run(server, EXAMPLES["README.rst"][0])) <= 2000


def test_the_second_example_chooses_from_so_many_lines_as_the_readme_says(server):
    example = EXAMPLES["README.rst"][1].replace('new=only"', 'new=only&format=jsonl"')
    lines = json.loads(run(server, example).splitlines()[-1])["lines"]
    assert f"out of {lines:,}:" in PAGES["README.rst"]


def test_the_range_examples_get_so_many_bytes(server):
    assert len(run(server, EXAMPLES["urls.rst"][4])) == 100
    log = "$LOGS/controller/logs/screen-n-cpu.txt"
    assert run(server, EXAMPLES["clients.rst"][1]) == run(server, f'curl "{log}"')[-200:]


def test_every_parameter_and_level_is_named():
    shown = PAGES["urls.rst"] + PAGES["filters.rst"]
    assert [name for name in PARAMETERS if f"``{name}``" not in shown] == []
    assert [level for level in SEVERITIES if f"``{level}``" not in PAGES["filters.rst"]] == []
    assert [level for level in SEVERITIES if f"``{level}``" not in PAGES["severities.rst"]] == []


def test_the_parameters_that_choose_lines_are_those_of_filters():
    rows = re.findall(r"^``(\w+)``(?:, ``(\w+)``)?  ", PAGES["filters.rst"], re.MULTILINE)
    of_address = {"source", "format", "wrap", "sort", "content-type", "logs", "order", "from", "in"}
    of_address |= {"unasked", "goto", "moment", "against", "bytes", "origin"}
    named = {name for row in rows for name in row if name}
    assert named & set(PARAMETERS) == set(PARAMETERS) - of_address


def members(section, following):
    """The members of JSON that the tables of a section name."""
    _, behind = re.split(rf"\n{section}\n[=-]", PAGES["clients.rst"])
    text, _ = re.split(rf"\n{following}\n[=-]", behind)
    return set(re.findall(r"^``(\w+)``(?:  |$)", text, re.MULTILINE))


def test_the_members_of_json_are_those_that_are_named(server):
    log = "$LOGS/controller/logs/screen-n-cpu.txt"
    line, *_, end = run(server, f'curl "{log}?format=jsonl&limit=3"').splitlines()
    # These are there if a log is compared.
    lines = members("JSON lines", "JSON lines of a folder") - {"new", "compared"}
    assert {*json.loads(line), *json.loads(end)} - {"end"} == lines - {"cut"}
    summary = json.loads(run(server, f'curl "{log}?format=summary"'))
    # This one is there if a build went on from a failure.
    of_summary = members("Summary", "Summary of a folder") - {"new", "other_failures"}
    assert set(summary) == of_summary | (lines & set(summary))
    end = run(server, 'curl "$LOGS/?format=jsonl&limit=3"').splitlines()[-1]
    of_folder = members("JSON lines of a folder", "Headers of filtered text") - {"compared"}
    assert set(json.loads(end)) - {"end"} == of_folder
    folder = json.loads(run(server, 'curl "$LOGS/?format=summary"'))
    assert set(folder) == members("Summary of a folder", "Excerpts") - {"compared"}
    listing = json.loads(run(server, 'curl "$LOGS/?format=json"'))
    entries = listing.pop("entries")
    assert {*entries[0], *listing} - {"path", "reason"} == members("Listings", "Ranges")
