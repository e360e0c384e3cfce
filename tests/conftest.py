# SPDX-License-Identifier: Apache-2.0
"""Of all suites: a test that fails is named at once, not only at the end."""

import pytest


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
