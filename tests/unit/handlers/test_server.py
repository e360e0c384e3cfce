# SPDX-License-Identifier: Apache-2.0
import threading
import time

import pytest

from oslogserve.errors import SourceError
from oslogserve.handlers.server import Readiness
from oslogserve.metrics import Metrics


class Source:
    def __init__(self, name, check):
        self.name, self.check = name, check


@pytest.fixture
def hanging():
    released = threading.Event()
    yield Source("swift", released.wait)
    released.set()


def broken():
    raise SourceError("disk", "no such folder")


def test_who_fails_is_named_with_why():
    sources = [Source("disk", broken), Source("swift", lambda: None)]
    assert Readiness(sources, Metrics(), 1).failures() == {"disk": "no such folder"}


def test_a_source_that_hangs_is_named_within_the_bound(hanging):
    ready = Readiness([Source("disk", lambda: None), hanging], Metrics(), 0.1)
    before = threading.active_count()
    started = time.monotonic()
    for _ in range(3):
        assert list(ready.failures()) == ["swift"]
    assert time.monotonic() - started < 2
    assert threading.active_count() <= before + 1
