# SPDX-License-Identifier: Apache-2.0
"""The real servers, as fixtures; their packages are in requirements/servers.txt."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright
from xdist.scheduler import LoadFileScheduling

REPOSITORY = str(Path(__file__).resolve().parents[2])
if REPOSITORY not in sys.path:  # a plain `pytest` does not put it there
    sys.path.insert(0, REPOSITORY)

from oslogserve.demo import write_demo_logs
from tests.servers.keystone import Keystone
from tests.servers.swift import FourProcessSwift, Swift

#: They take longest: all processes end together where these come first.
FIRST = (
    "test_swift",
    "test_page",
    "test_jobs",
    "test_gunicorn",
    "test_upload",
    "test_reliability",
    "test_faults",
    "test_bench",
)
#: They share a Keystone, which takes longer to start than they take.
WITH_KEYSTONE = ("test_swift", "test_moving", "test_public_container", "test_tls", "test_clouds")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (*FIRST, item.path.stem).index(item.path.stem))


class Scheduling(LoadFileScheduling):
    """As --dist=loadfile, but the files of WITH_KEYSTONE go to the same process."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return "keystone" if Path(file).stem in WITH_KEYSTONE else file


@pytest.hookimpl(optionalhook=True)  # with -p no:xdist there is none
def pytest_xdist_make_scheduler(config, log):
    return Scheduling(config, log)


# Other tests run meanwhile: what comes late is no fault.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The folder of the demo logs, which no test changes."""
    root = tmp_path_factory.mktemp("demo")
    write_demo_logs(root)
    return root


@pytest.fixture(scope="session")
def swift(tmp_path_factory):
    """A Swift with tempauth, shared: use a container of your own."""
    with Swift(tmp_path_factory.mktemp("swift")) as swift:
        yield swift


@pytest.fixture(scope="session")
def keystone_swift(tmp_path_factory):
    """A Swift that authenticates with Keystone (its attribute `keystone`), shared."""
    with (
        Keystone(tmp_path_factory.mktemp("keystone")) as keystone,
        Swift(tmp_path_factory.mktemp("keystone-swift"), keystone) as swift,
    ):
        yield swift


@pytest.fixture
def fragile_swift(tmp_path):
    """A Swift of this test alone, whose servers may be killed and frozen one by one."""
    with FourProcessSwift(tmp_path / "swift", node_timeout=2) as swift:
        yield swift
