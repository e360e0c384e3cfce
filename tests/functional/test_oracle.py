# SPDX-License-Identifier: Apache-2.0
"""Answers about generated jobs are those that the manual promises, in all views and through all of `next`."""

import pytest

from tests.oracle.run import run

#: They take some ten seconds.
ANSWERS = 600
MANY = 20_000


def test_no_line_and_no_count_is_wrong():
    found = run(ANSWERS)
    assert found.faults == []
    assert found.answers >= ANSWERS


@pytest.mark.long
def test_none_of_many_is_wrong():
    assert run(MANY, seed=10_000).faults == []
