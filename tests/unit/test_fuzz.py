# SPDX-License-Identifier: Apache-2.0
"""A short round of each fuzzer that needs no server, always of the same cases."""

import pytest

from tests.fuzz.fuzzer import Round, run
from tests.fuzz.table import FUZZERS
from tests.renderers import the_native_core

#: How many cases take a second or two.
CASES = {"renderers": 250, "queries": 150, "decoding": 100, "core": 600}


@pytest.mark.parametrize("name", CASES)
def test_no_fault_is_found(name):
    if name in ("renderers", "core"):
        the_native_core()
    with FUZZERS[name]() as fuzzer:
        assert run(fuzzer, cases=CASES[name]) == Round(CASES[name], "")
