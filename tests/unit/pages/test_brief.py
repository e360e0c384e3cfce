# SPDX-License-Identifier: Apache-2.0
"""Excerpts of logs that nobody would write, always the same ones."""

from tests.fuzz.excerpts import Excerpts
from tests.fuzz.fuzzer import Round, run

#: They take some three seconds.
CASES = 12


def test_an_excerpt_has_the_lines_of_its_log_within_its_bytes():
    assert run(Excerpts(), cases=CASES) == Round(CASES, "")
