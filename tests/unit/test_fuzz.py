# SPDX-License-Identifier: Apache-2.0
"""A short round of each fuzzer that needs no server, always of the same cases."""

from dataclasses import dataclass

import pytest

from tests.fuzz.fuzzer import Fuzzer, Round, run
from tests.fuzz.table import FUZZERS
from tests.renderers import the_native_core

#: How many cases take a second or two.
CASES = {"renderers": 120, "queries": 150, "decoding": 100, "core": 400}


@pytest.mark.parametrize("name", CASES)
def test_no_fault_is_found(name):
    if name in ("renderers", "core"):
        the_native_core()
    with FUZZERS[name]() as fuzzer:
        assert run(fuzzer, cases=CASES[name]) == Round(CASES[name], "")


@dataclass(frozen=True)
class Case:
    text: str


class Finding(Fuzzer):
    """It finds a fault in whatever holds both an x and a y, and fails at a z."""

    name = "finding"
    shortens = ("text",)

    def __init__(self, *texts):
        self._texts = texts

    def case_of(self, number):
        return Case(self._texts[number])

    def fault(self, case):
        if "z" in case.text:
            raise ZeroDivisionError
        return "both" if {"x", "y"} <= set(case.text) else ""


def test_a_fault_is_shortened_to_what_it_needs():
    done = run(Finding("abc", "aaxbbbycc", "never tried"), cases=3)
    assert done.cases == 2
    assert "finding, case 1: both" in done.fault
    assert "Case(text='xy')" in done.fault


def test_an_exception_is_a_fault():
    done = run(Finding("abcz"), cases=1)
    assert "ZeroDivisionError" in done.fault
    assert "Case(text='z')" in done.fault
