# SPDX-License-Identifier: Apache-2.0
"""Answers about generated jobs are those that the manual promises, in all views and through all of `next`."""

import pytest

from oslogserve.jobs import lines, reading
from tests.oracle.run import run

#: They take some seconds.
ANSWERS = 400
MANY = 20_000


@pytest.mark.parametrize("is_small", [False, True])
def test_no_line_and_no_count_is_wrong(is_small, monkeypatch):
    """is_small: lines of several logs are merged in small pieces."""
    if is_small:
        monkeypatch.setattr(reading, "READ", 64)
        for name in ("LEAST_READ", "MERGED", "PASSED_ON"):
            monkeypatch.setattr(lines, name, 64)
        monkeypatch.setattr(lines, "MOST_MERGED", 200)
    found = run(ANSWERS, seed=5000 * is_small)
    assert found.faults == []
    assert found.answers >= ANSWERS


@pytest.mark.long
def test_none_of_many_is_wrong():
    assert run(MANY, seed=10_000).faults == []
