# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.pure.head import REACH
from tests.renderers import EXAMPLES, recogniser


@pytest.fixture(params=["pure", "native"])
def seen(request):
    return recogniser(request.param).seen_in


@pytest.mark.parametrize("end", [b"", b"\r"])
def test_the_examples_of_heads(seen, end):
    found = {line: seen(line + end) for line in EXAMPLES}
    assert {line: (one.time, one.severity) for line, one in found.items()} == EXAMPLES


def test_the_place_of_a_time_is_that_in_the_stored_line(seen):
    for line, (when, _) in EXAMPLES.items():
        one = seen(line)
        assert line[one.start : one.end] == when


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"\x1b[2m2024-03-04T05:06:07Z\x1b[0m \x1b[31mERROR\x1b[0m x", b"2024-03-04T05:06:07Z"),
        (b"2024-03-04 \x1b[1m05:06:07 ERROR x", b"2024-03-04 \x1b[1m05:06:07"),
        (b"\x1b[31mERROR\x1b[0m: x", b""),
    ],
)
def test_colours_hide_nothing(seen, line, shown):
    one = seen(line)
    assert (line[one.start : one.end], one.severity) == (shown, b"ERROR")


def test_an_unknown_sequence_is_text(seen):
    assert seen(b"\x1b[31;ERROR: x").severity == b""


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (b"2013-09-27 18:22:11.248 2790 TRACE nova.compute [-] x", b"nova.compute"),
        (b"Mar 28 12:20:43 host nova[1]: ERROR \x1b[1mnova.api\x1b[0m [-] x", b"nova.api"),
        (b"[ERROR] x", b"x"),
        (b"2013-09-27 18:22:11.248 ERROR", b""),
        (b"2013-09-27 18:22:11.248 x", b""),
        (b"ERROR " + b"p" * 100, b"p" * 64),
    ],
)
def test_the_program_is_named_behind_the_level(seen, line, program):
    assert seen(line).program == program


@pytest.mark.parametrize(("size", "severity"), [(REACH, b"ERROR"), (REACH + 3, b"")])
def test_no_more_than_the_reach_is_looked_at(seen, size, severity):
    begin, end = b'{"a":"', b'","level":"error"}'
    assert seen(begin + b"x" * (size - len(begin + end)) + end).severity == severity
