# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.lines.grammar.tokens import ROWS, Kind, Place, token_at


def at(place, text):
    return token_at(place, text, 0, len(text))


@pytest.mark.parametrize(
    ("place", "text", "kind", "token"),
    [
        (Place.FIRST_TIMED, b"ERROR: x", Kind.FIRST_WORD, b"ERROR:"),
        (Place.FIRST_TIMED, b"ERROR = 1", Kind.WORD, b"ERROR = "),
        (Place.FIRST_TIMED, b"error is here", Kind.FIRST_WORD, b"error"),
        (Place.TIMED, b"error is here", Kind.COLUMN, b"error"),
        (Place.PROSE, b"ERROR: x", Kind.PROGRAM, b"ERROR:"),
        (Place.FIRST_START, b"audit: x", Kind.WORD, b"audit:"),
        (Place.FIRST_START, b"<13>x", Kind.PRIORITY, b"<13>"),
        (Place.FIRST_LOGGED, b"%ASA-4-106023: Deny", Kind.DIGIT, b"%ASA-4-106023: "),
        (Place.LOGGED, b"nova[2790]: x", Kind.PROCESS, b"nova[2790]:"),
        (Place.LOGGED, b"nova[ERROR] x", Kind.LAST_WORD, b"nova[ERROR]"),
        (Place.LOGGED, b"key=value x", Kind.PAIR, b"key=value"),
        (Place.LOGGED, b"key=value", Kind.LAST_PAIR, b"key="),
        (Place.START, b"0x1f x", Kind.NUMBER, b"0x1f"),
        (Place.START, b"1.2.3.4 x", Kind.FIELD, b"1.2.3.4"),
        (Place.START, b'[a "]" b] x', Kind.GROUP, b'[a "]" b]'),
    ],
)
def test_a_token_ends_before_its_guard(place, text, kind, token):
    found = at(place, text)
    assert (found.kind, found.text, found.end) == (kind, token, len(token))


def test_nothing_fits_at_the_end_or_before_a_quote():
    assert at(Place.FIRST_START, b"") is None
    assert at(Place.LOGGED, b'"x"') is None


def test_a_token_does_not_reach_beyond_the_limit():
    assert token_at(Place.START, b"abc", 0, 2).text == b"ab"


def test_every_kind_and_every_place_has_a_row():
    assert {row.kind for row in ROWS} == set(Kind)
    assert set().union(*(row.places for row in ROWS)) == set(Place)


def test_patterns_hold_to_what_both_engines_read():
    for row in ROWS:
        plain = row.pattern.replace(b"{end}", b"")
        assert plain.isascii()
        assert re.compile(plain).groups == 0
        guards = re.findall(rb"\(\?[=!<]", plain)
        assert set(guards) <= {b"(?="}
        assert all(b"(?=" not in end.partition(b")")[2] for end in plain.split(b"(?=")[1:])
