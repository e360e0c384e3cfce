# SPDX-License-Identifier: Apache-2.0
import argparse

import pytest

from oslogserve.bench import runs
from oslogserve.bench.result import Result, caveats
from oslogserve.errors import SourceError

from .made import sample

OPTIONS = argparse.Namespace(
    requests=9, duration=None, runs=1, warm_up=0, parallel=1, verbose=False
)


class FailingClient:
    """A client that gets no new token after some samples."""

    def __init__(self, samples):
        self._samples = samples

    def begin_run(self):
        return []

    def fetch(self, requests):
        if next(requests, None):
            yield from self._samples
            raise SourceError("swift", "no token came in time", "timeout")

    def close(self):
        pass


def test_what_was_measured_before_a_failure_is_kept():
    samples = [sample("put"), sample("put")]
    found = runs.measured(OPTIONS, FailingClient(samples), Result({}, []), lambda: iter("ab"))
    assert found.samples == samples
    assert "It ended early: swift: no token came in time." in caveats(found)


def test_a_failure_before_the_first_answer_is_raised():
    with pytest.raises(SourceError):
        runs.measured(OPTIONS, FailingClient([]), Result({}, []), lambda: iter("ab"))
