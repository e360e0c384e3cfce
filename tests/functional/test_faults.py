# SPDX-License-Identifier: Apache-2.0
"""A part of the fault matrix: each fault once, the views and packings take turns."""

import pytest

from tests.faults.matrix import STAGES, Matrix


@pytest.fixture(scope="module")
def matrix():
    matrix = Matrix(a_row=1).run()
    print(matrix.table())
    return matrix


def test_no_reader_is_deceived(matrix):
    assert [str(result) for result in matrix.bad] == []


def test_every_fault_is_tried(matrix):
    rows = sum(len(rows) for _, _, rows, unavailable in STAGES if not unavailable)
    assert len(matrix.results) == rows


def test_no_fault_leaves_descriptors_or_threads(matrix):
    assert matrix.leaks == []
