# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests: sample logs, failures that are named at once, and the list of slow tests."""

import os
from pathlib import Path

import pytest

from oslogserve.lines.renderer import Renderer

REPOSITORY = Path(__file__).resolve().parents[1]
SLOWEST = 100


@pytest.fixture(scope="session", autouse=True)
def compiled_once():
    """All renderers without user formats share one grammar: to compile one takes 50 ms."""
    compiling = Renderer.__init__
    shared = Renderer()._grammar

    def share(self, user_formats=()):
        if user_formats:
            compiling(self, user_formats)
        else:
            self._grammar = shared

    Renderer.__init__ = share


@pytest.fixture(scope="session")
def samples():
    """The folder of real gate logs, which a clone has not. Without it a test is left out; in CI it fails."""
    folder = os.environ.get("OSLOGSERVE_SAMPLES") or REPOSITORY.parent / "shared/samples"
    if not Path(folder).is_dir():
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end(f"no sample logs in {folder}: OSLOGSERVE_SAMPLES names their folder")
    return Path(folder)


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        config.pluginmanager.register(FailuresAtOnce(reporter))


class FailuresAtOnce:
    def __init__(self, reporter):
        self._reporter = reporter

    def pytest_runtest_logreport(self, report):
        if report.failed and self._reporter.verbosity <= 0:
            self._reporter.write_line(f"\nFAILED {report.nodeid} ({report.when})", red=True)


def pytest_terminal_summary(terminalreporter):
    """Writes build/slowest-NAME.txt. NAME: of the environment, such as unit."""
    reports = [one for group in terminalreporter.stats.values() for one in group]
    timed = [one for one in reports if isinstance(one, pytest.TestReport)]
    timed.sort(key=lambda report: report.duration, reverse=True)
    lines = [f"{one.duration:7.2f} s  {one.when:8}  {one.nodeid}\n" for one in timed[:SLOWEST]]
    file = REPOSITORY / f"build/slowest-{os.environ.get('TOX_ENV_NAME', 'pytest')}.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(lines))
