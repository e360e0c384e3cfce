# SPDX-License-Identifier: Apache-2.0
"""A part of the fault matrix: each fault once, the views and packings take turns. What waits for
timeouts is left to `make faults`."""

import re

import pytest

from tests.faults.matrix import STAGES, Matrix

QUICK = (
    r"^(?!.*(frozen|server killed midway$|after 30 s|Keystone hangs|64 KiB|slow network"
    r"|one byte a second|gives up|expired midway$))"
)


@pytest.fixture(scope="module")
def matrix():
    matrix = Matrix(QUICK, a_row=1).run()
    print(matrix.table())
    return matrix


def test_no_reader_is_deceived(matrix):
    assert [str(result) for result in matrix.bad] == []


def test_every_fault_is_tried(matrix):
    rows = [
        row.name
        for source, _, rows, unavailable in STAGES
        for row in rows
        if not unavailable and re.search(QUICK, f"{source}: {row.name}")
    ]
    assert len(matrix.results) == len(rows) > 30


def test_no_fault_leaves_descriptors_or_threads(matrix):
    assert matrix.leaks == []
