# SPDX-License-Identifier: Apache-2.0
"""A few rows of the fault matrix, a cell of each; `make faults` has the whole."""

import pytest

from tests.faults.matrix import Matrix

ROWS = (
    "disk: truncated midway",
    "swift: connection reset midway",
    "swift: object server killed midway",
    "swift: stored bytes flipped",
)


@pytest.fixture(scope="module")
def matrix():
    return Matrix(f"^({'|'.join(ROWS)}), (gzip|plain) ", a_row=1).run()


def test_no_reader_is_deceived(matrix):
    assert [str(result) for result in matrix.bad] == []
    assert len(matrix.results) == len(ROWS)


def test_no_fault_leaves_descriptors_or_threads(matrix):
    assert matrix.leaks == []
