# SPDX-License-Identifier: Apache-2.0
"""`make experiments`: two of them, as quickly as they go."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest

from benchmarks.report import BEGIN, END
from tests.servers.process import REPOSITORY, environment

DOCUMENT = REPOSITORY / "doc/experiments.rst"


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.experiments", "--quick", *arguments]
    options = {"cwd": REPOSITORY, "env": environment(), "timeout": 600}
    return subprocess.run(command, check=False, capture_output=True, text=True, **options)


def figures(folder, name):
    text = (folder / "experiments.rst").read_text("utf-8")
    return text.partition(BEGIN.format(name) + "\n")[2].partition(END)[0]


@pytest.mark.long
def test_figures_and_charts_are_renewed_and_no_others(tmp_path):
    before = DOCUMENT.read_text("utf-8")
    done = run("cold", "file_systems", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    cold, systems = figures(tmp_path, "cold"), figures(tmp_path, "file_systems")
    assert "1 MB, cold  " in cold or "Not measured, for" in cold
    assert "xfs" in systems or "Not measured: this machine" in systems
    for chart in tmp_path.glob("experiments/*.svg"):
        assert ElementTree.parse(chart).getroot().tag.endswith("svg")
        assert f".. image:: experiments/{chart.name}" in cold + systems
    assert figures(tmp_path, "sizes") == figures(REPOSITORY / "doc", "sizes")
    assert DOCUMENT.read_text("utf-8") == before
