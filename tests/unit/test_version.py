# SPDX-License-Identifier: Apache-2.0
"""The version: of a tag where there is one, and the same release in all places that name it."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools_scm"]
BASE = SETTINGS["fallback_version"]
CARGO = tomllib.loads((REPOSITORY / "speedups/Cargo.toml").read_text())


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, "commit", "--allow-empty", "--message", "change")


def version(folder):
    """What a build in this folder has."""
    command = [sys.executable, "-m", "setuptools_scm"]
    told = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return told.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    folder.mkdir()
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    git(folder, "init")
    git(folder, "add", "pyproject.toml")
    commit(folder)
    return folder


def test_a_tag_is_the_version(checkout):
    git(checkout, "tag", "v7.8.9")
    assert version(checkout) == "7.8.9"


def test_behind_a_tag_the_version_names_the_commit(checkout):
    git(checkout, "tag", "v7.8.9")
    commit(checkout)
    assert re.fullmatch(r"7\.8\.9\.post1\.dev1\+g[0-9a-f]+", version(checkout))


def test_without_a_tag_the_release_is_what_cargo_says(checkout):
    assert re.fullmatch(rf"{re.escape(BASE)}\.post1\.dev1\+g[0-9a-f]+", version(checkout))


def test_so_it_is_in_a_shallow_clone(checkout, tmp_path):
    git(checkout, "tag", "v7.8.9")
    commit(checkout)
    git(tmp_path, "clone", "--depth=1", "--no-tags", checkout.as_uri(), "shallow")
    assert version(tmp_path / "shallow").startswith(f"{BASE}.post1.dev1+g")


def test_without_git_it_is_the_release(checkout):
    shutil.rmtree(checkout / ".git")
    assert version(checkout) == BASE


def test_an_sdist_keeps_its_version(checkout):
    shutil.rmtree(checkout / ".git")
    (checkout / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: oslogserve\nVersion: 7.8.9\n")
    assert version(checkout) == "7.8.9"


def test_all_name_one_release():
    newest = re.search(
        r"^(\d+\.\d+\.\d+).*\n=+$", (REPOSITORY / "CHANGES.rst").read_text(), re.MULTILINE
    )
    assert CARGO["package"]["version"] == BASE == newest[1]
