# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.grammar.severities import NAMES
from oslogserve.lines.grammar.user_formats import UserFormat
from tests.reference.recognise import Recogniser
from tests.renderers import NativeRecogniser

FORMATS = [
    UserFormat("x", rb"@(?P<time>[^@]*)@ (?P<severity>\w+)?", {b"BAD": "ERROR", b"FINE": "NONE"}),
    UserFormat("y", rb"(?i)oops-(?P<severity>[a-z]+)", {}),
    UserFormat("z", rb"at (?P<time>\d+)", {}),
]


@pytest.fixture(scope="module")
def recogniser_of(renderer_name):
    return Recogniser if renderer_name == "pure" else NativeRecogniser


@pytest.fixture(scope="module")
def seen_in(recogniser_of):
    return recogniser_of(FORMATS).seen_in


@pytest.mark.parametrize(
    ("line", "when", "severity"),
    [
        (b"@12@ bad x", b"12", b"ERROR"),
        (b"@12@ fine x", b"12", b""),
        (b"@12@ ugly x", b"12", b""),
        (b"@12@ ", b"12", b""),
        (b"@@ bad", b"", b"ERROR"),
        (b'@<a href="x">@ bad', b"", b"ERROR"),
        (b"\x1b[1m@12@ bad", b"12", b"ERROR"),
        (b"OOPS-warn: x", b"", b"WARNING"),
        (b"at 12 ... FAILED", b"12", b"ERROR"),
        (b" @12@ bad", b"", b""),
        (b"2024-03-04 05:06:07 ERROR x", b"2024-03-04 05:06:07", b"ERROR"),
    ],
)
def test_what_an_operators_format_shows_comes_first(seen_in, line, when, severity):
    seen = seen_in(line)
    assert (line[seen.start : seen.end], NAMES[seen.rank]) == (when, severity or b"NONE")


@pytest.mark.parametrize("pattern", [b"(?P<time>", b"(?P<time>a)(?=b)", b"(?P<time>a)\\1"])
def test_what_is_not_of_linear_cost_is_refused(recogniser_of, pattern):
    with pytest.raises(ValueError, match=r"x: .|parse error|it takes a regular expression"):
        recogniser_of([UserFormat("x", pattern, {})])


def test_hostile_lines_take_no_time(recogniser_of):
    recogniser = recogniser_of([UserFormat("x", rb"(?:a*)*(?:a|a)*b(?P<time>c)", {})])
    assert recogniser.seen_in(b"a" * 100_000).time == b""
