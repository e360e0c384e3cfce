# SPDX-License-Identifier: Apache-2.0
"""requirements/*.txt are locked from setup.cfg and requirements/*.in."""

import configparser
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "requirements"
LOCKS = sorted(FOLDER.glob("*.txt"))


def locked(path):
    """{name: the version} of a lock."""
    rows = re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in rows}


def listed(text):
    lines = (re.sub("(^| )#.*", "", line).strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line]


def wanted(name):
    """What a lock is made from."""
    if name not in ("run", "test"):
        return listed((FOLDER / f"{name}.in").read_text())
    parser = configparser.ConfigParser()
    parser.read(REPOSITORY / "setup.cfg")
    texts = [parser["options"]["install_requires"]]
    if name == "test":
        texts += parser["options.extras_require"].values()
    return listed("\n".join(texts))


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_no_lock_is_older_than_what_it_is_made_from(path):
    found = locked(path)
    for requirement in wanted(path.stem):
        version = found[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), requirement


@pytest.mark.parametrize("path", [*LOCKS, *FOLDER.glob("*.in")], ids=lambda path: path.name)
def test_no_index_is_named(path):
    lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("#")]
    assert not any("://" in line or line.startswith(("-i", "--", "-f")) for line in lines)
