# SPDX-License-Identifier: Apache-2.0
"""What a release says of itself, and the site of its manual. `make test ENV=lint` checks the workflows."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
SETUP = ConfigParser()
SETUP.read(REPOSITORY / "setup.cfg")
METADATA = SETUP["metadata"]
MCP = tomllib.loads((REPOSITORY / "oslogserve-mcp/pyproject.toml").read_text())["project"]
SERVER, OF_MCP = "oslogserve/__init__.py", "oslogserve-mcp/oslogserve_mcp/__init__.py"


def said_of(checkout, *tag):
    """The faults that tools/check-release finds."""
    command = [sys.executable, checkout / "tools/check-release", *tag]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == (done.stderr != "")
    return [line.removeprefix("*** NOT READY: ") for line in done.stderr.splitlines()]


def test_both_distributions_and_the_changes_have_one_version():
    assert said_of(REPOSITORY) == []


@pytest.fixture
def ready(tmp_path):
    """write(FILE, TEXT) in a checkout that may be released as v1.2.0."""

    def write(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return tmp_path

    for file in (SERVER, OF_MCP):
        write(file, '"""A package."""\n\n__version__ = "1.2.0"\n')
    write(
        "CHANGES.rst", "Changes\n=======\n\n1.2.0 (2027-01-31)\n====\n\n1.1.0 (2026-12-24)\n====\n"
    )
    write("setup.cfg", "[metadata]\nproject_urls =\n    Source = https://git.openlogs.test/\n")
    (tmp_path / "tools").mkdir()
    shutil.copy(REPOSITORY / "tools/check-release", tmp_path / "tools")
    return write


def test_a_checkout_that_is_ready_may_be_tagged(ready):
    assert said_of(ready("README.rst", ""), "v1.2.0") == []


@pytest.mark.parametrize(
    ("file", "text", "tag", "fault"),
    [
        ("README.rst", "", "v1.3.0", "the tag of oslogserve 1.2.0 is v1.2.0, and not v1.3.0"),
        (SERVER, '__version__ = "1.3.0"', "v1.3.0", "CHANGES.rst begins with 1.2.0"),
        (OF_MCP, '__version__ = "1.1.0"', "", "oslogserve-mcp is 1.1.0"),
        ("CHANGES.rst", "1.2.0 (unreleased)\n====\n", "v1.2.0", 'CHANGES.rst says "unreleased"'),
        ("CHANGES.rst", "1.2.0 (unreleased)\n====\n", "", ""),
        ("setup.cfg", "[metadata]\nproject_urls = a = //example.org", "v1.2.0", "example.org"),
    ],
)
def test_what_does_not_agree_is_named(ready, file, text, tag, fault):
    found = said_of(ready(file, text), tag)
    assert len(found) >= (fault != "")
    assert fault in " ".join(found)


def test_both_distributions_name_the_same_sites():
    urls = dict(line.split(" = ") for line in METADATA["project_urls"].split("\n") if line)
    assert MCP["urls"] == urls | {"Documentation": f"{urls['Documentation']}agents.html"}


def test_each_python_that_is_claimed_is_tested():
    """Debian 13, on which all tests run, has Python 3.13."""
    tests = yaml.safe_load((REPOSITORY / ".github/workflows/test.yml").read_text())["jobs"]
    assert tests["all"]["container"] == "debian:trixie"
    tested = {"3.13", *tests["python"]["strategy"]["matrix"]["python"]}
    for classifiers in (METADATA["classifiers"], "\n".join(MCP["classifiers"])):
        assert set(re.findall(r":: Python :: (3\.\d+)", classifiers)) == tested


def test_a_manual_is_added_to_those_of_other_versions(tmp_path):
    site, html = tmp_path / "site", tmp_path / "html"
    for folder, text in ((html, "this"), (site / "0.9", "older"), (site / "0.10", "old")):
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(text)
    for _ in range(2):
        subprocess.run([REPOSITORY / "tools/add-to-site", html, site], check=True)
    version = re.match(r"\d+\.\d+", re.search('= "(.+)"', (REPOSITORY / SERVER).read_text())[1])[0]
    assert json.loads((site / "versions.json").read_text()) == ["latest", version, "0.10", "0.9"]
    shown = {name: (site / name / "index.html").read_text() for name in ("0.9", version, "latest")}
    assert shown == {"0.9": "older", version: "this", "latest": "this"}
    assert f'<a href="{version}/">' in (site / "index.html").read_text()
