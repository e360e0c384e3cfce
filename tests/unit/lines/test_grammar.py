# SPDX-License-Identifier: Apache-2.0
"""The tables: what both engines read, and data that the native core refuses."""

import re

import pytest

from oslogserve.lines.grammar.native_grammar import NativeGrammar
from oslogserve.lines.grammar.tokens import RULES
from oslogserve.native import Grammar


def test_patterns_hold_to_what_both_engines_read():
    for rule in RULES:
        plain = rule.pattern.replace(b"{end}", b"")
        assert plain.isascii()
        assert re.compile(plain).groups == 0
        guards = re.findall(rb"\(\?[=!<]", plain)
        assert set(guards) <= {b"(?="}
        assert all(b"(?=" not in end.partition(b")")[2] for end in plain.split(b"(?=")[1:])


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("location", b"a(", "unclosed group"),
        ("continuation", b"a(", "error"),
        ("exceptions", [(b"a(", 6)], "error"),
        ("exceptions", [("é".encode("latin-1"), 6)], "outside ASCII"),
        ("severities", [b"NONE"], "no TRACE"),
        ("words", [(b"x" * 17, 1)], "too long"),
        ("tokens", [("s", "verb", b"x", False)], "no such kind of token: verb"),
    ],
)
def test_data_at_fault_is_refused(name, value, told):
    data = NativeGrammar()
    setattr(data, name, value)
    with pytest.raises(ValueError, match=told):
        Grammar(data)
