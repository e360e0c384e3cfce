# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.lines.telling import exception_of


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'x'",
        "E   AssertionError: assert 1 == 2",
        "java.lang.IllegalStateException: no",
        "smoke.errors.VolumeFailed: volume smoke-418 is in status 'error'",
        "thread 'main' panicked at src/main.rs:2:5",
        "main.c:3:1: error: expected ';'",
    ],
)
def test_the_exception_is_found_behind_its_stack(line):
    stack = "Traceback (most recent call last):", "Error Trace: a_test.go:3", "raise Failed()"
    assert exception_of([*stack, line, "x.Y: later"]) == line
    assert exception_of(stack) == ""


@pytest.mark.parametrize(
    "line",
    [
        "Error Message:",
        "error: |-",
        "thread 'a' panicked at src/lib.rs:3:5:",
    ],
)
def test_of_a_line_that_announces_an_exception_the_next_one_is_it(line):
    assert exception_of(["not ok 3", line, "boom", "at x"]) == "boom"
    assert exception_of([line]) == line
