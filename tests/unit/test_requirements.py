# SPDX-License-Identifier: Apache-2.0
"""What is installed for tests, builds and demos: locked, with hashes, from no index in particular."""

import configparser
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "requirements"
LOCKS = sorted(FOLDER.glob("*.txt"))
AUDIT = REPOSITORY / "tools/audit"


def locked(path):
    """{name: the requirement} of a lock; each has a version and hashes."""
    text = path.read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        stated, *hashes = line.split(" --hash=")
        requirement = Requirement(stated)
        assert re.fullmatch("==[^*,]+", str(requirement.specifier)), line
        assert hashes, line
        found[canonicalize_name(requirement.name)] = requirement
    return found


def of_package(section):
    """What setup.cfg wants: always, or with all extras."""
    parser = configparser.ConfigParser()
    parser.read(REPOSITORY / "setup.cfg")
    texts = (
        [parser[section]["install_requires"]]
        if section == "options"
        else [*parser[section].values()]
    )
    return [requirement for text in texts for requirement in listed(text)]


def listed(text):
    """The requirements of a list, without its comments."""
    lines = (re.sub("(^| )#.*", "", line).strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line]


def wanted(name):
    """What a lock is made from."""
    if name in ("run", "test"):
        sections = {"run": ["options"], "test": ["options", "options.extras_require"]}[name]
        return [wish for section in sections for wish in of_package(section)]
    return listed((FOLDER / f"{name}.in").read_text())


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_no_lock_is_older_than_what_it_is_made_from(path):
    found = locked(path)
    for requirement in wanted(path.stem):
        version = str(found[canonicalize_name(requirement.name)].specifier).removeprefix("==")
        assert requirement.specifier.contains(version, prereleases=True), requirement


def test_the_locks_go_together():
    versions = {}
    for path in LOCKS:
        for name, requirement in locked(path).items():
            assert versions.setdefault(name, requirement.specifier) == requirement.specifier, name


def test_what_builds_the_package_is_locked():
    backend = tomllib.loads(_text("pyproject.toml"))["build-system"]["requires"]
    assert [Requirement(one) for one in backend] == wanted("build")


@pytest.mark.parametrize("path", [*LOCKS, *FOLDER.glob("*.in")], ids=lambda path: path.name)
def test_no_index_is_named(path):
    lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("#")]
    assert not any("://" in line or line.startswith(("-i", "--", "-f")) for line in lines)


@pytest.mark.parametrize("name", ["Makefile", "tox.ini"])
def test_nothing_is_installed_beside_the_locks(name):
    """All that pip fetches it fetches with hashes: what is not locked is a wheel of our own."""
    for line in _text(name).splitlines():
        if " install " in line and "pip" in line and not line.lstrip().startswith("#"):
            assert "--require-hashes" in line or "--no-deps" in line, line
    assert not re.search(r"^(deps = |    )[\w-]+[><=]=", _text(name), re.MULTILINE)


def _text(name):
    return (REPOSITORY / name).read_text()


def answering(folder, name, answer):
    program = folder / name
    program.write_text(f"#!/bin/sh\n/bin/cat <<'E'\n{answer}\nE\n")
    program.chmod(0o755)


NO_RUST = json.dumps({"vulnerabilities": {"list": []}})
RUST = json.dumps(
    {
        "vulnerabilities": {
            "list": [{"package": {"name": "a", "version": "1"}, "advisory": {"id": "RUSTSEC-1"}}]
        }
    }
)
SAFE = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
WEAK = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}]})
SKIPPED = json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found"}]})


@pytest.mark.parametrize(
    ("of_python", "of_rust", "status", "said"),
    [
        (SAFE, NO_RUST, 0, "No weakness is known"),
        (WEAK, NO_RUST, 1, "CVE-1"),
        (SAFE, RUST, 1, "RUSTSEC-1"),
        (SKIPPED, NO_RUST, os.EX_TEMPFAIL, "COULD NOT BE ASKED about a"),
        ("", NO_RUST, os.EX_TEMPFAIL, "COULD NOT BE ASKED about Python"),
        (SAFE, "error: no such command: `audit`", os.EX_TEMPFAIL, "COULD NOT BE ASKED about Rust"),
        (SAFE, None, os.EX_TEMPFAIL, "COULD NOT BE ASKED about Rust"),
        (WEAK, None, 1, "COULD NOT BE ASKED about Rust"),
    ],
)
def test_an_audit_that_could_not_ask_is_never_taken_for_a_clean_one(
    tmp_path, of_python, of_rust, status, said
):
    answering(tmp_path, "pip-audit", of_python)
    if of_rust is not None:
        answering(tmp_path, "cargo", of_rust)
    done = subprocess.run(
        [sys.executable, AUDIT],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True)
