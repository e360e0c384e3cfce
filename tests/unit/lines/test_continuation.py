# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.grammar.continuation import continues


@pytest.mark.parametrize(
    "line",
    [
        b"  x",
        b"\tat a.B.c(D.java:1)",
        b"at a.B.c(D.java:1)",
        b"Caused by: a.B: x",
        b"... 12 more",
        b"a.b.Name: x",
        b"a.b.Name",
        b"12 | x = 1",
        b"| x",
        b"^~~~",
        b"--> a.rs:1:2",
        b"}",
        b"]),",
        b"During handling of the above exception, another exception occurred:",
    ],
)
def test_shapes_that_go_on(line):
    assert continues(line)


@pytest.mark.parametrize(
    "line", [b"", b"x", b"Traceback", b"x = 1", b"12 x", b"name: x", b"a.b.c: x"]
)
def test_shapes_that_begin(line):
    assert not continues(line)
